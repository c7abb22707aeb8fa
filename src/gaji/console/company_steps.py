"""Steps of pay runs for several companies: review, confirm, and the outcome for each company."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from urllib.parse import urlencode

from gaji.approvals.models import Approval
from gaji.company.clients.service import ClientMembership
from gaji.console import cookies
from gaji.console.company_plans import (
    MAX_COMPANIES,
    NEEDS_APPROVAL,
    SLOTS,
    TOTALS,
    CompanyStep,
    PlannedStep,
    plan_steps,
)
from gaji.console.confirmations import render_question
from gaji.console.downloads import unusual_date_text
from gaji.console.error_messages import summarise
from gaji.console.formats import format_count, format_day, format_money
from gaji.console.forms import require_known_ids
from gaji.console.pages import Confirmation, PageRouter
from gaji.console.request import PageRequest, page_not_found
from gaji.core import clock
from gaji.core.errors import Conflict, Errors, GajiError
from gaji.core.validation import DateType
from gaji.db.tenancy import JoinedTransactions, StaleAccess, Tenant
from gaji.payroll.payment_runs import service
from gaji.payroll.payment_runs.finalise import finalise_run
from gaji.payroll.payment_runs.open_run import open_run
from gaji.web import problems
from gaji.web.asgi import request_context
from gaji.web.responses import HttpResponse, log_failure

router = PageRouter()

PATH = "/companies/steps"
NEXT_STEPS = {
    CompanyStep.OPEN: CompanyStep.FINALISE,
    CompanyStep.FINALISE: CompanyStep.MARK_PAID,
    CompanyStep.MARK_PAID: CompanyStep.RELEASE,
}
ACCESS_CHANGED = "Your access was changed meanwhile, so nothing was done here. Start again"


@dataclass(frozen=True)
class StepOutcome:
    """What became of a step in one company."""

    company: ClientMembership
    is_done: bool
    texts: Sequence[str]
    run_ids: Sequence[int] = ()


@router.get(PATH)
async def review_step(request: PageRequest) -> HttpResponse:
    """Show what a step would do in the selected companies."""
    step = _parse_step(request, request.query)
    companies = await _find_companies(request, request.queries.get("client_id", []))
    if len(companies) > MAX_COMPANIES:
        return _refuse_number(request, companies)
    async with SLOTS.slot(request.tenant.caller.account_id):
        planned = await plan_steps(request.tenant, step, companies)
    return _review_page(request, step, planned)


@router.post(PATH)
async def run_step(request: PageRequest) -> HttpResponse:
    """Do a step for the selected pay runs, with one transaction for each company."""
    step = _parse_step(request, request.form)
    companies = await _find_companies(request, request.fields.get("client_id", []))
    if len(companies) > MAX_COMPANIES:
        return _refuse_number(request, companies)
    async with SLOTS.slot(request.tenant.caller.account_id):
        planned = await plan_steps(request.tenant, step, companies)
        keys = _selected_keys(request)
        chosen = [item for item in planned if item.is_ready and item.key in keys]
        if not keys:
            return _review_page(request, step, planned, "Select at least one pay run", status=422)
        if step is CompanyStep.MARK_PAID and (noted := _note_dates(request, planned)):
            return _review_page(request, step, noted, "Please check the dates")
        if step is CompanyStep.FINALISE and chosen and request.form.get("confirmed") != "yes":
            return render_question(request, _finalise_question(chosen))
        outcomes = await _run_steps(request, step, chosen)
    return _outcome_page(request, step, planned, outcomes)


def _parse_step(request: PageRequest, values: Mapping[str, str]) -> CompanyStep:
    text = values.get("step", CompanyStep.OPEN)
    if text not in list(CompanyStep):
        raise page_not_found(request)
    return CompanyStep(text)


async def _find_companies(request: PageRequest, ids: Sequence[str]) -> list[ClientMembership]:
    """Return the selected companies in the order of the list. Raises NotFound for any that is not the user's."""
    companies = await request.companies()
    require_known_ids(ids, {str(company.id) for company in companies}, "company")
    selected = set(ids)
    return [company for company in companies if str(company.id) in selected]


def _selected_keys(request: PageRequest) -> set[str]:
    return {key for key in request.fields.get("row", []) if key}


def _refuse_number(request: PageRequest, companies: Sequence[ClientMembership]) -> HttpResponse:
    text = f"{len(companies)} companies are selected. Select at most {MAX_COMPANIES}"
    return request.redirect("/companies", cookies.REFUSAL_MARK + text)


def _review_page(
    request: PageRequest, step: CompanyStep, planned: Sequence[PlannedStep], error: str = "", status: int = 200
) -> HttpResponse:
    ready = [item for item in planned if item.is_ready]
    return request.render(
        "company_steps.html",
        status=status,
        here="Companies",
        step=step,
        error=error,
        ready=ready,
        selected=request.fields.get("row") or [item.key for item in ready if not item.note],
        dates={item.key: request.form.get(f"date.{item.key}") or item.payment_date for item in ready},
        left_out=[item for item in planned if not item.is_ready],
        client_ids=list(dict.fromkeys(item.company.id for item in planned)),
        totals=_totals(ready),
    )


def _totals(planned: Sequence[PlannedStep]) -> dict[str, int]:
    totals = {name: sum(item.cents.get(name, 0) for item in planned) for name in TOTALS}
    return {**totals, "payslips": sum(item.payslips for item in planned)}


