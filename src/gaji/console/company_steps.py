"""Steps of pay runs for several companies: review, confirm, and the progress and outcome for each company."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from urllib.parse import urlencode

from gaji.company.clients.service import ClientMembership
from gaji.console import cookies
from gaji.console.company_names import company_name
from gaji.console.company_plans import (
    MAX_COMPANIES,
    NEEDS_APPROVAL,
    SLOTS,
    TOTALS,
    PlannedStep,
    plan_steps,
)
from gaji.console.confirmations import render_question
from gaji.console.downloads import unusual_date_text
from gaji.console.formats import format_count, format_day, format_money
from gaji.console.forms import require_known_ids
from gaji.console.pages import Confirmation, PageRouter
from gaji.console.request import PageRequest, page_not_found
from gaji.console.reviewed_runs import seal_runs, unseal_runs
from gaji.core import clock
from gaji.core.errors import Errors
from gaji.core.field_types import DateType
from gaji.payroll.payslips.summaries import load_unpaid_periods
from gaji.payroll.run_steps import service
from gaji.payroll.run_steps.models import ClientStep, CompanyStep, StepFailure, StepItem, StepResult
from gaji.web.responses import HttpResponse

router = PageRouter()

PATH = "/companies/steps"
PATH_OF_CPF_FILES = "/companies/cpf_files"
PATH_OF_PAYMENT_FILES = "/companies/payment_files"
NEXT_STEPS = {
    CompanyStep.OPEN: CompanyStep.FINALISE,
    CompanyStep.FINALISE: CompanyStep.MARK_PAID,
    CompanyStep.MARK_PAID: CompanyStep.RELEASE,
}
CHECK_DATES = "Please check the dates"
NOT_A_DATE = "This is not a date"
REVIEW_AGAIN = "The pay runs have changed, or you reviewed them more than an hour ago. Review them again"
REFRESH_S = 2
FAILURES = {
    StepFailure.CHANGED: "The payslips have changed since you reviewed them. Review the pay run again",
    StepFailure.NEEDS_APPROVAL: NEEDS_APPROVAL,
    StepFailure.IN_PROGRESS: "Payslips are still being calculated. Try again in a moment",
    StepFailure.NO_ACCESS: "The pay run was deleted, or you can no longer change this company",
    StepFailure.NOT_VALID: "The pay run cannot be paid on this date",
    StepFailure.INTERNAL: "Something went wrong, and the error was logged. Nothing was done here. Try again",
}
CONFLICTS = {
    CompanyStep.OPEN: "The pay run was opened by someone else, or an earlier one comes first",
    CompanyStep.FINALISE: "The pay run cannot be finalised now. Its page shows what needs attention",
    CompanyStep.MARK_PAID: "The pay run was reopened, or someone has marked it as paid on another day",
    CompanyStep.RELEASE: "The pay run was reopened. Finalise it first",
}
"""Why the state of a pay run forbids a step."""


@dataclass(frozen=True)
class StepOutcome:
    """What became of a step in one company."""

    company: ClientMembership
    state: str
    """`waiting`, `running`, `done` or `failed`."""
    texts: Sequence[str]
    run_ids: Sequence[int] = ()


@router.get(PATH)
async def review_step(request: PageRequest) -> HttpResponse:
    """Show what a step would do in the selected companies."""
    step = _parse_step(request, request.query)
    companies = await find_companies(request, request.queries.get("client_id", []))
    if len(companies) > MAX_COMPANIES:
        return refuse_number(request, companies)
    async with SLOTS.slot(request.tenant.caller.account_id):
        planned = await plan_steps(request.tenant, step, companies)
    return _review_page(request, step, planned)


@router.post(PATH)
async def run_step(request: PageRequest) -> HttpResponse:
    """Start a step for the selected pay runs. Workers do it, with one transaction for each company."""
    step = _parse_step(request, request.form)
    companies = await find_companies(request, request.fields.get("client_id", []))
    if len(companies) > MAX_COMPANIES:
        return refuse_number(request, companies)
    keys = _selected_keys(request)
    if step is CompanyStep.FINALISE and (reviewed := await unseal_runs(request, companies, keys)):
        if request.form.get("confirmed") != "yes":
            return render_question(request, _finalise_question(reviewed))
        return await _start(request, step, reviewed, len(keys))
    async with SLOTS.slot(request.tenant.caller.account_id):
        planned = await plan_steps(request.tenant, step, companies)
        if step is CompanyStep.MARK_PAID:
            if change := request.form.get("change"):
                return _change_form(request, change, planned, keys)
            planned = [_with_date(item, _entered_date(request, item)) for item in planned]
        if not keys:
            return _review_page(request, step, planned, "Select at least one pay run", status=422)
        if step is CompanyStep.FINALISE:
            return _review_page(request, step, planned, REVIEW_AGAIN, status=409)
        chosen = [item for item in planned if item.is_ready and item.key in keys]
        if step is CompanyStep.MARK_PAID and not all(_entered_date(request, item) for item in chosen):
            return _review_page(request, step, planned, "Enter a date for each selected pay run", status=422)
        if step is CompanyStep.MARK_PAID and _has_new_notes(request, chosen):
            return _review_page(request, step, planned, CHECK_DATES)
        if not chosen:
            return _review_page(request, step, planned, _left_out_text(len(keys)), status=409)
        return await _start(request, step, chosen, len(keys))


def _change_form(request: PageRequest, change: str, planned: Sequence[PlannedStep], keys: set[str]) -> HttpResponse:
    """Show the form again after a button that changes its dates or its selection. The other entries stay."""
    paid_on = _parse_date(request.form.get("paid_on", ""))
    if change == "one_date" and paid_on is None:
        text = "Enter the day on which the pay runs were paid"
        return _review_page(request, CompanyStep.MARK_PAID, planned, text, status=422)
    days = {item.key: _entered_date(request, item) for item in planned}
    if change == "one_date":
        days = dict.fromkeys(days, paid_on)
    if change == "pay_dates":
        days = {item.key: item.run.payment_date if item.run else None for item in planned}
    changed = [_with_date(item, days[item.key]) for item in planned]
    ready = [item.key for item in changed if item.is_ready]
    with_file = [item.key for item in changed if item.is_ready and not item.lacks_file]
    selected = with_file if change == "all" else [] if change == "none" else [key for key in ready if key in keys]
    texts = {key: str(day) if day else request.form.get(f"date.{key}", "") for key, day in days.items()}
    return _review_page(request, CompanyStep.MARK_PAID, changed, selected=selected, dates=texts)


async def _start(request: PageRequest, step: CompanyStep, chosen: Sequence[PlannedStep], selected: int) -> HttpResponse:
    """Queue a step, and redirect to its progress."""
    items: dict[int, list[StepItem]] = {}
    for item in chosen:
        items.setdefault(item.company.id, []).append(item.to_item(_entered_date(request, item)))
    batch = await service.start_batch(request.tenant, step, items)
    left_out = selected - len(chosen)
    return request.redirect(f"{PATH}/{batch}" + (f"?left_out={left_out}" if left_out else ""))


@router.get(PATH + "/{batch}")
async def show_batch(request: PageRequest) -> HttpResponse:
    """Show the progress of a step, or what became of it in each company."""
    steps = await service.read_batch(request.tenant, request.names["batch"])
    companies = await request.companies()
    by_client = {step.client_id: step for step in steps}
    outcomes = [_outcome(company, by_client[company.id]) for company in companies if company.id in by_client]
    is_finished = all(outcome.state in ("done", "failed") for outcome in outcomes)
    if not is_finished:
        # The browser reloads the page, with or without scripts.
        request.headers.append(("Refresh", str(REFRESH_S)))
    step, left_out_number = steps[0].step, request.query.get("left_out", "")
    left_out = int(left_out_number) if re.fullmatch(r"[1-9][0-9]{0,3}", left_out_number) else 0
    next_step = NEXT_STEPS.get(step)
    done = [outcome for outcome in outcomes if outcome.state == "done"]
    done_ids = [("client_id", outcome.company.id) for outcome in done]
    finds_late = is_finished and step is CompanyStep.FINALISE
    late_ids = await _find_late(request, [outcome.company.id for outcome in done]) if finds_late else []
    rows = [("row", run_id) for outcome in done for run_id in outcome.run_ids]
    return request.render(
        "company_steps_outcome.html",
        here="Companies",
        step=step,
        outcomes=outcomes,
        finished=sum(outcome.state in ("done", "failed") for outcome in outcomes),
        is_finished=is_finished,
        left_out_text=_left_out_text(left_out) if left_out else "",
        next_step=next_step,
        next_path=f"{PATH}?{urlencode([('step', next_step), *done_ids, *rows])}" if next_step and done else "",
        open_path=f"{PATH}?{urlencode([('step', CompanyStep.OPEN), *done_ids])}" if done else "",
        late_path=f"{PATH}?{urlencode([('step', CompanyStep.OPEN), *(('client_id', late) for late in late_ids)])}",
        late_number=len(late_ids),
        files_path=f"{PATH_OF_CPF_FILES}?{urlencode(done_ids)}" if done else "",
        payment_files_path=f"{PATH_OF_PAYMENT_FILES}?{urlencode(done_ids)}" if done else "",
    )


async def _find_late(request: PageRequest, client_ids: Sequence[int]) -> list[int]:
    """Return the companies with another period whose pay date has passed."""
    async with request.tenant.read_only() as tx:
        unpaid = await load_unpaid_periods(tx, client_ids)
    today = clock.today()
    return [client_id for client_id in client_ids if any(item.pay_date < today for item in unpaid.get(client_id, []))]


def _parse_step(request: PageRequest, values: Mapping[str, str]) -> CompanyStep:
    text = values.get("step", CompanyStep.OPEN)
    if text not in list(CompanyStep):
        raise page_not_found(request)
    return CompanyStep(text)


async def find_companies(request: PageRequest, ids: Sequence[str]) -> list[ClientMembership]:
    """Return the selected companies in the order of the list. Raises NotFound for any that is not the user's."""
    companies = await request.companies()
    require_known_ids(ids, {str(company.id) for company in companies}, "company")
    selected = set(ids)
    return [company for company in companies if str(company.id) in selected]


