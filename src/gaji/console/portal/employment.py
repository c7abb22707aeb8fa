"""The employee record that a portal page is about."""

from typing import Any

from gaji.console.request import PageRequest
from gaji.core.errors import NotFound
from gaji.people.self_service.service import Job, Standing, company_name, standing
from gaji.web.responses import HttpResponse


async def load_access(request: PageRequest) -> Standing:
    """Return the employees that the user is."""
    if request.access is None:
        request.access = await standing(request.tenant)
    return request.access


async def load_job(request: PageRequest) -> Job:
    """Return the user's employee record with the ID in the path. Raises NotFound for anyone else's."""
    employee_id = request.ids["employee_id"]
    for job in (await load_access(request)).jobs:
        if job.employee_id == employee_id:
            return job
    raise NotFound(f"Employee {employee_id} does not exist")


async def render_for_job(request: PageRequest, job: Job, template: str, **values: Any) -> HttpResponse:
    """Return a portal page."""
    company = await company_name(request.tenant, job)
    return request.render(template, job=job, employer=company, **values)
