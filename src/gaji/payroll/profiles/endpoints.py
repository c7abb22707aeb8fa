"""Profiles and their mappings over HTTP."""

from gaji.core.validation import JsonSchema
from gaji.db.json_lists import cut
from gaji.payroll.profiles import service
from gaji.payroll.profiles import mapping_service
from gaji.payroll.profiles.rules import PROFILE, PROFILE_MAPPING
from gaji.web import schemas
from gaji.web.operations import Request, Response, Router, saved

routes = Router("Profiles")

TIMES = {
    "created_at": "2026-01-05T09:00:00.000000+08:00",
    "updated_at": "2026-01-05T09:00:00.000000+08:00",
}
ELEMENT: JsonSchema = schemas.read_form(PROFILE, "Profile")
ELEMENT["properties"]["calculations"] = {
    "type": "object",
    "additionalProperties": {"type": "object", "additionalProperties": {"type": ["string", "boolean"]}},
}
EXAMPLE = schemas.example(PROFILE, id=3, client_id=1) | TIMES
MAPPING: JsonSchema = schemas.read_form(PROFILE_MAPPING, "ProfileMapping")
MAPPING["properties"] |= {
    "employee_id": schemas.IDENTIFIER,
    "calculations": {"type": "object", "additionalProperties": {"type": "boolean"}},
}
MAPPING["required"].append("employee_id")
MAPPING_EXAMPLE = schemas.example(PROFILE_MAPPING, id=8, client_id=1, employee_id=4) | TIMES


@routes.get(
    "/clients/{client_id}/profiles",
    answers=schemas.array_of("profile", ELEMENT),
    paged=True,
    example=[{"profile": EXAMPLE}],
)
async def list_profiles(call: Request) -> Response:
    """The profiles of a client."""
    found = await service.list_profiles(call.tenant, call.ids["client_id"], call.page)
    return call.listed("profile", found)


@routes.post("/clients/{client_id}/profiles", takes=PROFILE.json_schema(), answers=schemas.SAVED, statuses=[422])
async def create_profile(call: Request) -> Response:
    """Add a profile to a client."""
    profile_id, reading = await service.create_profile(call.tenant, call.ids["client_id"], call.body)
    return saved("The profile has been created", id=profile_id, warnings=reading.warnings)


@routes.patch("/profiles/{profile_id}", takes=PROFILE.json_schema(partial=True), answers=schemas.SAVED, statuses=[422])
async def update_profile(call: Request) -> Response:
    """Change a profile."""
    profile_id = call.ids["profile_id"]
    reading = await service.update_profile(call.tenant, profile_id, call.body)
    return saved("The profile has been updated", id=profile_id, warnings=reading.warnings)


@routes.delete("/profiles/{profile_id}", answers=schemas.DELETED, statuses=[409])
async def delete_profile(call: Request) -> Response:
    """Remove a profile that no employee has."""
    await service.delete_profile(call.tenant, call.ids["profile_id"])
    return saved("The profile has been deleted")


@routes.get(
    "/employees/{employee_id}/profile_mappings",
    answers=schemas.array_of("profile_mapping", MAPPING),
    paged=True,
    example=[{"profile_mapping": MAPPING_EXAMPLE}],
    statuses=[403],
)
async def list_profile_mappings(call: Request) -> Response:
    """The profiles of an employee."""
    mappings = await mapping_service.list_mappings(call.tenant, call.ids["employee_id"])
    return call.listed("profile_mapping", cut(mappings, call.page))


@routes.post(
    "/employees/{employee_id}/profile_mappings",
    takes=PROFILE_MAPPING.json_schema(),
    answers=schemas.SAVED,
    statuses=[422],
)
async def create_profile_mapping(call: Request) -> Response:
    """Give an employee a profile."""
    mapping_id, reading = await mapping_service.create_mapping(call.tenant, call.ids["employee_id"], call.body)
    return saved("The profile mapping has been created", id=mapping_id, warnings=reading.warnings)


@routes.put(
    "/profile_mappings/{mapping_id}", takes=PROFILE_MAPPING.json_schema(), answers=schemas.SAVED, statuses=[422]
)
async def replace_profile_mapping(call: Request) -> Response:
    """Replace a profile mapping."""
    return await _update(call, whole=True)


@routes.patch(
    "/profile_mappings/{mapping_id}",
    takes=PROFILE_MAPPING.json_schema(partial=True),
    answers=schemas.SAVED,
    statuses=[422],
)
async def update_profile_mapping(call: Request) -> Response:
    """Change a profile mapping."""
    return await _update(call, whole=False)


@routes.delete("/profile_mappings/{mapping_id}", answers=schemas.DELETED)
async def delete_profile_mapping(call: Request) -> Response:
    """Take a profile from an employee."""
    await mapping_service.delete_mapping(call.tenant, call.ids["mapping_id"])
    return saved("The profile mapping has been deleted")


async def _update(call: Request, *, whole: bool) -> Response:
    mapping_id = call.ids["mapping_id"]
    reading = await mapping_service.update_mapping(call.tenant, mapping_id, call.body, replace=whole)
    return saved("The profile mapping has been updated", id=mapping_id, warnings=reading.warnings)