def _selected_keys(request: PageRequest) -> set[str]:
    return {key for key in request.fields.get("row", []) if key}


def refuse_number(request: PageRequest, companies: Sequence[ClientMembership]) -> HttpResponse:
    text = f"{len(companies)} companies are selected. Select at most {MAX_COMPANIES}"
    return request.redirect("/companies", cookies.REFUSAL_MARK + text)


def _review_page(
    request: PageRequest,
    step: CompanyStep,
    planned: Sequence[PlannedStep],
    error: str = "",
    status: int = 200,
    *,
    selected: Sequence[str] | None = None,
    dates: Mapping[str, str] | None = None,
) -> HttpResponse:
    """Show what a step would do. `selected` and `dates` replace what was entered."""
    ready = [item for item in planned if item.is_ready]
    chosen = _preselected(request, ready) if selected is None else selected
    client_ids = list(dict.fromkeys(item.company.id for item in planned))
    selection = [("step", step), *(("client_id", client_id) for client_id in client_ids)]
    return request.render(
        "company_steps.html",
        status=status,
        here="Companies",
        step=step,
        error=error,
        needs_check=error == CHECK_DATES,
        unusual_dates=sum(bool(item.note) and item.key in chosen for item in ready) if dates else 0,
        ready=ready,
        selected=chosen,
        unselected=sum(item.is_unusual and item.key not in chosen for item in ready),
        unlisted=_count_unlisted(request, ready),
        select_paths={name: f"{PATH}?{urlencode([*selection, ('select', name)])}" for name in ("all", "none")},
        sealed=seal_runs(request, ready) if step is CompanyStep.FINALISE else {},
        paid_on=request.form.get("paid_on", ""),
        dates=dates or {item.key: request.form.get(f"date.{item.key}") or item.payment_date for item in ready},
        left_out=sorted((item for item in planned if not item.is_ready), key=lambda item: item.is_idle),
        client_ids=client_ids,
        return_to=f"{PATH}?{urlencode(selection)}",
        companies_path=selected_companies_path(client_ids),
        totals=_totals(ready),
    )


