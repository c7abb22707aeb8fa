"""The employee directory, and the forms to add, change and delete employees."""

from collections.abc import Mapping
from typing import Any

from gaji.approvals.models import Approval
from gaji.company.waves.queries import load_pay_calendars
from gaji.console.account_requests import load_account_requests
from gaji.console.employee_form import SECTIONS, employee_form, employee_note_texts, remaining_fields
from gaji.console.employee_tabs import STATUS_NAMES, load_employee
from gaji.console.forms import Form
from gaji.console.pages import Confirmation, PageRouter
from gaji.console.pagination import build_pager
from gaji.console.request import PageRequest
from gaji.console.return_paths import return_path
from gaji.console.table_sort import parse_sort
from gaji.core.errors import Conflict, Errors, ValidationError
from gaji.core.validation import Record
from gaji.people.employees import directory, service
from gaji.people.employees.display_name import full_name
from gaji.people.employees.notes import find_pass_contradiction
from gaji.web.responses import HttpResponse

router = PageRouter()

PER_PAGE = 50
MAX_ID_DIGITS = 18
CHANGED_BY_OTHERS = (
    "Someone else has changed this employee since you opened the form. Check your changes and save again"
)


@router.get("/companies/{client_id}/employees")
async def list_employees(request: PageRequest) -> HttpResponse:
    """Show the directory, searched and filtered."""
    company = await request.company(request.ids["client_id"])
    page = request.list_page(PER_PAGE)
    search, state, wave = (request.query.get(name, "") for name in ("search", "state", "wave"))
    wave_id = int(wave) if wave.isascii() and wave.isdigit() and len(wave) <= MAX_ID_DIGITS else None
    state = state if state in directory.STATES else ""
    sort = parse_sort(request, directory.ORDERS, ["since"])
    employees, total = await directory.search_employees(
        request.tenant,
        company.id,
        search,
        page,
        state=state,
        wave_id=wave_id,
        order=sort.order,
    )
    async with request.tenant.read_only() as tx:
        labels = {wave_id: wave.schedule.label for wave_id, wave in (await load_pay_calendars(tx, company.id)).items()}
    return request.render(
        "employees.html",
        company=company,
        here="Employees",
        employees=employees,
        labels=labels,
        search=search,
        state=state,
        wave_id=wave_id,
        sort=sort,
        statuses=STATUS_NAMES,
        pager=build_pager(request, page, total),
    )


@router.get("/companies/{client_id}/employees/new")
async def new_employee(request: PageRequest) -> HttpResponse:
    """Show the form for a new employee."""
    company = await request.writable_company(request.ids["client_id"])
    return _form_page(request, await employee_form(request.tenant, company.id, {}), company=company, employee=None)


@router.post("/companies/{client_id}/employees/new")
async def create_employee(request: PageRequest) -> HttpResponse:
    """Create an employee."""
    company = await request.writable_company(request.ids["client_id"])
    form = await employee_form(request.tenant, company.id, {})
    try:
        body = form.to_body(request.form)
        employee_id, _ = await service.create_employee(request.tenant, company.id, body, _check_pass)
    except ValidationError as error:
        form = form.with_values(request.form).with_errors(error)
        identifiers = (request.form.get("nric", ""), request.form.get("fin", ""))
        former = await directory.find_former_employee(request.tenant, company.id, *identifiers)
        return _form_page(request, form, status=error.status, company=company, employee=None, former=former)
    return request.redirect(f"/employees/{employee_id}?tab=pay", "Employee saved. Now enter their pay")


@router.get("/employees/{employee_id}/edit")
async def edit_employee(request: PageRequest) -> HttpResponse:
    """Show the form to change an employee."""
    employee = await load_employee(request)
    company = await request.writable_company(employee["client_id"])
    form = await employee_form(request.tenant, company.id, employee)
    account_request = await _load_account_request(request, employee)
    return _form_page(request, form, company=company, employee=employee, account_request=account_request)


async def _load_account_request(request: PageRequest, employee: Mapping[str, Any]) -> Approval | None:
    """Return the pending request that changes how an employee is paid."""
    async with request.tenant.read_only() as tx:
        return (await load_account_requests(tx, employee["client_id"], [employee["id"]])).get(employee["id"])


def _check_pass(employee: Record, errors: Errors) -> None:
    """Record an error if the work pass contradicts the legal status. The API only points it out."""
    if note := find_pass_contradiction(employee.get("legal_status"), employee.get("work_pass")):
        errors.setdefault(note.path, note)


async def _changes_account(request: PageRequest) -> bool:
    """Return whether the form changes where an employee is paid."""
    employee = await load_employee(request)
    form = await employee_form(request.tenant, employee["client_id"], employee)
    return form.is_changed(request.form, *SECTIONS["Payment"])


@router.post("/employees/{employee_id}/edit", step_up=_changes_account)
async def change_employee(request: PageRequest) -> HttpResponse:
    """Save an employee, unless someone else has changed it since the form was opened."""
    employee = await load_employee(request)
    company = await request.writable_company(employee["client_id"])
    form = await employee_form(request.tenant, company.id, employee)
    try:
        if request.form.get("updated_at") != employee["updated_at"]:
            raise Conflict(CHANGED_BY_OTHERS)
        rules = [_check_pass] if form.is_changed(request.form, "legal_status", "work_pass") else []
        body = form.to_body(request.form)
        saved = await service.update_employee(request.tenant, employee["id"], body, *rules, late=request.is_late)
    except (ValidationError, Conflict) as error:
        form = form.with_values(request.form).with_errors(error)
        account_request = await _load_account_request(request, employee)
        return _form_page(
            request, form, status=error.status, company=company, employee=employee, account_request=account_request
        )
    pending = ". Another person has to approve the bank account" if saved.approval else ""
    return request.redirect(return_path(request.form) or f"/employees/{employee['id']}", f"Employee saved{pending}")


@router.post(
    "/employees/{employee_id}/delete",
    confirm=Confirmation(
        "Delete this employee?",
        "Drafts, pay items and leave are deleted too. This cannot be undone. End the service of someone who was paid.",
        "Delete employee",
    ),
)
async def delete_employee(request: PageRequest) -> HttpResponse:
    """Delete an employee who was never paid."""
    employee = await load_employee(request)
    await service.delete_employee(request.tenant, employee["id"])
    return request.redirect(f"/companies/{employee['client_id']}/employees", "Employee deleted")


def _full_name(employee: Mapping[str, Any]) -> str:
    return full_name(employee["first_name"], employee["last_name"], employee["name_format"])


def _form_page(
    request: PageRequest,
    form: Form,
    *,
    status: int = 200,
    former: directory.FormerEmployee | None = None,
    account_request: Approval | None = None,
    **values: Any,
) -> HttpResponse:
    return request.render(
        "employee_form.html",
        status=status,
        here="Employees",
        form=form,
        sections=SECTIONS,
        remaining_fields=remaining_fields(form),
        former=former,
        account_request=account_request,
        name=_full_name(values["employee"]) if values["employee"] else "",
        return_to=return_path(request.form) or return_path(request.query),
        notes=employee_note_texts(values["employee"]) if values["employee"] else [],
        **values,
    )
