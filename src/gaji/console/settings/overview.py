"""The settings of a company, and its details."""

from typing import Any

import msgspec

from gaji.company.clients import service as clients
from gaji.company.pay_points import service as pay_points
from gaji.company.waves import service as waves
from gaji.console.companies import company_form
from gaji.console.pages import Pages
from gaji.console.request import Visit
from gaji.core.errors import ValidationError
from gaji.web.gateway import Response

pages = Pages()

Decoded = dict[str, Any]


@pages.get("/companies/{client_id}/settings")
async def show_settings(visit: Visit) -> Response:
    """What a company is set up with."""
    company = await visit.company(visit.ids["client_id"])
    frequencies, _ = await waves.list_waves(visit.tenant, company.id, True, None)
    points, _ = await pay_points.list_pay_points(visit.tenant, company.id, None)
    return visit.show(
        "settings.html",
        company=company,
        here="Settings",
        client=await _client(visit, company.id),
        waves=[msgspec.json.decode(one) for one in frequencies],
        points=[msgspec.json.decode(one) for one in points],
    )


@pages.get("/companies/{client_id}/details")
async def edit_company(visit: Visit) -> Response:
    """The form of a company."""
    company = await visit.own_company(visit.ids["client_id"])
    form = company_form(await _client(visit, company.id))
    return visit.show("company_form.html", company=company, here="Settings", form=form, client_id=company.id)


@pages.post("/companies/{client_id}/details")
async def change_company(visit: Visit) -> Response:
    """Change a company."""
    company = await visit.own_company(visit.ids["client_id"])
    form = company_form(await _client(visit, company.id))
    try:
        await clients.update_client(visit.tenant, company.id, form.body(visit.form))
    except ValidationError as error:
        typed = form.filled(visit.form).with_faults(error)
        return visit.show(
            "company_form.html", status=422, company=company, here="Settings", form=typed, client_id=company.id
        )
    return visit.go(f"/companies/{company.id}/settings", "The company has been saved")


async def _client(visit: Visit, client_id: int) -> Decoded:
    found: Decoded = msgspec.json.decode(await clients.read_client(visit.tenant, client_id))
    return found
