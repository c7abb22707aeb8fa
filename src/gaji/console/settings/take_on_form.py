"""The opening balances of an employee: amounts paid by another payroll this year, and leave."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from gaji.console.employee_tabs import load_employee
from gaji.console.forms import Field, Form, labelled_field
from gaji.console.glossary import label
from gaji.console.pages import PageRouter
from gaji.console.request import PageRequest
from gaji.console.settings.record_page import RecordPage, Section
from gaji.core import clock
from gaji.core.constants import CONSTANT_LISTS
from gaji.core.errors import Conflict, ValidationError
from gaji.leave.balances.opening_balances import load_opening_day
from gaji.leave.types import service as leave_types
from gaji.leave.types.queries import load_unlimited_types
from gaji.people.employees.display_name import full_name
from gaji.people.take_on import service
from gaji.people.take_on.queries import find_without_ir8a_income
from gaji.people.take_on.schemas import AMOUNTS
from gaji.web.responses import HttpResponse

router = PageRouter()

SECTION = Section("take_on", "Switching from another payroll", "", "")
GROUPS = ("ir8a", "leave")
ZERO = "0.00"
A_DAY = timedelta(days=1)


@router.get("/employees/{employee_id}/take_on/edit")
async def edit_take_on(request: PageRequest) -> HttpResponse:
    """Show the form for the opening balances of an employee."""
    return (await _page(request)).show(request)


@router.post("/employees/{employee_id}/take_on/edit")
async def change_take_on(request: PageRequest) -> HttpResponse:
    """Replace the opening balances of an employee."""
    page = await _page(request)
    body = page.form.to_body(request.form)
    for group in GROUPS:
        body[group] = {name: text for name, text in (body.get(group) or {}).items() if text is not None}
    company_id, employee_id = page.company.id, request.ids["employee_id"]
    try:
        saved = await service.replace_take_on(request.tenant, employee_id, body)
    except (ValidationError, Conflict) as error:
        return page.show_errors(request, error)
    notice = f"Opening balances of {page.title} saved"
    async with request.tenant.read_only() as tx:
        if await find_without_ir8a_income(tx, company_id, saved.data.year, [employee_id]):
            notice += ". Enter the income for form IR8A too; certificates do not have it yet"
    return request.redirect(SECTION.path(company_id), notice)


async def _page(request: PageRequest) -> RecordPage:
    employee = await load_employee(request)
    company = await request.writable_company(employee["client_id"])
    balances = await service.read_take_on(request.tenant, employee["id"])
    types = await leave_types.list_types(request.tenant, company.id)
    name = full_name(employee["first_name"], employee["last_name"], employee["name_format"])
    async with request.tenant.read_only() as tx:
        first_day = await load_opening_day(tx, company.id, employee["id"], balances["year"])
        unlimited = await load_unlimited_types(tx, company.id, clock.today())
    types = {
        type_id: name for type_id, name in types.items() if name not in unlimited or str(type_id) in balances["leave"]
    }
    values = {
        "employee": employee,
        "year": balances["year"],
        "first_day": first_day,
        "last_day": first_day and first_day - A_DAY,
    }
    form = _build_form(balances, types)
    return RecordPage(company, SECTION, name, form, "", "settings_take_on_form.html", values)


def _build_form(balances: Mapping[str, Any], types: Mapping[int, str]) -> Form:
    return Form(
        [
            Field("year", "Year", value=str(balances["year"]), required=True),
            *(
                labelled_field("opening_balances", name, value=_amount_text(balances[name]), is_amount=True)
                for name, _ in AMOUNTS
            ),
            *(
                Field(
                    f"ir8a.{entry.value}",
                    entry.name,
                    value=_amount_text(balances["ir8a"].get(str(entry.value), "")),
                    is_amount=True,
                )
                for entry in CONSTANT_LISTS["ir8a_item"]
            ),
            *(
                Field(f"leave.{type_id}", label(name), value=balances["leave"].get(str(type_id), ""))
                for type_id, name in types.items()
            ),
        ]
    )


def _amount_text(amount: str) -> str:
    """Return the text of an amount. Zero is left blank."""
    return "" if amount == ZERO else amount
