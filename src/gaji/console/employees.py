"""Employees: the directory, and the forms to add, change and remove them."""

from typing import Any

from gaji.company.waves.facts import waves
from gaji.console.employee_form import SECTIONS, employee_form
from gaji.console.employee_tabs import STATUS_NAMES, read_employee
from gaji.console.forms import Form, as_validation_error
from gaji.console.pagination import build_pager
from gaji.console.pages import PageRouter
from gaji.console.request import PageRequest
from gaji.core.errors import Conflict, ValidationError
from gaji.people.employees import directory, service
from gaji.web.responses import HttpResponse

router = PageRouter()

PER_PAGE = 50
CHANGED_MEANWHILE = "Someone else has changed this employee since you opened the form; compare, and save again"


@router.get("/companies/{client_id}/employees")
async def list_employees(request: PageRequest) -> HttpResponse:
    """The directory, searched and filtered."""
    company = await request.company(request.ids["client_id"])
    page = request.list_page(PER_PAGE)
    typed, state, wave = (request.query.get(name, "") for name in ("search", "state", "wave"))
    wave_id = int(wave) if wave.isascii() and wave.isdigit() and len(wave) < 19 else None
    state = state if state in ("serving", "left") else ""
    found, total = await directory.search(request.tenant, company.id, typed, page, state=state, wave_id=wave_id)
    async with request.tenant.reading() as tx:
        labels = {wave_id: wave.schedule.label for wave_id, wave in (await waves(tx, company.id)).items()}
    return request.render(
        "employees.html",
        company=company,
        here="Employees",
        found=found,
        labels=labels,
        typed=typed,
        state=state,
        wave_id=wave_id,
        statuses=STATUS_NAMES,
        pages=build_pager(request, page, total),
    )


@router.get("/companies/{client_id}/employees/new")
async def new_employee(request: PageRequest) -> HttpResponse:
    """The form for a new employee."""
    company = await request.writable_company(request.ids["client_id"])
    return _form_page(request, await employee_form(request.tenant, company.id, {}), company=company, employee=None)


@router.post("/companies/{client_id}/employees/new")
async def create_employee(request: PageRequest) -> HttpResponse:
    """Add an employee, or show the form again with every fault at its field."""
    company = await request.writable_company(request.ids["client_id"])
    form = await employee_form(request.tenant, company.id, {})
    try:
        employee_id, _ = await service.create_employee(request.tenant, company.id, form.body(request.form))
    except ValidationError as error:
        typed = form.with_values(request.form).with_errors(error)
        return _form_page(request, typed, status=error.status, company=company, employee=None)
    return request.redirect(f"/employees/{employee_id}?tab=pay", "The employee has been saved. Now enter what they are paid")


@router.get("/employees/{employee_id}/edit")
async def edit_employee(request: PageRequest) -> HttpResponse:
    """The form to change an employee."""
    employee = await read_employee(request)
    company = await request.writable_company(employee["client_id"])
    form = await employee_form(request.tenant, company.id, employee)
    return _form_page(request, form, company=company, employee=employee)


@router.post("/employees/{employee_id}/edit")
async def change_employee(request: PageRequest) -> HttpResponse:
    """Change an employee, unless someone else did meanwhile."""
    employee = await read_employee(request)
    company = await request.writable_company(employee["client_id"])
    form = await employee_form(request.tenant, company.id, employee)
    try:
        if request.form.get("updated_at") != employee["updated_at"]:
            raise Conflict(CHANGED_MEANWHILE)
        await service.update_employee(request.tenant, employee["id"], form.body(request.form))
    except (ValidationError, Conflict) as error:
        typed = form.with_values(request.form).with_errors(as_validation_error(error))
        return _form_page(request, typed, status=error.status, company=company, employee=employee)
    return request.redirect(f"/employees/{employee['id']}", "The employee has been saved")


@router.post("/employees/{employee_id}/delete")
async def delete_employee(request: PageRequest) -> HttpResponse:
    """Remove an employee who was never paid."""
    employee = await read_employee(request)
    await service.delete_employee(request.tenant, employee["id"])
    return request.redirect(f"/companies/{employee['client_id']}/employees", "The employee has been deleted")


def _form_page(request: PageRequest, form: Form, *, status: int = 200, **values: Any) -> HttpResponse:
    return request.render(
        "employee_form.html", status=status, here="Employees", form=form, sections=SECTIONS, rest=_rest(form), **values
    )


def _rest(form: Form) -> list[Any]:
    return form.rest(*(name for names in SECTIONS.values() for name in names))
