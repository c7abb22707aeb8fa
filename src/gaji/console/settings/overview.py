"""The settings of a company, and its details."""

from typing import Any

import msgspec

from gaji.company.clients import service as clients
from gaji.company.pay_points import service as pay_points
from gaji.company.waves import service as waves
from gaji.console.companies import company_form
from gaji.console.pages import PageRouter
from gaji.console.request import PageRequest
from gaji.core.errors import ValidationError
from gaji.web.responses import HttpResponse

router = PageRouter()

Decoded = dict[str, Any]


@router.get("/companies/{client_id}/settings")
async def show_settings(request: PageRequest) -> HttpResponse:
    """What a company is set up with."""
    company = await request.company(request.ids["client_id"])
    frequencies, _ = await waves.list_waves(request.tenant, company.id, True, None)
    points, _ = await pay_points.list_pay_points(request.tenant, company.id, None)
    return request.render(
        "settings.html",
        company=company,
        here="Settings",
        client=await _client(request, company.id),
        waves=[msgspec.json.decode(one) for one in frequencies],
        points=[msgspec.json.decode(one) for one in points],
    )


@router.get("/companies/{client_id}/details")
async def edit_company(request: PageRequest) -> HttpResponse:
    """The form of a company."""
    company = await request.writable_company(request.ids["client_id"])
    form = company_form(await _client(request, company.id))
    return request.render("company_form.html", company=company, here="Settings", form=form, client_id=company.id)


@router.post("/companies/{client_id}/details")
async def change_company(request: PageRequest) -> HttpResponse:
    """Change a company."""
    company = await request.writable_company(request.ids["client_id"])
    form = company_form(await _client(request, company.id))
    try:
        await clients.update_client(request.tenant, company.id, form.body(request.form))
    except ValidationError as error:
        typed = form.with_values(request.form).with_errors(error)
        return request.render(
            "company_form.html", status=422, company=company, here="Settings", form=typed, client_id=company.id
        )
    return request.redirect(f"/companies/{company.id}/settings", "The company has been saved")


async def _client(request: PageRequest, client_id: int) -> Decoded:
    found: Decoded = msgspec.json.decode(await clients.read_client(request.tenant, client_id))
    return found
