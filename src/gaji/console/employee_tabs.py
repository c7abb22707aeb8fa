"""One employee: profile, pay, leave, payslips, tax certificates and history, each on a tab."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import msgspec

from gaji.company.waves.queries import load_pay_calendars
from gaji.console.approvals import load_pending
from gaji.console.audit_entries import describe_entries
from gaji.console.downloads import PDF
from gaji.console.employee_form import employee_facts, employee_form, employee_note_texts
from gaji.console.forms import Form, build_form
from gaji.console.leave_tab import leave_tab_values
from gaji.console.pages import PageRouter, when_queried
from gaji.console.pay_tab import pay_tab_values
from gaji.console.request import PageRequest
from gaji.console.tables import SortKeys, build_table
from gaji.core.constants import CONSTANT_LISTS
from gaji.core.errors import Conflict, ValidationError
from gaji.documents.tax_certificates import ir21_drafts
from gaji.documents.tax_certificates import service as certificates
from gaji.payroll.payslips import service as payslips
from gaji.payroll.withheld_payments.queries import load_clearance_payments
from gaji.people.benefits_in_kind import service as benefits
from gaji.people.employees import audit_log, service
from gaji.people.employees.display_name import full_name
from gaji.people.service_periods import service as service_periods
from gaji.people.service_periods.schemas import END_SERVICE, REINSTATE
from gaji.people.share_gains import service as share_gains
from gaji.people.wave_periods import service as wave_periods
from gaji.privacy.erasure import service as erasure
from gaji.web.responses import HttpResponse

router = PageRouter()

Employee = Mapping[str, Any]
STATUS_NAMES = {entry.value: entry.name for entry in CONSTANT_LISTS["legal_status"]}
BENEFIT_NAMES = {entry.value: entry.name for entry in CONSTANT_LISTS["benefit_category"]}
PLAN_NAMES = {entry.value: entry.name for entry in CONSTANT_LISTS["share_plan"]}
TERMINATION_NAMES = {entry.value: entry.name for entry in CONSTANT_LISTS["termination_code"]}
PAYSLIP_SORT_KEYS: SortKeys[Mapping[str, Any]] = {
    "date": lambda payslip: (payslip["date"], payslip["id"]),
    "state": lambda payslip: (payslip["ss_released"], payslip["finalised"]),
    "nett_pay": lambda payslip: payslip.get("nett_pay"),
}
END_FORM = build_form("end_service", END_SERVICE.attributes, {})
REINSTATE_FORM = build_form("reinstate", REINSTATE.attributes, {})


async def load_employee(request: PageRequest) -> dict[str, Any]:
    """Return the employee with the ID in the path, in the API's form."""
    employee: dict[str, Any] = msgspec.json.decode(
        await service.read_employee(request.tenant, request.ids["employee_id"])
    )
    return employee


@router.get("/employees/{employee_id}", step_up=when_queried("ir21"), is_file=True)
async def show_employee(request: PageRequest) -> HttpResponse:
    """Show an employee, or the draft of form IR21 of a leaver."""
    if "ir21" in request.query:
        draft = await ir21_drafts.read_ir21(request.tenant, request.ids["employee_id"])
        file_name = f"IR21-draft-{draft.employee_number}.pdf"
        return request.respond(200, draft.pdf, PDF, ("Content-Disposition", f'inline; filename="{file_name}"'))
    tab = request.query.get("tab", "")
    return await show_tab(request, tab if tab in TABS else "profile")


@router.post("/employees/{employee_id}/end_service")
async def end_service(request: PageRequest) -> HttpResponse:
    """Record the end of service, or change it."""
    employee_id = request.ids["employee_id"]
    try:
        body = END_FORM.to_body(request.form)
        await service_periods.end_service(request.tenant, employee_id, body, late=request.is_late)
    except (ValidationError, Conflict) as error:
        form = END_FORM.with_values(request.form).with_errors(error)
        return await show_tab(request, "profile", status=error.status, end_form=form)
    return request.redirect(f"/employees/{employee_id}", "End of service saved")


@router.post("/employees/{employee_id}/undo_end_service")
async def undo_end_service(request: PageRequest) -> HttpResponse:
    """Undo the most recent end of service."""
    try:
        await service_periods.undo_end_service(request.tenant, request.ids["employee_id"])
    except Conflict as error:
        return await show_tab(request, "profile", status=error.status, end_form=END_FORM.with_errors(error))
    return request.redirect(f"/employees/{request.ids['employee_id']}", "End of service removed")


