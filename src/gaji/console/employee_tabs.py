"""One employee: profile, pay, leave, payslips, tax certificates and history, each on a tab."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

import msgspec

from gaji.company.clients.service import ClientMembership
from gaji.console.approvals import load_pending
from gaji.console.audit_entries import describe_entries
from gaji.console.downloads import PDF
from gaji.console.employee_form import (
    employee_facts,
    employee_note_texts,
    load_referenced_records,
)
from gaji.console.formats import format_day, format_list
from gaji.console.forms import Form, build_form
from gaji.console.leave_tab import leave_tab_values
from gaji.console.levy_end import charged_levy_text, levy_end_text
from gaji.console.pages import PageRouter, when_queried
from gaji.console.pay_tab import pay_tab_values
from gaji.console.payslip_lists import with_period_ends
from gaji.console.request import PageRequest
from gaji.console.return_paths import return_path
from gaji.console.tables import SortKeys, build_table
from gaji.core import clock
from gaji.core.constants import CONSTANT_LISTS
from gaji.core.error_codes import REQUIRED
from gaji.core.errors import Conflict, ValidationError, invalid
from gaji.db.tenancy import Transaction
from gaji.documents.tax_certificates import ir21_drafts
from gaji.documents.tax_certificates import service as certificates
from gaji.documents.tax_certificates.overdue import MAX_AGE, clearance_due
from gaji.payroll.payslips import service as payslips
from gaji.payroll.payslips.queries import list_draft_ends
from gaji.payroll.withheld_payments.queries import (
    ClearancePayment,
    load_clearance_payments,
    load_unpaid_payments,
    load_withheld_states,
)
from gaji.people.benefits_in_kind import service as benefits
from gaji.people.employees import audit_log, service
from gaji.people.employees.display_name import full_name
from gaji.people.employees.schemas import RESIDENTS
from gaji.people.service_periods import service as service_periods
from gaji.people.service_periods.schemas import END_SERVICE, REINSTATE
from gaji.people.share_gains import service as share_gains
from gaji.people.wave_periods import service as wave_periods
from gaji.privacy.erasure.service import ErasureState, load_erasure_state
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
IR21_FILED_ON = "ir21_filed_on"
CORRECT_END_FORM = build_form("end_service", END_SERVICE.attributes, {})
END_FORM = CORRECT_END_FORM.without(IR21_FILED_ON)
"""When form IR21 was sent has a form of its own. The form to end the service has this field only to correct it."""
IR21_FORM = Form([replace(field, required=True) for field in CORRECT_END_FORM.section(IR21_FILED_ON)])
REINSTATE_FORM = build_form("reinstate", REINSTATE.attributes, {})


@dataclass(frozen=True)
class EmployeeHeader:
    """What all tabs of an employee show. Records are in the API's form."""

    employee: Employee
    company: ClientMembership
    service_periods: Sequence[Mapping[str, Any]]

    @property
    def latest_service(self) -> Mapping[str, Any]:
        """The service period that began last."""
        return self.service_periods[-1]

    @property
    def is_foreigner(self) -> bool:
        """Whether the employee is neither a citizen nor a permanent resident."""
        return self.employee["legal_status"] not in RESIDENTS

    @property
    def lacks_clearance(self) -> bool:
        """Whether this is a foreigner who leaves, or left in the last year, without tax clearance."""
        latest = self.latest_service
        return (
            self.is_foreigner
            and latest["end_date"] is not None
            and not latest["attribs"]["ir21"]
            and date.fromisoformat(latest["end_date"]) >= clock.today() - MAX_AGE
        )


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
    form = CORRECT_END_FORM if IR21_FILED_ON in request.form else END_FORM
    try:
        body = form.to_body(request.form)
        await service_periods.end_service(request.tenant, employee_id, body, late=request.is_late)
    except (ValidationError, Conflict) as error:
        form = form.with_values(request.form).with_errors(error)
        return await show_tab(request, "profile", status=error.status, end_form=form)
    return request.redirect(f"/employees/{employee_id}", "End of service saved")


