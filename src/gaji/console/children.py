"""Children of an employee, for which the law grants leave."""

from typing import Any

import msgspec

from gaji.console.employee_record_page import load_writable_employee, redirect_to_leave, show_record_form
from gaji.console.forms import build_form
from gaji.console.pages import Confirmation, PageRouter
from gaji.console.request import PageRequest
from gaji.core.errors import NotFound, ValidationError
from gaji.people.children import service
from gaji.people.children.schemas import CHILD
from gaji.web.responses import HttpResponse

router = PageRouter()

FORM = build_form("child", CHILD.attributes, {})


@router.get("/employees/{employee_id}/children/new")
async def new_child(request: PageRequest) -> HttpResponse:
    """Show the form of a new child."""
    return await show_record_form(request, await load_writable_employee(request), "Add child", FORM)


@router.post("/employees/{employee_id}/children/new")
async def create_child(request: PageRequest) -> HttpResponse:
    """Add a child."""
    employee = await load_writable_employee(request)
    try:
        await service.create_child(request.tenant, employee["id"], FORM.to_body(request.form))
    except ValidationError as error:
        form = FORM.with_values(request.form).with_errors(error)
        return await show_record_form(request, employee, "Add child", form, error.status)
    return redirect_to_leave(request, employee, "Child added")


@router.get("/employees/{employee_id}/children/{child_id}/edit")
async def edit_child(request: PageRequest) -> HttpResponse:
    """Show the form of a child."""
    employee = await load_writable_employee(request)
    child = await _load_child(request, employee["id"])
    return await show_record_form(request, employee, "Edit child", build_form("child", CHILD.attributes, child))


@router.post("/employees/{employee_id}/children/{child_id}/edit")
async def change_child(request: PageRequest) -> HttpResponse:
    """Change a child."""
    employee = await load_writable_employee(request)
    child = await _load_child(request, employee["id"])
    try:
        await service.update_child(request.tenant, child["id"], FORM.to_body(request.form))
    except ValidationError as error:
        form = FORM.with_values(request.form).with_errors(error)
        return await show_record_form(request, employee, "Edit child", form, error.status)
    return redirect_to_leave(request, employee, "Child saved")


@router.post(
    "/employees/{employee_id}/children/{child_id}/delete",
    confirm=Confirmation(
        "Remove this child?", "Leave that the law grants for the child is no longer granted.", "Remove"
    ),
)
async def delete_child(request: PageRequest) -> HttpResponse:
    """Remove a child."""
    employee = await load_writable_employee(request)
    child = await _load_child(request, employee["id"])
    await service.delete_child(request.tenant, child["id"])
    return redirect_to_leave(request, employee, "Child removed")


async def _load_child(request: PageRequest, employee_id: int) -> dict[str, Any]:
    elements, _ = await service.list_children(request.tenant, employee_id, None)
    child_id = request.ids["child_id"]
    for child in map(msgspec.json.decode, elements):
        if child["id"] == child_id:
            return dict(child)
    raise NotFound(f"Child {child_id} does not exist")
