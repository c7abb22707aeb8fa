"""Benefits in kind and share gains of an employee, for the appendices of the tax certificate."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from gaji.console.employee_tabs import load_employee
from gaji.console.forms import Field, Form, build_form
from gaji.console.pages import Confirmation, PageRouter
from gaji.console.request import PageRequest
from gaji.core.errors import Conflict, NotFound, ValidationError
from gaji.core.validation import Schema
from gaji.db.json_lists import ListPage
from gaji.db.tenancy import Tenant
from gaji.people.benefits_in_kind import service as benefits
from gaji.people.benefits_in_kind.schemas import BENEFIT_IN_KIND
from gaji.people.employees.display_name import full_name
from gaji.people.share_gains import service as share_gains
from gaji.people.share_gains.schemas import SHARE_GAIN
from gaji.web.responses import HttpResponse

router = PageRouter()

Employee = Mapping[str, Any]
Values = Mapping[str, Any]
DESCRIPTION = "description"


@dataclass(frozen=True)
class TaxRecordKind:
    """A kind of records of an employee, and its use cases."""

    noun: str
    schema: Schema[Any]
    list_records: Callable[[Tenant, int, ListPage | None], Awaitable[tuple[list[str], int]]]
    create: Callable[[Tenant, int, Values], Awaitable[object]]
    update: Callable[[Tenant, int, Values], Awaitable[object]]
    delete: Callable[[Tenant, int], Awaitable[None]]

    def form(self, values: Values) -> Form:
        """Return the form with these values."""
        form = build_form(self.schema.resource, self.schema.attributes, values)
        return replace(form, fields=[_adapt_field(field) for field in form.fields])


def _adapt_field(field: Field) -> Field:
    """Leave defaults blank, so that fields of other categories are hidden, and offer a description to all of them."""
    value = "" if field.kind == "text" and field.value == field.default else field.value
    return replace(field, value=value, condition="" if field.name == DESCRIPTION else field.condition)


BENEFITS = TaxRecordKind(
    "benefit in kind",
    BENEFIT_IN_KIND,
    benefits.list_benefits,
    benefits.create_benefit,
    benefits.update_benefit,
    benefits.delete_benefit,
)
SHARE_GAINS = TaxRecordKind(
    "share gain",
    SHARE_GAIN,
    share_gains.list_gains,
    share_gains.create_gain,
    share_gains.update_gain,
    share_gains.delete_gain,
)


@router.get("/employees/{employee_id}/benefits_in_kind/new")
async def new_benefit(request: PageRequest) -> HttpResponse:
    """Show the form of a new benefit in kind."""
    return await _show_new(request, BENEFITS)


@router.post("/employees/{employee_id}/benefits_in_kind/new")
async def create_benefit(request: PageRequest) -> HttpResponse:
    """Record a benefit in kind."""
    return await _create(request, BENEFITS)


@router.get("/employees/{employee_id}/benefits_in_kind/{benefit_id}/edit")
async def edit_benefit(request: PageRequest) -> HttpResponse:
    """Show the form of a benefit in kind."""
    return await _show(request, BENEFITS, request.ids["benefit_id"])


@router.post("/employees/{employee_id}/benefits_in_kind/{benefit_id}/edit")
async def change_benefit(request: PageRequest) -> HttpResponse:
    """Change a benefit in kind."""
    return await _change(request, BENEFITS, request.ids["benefit_id"])


@router.post(
    "/employees/{employee_id}/benefits_in_kind/{benefit_id}/delete",
    confirm=Confirmation(
        "Delete this benefit?", "It disappears from the tax certificate of its year, which must be created again."
    ),
)
async def delete_benefit(request: PageRequest) -> HttpResponse:
    """Delete a benefit in kind."""
    return await _delete(request, BENEFITS, request.ids["benefit_id"])


@router.get("/employees/{employee_id}/share_gains/new")
async def new_share_gain(request: PageRequest) -> HttpResponse:
    """Show the form of a new share gain."""
    return await _show_new(request, SHARE_GAINS)


@router.post("/employees/{employee_id}/share_gains/new")
async def create_share_gain(request: PageRequest) -> HttpResponse:
    """Record a share gain."""
    return await _create(request, SHARE_GAINS)


@router.get("/employees/{employee_id}/share_gains/{share_gain_id}/edit")
async def edit_share_gain(request: PageRequest) -> HttpResponse:
    """Show the form of a share gain."""
    return await _show(request, SHARE_GAINS, request.ids["share_gain_id"])


@router.post("/employees/{employee_id}/share_gains/{share_gain_id}/edit")
async def change_share_gain(request: PageRequest) -> HttpResponse:
    """Change a share gain."""
    return await _change(request, SHARE_GAINS, request.ids["share_gain_id"])


@router.post(
    "/employees/{employee_id}/share_gains/{share_gain_id}/delete",
    confirm=Confirmation(
        "Delete this share gain?", "It disappears from the tax certificate of its year, which must be created again."
    ),
)
async def delete_share_gain(request: PageRequest) -> HttpResponse:
    """Delete a share gain."""
    return await _delete(request, SHARE_GAINS, request.ids["share_gain_id"])


async def _show_new(request: PageRequest, kind: TaxRecordKind) -> HttpResponse:
    employee = await _load_writable(request)
    return await _page(request, employee, f"Add {kind.noun}", kind.form({}))


async def _create(request: PageRequest, kind: TaxRecordKind) -> HttpResponse:
    employee = await _load_writable(request)
    form = kind.form({})
    try:
        await kind.create(request.tenant, employee["id"], _body(form, request.form))
    except (ValidationError, Conflict) as error:
        failed = form.with_values(request.form).with_errors(error)
        return await _page(request, employee, f"Add {kind.noun}", failed, status=error.status)
    return _to_tab(request, employee, f"{kind.noun.capitalize()} added")


async def _show(request: PageRequest, kind: TaxRecordKind, record_id: int) -> HttpResponse:
    employee = await _load_writable(request)
    record = await _load_record(request, kind, employee["id"], record_id)
    return await _page(request, employee, f"Edit {kind.noun}", kind.form(record), record)


async def _change(request: PageRequest, kind: TaxRecordKind, record_id: int) -> HttpResponse:
    employee = await _load_writable(request)
    record = await _load_record(request, kind, employee["id"], record_id)
    form = kind.form(record)
    try:
        await kind.update(request.tenant, record_id, _body(form, request.form))
    except (ValidationError, Conflict) as error:
        failed = form.with_values(request.form).with_errors(error)
        return await _page(request, employee, f"Edit {kind.noun}", failed, record, status=error.status)
    return _to_tab(request, employee, f"{kind.noun.capitalize()} saved")


async def _delete(request: PageRequest, kind: TaxRecordKind, record_id: int) -> HttpResponse:
    employee = await _load_writable(request)
    await _load_record(request, kind, employee["id"], record_id)
    await kind.delete(request.tenant, record_id)
    return _to_tab(request, employee, f"{kind.noun.capitalize()} deleted")


def _body(form: Form, submitted: Mapping[str, str]) -> dict[str, Any]:
    """Return the submitted form as a request body, without the fields that do not apply."""
    applicable = {field.name for field in form.fields if field.applies(submitted)}
    return {name: value for name, value in form.to_body(submitted).items() if name in applicable}


async def _load_writable(request: PageRequest) -> Employee:
    """Load the employee in the path. Raises Forbidden if the user may not change the company."""
    employee = await load_employee(request)
    await request.writable_company(employee["client_id"])
    return employee


async def _load_record(request: PageRequest, kind: TaxRecordKind, employee_id: int, record_id: int) -> dict[str, Any]:
    elements, _ = await kind.list_records(request.tenant, employee_id, None)
    for record in map(msgspec.json.decode, elements):
        if record["id"] == record_id:
            return dict(record)
    raise NotFound(f"{kind.noun.capitalize()} {record_id} does not exist")


async def _page(
    request: PageRequest,
    employee: Employee,
    title: str,
    form: Form,
    record: Mapping[str, Any] | None = None,
    status: int = 200,
) -> HttpResponse:
    return request.render(
        "employee_tax_record.html",
        status=status,
        company=await request.company(employee["client_id"]),
        here="Employees",
        employee=employee,
        name=full_name(employee["first_name"], employee["last_name"], employee["name_format"]),
        title=title,
        form=form,
        record=record,
    )


def _to_tab(request: PageRequest, employee: Employee, notice: str) -> HttpResponse:
    return request.redirect(f"/employees/{employee['id']}?tab=certificates", notice)