@router.post("/employees/{employee_id}/ir21_filed_on")
async def record_ir21(request: PageRequest) -> HttpResponse:
    """Record the day on which form IR21 of a leaver was sent."""
    employee_id = request.ids["employee_id"]
    await request.writable_company((await load_employee(request))["client_id"])  # before the form is refused
    try:
        body = IR21_FORM.to_body(request.form)
        if body[IR21_FILED_ON] is None:
            raise invalid(IR21_FILED_ON, REQUIRED)
        await service_periods.end_service(request.tenant, employee_id, body)
    except (ValidationError, Conflict) as error:
        form = IR21_FORM.with_values(request.form).with_errors(error)
        return await show_tab(request, "profile", status=error.status, ir21_form=form)
    return request.redirect(f"/employees/{employee_id}", "Form IR21 recorded as sent")


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
    employee_id, company = employee["id"], await request.company(employee["client_id"])
    async with request.tenant.read_only() as tx:
        periods = await service_periods.load_json_by_employee(tx, company.id, [employee_id])
        payments = await load_clearance_payments(tx, company.id, employee_id)
        header = EmployeeHeader(employee, company, [msgspec.json.decode(period) for period in periods[employee_id]])
        unpaid = await _load_unpaid(tx, header)
    latest, form_due = header.latest_service, _clearance_due(header.latest_service)
    will_withhold, lacks_income, draft_ends = None, False, list[date]()
    if form_due:
        last_day = date.fromisoformat(latest["end_date"])
        async with request.tenant.read_only() as tx:
            will_withhold = (await load_withheld_states(tx, [employee_id])).get(employee_id)
            if not latest[IR21_FILED_ON]:
                draft_ends = await list_draft_ends(tx, company.id, employee_id, last_day)
                lacks_income = await ir21_drafts.lacks_take_on_income(tx, company.id, employee_id, last_day)
    values = {"ir21_form": IR21_FORM, **await TABS[tab](request, header), **overrides}
    return request.render(
        f"employee_{tab}.html",
        status=status,
        company=company,
        here="Employees",
        employee=employee,
        name=full_name(employee["first_name"], employee["last_name"], employee["name_format"]),
        service_periods=header.service_periods,
        statuses=STATUS_NAMES,
        tabs=list(TABS),
        tab=tab,
        notes=employee_note_texts(employee),
        withheld={payment.payslip_id: payment for payment in payments if payment.withheld_cents},
        unpaid_payments=unpaid,
        will_withhold=will_withhold,
        clearance_due=form_due,
        lacks_take_on_income=lacks_income,
        left_out=_left_out_text(draft_ends),
        lacks_clearance=header.lacks_clearance,
        charged_levy=charged_levy_text(employee, latest),
        return_to=return_path(request.form) or return_path(request.query),
        **values,
    )


def _left_out_text(ends: Sequence[date]) -> str:
    """Return which payslips the draft of form IR21 leaves out, by the last days of their periods."""
    if not ends:
        return ""
    noun, verb = ("payslip", "is") if len(ends) == 1 else ("payslips", "are")
    days = format_list([format_day(end) for end in ends])
    return f"The draft leaves out the {noun} to {days}, which {verb} not finalised."


async def _load_unpaid(tx: Transaction, header: EmployeeHeader) -> list[ClearancePayment]:
    """Load the pay of a leaver that may still have to be withheld, if the notice date is known."""
    service = header.latest_service
    if not service["notice_date"] or not service["attribs"]["ir21"]:
        return []
    first = date.fromisoformat(service["start_date"])
    return await load_unpaid_payments(tx, header.company.id, header.employee["id"], first)


def _clearance_due(service: Mapping[str, Any]) -> date | None:
    """Return the due date of form IR21 of a leaver. None if it is not required."""
    if service["end_date"] is None or not service["attribs"].get("ir21"):
        return None
    notice_date = date.fromisoformat(service["notice_date"]) if service["notice_date"] else None
    return clearance_due(notice_date, date.fromisoformat(service["end_date"]))


