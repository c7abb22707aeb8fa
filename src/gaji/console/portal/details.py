"""The employee's details, as the company has them."""

import msgspec

from gaji.console.employee_form import EMPLOYER_SECTIONS, employee_facts, employee_form
from gaji.console.pages import PageRouter
from gaji.console.portal.employment import load_employment, render_portal
from gaji.console.request import PageRequest
from gaji.people.children import service as children
from gaji.people.employees import service as employees
from gaji.people.self_service.service import company_view
from gaji.people.service_periods import service as service_periods
from gaji.web.responses import HttpResponse

router = PageRouter()


@router.get("/own/{employee_id}/details")
async def show_details(request: PageRequest) -> HttpResponse:
    """Show what the company has recorded about the employee."""
    employment = await load_employment(request)
    employee = msgspec.json.decode(await employees.read_employee(request.tenant, employment.employee_id))
    listed, _ = await children.list_children(request.tenant, employment.employee_id, None)
    periods = await service_periods.list_service_periods(request.tenant, employment.employee_id)
    async with company_view(request.tenant, employment):
        form = await employee_form(request.tenant, employment.client_id, employee)
    facts = {title: lines for title, lines in employee_facts(form).items() if title not in EMPLOYER_SECTIONS}
    first = next(iter(facts), "Person")
    return await render_portal(
        request,
        employment,
        "portal_details.html",
        here="Details",
        facts={**facts, first: [("Name", employment.name, False), *facts.get(first, [])]},
        children=[msgspec.json.decode(child) for child in listed],
        service_periods=[msgspec.json.decode(period) for period in periods],
    )
