"""The employment that a portal page is about."""

from typing import Any

from gaji.console.request import PageRequest
from gaji.core.errors import NotFound
from gaji.people.self_service.service import EmployeeAccess, Employment, load_company_name, load_employee_access
from gaji.web.responses import HttpResponse


async def load_access(request: PageRequest) -> EmployeeAccess:
    """Return the user's employments."""
    if request.access is None:
        request.access = await load_employee_access(request.tenant_of_all_companies)
    return request.access


async def load_employment(request: PageRequest) -> Employment:
    """Return the user's employment with the employee ID in the path. Raises NotFound for anyone else's."""
    employee_id = request.ids["employee_id"]
    for employment in (await load_access(request)).employments:
        if employment.employee_id == employee_id:
            return employment
    raise NotFound(f"Employee {employee_id} does not exist")


async def render_portal(request: PageRequest, employment: Employment, template: str, **values: Any) -> HttpResponse:
    """Return a portal page."""
    employer = await load_company_name(request.tenant, employment)
    return request.render(template, employment=employment, employer=employer, **values)
