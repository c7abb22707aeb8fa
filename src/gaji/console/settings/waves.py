"""Pay frequencies and pay points: added, changed and removed."""

from collections.abc import Mapping

import msgspec

from gaji.company.clients import service as clients
from gaji.company.pay_points import service as pay_points
from gaji.company.pay_points.rules import PAY_POINT
from gaji.company.waves import service as waves
from gaji.company.waves.rules import WAVE
from gaji.console.settings.record_page import RecordPage, Section, decoded, picked
from gaji.console.forms import form_of
from gaji.console.pages import Pages
from gaji.console.request import Visit
from gaji.web.gateway import Response

pages = Pages()

SECTION = Section("", "Settings", "", "")
FEATURES = {"custom_name": "custom_wave_names", "pay_dates": "pay_dates"}
"""By the attribute of a pay frequency that needs one, the feature that lets it be set; only these can change later."""
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
USUAL_DAYS = {
    "monthly": {"last_day_of_month": "31"},
    "twice_a_month": {"interim_day_of_month": "15", "last_day_of_month": "31"},
}
"""By frequency, what is meant by what was left open."""
NAME_HINT = {"name": "No other pay point has it."}


@pages.get("/companies/{client_id}/waves/new")
async def new_wave(visit: Visit) -> Response:
    """The form for a pay frequency."""
    return (await _new_wave(visit)).show(visit)


@pages.post("/companies/{client_id}/waves/new")
async def create_wave(visit: Visit) -> Response:
    """Add a pay frequency."""
    page = await _new_wave(visit)
    body = page.form.body(visit.form)
    usual = USUAL_DAYS.get(str(body["frequency"]), {})
    body |= {name: body[name] or day for name, day in usual.items()}
    work = waves.create_wave(visit.tenant, page.company.id, body)
    return await page.save(visit, work, "The pay frequency has been added")


@pages.get("/companies/{client_id}/waves/{wave_id}/edit")
async def edit_wave(visit: Visit) -> Response:
    """The form of a pay frequency: what can change while people are paid by it."""
    return (await _wave(visit)).show(visit)


@pages.post("/companies/{client_id}/waves/{wave_id}/edit")
async def change_wave(visit: Visit) -> Response:
    """Change a pay frequency."""
    page = await _wave(visit)
    work = waves.update_wave(visit.tenant, visit.ids["wave_id"], page.form.body(visit.form))
    return await page.save(visit, work, "The pay frequency has been saved")


@pages.post("/companies/{client_id}/waves/{wave_id}/delete")
async def delete_wave(visit: Visit) -> Response:
    """Remove a pay frequency that nobody is or was paid by."""
    page = await _wave(visit)
    await waves.delete_wave(visit.tenant, visit.ids["wave_id"])
    return visit.go(SECTION.address(page.company.id), "The pay frequency has been deleted")


@pages.get("/companies/{client_id}/pay_points/new")
async def new_pay_point(visit: Visit) -> Response:
    """The form for a pay point."""
    return (await _new_pay_point(visit)).show(visit)


@pages.post("/companies/{client_id}/pay_points/new")
async def create_pay_point(visit: Visit) -> Response:
    """Add a pay point."""
    page = await _new_pay_point(visit)
    work = pay_points.create_pay_point(visit.tenant, page.company.id, page.form.body(visit.form))
    return await page.save(visit, work, "The pay point has been added")


@pages.get("/companies/{client_id}/pay_points/{pay_point_id}/edit")
async def edit_pay_point(visit: Visit) -> Response:
    """The form of a pay point."""
    return (await _pay_point(visit)).show(visit)


@pages.post("/companies/{client_id}/pay_points/{pay_point_id}/edit")
async def change_pay_point(visit: Visit) -> Response:
    """Change a pay point."""
    page = await _pay_point(visit)
    body = page.form.body(visit.form)
    work = pay_points.update_pay_point(visit.tenant, visit.ids["pay_point_id"], body)
    return await page.save(visit, work, "The pay point has been saved")


@pages.post("/companies/{client_id}/pay_points/{pay_point_id}/delete")
async def delete_pay_point(visit: Visit) -> Response:
    """Remove a pay point that nobody is in."""
    page = await _pay_point(visit)
    await pay_points.delete_pay_point(visit.tenant, visit.ids["pay_point_id"])
    return visit.go(SECTION.address(page.company.id), "The pay point has been deleted")


async def _new_wave(visit: Visit) -> RecordPage:
    """The form of a pay frequency, without what the company has not switched on."""
    company = await visit.own_company(visit.ids["client_id"])
    features = await _features(visit, company.id)
    asked = [one for one in WAVE.attributes if one.name not in FEATURES or features[FEATURES[one.name]]]
    return RecordPage(company, SECTION, "Add a pay frequency", form_of(asked, {}, labels=LABELS, hints=HINTS))


async def _wave(visit: Visit) -> RecordPage:
    company = await visit.own_company(visit.ids["client_id"])
    found = decoded(await waves.list_waves(visit.tenant, company.id, True, None))
    one = picked(found, visit.ids["wave_id"], "wave")
    features = await _features(visit, company.id)
    enabled = [each for each in WAVE.attributes if each.name in FEATURES and features[FEATURES[each.name]]]
    form = form_of(enabled, one, labels=LABELS, hints={"custom_name": "Shown in place of its usual name."})
    title, delete = one["custom_name"] or one["name"], f"/companies/{company.id}/waves/{one['id']}/delete"
    return RecordPage(company, SECTION, title, form, delete, "settings_wave.html")


async def _new_pay_point(visit: Visit) -> RecordPage:
    company = await visit.own_company(visit.ids["client_id"])
    return RecordPage(company, SECTION, "Add a pay point", form_of(PAY_POINT.attributes, {}, hints=NAME_HINT))


async def _pay_point(visit: Visit) -> RecordPage:
    company = await visit.own_company(visit.ids["client_id"])
    found = decoded(await pay_points.list_pay_points(visit.tenant, company.id, None))
    one = picked(found, visit.ids["pay_point_id"], "pay point")
    form = form_of(PAY_POINT.attributes, one, hints=NAME_HINT)
    return RecordPage(company, SECTION, one["name"], form, f"/companies/{company.id}/pay_points/{one['id']}/delete")


async def _features(visit: Visit, client_id: int) -> Mapping[str, bool]:
    found: Mapping[str, bool] = msgspec.json.decode(await clients.read_client(visit.tenant, client_id))["features"]
    return found
