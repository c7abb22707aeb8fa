"""Retention endpoints."""

from gaji.core import json_schemas
from gaji.privacy.retention import service
from gaji.privacy.retention.schemas import EXAMPLE, RETENTION, RETENTION_SCHEMA
from gaji.web.operations import Request, Response, Router, json_response, saved_response

router = Router("Personal data")

PATH = "/clients/{client_id}/retention"


@router.get(
    PATH,
    response_schema=json_schemas.wrapped_schema("retention", RETENTION_SCHEMA),
    example={"retention": EXAMPLE},
    error_statuses=[403],
)
async def read_retention(request: Request) -> Response:
    """Return how long the records of a client are kept, and what has reached the end of its period."""
    return json_response({"retention": await service.read_retention(request.tenant, request.ids["client_id"])})


@router.patch(
    PATH,
    body_schema=RETENTION.json_schema(partial=True),
    response_schema=json_schemas.SAVED,
    error_statuses=[403],
)
async def update_retention(request: Request) -> Response:
    """Change how long the records of a client are kept. No period can be shorter than the statutory one."""
    client_id = request.ids["client_id"]
    warnings = await service.update_retention(request.tenant, client_id, request.body)
    return saved_response("The retention periods have been saved", id=client_id, warnings=warnings)
