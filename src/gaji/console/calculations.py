"""The forms that enter and remove calculations of employees and of payslips."""

from collections.abc import Mapping, Sequence
from typing import Any

from gaji.console.employee_tabs import read_employee, show_tab
from gaji.console.entries import entry_body, entry_values
from gaji.console.forms import as_validation_error
from gaji.console.pages import PageRouter
from gaji.console.payslips import read_heading, show_payslip_page
from gaji.console.request import PageRequest
from gaji.core.errors import Conflict, NotFound, ValidationError
from gaji.payroll.calculations import service as calculations
from gaji.web.responses import HttpResponse

router = PageRouter()

REMOVED = "The calculation has been removed"


@router.post("/employees/{employee_id}/calculations")
async def enter_for_employee(request: PageRequest) -> HttpResponse:
    """Enter a recurring calculation of an employee, or change the one of this type."""
    employee = await read_employee(request)
    found = await calculations.list_for_employee(request.tenant, employee["id"])
    form = (await entry_values(request, employee["client_id"], "employee", found))["form"]
    try:
        saved = await calculations.save_employee_calculation(request.tenant, employee["id"], entry_body(request, form))
    except (ValidationError, Conflict) as error:
        shown = form.with_values(request.form).with_errors(as_validation_error(error)) if form else None
        return await show_tab(request, "pay", status=error.status, form=shown)
    return request.redirect(f"/employees/{employee['id']}?tab=pay", saved.message)


@router.post("/employees/{employee_id}/calculations/{calculation_id}/delete")
async def delete_of_employee(request: PageRequest) -> HttpResponse:
    """Remove a recurring calculation."""
    employee = await read_employee(request)
    await request.writable_company(employee["client_id"])
    await _delete(request, await calculations.list_for_employee(request.tenant, employee["id"]))
    return request.redirect(f"/employees/{employee['id']}?tab=pay", REMOVED)


@router.post("/payslips/{payslip_id}/calculations")
async def enter_for_payslip(request: PageRequest) -> HttpResponse:
    """Enter a calculation of one payslip, or change the one of this type."""
    heading = await read_heading(request)
    found = await calculations.list_for_payslip(request.tenant, heading.id)
    form = (await entry_values(request, heading.client_id, "payslip", found))["form"]
    try:
        saved = await calculations.save_payslip_calculation(request.tenant, heading.id, entry_body(request, form))
    except (ValidationError, Conflict) as error:
        shown = form.with_values(request.form).with_errors(as_validation_error(error)) if form else None
        return await show_payslip_page(request, status=error.status, form=shown)
    return request.redirect(f"/payslips/{heading.id}", saved.message)


@router.post("/payslips/{payslip_id}/calculations/{calculation_id}/delete")
async def delete_of_payslip(request: PageRequest) -> HttpResponse:
    """Remove a calculation of one payslip."""
    heading = await read_heading(request)
    await request.writable_company(heading.client_id)
    await _delete(request, await calculations.list_for_payslip(request.tenant, heading.id))
    return request.redirect(f"/payslips/{heading.id}", REMOVED)


async def _delete(request: PageRequest, entered: Sequence[Mapping[str, Any]]) -> None:
    """Remove a calculation that is one of these."""
    calculation_id = request.ids["calculation_id"]
    if calculation_id not in {one["id"] for one in entered}:
        raise NotFound(f"There is no calculation {calculation_id}")
    await calculations.delete_calculation(request.tenant, calculation_id)