def selected_companies_path(client_ids: Sequence[int]) -> str:
    """Return the address of the list of companies with these selected."""
    return f"/companies?{urlencode([('client_id', client_id) for client_id in client_ids])}#steps"


def _preselected(request: PageRequest, ready: Sequence[PlannedStep]) -> list[str]:
    """Return which pay runs are selected: as in the form or the address, or else all without anything unusual.

    Those whose file for the bank cannot be created are only selected one by one.
    """
    if request.fields:
        return request.fields.get("row", [])
    choice, rows = request.query.get("select", ""), request.queries.get("row", [])
    if choice == "none":
        return []
    if choice == "all":
        return [item.key for item in ready if not item.lacks_file]
    return [item.key for item in ready if not item.is_unusual and (not rows or item.key in rows)]


def _count_unlisted(request: PageRequest, ready: Sequence[PlannedStep]) -> int:
    """Return how many pay runs without anything unusual are not in the address, which names those of another step."""
    rows = request.queries.get("row", [])
    return sum(not item.is_unusual and item.key not in rows for item in ready) if rows else 0


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
    names = [f"{company_name(item.company)}, {format_day(item.end)}" for item in chosen]
    question = f"Finalise {format_count(len(chosen), 'pay run')}?"
    return Confirmation(question, effect, "Finalise", names=names, is_removal=False)


