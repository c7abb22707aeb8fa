"""Pay frequencies and pay points: added, changed and removed."""

from collections.abc import Mapping

import msgspec

from gaji.company.clients import service as clients
from gaji.company.pay_points import service as pay_points
from gaji.company.pay_points.schemas import PAY_POINT
from gaji.company.waves import service as waves
from gaji.company.waves.schemas import WAVE
from gaji.console.settings.record_page import RecordPage, Section, decoded, picked
from gaji.console.forms import build_form
from gaji.console.pages import PageRouter
from gaji.console.request import PageRequest
from gaji.web.responses import HttpResponse

router = PageRouter()

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


@router.get("/companies/{client_id}/waves/new")
async def new_wave(request: PageRequest) -> HttpResponse:
    """The form for a pay frequency."""
    return (await _new_wave(request)).show(request)


@router.post("/companies/{client_id}/waves/new")
async def create_wave(request: PageRequest) -> HttpResponse:
    """Add a pay frequency."""
    page = await _new_wave(request)
    body = page.form.body(request.form)
    usual = USUAL_DAYS.get(str(body["frequency"]), {})
    body |= {name: body[name] or day for name, day in usual.items()}
    work = waves.create_wave(request.tenant, page.company.id, body)
    return await page.save(request, work, "The pay frequency has been added")


@router.get("/companies/{client_id}/waves/{wave_id}/edit")
async def edit_wave(request: PageRequest) -> HttpResponse:
    """The form of a pay frequency: what can change while people are paid by it."""
    return (await _wave(request)).show(request)


@router.post("/companies/{client_id}/waves/{wave_id}/edit")
async def change_wave(request: PageRequest) -> HttpResponse:
    """Change a pay frequency."""
    page = await _wave(request)
    work = waves.update_wave(request.tenant, request.ids["wave_id"], page.form.body(request.form))
    return await page.save(request, work, "The pay frequency has been saved")


@router.post("/companies/{client_id}/waves/{wave_id}/delete")
async def delete_wave(request: PageRequest) -> HttpResponse:
    """Remove a pay frequency that nobody is or was paid by."""
    page = await _wave(request)
    await waves.delete_wave(request.tenant, request.ids["wave_id"])
    return request.redirect(SECTION.address(page.company.id), "The pay frequency has been deleted")


@router.get("/companies/{client_id}/pay_points/new")
async def new_pay_point(request: PageRequest) -> HttpResponse:
    """The form for a pay point."""
    return (await _new_pay_point(request)).show(request)


@router.post("/companies/{client_id}/pay_points/new")
async def create_pay_point(request: PageRequest) -> HttpResponse:
    """Add a pay point."""
    page = await _new_pay_point(request)
    work = pay_points.create_pay_point(request.tenant, page.company.id, page.form.body(request.form))
    return await page.save(request, work, "The pay point has been added")


@router.get("/companies/{client_id}/pay_points/{pay_point_id}/edit")
async def edit_pay_point(request: PageRequest) -> HttpResponse:
    """The form of a pay point."""
    return (await _pay_point(request)).show(request)


@router.post("/companies/{client_id}/pay_points/{pay_point_id}/edit")
async def change_pay_point(request: PageRequest) -> HttpResponse:
    """Change a pay point."""
    page = await _pay_point(request)
    body = page.form.body(request.form)
    work = pay_points.update_pay_point(request.tenant, request.ids["pay_point_id"], body)
    return await page.save(request, work, "The pay point has been saved")


@router.post("/companies/{client_id}/pay_points/{pay_point_id}/delete")
async def delete_pay_point(request: PageRequest) -> HttpResponse:
    """Remove a pay point that nobody is in."""
    page = await _pay_point(request)
    await pay_points.delete_pay_point(request.tenant, request.ids["pay_point_id"])
    return request.redirect(SECTION.address(page.company.id), "The pay point has been deleted")


async def _new_wave(request: PageRequest) -> RecordPage:
    """The form of a pay frequency, without what the company has not switched on."""
    company = await request.writable_company(request.ids["client_id"])
    features = await _features(request, company.id)
    asked = [one for one in WAVE.attributes if one.name not in FEATURES or features[FEATURES[one.name]]]
    return RecordPage(company, SECTION, "Add a pay frequency", build_form(asked, {}, labels=LABELS, hints=HINTS))


async def _wave(request: PageRequest) -> RecordPage:
    company = await request.writable_company(request.ids["client_id"])
    found = decoded(await waves.list_waves(request.tenant, company.id, True, None))
    one = picked(found, request.ids["wave_id"], "wave")
    features = await _features(request, company.id)
    enabled = [each for each in WAVE.attributes if each.name in FEATURES and features[FEATURES[each.name]]]
    form = build_form(enabled, one, labels=LABELS, hints={"custom_name": "Shown in place of its usual name."})
    title, delete = one["custom_name"] or one["name"], f"/companies/{company.id}/waves/{one['id']}/delete"
    return RecordPage(company, SECTION, title, form, delete, "settings_wave.html")


async def _new_pay_point(request: PageRequest) -> RecordPage:
    company = await request.writable_company(request.ids["client_id"])
    return RecordPage(company, SECTION, "Add a pay point", build_form(PAY_POINT.attributes, {}, hints=NAME_HINT))


async def _pay_point(request: PageRequest) -> RecordPage:
    company = await request.writable_company(request.ids["client_id"])
    found = decoded(await pay_points.list_pay_points(request.tenant, company.id, None))
    one = picked(found, request.ids["pay_point_id"], "pay point")
    form = build_form(PAY_POINT.attributes, one, hints=NAME_HINT)
    return RecordPage(company, SECTION, one["name"], form, f"/companies/{company.id}/pay_points/{one['id']}/delete")


async def _features(request: PageRequest, client_id: int) -> Mapping[str, bool]:
    found: Mapping[str, bool] = msgspec.json.decode(await clients.read_client(request.tenant, client_id))["features"]
    return found
