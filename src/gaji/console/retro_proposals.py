"""Differences of past payslips: of one employee, to decide on, and of a company."""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from gaji.console.correction_runs import excess_cents, missing_cents
from gaji.console.employee_tabs import load_employee
from gaji.console.forms import AMOUNT
from gaji.console.pages import Confirmation, PageRouter
from gaji.console.pagination import build_pager
from gaji.console.request import PageRequest, page_not_found
from gaji.console.table_sort import parse_sort
from gaji.core.errors import Conflict, GajiError, ValidationError
from gaji.db.tenancy import Tenant
from gaji.engine.correction_remarks import EXCESS_ADVICE
from gaji.engine.explanations.arrears import difference_steps
from gaji.engine.money import decimal_text
from gaji.engine.past_months import employee_share_cents
from gaji.engine.payslip_input import DECIDED_LATER, MISSED, PastDifference
from gaji.payroll.calculation_definitions.queries import load_catalogue
from gaji.payroll.payslips.rendering import captions_by_item
from gaji.payroll.retro_proposals import service
from gaji.people.employees import directory
from gaji.people.employees.display_name import full_name
from gaji.web.responses import HttpResponse

router = PageRouter()

PROPOSALS = "/employees/{employee_id}/retro_proposals"
REMOVAL = Confirmation("Remove this proposal?", "The differences are open again and can be proposed anew.", "Remove")
PER_PAGE = 50
AMOUNT_FIELD = re.compile(r"amount\.([0-9]{1,18})\.(.{1,100})")
FIGURES = {
    "ordinary": "Ordinary wages",
    "additional": "Additional wages",
    "levy": "Foreign worker levy",
}
"""Names of figures that are no items of a payslip. Other figures without a name are not shown."""
STATUSES = {
    "open": ("Open", "warn"),
    "proposed": ("Not decided", "warn"),
    "accepted": ("On the draft", "wait"),
    "paid": ("Paid", "good"),
    "declined": ("Declined", ""),
}
"""The text and the style of each status."""


@router.get(PROPOSALS)
async def show_proposals(request: PageRequest) -> HttpResponse:
    """Show the differences of an employee's past payslips."""
    return await _employee_page(request)


@router.post(PROPOSALS)
async def decide(request: PageRequest) -> HttpResponse:
    """Accept or decline open differences."""
    employee = await load_employee(request)
    await request.writable_company(employee["client_id"])
    accept = request.form.get("decision") == "accept"
    try:
        await service.decide(request.tenant, employee["id"], _body(request.form), accept=accept)
    except (ValidationError, Conflict) as error:
        return await _employee_page(request, error)
    notice = "Accepted. The next payslip pays it" if accept else "Declined"
    return request.redirect(PROPOSALS.format(employee_id=employee["id"]), notice)


@router.post(PROPOSALS + "/{proposal_id}/{decision}", confirm={"delete": REMOVAL})
async def change_proposal(request: PageRequest) -> HttpResponse:
    """Accept, decline or delete a saved proposal."""
    employee = await load_employee(request)
    await request.writable_company(employee["client_id"])
    if request.names["decision"] not in ACTIONS:
        raise page_not_found(request)
    act, notice = ACTIONS[request.names["decision"]]
    try:
        await act(request.tenant, employee["id"], request.ids["proposal_id"])
    except Conflict as error:
        return await _employee_page(request, error)
    return request.redirect(PROPOSALS.format(employee_id=employee["id"]), notice)


@router.get("/companies/{client_id}/retro_proposals")
async def list_open(request: PageRequest) -> HttpResponse:
    """Show the employees whose past payslips differ from what is recorded today."""
    company = await request.company(request.ids["client_id"])
    page = request.list_page(PER_PAGE)
    search = request.query.get("search", "")
    sort = parse_sort(request, ("name", "number"))
    employees, total = await directory.search_employees(request.tenant, company.id, search, page, order=sort.order)
    undecided = await service.list_undecided(request.tenant, company.id, [employee.id for employee in employees])
    return request.render(
        "retro_proposals.html",
        company=company,
        here="Pay runs",
        employees=[employee for employee in employees if employee.id in undecided],
        compared=len(employees),
        undecided=undecided,
        statuses=STATUSES,
        search=search,
        sort=sort,
        pager=build_pager(request, page, total),
    )


def _body(form: Mapping[str, str]) -> dict[str, Any]:
    """Return the body of the proposal that the API would get."""
    body: dict[str, Any] = {"treatment": form.get("treatment", "")}
    if form.get("treatment") == MISSED:
        body |= {name: name in form for name in ("include_pay", "recover_employee_share")}
    amounts: dict[str, dict[str, str]] = {}
    for name, text in form.items():
        if form.get("treatment") == DECIDED_LATER and (match := AMOUNT_FIELD.fullmatch(name)):
            amounts.setdefault(match[1], {})[match[2]] = _plain_amount(text)
    return body | ({"amounts": amounts} if amounts else {})


def _plain_amount(text: str) -> str:
    """Return an amount without dollar sign and commas."""
    match = AMOUNT.fullmatch(text.strip())
    return match[1].replace(",", "") if match else text


def _missing_share_cents(differences: Sequence[PastDifference]) -> int:
    """Return the employee's share of CPF that was not deducted."""
    return sum(max(employee_share_cents(difference), 0) for difference in differences)


async def _employee_page(request: PageRequest, error: GajiError | None = None) -> HttpResponse:
    employee = await load_employee(request)
    company = await request.company(employee["client_id"])
    proposals = await service.list_proposals(request.tenant, employee["id"])
    async with request.tenant.read_only() as tx:
        captions = captions_by_item(await load_catalogue(tx, company.id))
    return request.render(
        "employee_retro_proposals.html",
        status=error.status if error else 200,
        company=company,
        here="Employees",
        error=error,
        employee=employee,
        name=full_name(employee["first_name"], employee["last_name"], employee["name_format"]),
        proposals=proposals,
        statuses=STATUSES,
        captions=captions,
        figures={**FIGURES, **captions},
        steps=difference_steps,
        excess_cents=excess_cents,
        missing_cents=missing_cents,
        missing_share_cents=_missing_share_cents,
        excess_advice=EXCESS_ADVICE,
        decimal_text=decimal_text,
    )


ACTIONS: Mapping[str, tuple[Callable[[Tenant, int, int], Awaitable[None]], str]] = {
    "accept": (service.accept_proposal, "Accepted. The next payslip pays it"),
    "decline": (service.decline_proposal, "Declined"),
    "delete": (service.delete_proposal, "Removed. The differences are open again"),
}
