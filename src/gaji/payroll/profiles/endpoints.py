"""Profile and profile mapping endpoints."""

from gaji.core import json_schemas
from gaji.db.json_lists import slice_page
from gaji.payroll.profiles import mapping_service, service
from gaji.payroll.profiles.schemas import (
    MAPPING_ELEMENT,
    MAPPING_EXAMPLE,
    PROFILE,
    PROFILE_ELEMENT,
    PROFILE_EXAMPLE,
    PROFILE_MAPPING,
)
from gaji.web.operations import Request, Response, Router, saved_response
from gaji.web.query_parameters import IDS

routes = Router("Profiles")


@routes.get(
    "/clients/{client_id}/profiles",
    response_schema=json_schemas.list_schema("profile", PROFILE_ELEMENT),
    query=[IDS],
    paged=True,
    example=[{"profile": PROFILE_EXAMPLE}],
)
async def list_profiles(request: Request) -> Response:
    """List the profiles of a client."""
    profiles = await service.list_profiles(request.tenant, request.ids["client_id"], request.page, request.parameters)
    return request.list_response("profile", profiles)


@routes.post(
    "/clients/{client_id}/profiles",
    body_schema=PROFILE.json_schema(),
    response_schema=json_schemas.SAVED,
)
async def create_profile(request: Request) -> Response:
    """Add a profile to a client."""
    profile_id, validated = await service.create_profile(request.tenant, request.ids["client_id"], request.body)
    return saved_response("The profile has been created", id=profile_id, warnings=validated.warnings)


@routes.patch(
    "/profiles/{profile_id}",
    body_schema=PROFILE.json_schema(partial=True),
    response_schema=json_schemas.SAVED,
)
async def update_profile(request: Request) -> Response:
    """Update a profile."""
    profile_id = request.ids["profile_id"]
    validated = await service.update_profile(request.tenant, profile_id, request.body)
    return saved_response("The profile has been updated", id=profile_id, warnings=validated.warnings)


@routes.delete("/profiles/{profile_id}", response_schema=json_schemas.DELETED)
async def delete_profile(request: Request) -> Response:
    """Delete a profile that no employee has."""
    await service.delete_profile(request.tenant, request.ids["profile_id"])
    return saved_response("The profile has been deleted")


@routes.get(
    "/employees/{employee_id}/profile_mappings",
    response_schema=json_schemas.list_schema("profile_mapping", MAPPING_ELEMENT),
    query=[IDS],
    paged=True,
    example=[{"profile_mapping": MAPPING_EXAMPLE}],
    error_statuses=[403],
)
async def list_profile_mappings(request: Request) -> Response:
    """List the profile mappings of an employee."""
    mappings = await mapping_service.list_mappings(request.tenant, request.ids["employee_id"], request.parameters)
    return request.list_response("profile_mapping", slice_page(mappings, request.page))


@routes.post(
    "/employees/{employee_id}/profile_mappings",
    body_schema=PROFILE_MAPPING.json_schema(),
    body_example={"profile_id": 3},
    response_schema=json_schemas.SAVED,
)
async def create_profile_mapping(request: Request) -> Response:
    """Assign a profile to an employee."""
    mapping_id, validated = await mapping_service.create_mapping(
        request.tenant, request.ids["employee_id"], request.body
    )
    return saved_response("The profile mapping has been created", id=mapping_id, warnings=validated.warnings)


@routes.put(
    "/profile_mappings/{mapping_id}",
    body_schema=PROFILE_MAPPING.json_schema(),
    response_schema=json_schemas.SAVED,
)
async def replace_profile_mapping(request: Request) -> Response:
    """Replace a profile mapping."""
    return await _update(request, replace=True)


@routes.patch(
    "/profile_mappings/{mapping_id}",
    body_schema=PROFILE_MAPPING.json_schema(partial=True),
    response_schema=json_schemas.SAVED,
)
async def update_profile_mapping(request: Request) -> Response:
    """Update a profile mapping."""
    return await _update(request, replace=False)


@routes.delete("/profile_mappings/{mapping_id}", response_schema=json_schemas.DELETED)
async def delete_profile_mapping(request: Request) -> Response:
    """Remove a profile from an employee."""
    await mapping_service.delete_mapping(request.tenant, request.ids["mapping_id"])
    return saved_response("The profile mapping has been deleted")


async def _update(request: Request, *, replace: bool) -> Response:
    mapping_id = request.ids["mapping_id"]
    validated = await mapping_service.update_mapping(request.tenant, mapping_id, request.body, replace=replace)
    return saved_response("The profile mapping has been updated", id=mapping_id, warnings=validated.warnings)
