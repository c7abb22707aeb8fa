"""The job that a page of an employee is about."""

from typing import Any

from gaji.console.request import PageRequest
from gaji.core.errors import NotFound
from gaji.people.self_service.service import Job, Standing, company_name, standing
from gaji.web.responses import Response


async def standing_of(request: PageRequest) -> Standing:
    """What whoever is signed in is here."""
    if request.access is None:
        request.access = await standing(request.tenant)
    return request.access


async def own_job(request: PageRequest) -> Job:
    """The job of the path; raises NotFound for that of anyone else."""
    employee_id = request.ids["employee_id"]
    for job in (await standing_of(request)).jobs:
        if job.employee_id == employee_id:
            return job
    raise NotFound(f"There is no employee {employee_id}")


async def show_own(request: PageRequest, job: Job, template: str, **values: Any) -> Response:
    """A page about a job."""
    company = await company_name(request.tenant, job)
    return request.render(template, job=job, employer=company, **values)
