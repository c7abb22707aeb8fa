"""What people find when they sign in: the companies that pay them, their released payslips and their details."""

from collections.abc import Mapping
from typing import Any

import msgspec

from gaji.console.employee_form import SECTIONS, employee_form
from gaji.console.forms import Field, Form
from gaji.console.pages import PageRouter
from gaji.console.payslips import SECTIONS as PAYSLIP_SECTIONS
from gaji.console.payslips import leave_of

from gaji.console.portal.employment import load_job, render_for_job, load_access
from gaji.console.request import PageRequest
from gaji.core.errors import NotFound
from gaji.payroll.payslips import service
from gaji.payroll.payslips import summaries
from gaji.people.employees import service as employees
from gaji.people.self_service.service import Job, as_the_company_sees, company_name
from gaji.people.service_periods import service as service_periods
from gaji.web.responses import HttpResponse

router = PageRouter()

NAMES = ("first_name", "last_name", "name_format")
"""What is told as one name."""
SECRETS = ("nric", "fin", "malaysian_ic", "passport_number", "bank_account.account_number")


@router.get("/own")
async def start(request: PageRequest) -> HttpResponse:
    """Where an employee begins: at their payslips, or at the companies that pay them."""
    jobs = (await load_access(request)).jobs
    if not jobs:
        raise NotFound("You are no employee of a company here")
    if len(jobs) == 1:
        return request.redirect(f"/own/{jobs[0].employee_id}")
    names = {job.employee_id: await company_name(request.tenant, job) for job in jobs}
    return request.render("portal_companies.html", here="", jobs=jobs, names=names)


@router.get("/own/{employee_id}")
async def show_payslips(request: PageRequest) -> HttpResponse:
    """The released payslips of an employee, the latest first."""
    job = await load_job(request)
    (elements, _), _ = await service.list_payslips(request.tenant, job.employee_id, None)
    found = sorted(map(msgspec.json.decode, elements), key=lambda one: (one["date"], one["id"]), reverse=True)
    latest = await _heading(request, job, found[0]["id"]) if found else None
    return await render_for_job(request, job, "portal_payslips.html", here="Payslips", payslips=found, latest=latest)


@router.get("/own/{employee_id}/payslips/{payslip_id}")
async def show_payslip(request: PageRequest) -> HttpResponse:
    """One of them, with the reason of every line."""
    job = await load_job(request)
    heading = await _heading(request, job, request.ids["payslip_id"])
    explained = await service.explain_payslip(request.tenant, heading.id)
    sections = {
        title: [one for one in explained.explanation if one["section"] == section]
        for section, title in PAYSLIP_SECTIONS.items()
    }
    leave = leave_of(explained)
    return await render_for_job(request, job, "portal_payslip.html", here="Payslips", slip=heading, sections=sections, leave=leave)


@router.get("/own/{employee_id}/details")
async def show_details(request: PageRequest) -> HttpResponse:
    """What the company keeps about an employee."""
    job = await load_job(request)
    employee = msgspec.json.decode(await employees.read_employee(request.tenant, job.employee_id))
    periods = await service_periods.list_service_periods(request.tenant, job.employee_id)
    async with as_the_company_sees(request.tenant, job):
        form = await employee_form(request.tenant, job.client_id, employee)
    return await render_for_job(
        request,
        job,
        "portal_details.html",
        here="Details",
        facts=_facts(form, job.name),
        service=[msgspec.json.decode(one) for one in periods],
    )


async def _heading(request: PageRequest, job: Job, payslip_id: int) -> summaries.Heading:
    """A payslip of this employee that is released."""
    async with request.tenant.reading() as tx:
        found = await summaries.heading(tx, payslip_id)
    if found.employee_id != job.employee_id or not found.released:
        raise NotFound(f"There is no payslip {payslip_id}")
    return found


def _facts(form: Form, name: str) -> dict[str, list[tuple[str, str, bool]]]:
    """By section, the label and value of what is filled in, and whether it is a secret."""
    values = {one.name: one.value for one in form.fields}
    grouped = {title: form.section(*names) for title, names in SECTIONS.items()}
    grouped["More"] = form.rest(*(name for names in SECTIONS.values() for name in names))
    found = {title: [_fact(one) for one in fields if _is_told(one, values)] for title, fields in grouped.items()}
    first = next(iter(found))
    return {title: lines for title, lines in {**found, first: [("Name", name, False), *found[first]]}.items() if lines}


def _is_told(one: Field, values: Mapping[str, str]) -> bool:
    return bool(one.value) and one.name not in NAMES and (one.applies(values) or one.value != one.usual)


def _fact(one: Field) -> tuple[str, str, bool]:
    told: Any = dict(one.options).get(one.value, one.value)
    if one.kind == "checkbox":
        told = "Yes" if one.value == "true" else "No"
    elif one.kind == "date":
        told = format_day(one.value)
    return one.label, told, one.name in SECRETS