async def _profile(request: PageRequest, header: EmployeeHeader) -> dict[str, Any]:
    employee, client_id, employee_id = header.employee, header.company.id, header.employee["id"]
    async with request.tenant.read_only() as tx:
        records = await load_referenced_records(tx, client_id, employee)
        periods = await wave_periods.load_json_by_employee(tx, client_id, [employee_id])
        # Those who are in service are not erased, and cannot be.
        shows_erasure = header.company.can_write and header.latest_service["end_date"] is not None
        erasure = await load_erasure_state(tx, client_id, employee_id) if shows_erasure else ErasureState(None, None)
    return {
        "approvals": await load_pending(request, header.company, employee_id=employee_id),
        "facts": employee_facts(employee, records),
        "wave_periods": [msgspec.json.decode(period) for period in periods[employee_id]],
        "labels": records.wave_labels,
        "termination_names": TERMINATION_NAMES,
        "end_form": _end_form(header),
        "levy_end": levy_end_text(employee),
        "reinstate_form": REINSTATE_FORM,
        "erasure": erasure,
    }


def _end_form(header: EmployeeHeader) -> Form:
    """Return the form to end the service, with the termination that is recorded, if any.

    The tax of most foreigners must be cleared, so the choice is ticked for them until the service has ended.
    """
    latest = header.latest_service
    if latest["end_date"] is None:
        return build_form("end_service", END_SERVICE.attributes, {"ir21": header.is_foreigner}).without(IR21_FILED_ON)
    recorded = {"termination_date": latest["end_date"], "ir21": latest["attribs"]["ir21"]}
    form = build_form("end_service", END_SERVICE.attributes, {**latest, **recorded})
    return form if latest[IR21_FILED_ON] else form.without(IR21_FILED_ON)


async def _pay(request: PageRequest, header: EmployeeHeader) -> dict[str, Any]:
    return await pay_tab_values(request, header.employee)


async def _leave(request: PageRequest, header: EmployeeHeader) -> dict[str, Any]:
    return await leave_tab_values(request, header.employee)


async def _payslips(request: PageRequest, header: EmployeeHeader) -> dict[str, Any]:
    (elements, _), _ = await payslips.list_payslips(request.tenant, header.employee["id"], None)
    decoded = [msgspec.json.decode(element) for element in elements]
    latest_first = sorted(with_period_ends(decoded), key=PAYSLIP_SORT_KEYS["date"], reverse=True)
    return {"table": build_table(request, latest_first, PAYSLIP_SORT_KEYS, largest_first=("date", "nett_pay"))}


async def _certificates(request: PageRequest, header: EmployeeHeader) -> dict[str, Any]:
    released = await certificates.list_released(request.tenant, header.employee["id"], None)
    recorded, _ = await benefits.list_benefits(request.tenant, header.employee["id"], None)
    gains, _ = await share_gains.list_gains(request.tenant, header.employee["id"], None)
    return {
        "certificates": [msgspec.json.decode(element) for element in released.elements],
        "benefits": [msgspec.json.decode(element) for element in recorded],
        "share_gains": [msgspec.json.decode(element) for element in gains],
        "benefit_names": BENEFIT_NAMES,
        "plan_names": PLAN_NAMES,
    }


async def _history(request: PageRequest, header: EmployeeHeader) -> dict[str, Any]:
    entries = await audit_log.list_audit_entries(request.tenant, header.employee["id"])
    async with request.tenant.read_only() as tx:
        return {"changes": await describe_entries(tx, header.company.id, entries)}


TABS: Mapping[str, Callable[[PageRequest, EmployeeHeader], Awaitable[dict[str, Any]]]] = {
    "profile": _profile,
    "pay": _pay,
    "leave": _leave,
    "payslips": _payslips,
    "certificates": _certificates,
    "history": _history,
}
