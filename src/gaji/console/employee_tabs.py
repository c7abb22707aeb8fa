"""One employee: profile, pay, leave, payslips, certificates and the history of changes, each a tab."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import msgspec

from gaji.people.employees import audit_log
from gaji.company.waves.queries import waves
from gaji.console.settings.profile_mappings import profiles_of
from gaji.console.employee_form import SECTIONS, employee_form
from gaji.console.entries import entry_values
from gaji.console.forms import Field, Form, build_form
from gaji.console.pages import PageRouter

from gaji.console.request import PageRequest
from gaji.core.constants import LISTS
from gaji.core.errors import INVALID, Conflict, Errors, ValidationError
from gaji.documents.tax_certificates import service as certificates
from gaji.leave.balances import service as balances
from gaji.leave.types import service as leave_types
from gaji.payroll.calculations import service as calculations
from gaji.payroll.payslips import service as payslips
from gaji.people.employees import service
from gaji.people.employees.display_name import full_name
from gaji.people.service_periods import service as service_periods
from gaji.people.service_periods.rules import END_SERVICE
from gaji.people.wave_periods import service as wave_periods
from gaji.web.responses import HttpResponse

router = PageRouter()

Employee = Mapping[str, Any]
STATUS_NAMES = {entry.value: entry.name for entry in LISTS["legal_status"]}
CODE_NAMES = {entry.value: entry.name for entry in LISTS["termination_code"]}
END_FORM = build_form(END_SERVICE.attributes, {}, labels={"termination_date": "Last day", "termination_code": "Reason"})
MOST_MOVEMENTS = 100
SECRETS = ("nric", "fin", "malaysian_ic", "passport_number", "bank_account.account_number")
IN_THE_TITLE = ("first_name", "last_name", "name_format")


async def read_employee(request: PageRequest) -> dict[str, Any]:
    """The employee of the path, as the API shows them."""
    found: dict[str, Any] = msgspec.json.decode(await service.read_employee(request.tenant, request.ids["employee_id"]))
    return found


@router.get("/employees/{employee_id}")
async def show_employee(request: PageRequest) -> HttpResponse:
    """One employee."""
    tab = request.query.get("tab", "")
    return await show_tab(request, tab if tab in TABS else "profile")


@router.post("/employees/{employee_id}/end_service")
async def end_service(request: PageRequest) -> HttpResponse:
    """End the service of an employee, or change what was recorded of its end."""
    try:
        body = END_FORM.body(request.form)
        message, _ = await service_periods.end_service(request.tenant, request.ids["employee_id"], body)
    except (ValidationError, Conflict) as error:
        told = (
            error
            if isinstance(error, ValidationError)
            else ValidationError(Errors.single("", INVALID, reason=error.message), error.message)
        )
        return await show_tab(
            request, "profile", status=error.status, end_form=END_FORM.with_values(request.form).with_errors(told)
        )
    return request.redirect(f"/employees/{request.ids['employee_id']}", message)


@router.post("/employees/{employee_id}/undo_end_service")
async def undo_end_service(request: PageRequest) -> HttpResponse:
    """Take the most recent termination back."""
    message = await service_periods.undo_end_service(request.tenant, request.ids["employee_id"])
    return request.redirect(f"/employees/{request.ids['employee_id']}", message)


async def show_tab(request: PageRequest, tab: str, *, status: int = 200, **more: Any) -> HttpResponse:
    """One tab of one employee."""
    employee = await read_employee(request)
    company = await request.company(employee["client_id"])
    periods = await service_periods.list_service_periods(request.tenant, employee["id"])
    values = {**await TABS[tab](request, employee), **more}
    return request.render(
        f"employee_{tab}.html",
        status=status,
        company=company,
        here="Employees",
        employee=employee,
        name=full_name(employee["first_name"], employee["last_name"], employee["name_format"]),
        service=[msgspec.json.decode(one) for one in periods],
        statuses=STATUS_NAMES,
        tabs=list(TABS),
        tab=tab,
        **values,
    )


async def _profile(request: PageRequest, employee: Employee) -> dict[str, Any]:
    client_id = employee["client_id"]
    form = await employee_form(request.tenant, client_id, employee)
    async with request.tenant.reading() as tx:
        known = await waves(tx, client_id)
        found = await wave_periods.elements_of(tx, client_id, [employee["id"]])
    return {
        "facts": _facts(form),
        "wave_periods": [msgspec.json.decode(one) for one in found[employee["id"]]],
        "labels": {wave_id: wave.schedule.label for wave_id, wave in known.items()},
        "codes": CODE_NAMES,
        "end_form": END_FORM,
    }


def _facts(form: Form) -> dict[str, list[tuple[str, str, bool]]]:
    """By section, the label and value of what is filled in, and whether it is a secret."""
    grouped = {title: form.section(*names) for title, names in SECTIONS.items()}
    grouped["More"] = form.rest(*(name for names in SECTIONS.values() for name in names))
    values = {one.name: one.value for one in form.fields}
    found = {
        title: [(one.label, _told(one), one.name in SECRETS) for one in fields if one.value and _is_told(one, values)]
        for title, fields in grouped.items()
    }
    return {title: lines for title, lines in found.items() if lines}


def _is_told(one: Field, values: Mapping[str, str]) -> bool:
    return one.name not in IN_THE_TITLE and (one.applies(values) or one.value != one.usual)


def _told(one: Field) -> str:
    """The value of a field as a person reads it."""
    if one.kind == "checkbox":
        return "Yes" if one.value == "true" else "No"
    return format_day(one.value) if one.kind == "date" else dict(one.options).get(one.value, one.value)


async def _pay(request: PageRequest, employee: Employee) -> dict[str, Any]:
    found = await calculations.list_for_employee(request.tenant, employee["id"])
    entered = await entry_values(request, employee["client_id"], "employee", found)
    return {**entered, "profiles": await profiles_of(request, employee["client_id"], employee["id"])}


async def _leave(request: PageRequest, employee: Employee) -> dict[str, Any]:
    names = await leave_types.list_types(request.tenant, employee["client_id"])
    found = await balances.read_balances(request.tenant, employee["id"], None)
    movements = await balances.list_movements(request.tenant, employee["id"], None, None, None)
    return {
        "balances": [(names[type_id], days) for type_id, days in found.items()],
        "movements": movements[::-1][:MOST_MOVEMENTS],
        "leave_types": names,
        "error": None,
    }


async def _payslips(request: PageRequest, employee: Employee) -> dict[str, Any]:
    (elements, _), _ = await payslips.list_payslips(request.tenant, employee["id"], None)
    found = [msgspec.json.decode(one) for one in elements]
    return {"payslips": sorted(found, key=lambda one: (one["date"], one["id"]), reverse=True)}


async def _certificates(request: PageRequest, employee: Employee) -> dict[str, Any]:
    listed = await certificates.list_released(request.tenant, employee["id"], None)
    return {"certificates": [msgspec.json.decode(one) for one in listed.elements]}


async def _history(request: PageRequest, employee: Employee) -> dict[str, Any]:
    return {"changes": await audit_log.list_audit_entries(request.tenant, employee["id"])}


TABS: Mapping[str, Callable[[PageRequest, Employee], Awaitable[dict[str, Any]]]] = {
    "profile": _profile,
    "pay": _pay,
    "leave": _leave,
    "payslips": _payslips,
    "certificates": _certificates,
    "history": _history,
}