def _finalise_question(chosen: Sequence[PlannedStep]) -> Confirmation:
    totals = _totals(chosen)
    effect = (
        f"{format_count(totals['payslips'], 'payslip becomes', 'payslips become')} final, with nett pay of "
        f"{format_money(totals['nett_pay'])} and employer cost of {format_money(totals['employer_cost'])}. Employees "
        "cannot see the payslips until you release them."
    )
    companies = ", ".join(dict.fromkeys(item.company.name for item in chosen))
    return Confirmation(f"Finalise {format_count(len(chosen), 'pay run')}?", f"{effect} {companies}.", "Finalise")


def _note_dates(request: PageRequest, planned: Sequence[PlannedStep]) -> list[PlannedStep]:
    """Return the plan with what is unusual about the entered dates, or nothing if the user has seen all of it."""
    keys, noted, has_news = _selected_keys(request), [], False
    for item in planned:
        text = request.form.get(f"date.{item.key}", "")
        day = DateType().parse(text, "payment_date", Errors()) if text else item.payment_date
        note = unusual_date_text(item.run, day, clock.today()) if item.run and day else item.note
        has_news |= bool(item.key in keys and note and request.form.get(f"noted.{item.key}") != str(day))
        noted.append(replace(item, note=note))
    return noted if has_news else []


async def _run_steps(request: PageRequest, step: CompanyStep, chosen: Sequence[PlannedStep]) -> list[StepOutcome]:
    outcomes: list[StepOutcome] = []
    for _, items in groupby(chosen, key=lambda item: item.company.id):
        try:
            outcomes.append(await _run_in_company(request, step, list(items)))
        except StaleAccess:
            if not outcomes:
                raise
            remaining = [item for item in chosen if item.company.id not in {done.company.id for done in outcomes}]
            companies = dict.fromkeys(item.company for item in remaining)
            return [*outcomes, *(StepOutcome(company, False, [ACCESS_CHANGED]) for company in companies)]
    return outcomes


async def _run_in_company(request: PageRequest, step: CompanyStep, items: Sequence[PlannedStep]) -> StepOutcome:
    """Do a step for the pay runs of a company, all or nothing."""
    company = items[0].company
    try:
        async with JoinedTransactions(request.tenant):
            results = [await ACTIONS[step](request.tenant, item, request.form) for item in items]
    except StaleAccess:
        raise
    except Exception as error:
        return StepOutcome(company, False, _failure_texts(request, error), _run_ids(items))
    return StepOutcome(company, True, [text for text, _ in results], [run_id for _, run_id in results])


def _failure_texts(request: PageRequest, error: Exception) -> list[str]:
    """Return why nothing was done in a company. The other companies are not affected."""
    http_error: GajiError = problems.to_http_error(error)
    if http_error.status >= 500:
        log_failure(error, http_error, request_context(request.scope)["request_id"])
    summary = summarise(http_error)
    return [summary.headline, *summary.lines] if summary else []


def _run_ids(items: Sequence[PlannedStep]) -> list[int]:
    return [item.run_id for item in items if item.run_id]


def _outcome_page(
    request: PageRequest, step: CompanyStep, planned: Sequence[PlannedStep], outcomes: Sequence[StepOutcome]
) -> HttpResponse:
    missing = _selected_keys(request) - {item.key for item in planned}
    left_out = [item for item in planned if not item.is_ready and not item.is_idle]
    next_step = NEXT_STEPS.get(step)
    done = [("client_id", outcome.company.id) for outcome in outcomes if outcome.is_done]
    return request.render(
        "company_steps_outcome.html",
        here="Companies",
        step=step,
        outcomes=outcomes,
        left_out=left_out,
        missing=len(missing),
        next_step=next_step,
        next_path=f"{PATH}?{urlencode([('step', next_step), *done])}" if next_step and done else "",
    )


StepResult = tuple[str, int]
"""What was done, and the ID of the pay run."""


async def _open(tenant: Tenant, item: PlannedStep, _: Mapping[str, str]) -> StepResult:
    if item.run_id:
        count = await service.calculate_run(tenant, item.run_id)
        return f"{format_count(count, 'payslip')} recalculated", item.run_id
    body = {"wave_id": item.wave_id, "period_end_date": str(item.end)}
    run_id, _warnings = await open_run(tenant, item.company.id, body)
    return f"Pay run to {format_day(item.end)} opened with {format_count(item.payslips, 'payslip')}", run_id


async def _finalise(tenant: Tenant, item: PlannedStep, form: Mapping[str, str]) -> StepResult:
    run_id = item.run_id or 0
    run = await finalise_run(tenant, run_id, form.get(f"fingerprint.{item.key}", ""))
    if isinstance(run, Approval):
        raise Conflict(NEEDS_APPROVAL)
    return f"Pay run to {format_day(item.end)} finalised with {format_count(run.payslips, 'payslip')}", run_id


async def _mark_paid(tenant: Tenant, item: PlannedStep, form: Mapping[str, str]) -> StepResult:
    day = form.get(f"date.{item.key}") or str(item.payment_date)
    await service.mark_paid(tenant, item.run_id or 0, {"payment_date": day})
    return f"Pay run to {format_day(item.end)} marked as paid on {format_day(day)}", item.run_id or 0


async def _release(tenant: Tenant, item: PlannedStep, _: Mapping[str, str]) -> StepResult:
    await service.release_run(tenant, item.run_id or 0)
    return f"{format_count(item.payslips, 'payslip')} of {format_day(item.end)} released", item.run_id or 0


ACTIONS: Mapping[CompanyStep, Callable[[Tenant, PlannedStep, Mapping[str, str]], Awaitable[StepResult]]] = {
    CompanyStep.OPEN: _open,
    CompanyStep.FINALISE: _finalise,
    CompanyStep.MARK_PAID: _mark_paid,
    CompanyStep.RELEASE: _release,
}
