"""Pay schedules, which the API calls waves."""

from collections.abc import Mapping
from dataclasses import replace

import msgspec

from gaji.company.clients import service as clients
from gaji.company.waves import service as waves
from gaji.company.waves.schemas import WAVE
from gaji.console.forms import build_form
from gaji.console.pages import Confirmation, PageRouter
from gaji.console.request import PageRequest
from gaji.console.settings.record_page import RecordPage, Section, decode_elements, get_by_id
from gaji.web.responses import HttpResponse

router = PageRouter()

SECTION = Section("", "Settings", "", "")
FEATURES = {"custom_name": "custom_wave_names", "pay_dates": "pay_dates"}
"""Attributes that need a feature of the company. Only these can be changed later."""
DEFAULT_DAYS = {
    "monthly": {"last_day_of_month": "31"},
    "twice_a_month": {"interim_day_of_month": "15", "last_day_of_month": "31"},
}
"""Values for blank fields, by frequency."""
DAYS_WITH_DEFAULT = {name for days in DEFAULT_DAYS.values() for name in days}


@router.get("/companies/{client_id}/waves/new")
async def new_wave(request: PageRequest) -> HttpResponse:
    """Show the form for a new pay schedule."""
    return (await _new_page(request)).show(request)


@router.post("/companies/{client_id}/waves/new")
async def create_wave(request: PageRequest) -> HttpResponse:
    """Create a pay schedule. After the first one, continue with the steps on the dashboard."""
    page = await _new_page(request)
    existing, _ = await waves.list_waves(request.tenant, page.company.id, True, None)
    body = page.form.to_body(request.form)
    defaults = DEFAULT_DAYS.get(str(body["frequency"]), {})
    body |= {name: body[name] or day for name, day in defaults.items()}
    work = waves.create_wave(request.tenant, page.company.id, body)
    next_path = "" if existing else f"/companies/{page.company.id}"
    return await page.save(request, work, "Pay schedule added", next_path=next_path)


@router.get("/companies/{client_id}/waves/{wave_id}/edit")
async def edit_wave(request: PageRequest) -> HttpResponse:
    """Show the form for what can be changed in a pay schedule."""
    return (await _wave_page(request)).show(request)


@router.post("/companies/{client_id}/waves/{wave_id}/edit")
async def change_wave(request: PageRequest) -> HttpResponse:
    """Save a pay schedule."""
    page = await _wave_page(request)
    work = waves.update_wave(request.tenant, request.ids["wave_id"], page.form.to_body(request.form))
    return await page.save(request, work, "Pay schedule saved")


@router.post(
    "/companies/{client_id}/waves/{wave_id}/delete",
    confirm=Confirmation(
        "Delete this pay schedule?",
        "A pay schedule with employees cannot be deleted: move them to another one first.",
        refusal="Employees have this pay schedule. Move them to another one first",
    ),
)
async def delete_wave(request: PageRequest) -> HttpResponse:
    """Delete a pay schedule that has never paid anyone."""
    page = await _wave_page(request)
    await waves.delete_wave(request.tenant, request.ids["wave_id"])
    return request.redirect(SECTION.path(page.company.id), "Pay schedule deleted")


async def _new_page(request: PageRequest) -> RecordPage:
    """Return the form for a new pay schedule, without the attributes whose features are off."""
    company = await request.writable_company(request.ids["client_id"])
    features = await _load_features(request, company.id)
    attributes = [
        attribute
        for attribute in WAVE.attributes
        if attribute.name not in FEATURES or features[FEATURES[attribute.name]]
    ]
    form = build_form("pay_schedule", attributes, {})
    fields = [replace(field, required_if="") if field.name in DAYS_WITH_DEFAULT else field for field in form.fields]
    return RecordPage(company, SECTION, "Add pay schedule", replace(form, fields=fields))


async def _wave_page(request: PageRequest) -> RecordPage:
    company = await request.writable_company(request.ids["client_id"])
    elements = decode_elements(await waves.list_waves(request.tenant, company.id, True, None))
    wave = get_by_id(elements, request.ids["wave_id"], "Pay schedule")
    features = await _load_features(request, company.id)
    attributes = [
        attribute for attribute in WAVE.attributes if attribute.name in FEATURES and features[FEATURES[attribute.name]]
    ]
    form = build_form("pay_schedule", attributes, wave)
    delete_path = f"/companies/{company.id}/waves/{wave['id']}/delete"
    return RecordPage(company, SECTION, wave["custom_name"] or wave["name"], form, delete_path, "settings_wave.html")


async def _load_features(request: PageRequest, client_id: int) -> Mapping[str, bool]:
    features: Mapping[str, bool] = msgspec.json.decode(await clients.read_client(request.tenant, client_id))["features"]
    return features
