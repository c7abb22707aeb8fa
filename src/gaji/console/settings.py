"""The settings of a company: its details, its pay frequencies and its pay points."""

from collections.abc import Awaitable, Mapping
from typing import Any

import msgspec

from gaji.clients import service as clients
from gaji.clients.service import ClientOfCaller
from gaji.console.companies import company_form
from gaji.console.forms import Form, as_faults, form_of
from gaji.console.pages import Pages
from gaji.console.visit import Visit
from gaji.errors import Conflict, Invalid
from gaji.pay_points import service as pay_points
from gaji.pay_points.rules import PAY_POINT
from gaji.waves import service as waves
from gaji.waves.rules import WAVE
from gaji.web.gateway import Response

pages = Pages()

Decoded = dict[str, Any]
LABELS = {
    "pay_dates.enabled": "Pay on other dates than the period end",
    "pay_dates.type": "Pay date",
    "pay_dates.days_offset": "Days",
    "pay_dates.when": "Before, after, or which month",
    "custom_name": "Name",
    "first_end_date": "First period ends on",
    "last_day_of_month": "Ends on day",
    "interim_day_of_month": "First half ends on day",
}
HINTS = {
    "custom_name": "A name of its own, if it needs one.",
    "frequency": "",
    "pay_dates.enabled": "",
    "first_end_date": "The end of the first period that you pay here, often of this month.",
    "last_day_of_month": "Of the month. 31, which it is when left open, is the last day of every month.",
    "interim_day_of_month": "Of the month. 15 when left open.",
}
USUAL_DAYS = {"twice_a_month": {"interim_day_of_month": "15", "last_day_of_month": "31"}}
USUAL_DAYS["monthly"] = {"last_day_of_month": "31"}
"""By frequency, what is meant by what was left open."""


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
    except Invalid as error:
        typed = form.filled(visit.form).with_faults(error)
        return visit.show(
            "company_form.html", status=422, company=company, here="Settings", form=typed, client_id=company.id
        )
    return visit.go(f"/companies/{company.id}/settings", "The company has been saved")


@pages.get("/companies/{client_id}/waves/new")
async def new_wave(visit: Visit) -> Response:
    """The form for a pay frequency."""
    company = await visit.own_company(visit.ids["client_id"])
    return _form_page(visit, company, "Add a pay frequency", await _wave_form(visit, company.id))


@pages.post("/companies/{client_id}/waves/new")
async def create_wave(visit: Visit) -> Response:
    """Add a pay frequency."""
    company = await visit.own_company(visit.ids["client_id"])
    form = await _wave_form(visit, company.id)
    body = form.body(visit.form)
    usual = USUAL_DAYS.get(str(body["frequency"]), {})
    body |= {name: body[name] or day for name, day in usual.items()}
    create = waves.create_wave(visit.tenant, company.id, body)
    return await _saved(visit, company, "Add a pay frequency", form, create, "The pay frequency has been added")


@pages.get("/companies/{client_id}/pay_points/new")
async def new_pay_point(visit: Visit) -> Response:
    """The form for a pay point."""
    company = await visit.own_company(visit.ids["client_id"])
    return _form_page(visit, company, "Add a pay point", form_of(PAY_POINT.attributes, {}))


@pages.post("/companies/{client_id}/pay_points/new")
async def create_pay_point(visit: Visit) -> Response:
    """Add a pay point."""
    company = await visit.own_company(visit.ids["client_id"])
    form = form_of(PAY_POINT.attributes, {})
    create = pay_points.create_pay_point(visit.tenant, company.id, form.body(visit.form))
    return await _saved(visit, company, "Add a pay point", form, create, "The pay point has been added")


async def _client(visit: Visit, client_id: int) -> Decoded:
    found: Decoded = msgspec.json.decode(await clients.read_client(visit.tenant, client_id))
    return found


async def _wave_form(visit: Visit, client_id: int) -> Form:
    """The form of a pay frequency, without what the company has not switched on."""
    features: Mapping[str, bool] = (await _client(visit, client_id))["features"]
    switched = {"custom_name": features["custom_wave_names"], "pay_dates": features["pay_dates"]}
    asked = [one for one in WAVE.attributes if switched.get(one.name, True)]
    return form_of(asked, {}, labels=LABELS, hints=HINTS)


def _form_page(visit: Visit, company: ClientOfCaller, title: str, form: Form, status: int = 200) -> Response:
    return visit.show("settings_form.html", status=status, company=company, here="Settings", form=form, title=title)


async def _saved(
    visit: Visit, company: ClientOfCaller, title: str, form: Form, create: Awaitable[object], notice: str
) -> Response:
    try:
        await create
    except (Invalid, Conflict) as error:
        return _form_page(visit, company, title, form.filled(visit.form).with_faults(as_faults(error)), error.status)
    return visit.go(f"/companies/{company.id}/settings", notice)