def _has_new_notes(request: PageRequest, chosen: Sequence[PlannedStep]) -> bool:
    """Return whether something is unusual about an entered date that the page has not shown yet."""
    return any(
        item.note and request.form.get(f"noted.{item.key}") != str(_entered_date(request, item)) for item in chosen
    )


def _with_date(item: PlannedStep, day: date | None) -> PlannedStep:
    """Return the step with what is unusual about the day on which the pay run was paid."""
    if item.run is None:
        return item
    if day is None:
        return replace(item, note=NOT_A_DATE)
    return replace(item, note=unusual_date_text(item.run, day, clock.today()))


def _entered_date(request: PageRequest, item: PlannedStep) -> date | None:
    """Return the date in the form, the proposed one if there is none, or None if it is not a date."""
    text = request.form.get(f"date.{item.key}", "")
    return _parse_date(text) if text else item.payment_date


def _parse_date(text: str) -> date | None:
    return DateType().parse(text, "payment_date", Errors()) if text else None


def _left_out_text(number: int) -> str:
    """Return that selected pay runs are left out. The companies may have been changed since the review."""
    return f"{format_count(number, 'pay run is', 'pay runs are')} no longer waiting for this step, or not ready for it"


def _outcome(company: ClientMembership, step: ClientStep) -> StepOutcome:
    if step.state == "queued":
        return StepOutcome(company, "running" if step.is_running else "waiting", ())
    if step.reason is not None:
        run_ids = [item.run_id for item in step.items if item.run_id]
        return StepOutcome(company, "failed", [FAILURES.get(step.reason) or CONFLICTS[step.step]], run_ids)
    done = list(zip(step.items, step.results, strict=True))
    texts = [_result_text(step.step, item, result) for item, result in done]
    return StepOutcome(company, "done", texts, [result.run_id for result in step.results])


def _result_text(step: CompanyStep, item: StepItem, result: StepResult) -> str:
    end, count = format_day(item.period_end_date), format_count(result.payslips, "payslip")
    match step:
        case CompanyStep.OPEN if item.run_id:
            return f"{count} recalculated"
        case CompanyStep.OPEN:
            return f"Pay run to {end} opened with {count}"
        case CompanyStep.FINALISE:
            return f"Pay run to {end} finalised with {count}"
        case CompanyStep.MARK_PAID:
            return f"Pay run to {end} marked as paid on {format_day(item.payment_date)}"
        case CompanyStep.RELEASE:
            return f"{count} of {end} released"
