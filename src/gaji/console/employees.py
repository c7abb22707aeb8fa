"""Employees: the directory, and the forms to add, change and remove them."""

from typing import Any

from gaji.company.waves.facts import waves
from gaji.console.employee_form import SECTIONS, employee_form
from gaji.console.employee_tabs import STATUS_NAMES, read_employee
from gaji.console.forms import Form, as_faults
from gaji.console.pagination import pager
from gaji.console.pages import Pages
from gaji.console.request import Visit
from gaji.core.errors import Conflict, ValidationError
from gaji.people.employees import directory, service
from gaji.web.gateway import Response

pages = Pages()

PER_PAGE = 50
CHANGED_MEANWHILE = "Someone else has changed this employee since you opened the form; compare, and save again"


@pages.get("/companies/{client_id}/employees")
async def list_employees(visit: Visit) -> Response:
    """The directory, searched and filtered."""
    company = await visit.company(visit.ids["client_id"])
    page = visit.list_page(PER_PAGE)
    typed, state, wave = (visit.query.get(name, "") for name in ("search", "state", "wave"))
    wave_id = int(wave) if wave.isascii() and wave.isdigit() and len(wave) < 19 else None
    state = state if state in ("serving", "left") else ""
    found, total = await directory.search(visit.tenant, company.id, typed, page, state=state, wave_id=wave_id)
    async with visit.tenant.reading() as tx:
        labels = {wave_id: wave.schedule.label for wave_id, wave in (await waves(tx, company.id)).items()}
    return visit.show(
        "employees.html",
        company=company,
        here="Employees",
        found=found,
        labels=labels,
        typed=typed,
        state=state,
        wave_id=wave_id,
        statuses=STATUS_NAMES,
        pages=pager(visit, page, total),
    )


@pages.get("/companies/{client_id}/employees/new")
async def new_employee(visit: Visit) -> Response:
    """The form for a new employee."""
    company = await visit.own_company(visit.ids["client_id"])
    return _form_page(visit, await employee_form(visit.tenant, company.id, {}), company=company, employee=None)


@pages.post("/companies/{client_id}/employees/new")
async def create_employee(visit: Visit) -> Response:
    """Add an employee, or show the form again with every fault at its field."""
    company = await visit.own_company(visit.ids["client_id"])
    form = await employee_form(visit.tenant, company.id, {})
    try:
        employee_id, _ = await service.create_employee(visit.tenant, company.id, form.body(visit.form))
    except ValidationError as error:
        typed = form.filled(visit.form).with_faults(error)
        return _form_page(visit, typed, status=error.status, company=company, employee=None)
    return visit.go(f"/employees/{employee_id}?tab=pay", "The employee has been saved. Now enter what they are paid")


@pages.get("/employees/{employee_id}/edit")
async def edit_employee(visit: Visit) -> Response:
    """The form to change an employee."""
    employee = await read_employee(visit)
    company = await visit.own_company(employee["client_id"])
    form = await employee_form(visit.tenant, company.id, employee)
    return _form_page(visit, form, company=company, employee=employee)


@pages.post("/employees/{employee_id}/edit")
async def change_employee(visit: Visit) -> Response:
    """Change an employee, unless someone else did meanwhile."""
    employee = await read_employee(visit)
    company = await visit.own_company(employee["client_id"])
    form = await employee_form(visit.tenant, company.id, employee)
    try:
        if visit.form.get("updated_at") != employee["updated_at"]:
            raise Conflict(CHANGED_MEANWHILE)
        await service.update_employee(visit.tenant, employee["id"], form.body(visit.form))
    except (ValidationError, Conflict) as error:
        typed = form.filled(visit.form).with_faults(as_faults(error))
        return _form_page(visit, typed, status=error.status, company=company, employee=employee)
    return visit.go(f"/employees/{employee['id']}", "The employee has been saved")


@pages.post("/employees/{employee_id}/delete")
async def delete_employee(visit: Visit) -> Response:
    """Remove an employee who was never paid."""
    employee = await read_employee(visit)
    await service.delete_employee(visit.tenant, employee["id"])
    return visit.go(f"/companies/{employee['client_id']}/employees", "The employee has been deleted")


def _form_page(visit: Visit, form: Form, *, status: int = 200, **values: Any) -> Response:
    return visit.show(
        "employee_form.html", status=status, here="Employees", form=form, sections=SECTIONS, rest=_rest(form), **values
    )


def _rest(form: Form) -> list[Any]:
    return form.rest(*(name for names in SECTIONS.values() for name in names))
