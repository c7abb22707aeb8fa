"""The job that a page of an employee is about."""

from typing import Any

from gaji.console.request import Visit
from gaji.core.errors import NotFound
from gaji.people.self_service.service import Job, Standing, company_name, standing
from gaji.web.gateway import Response


async def standing_of(visit: Visit) -> Standing:
    """What whoever is signed in is here."""
    if visit.standing is None:
        visit.standing = await standing(visit.tenant)
    return visit.standing


async def own_job(visit: Visit) -> Job:
    """The job of the path; raises NotFound for that of anyone else."""
    employee_id = visit.ids["employee_id"]
    for job in (await standing_of(visit)).jobs:
        if job.employee_id == employee_id:
            return job
    raise NotFound(f"There is no employee {employee_id}")


async def show_own(visit: Visit, job: Job, template: str, **values: Any) -> Response:
    """A page about a job."""
    company = await company_name(visit.tenant, job)
    return visit.show(template, job=job, employer=company, **values)