@router.post("/employees/{employee_id}/reinstate")
async def reinstate(request: PageRequest) -> HttpResponse:
    """Start a new service of someone who has left."""
    employee_id = request.ids["employee_id"]
    try:
        await service_periods.reinstate(request.tenant, employee_id, REINSTATE_FORM.to_body(request.form))
    except (ValidationError, Conflict) as error:
        form = REINSTATE_FORM.with_values(request.form).with_errors(error)
        return await show_tab(request, "profile", status=error.status, reinstate_form=form)
    return request.redirect(f"/employees/{employee_id}?tab=pay", "Employee re-hired. Check their pay")


async def show_tab(request: PageRequest, tab: str, *, status: int = 200, **overrides: Any) -> HttpResponse:
    """Show one tab. `overrides` replace what the tab would show."""
    employee = await load_employee(request)
    company = await request.company(employee["client_id"])
    periods = await service_periods.list_service_periods(request.tenant, employee["id"])
    values = {**await TABS[tab](request, employee), **overrides}
    async with request.tenant.read_only() as tx:
        payments = await load_clearance_payments(tx, company.id, employee["id"])
    return request.render(
        f"employee_{tab}.html",
        status=status,
        company=company,
        here="Employees",
        employee=employee,
        name=full_name(employee["first_name"], employee["last_name"], employee["name_format"]),
        service_periods=[msgspec.json.decode(period) for period in periods],
        statuses=STATUS_NAMES,
        tabs=list(TABS),
        tab=tab,
        notes=employee_note_texts(employee),
        withheld={payment.payslip_id: payment for payment in payments if payment.withheld_cents},
        has_clearance=bool(payments),
        **values,
    )


async def _profile(request: PageRequest, employee: Employee) -> dict[str, Any]:
    client_id = employee["client_id"]
    form = await employee_form(request.tenant, client_id, employee)
    async with request.tenant.read_only() as tx:
        waves_by_id = await load_pay_calendars(tx, client_id)
        periods = await wave_periods.load_json_by_employee(tx, client_id, [employee["id"]])
    return {
        "approvals": await load_pending(request, await request.company(client_id), employee_id=employee["id"]),
        "facts": employee_facts(form),
        "wave_periods": [msgspec.json.decode(period) for period in periods[employee["id"]]],
        "labels": {wave_id: wave.schedule.label for wave_id, wave in waves_by_id.items()},
        "termination_names": TERMINATION_NAMES,
        "end_form": await _end_form(request, employee["id"]),
        "reinstate_form": REINSTATE_FORM,
        "erasure": await erasure.read_state(request.tenant, employee["id"]),
    }


async def _end_form(request: PageRequest, employee_id: int) -> Form:
    """Return the form to end the service, with the termination that is recorded, if any."""
    latest = msgspec.json.decode((await service_periods.list_service_periods(request.tenant, employee_id))[-1])
    if latest["end_date"] is None:
        return END_FORM
    recorded = {"termination_date": latest["end_date"], "ir21": latest["attribs"]["ir21"]}
    return build_form("end_service", END_SERVICE.attributes, {**latest, **recorded})


async def _payslips(request: PageRequest, employee: Employee) -> dict[str, Any]:
    (elements, _), _ = await payslips.list_payslips(request.tenant, employee["id"], None)
    decoded = [msgspec.json.decode(element) for element in elements]
    latest_first = sorted(decoded, key=PAYSLIP_SORT_KEYS["date"], reverse=True)
    return {"table": build_table(request, latest_first, PAYSLIP_SORT_KEYS, largest_first=("date", "nett_pay"))}


async def _certificates(request: PageRequest, employee: Employee) -> dict[str, Any]:
    page = await certificates.list_released(request.tenant, employee["id"], None)
    recorded, _ = await benefits.list_benefits(request.tenant, employee["id"], None)
    gains, _ = await share_gains.list_gains(request.tenant, employee["id"], None)
    return {
        "certificates": [msgspec.json.decode(element) for element in page.elements],
        "benefits": [msgspec.json.decode(element) for element in recorded],
        "share_gains": [msgspec.json.decode(element) for element in gains],
        "benefit_names": BENEFIT_NAMES,
        "plan_names": PLAN_NAMES,
    }


async def _history(request: PageRequest, employee: Employee) -> dict[str, Any]:
    entries = await audit_log.list_audit_entries(request.tenant, employee["id"])
    async with request.tenant.read_only() as tx:
        return {"changes": await describe_entries(tx, employee["client_id"], entries)}


TABS: Mapping[str, Callable[[PageRequest, Employee], Awaitable[dict[str, Any]]]] = {
    "profile": _profile,
    "pay": pay_tab_values,
    "leave": leave_tab_values,
    "payslips": _payslips,
    "certificates": _certificates,
    "history": _history,
}
