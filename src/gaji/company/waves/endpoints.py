"""Waves over HTTP."""

from typing import Any

from gaji.company.waves import service
from gaji.company.waves.schemas import PAY_DATES, WAVE
from gaji.core.constants import LISTS
from gaji.core.errors import INVALID, invalid
from gaji.core.validation import JsonSchema
from gaji.db.json_lists import wrapped
from gaji.web import schemas
from gaji.web.operations import QueryParameter, Request, Response, Router, saved

routes = Router("Waves")

FORMAT = QueryParameter(
    "format", {"enum": ["simplified"]}, "`simplified` shows the frequency instead of its lengths and offsets."
)
OFF_OR_ON: JsonSchema = {
    "type": "object",
    "required": ["enabled"],
    "properties": {
        "enabled": {"type": "boolean"},
        **{one.name: one.type.json_schema() for one in PAY_DATES.attributes if one.name != "enabled"},
    },
}
DATE: JsonSchema = {"type": "string", "format": "date"}
DATE_OR_NULL: JsonSchema = {"type": ["string", "null"], "format": "date"}
INTEGER_OR_NULL: JsonSchema = {"type": ["integer", "null"]}
ALWAYS: JsonSchema = {
    "id": schemas.IDENTIFIER,
    "first_end_date": DATE | {"description": "Normalised: in January 2008."},
    "client_id": schemas.IDENTIFIER,
    "interim_first_end_date": DATE_OR_NULL | {"description": "Normalised; only for twice_a_month."},
    "created_at": schemas.TIMESTAMP,
    "updated_at": schemas.TIMESTAMP,
    "custom_name": {"type": ["string", "null"]},
    "pay_dates": OFF_OR_ON,
    "name": {"type": "string", "description": "The frequency in words."},
}
FULL: JsonSchema = {
    **ALWAYS,
    "length_months": {"type": "integer"},
    "length_weeks": {"type": "integer"},
    "first_period_offset": {"type": "integer", "description": "Periods from the normalised date to the one given."},
    "notification_days_before": INTEGER_OR_NULL,
    "finalisation_days_before": INTEGER_OR_NULL,
    "payslip_payment_day": INTEGER_OR_NULL,
}
SIMPLIFIED: JsonSchema = {**ALWAYS, "frequency": {"enum": [entry.value for entry in LISTS["frequency"]]}}
ELEMENT: JsonSchema = {
    "title": "Wave",
    "anyOf": [
        {"type": "object", "required": list(form), "properties": form, "additionalProperties": False}
        for form in (FULL, SIMPLIFIED)
    ],
}
EXAMPLE: dict[str, Any] = {
    "id": 2,
    "length_months": 1,
    "length_weeks": 0,
    "first_end_date": "2008-01-31",
    "first_period_offset": 216,
    "notification_days_before": None,
    "finalisation_days_before": None,
    "payslip_payment_day": None,
    "client_id": 1,
    "interim_first_end_date": None,
    "created_at": "2026-01-05T09:00:00.000000+08:00",
    "updated_at": "2026-01-05T09:00:00.000000+08:00",
    "custom_name": None,
    "pay_dates": {"enabled": False},
    "name": "Monthly, ending on the last day",
}


@routes.get(
    "/clients/{client_id}/waves",
    answers=schemas.array_of("wave", ELEMENT),
    query=[FORMAT],
    paged=True,
    statuses=[422],
    example=[{"wave": EXAMPLE}],
)
async def list_waves(call: Request) -> Response:
    """The waves of a client."""
    found = await service.list_waves(call.tenant, call.ids["client_id"], _simplified(call), call.page)
    return call.listed("wave", found)


@routes.post("/clients/{client_id}/waves", takes=WAVE.json_schema(), answers=schemas.SAVED, statuses=[422])
async def create_wave(call: Request) -> Response:
    """Add a wave to a client."""
    wave_id, reading = await service.create_wave(call.tenant, call.ids["client_id"], call.body)
    return saved("The wave has been created", id=wave_id, warnings=reading.warnings)


@routes.get(
    "/waves/{wave_id}",
    answers=schemas.wrapped("wave", ELEMENT),
    query=[FORMAT],
    statuses=[422],
    example={"wave": EXAMPLE},
)
async def read_wave(call: Request) -> Response:
    """One wave."""
    return Response(wrapped("wave", await service.read_wave(call.tenant, call.ids["wave_id"], _simplified(call))))


@routes.patch("/waves/{wave_id}", takes=WAVE.json_schema(partial=True), answers=schemas.SAVED, statuses=[409, 422])
async def update_wave(call: Request) -> Response:
    """Change a wave; its periods only while it has no employees."""
    wave_id = call.ids["wave_id"]
    reading = await service.update_wave(call.tenant, wave_id, call.body)
    return saved("The wave has been updated", id=wave_id, warnings=reading.warnings)


@routes.delete("/waves/{wave_id}", answers=schemas.DELETED, statuses=[409])
async def delete_wave(call: Request) -> Response:
    """Remove a wave that has no employees."""
    await service.delete_wave(call.tenant, call.ids["wave_id"])
    return saved("The wave has been deleted")


def _simplified(call: Request) -> bool:
    given = call.query.get("format", [""])[-1]
    if given not in ("", "simplified"):
        raise invalid("format", INVALID, reason="must be simplified, or left out")
    return bool(given)
