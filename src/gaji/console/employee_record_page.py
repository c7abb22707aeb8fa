"""Pages with a form for one record of an employee, such as a leave day or a child."""

from collections.abc import Mapping
from typing import Any

from gaji.console.employee_tabs import load_employee
from gaji.console.forms import Form
from gaji.console.request import PageRequest
from gaji.people.employees.display_name import full_name
from gaji.web.responses import HttpResponse

Employee = Mapping[str, Any]


async def load_writable_employee(request: PageRequest) -> Employee:
    """Load the employee in the path. Raises Forbidden if the user may not change the company."""
    employee = await load_employee(request)
    await request.writable_company(employee["client_id"])
    return employee


async def show_record_form(
    request: PageRequest, employee: Employee, title: str, form: Form, status: int = 200
) -> HttpResponse:
    """Show the form of a record that belongs to the leave tab."""
    return request.render(
        "employee_leave_form.html",
        status=status,
        company=await request.company(employee["client_id"]),
        here="Employees",
        employee=employee,
        name=full_name(employee["first_name"], employee["last_name"], employee["name_format"]),
        title=title,
        form=form,
    )


def redirect_to_leave(request: PageRequest, employee: Employee, notice: str) -> HttpResponse:
    """Redirect to the leave tab of an employee."""
    return request.redirect(f"/employees/{employee['id']}?tab=leave", notice)
