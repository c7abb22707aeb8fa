"""What someone was paid elsewhere this year, and the leave that they had left."""

from collections.abc import Mapping
from typing import Any

from gaji.console.settings.record_page import RecordPage, Section
from gaji.console.employee_tabs import read_employee
from gaji.console.forms import Field, Form
from gaji.console.pages import PageRouter

from gaji.console.request import PageRequest
from gaji.core.constants import LISTS
from gaji.leave.types import service as leave_types
from gaji.people.employees.display_name import full_name
from gaji.people.take_on import service
from gaji.people.take_on.schemas import AMOUNTS
from gaji.web.responses import HttpResponse

router = PageRouter()

SECTION = Section("take_on", "Moving in", "", "")
GROUPS = ("ir8a", "leave")
NOTHING = "0.00"
LABELS = {
    "ordinary_wages_subject": "Ordinary wages with CPF",
    "additional_wages_subject": "Additional wages with CPF",
    "cpf_employee": "CPF of the employee",
    "cpf_employer": "CPF of the employer",
}


@router.get("/employees/{employee_id}/take_on/edit")
async def edit_take_on(request: PageRequest) -> HttpResponse:
    """The form of the balances of an employee."""
    return (await _page(request)).show(request)


@router.post("/employees/{employee_id}/take_on/edit")
async def change_take_on(request: PageRequest) -> HttpResponse:
    """Give an employee these balances in place of those before."""
    page = await _page(request)
    body = page.form.body(request.form)
    for group in GROUPS:
        body[group] = {name: text for name, text in (body.get(group) or {}).items() if text is not None}
    work = service.replace_take_on(request.tenant, request.ids["employee_id"], body)
    return await page.save(request, work, f"What {page.title} had elsewhere has been saved")


async def _page(request: PageRequest) -> RecordPage:
    employee = await read_employee(request)
    company = await request.writable_company(employee["client_id"])
    values = await service.read_take_on(request.tenant, employee["id"])
    types = await leave_types.list_types(request.tenant, company.id)
    name = full_name(employee["first_name"], employee["last_name"], employee["name_format"])
    more = {"employee": employee}
    return RecordPage(company, SECTION, name, _form(values, types), "", "settings_take_on_form.html", more)


def _form(values: Mapping[str, Any], types: Mapping[int, str]) -> Form:
    return Form(
        [
            Field("year", "Year", value=str(values["year"]), required=True),
            *(
                Field(name, LABELS.get(name, label(name)), value=_blank(values[name]), hint=about, amount=True)
                for name, about in AMOUNTS
            ),
            *(_item(str(entry.value), entry.name, values["ir8a"]) for entry in LISTS["ir8a_item"]),
            *(
                Field(f"leave.{one}", label(name), value=values["leave"].get(str(one), ""))
                for one, name in types.items()
            ),
        ]
    )


def _item(name: str, label: str, amounts: Mapping[str, str]) -> Field:
    return Field(f"ir8a.{name}", label, value=_blank(amounts.get(name, "")), amount=True)


def _blank(amount: str) -> str:
    """Nothing is left open."""
    return "" if amount == NOTHING else amount
