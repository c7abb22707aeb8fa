"""The forms that enter and remove calculations of employees and of payslips."""

from collections.abc import Mapping, Sequence
from typing import Any

from gaji.console.employee_tabs import read_employee, show_tab
from gaji.console.entries import entry_body, entry_values
from gaji.console.forms import as_faults
from gaji.console.pages import Pages
from gaji.console.payslips import read_heading, show_payslip_page
from gaji.console.request import Visit
from gaji.core.errors import Conflict, NotFound, ValidationError
from gaji.payroll.calculations import service as calculations
from gaji.web.gateway import Response

pages = Pages()

REMOVED = "The calculation has been removed"


@pages.post("/employees/{employee_id}/calculations")
async def enter_for_employee(visit: Visit) -> Response:
    """Enter a recurring calculation of an employee, or change the one of this type."""
    employee = await read_employee(visit)
    found = await calculations.list_for_employee(visit.tenant, employee["id"])
    form = (await entry_values(visit, employee["client_id"], "employee", found))["form"]
    try:
        saved = await calculations.enter_for_employee(visit.tenant, employee["id"], entry_body(visit, form))
    except (ValidationError, Conflict) as error:
        shown = form.filled(visit.form).with_faults(as_faults(error)) if form else None
        return await show_tab(visit, "pay", status=error.status, form=shown)
    return visit.go(f"/employees/{employee['id']}?tab=pay", saved.message)


@pages.post("/employees/{employee_id}/calculations/{calculation_id}/delete")
async def delete_of_employee(visit: Visit) -> Response:
    """Remove a recurring calculation."""
    employee = await read_employee(visit)
    await visit.own_company(employee["client_id"])
    await _delete(visit, await calculations.list_for_employee(visit.tenant, employee["id"]))
    return visit.go(f"/employees/{employee['id']}?tab=pay", REMOVED)


@pages.post("/payslips/{payslip_id}/calculations")
async def enter_for_payslip(visit: Visit) -> Response:
    """Enter a calculation of one payslip, or change the one of this type."""
    heading = await read_heading(visit)
    found = await calculations.list_for_payslip(visit.tenant, heading.id)
    form = (await entry_values(visit, heading.client_id, "payslip", found))["form"]
    try:
        saved = await calculations.enter_for_payslip(visit.tenant, heading.id, entry_body(visit, form))
    except (ValidationError, Conflict) as error:
        shown = form.filled(visit.form).with_faults(as_faults(error)) if form else None
        return await show_payslip_page(visit, status=error.status, form=shown)
    return visit.go(f"/payslips/{heading.id}", saved.message)


@pages.post("/payslips/{payslip_id}/calculations/{calculation_id}/delete")
async def delete_of_payslip(visit: Visit) -> Response:
    """Remove a calculation of one payslip."""
    heading = await read_heading(visit)
    await visit.own_company(heading.client_id)
    await _delete(visit, await calculations.list_for_payslip(visit.tenant, heading.id))
    return visit.go(f"/payslips/{heading.id}", REMOVED)


async def _delete(visit: Visit, entered: Sequence[Mapping[str, Any]]) -> None:
    """Remove a calculation that is one of these."""
    calculation_id = visit.ids["calculation_id"]
    if calculation_id not in {one["id"] for one in entered}:
        raise NotFound(f"There is no calculation {calculation_id}")
    await calculations.delete_calculation(visit.tenant, calculation_id)
