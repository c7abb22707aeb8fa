"""Custom employee field endpoints."""

from gaji.company.custom_fields import service
from gaji.company.custom_fields.schemas import CUSTOM_FIELD, CUSTOM_FIELD_EXAMPLE, CUSTOM_FIELD_SCHEMA
from gaji.core import json_schemas
from gaji.web.operations import Request, Response, Router, saved_response
from gaji.web.query_parameters import IDS

router = Router("Custom employee fields")


@router.get(
    "/clients/{client_id}/custom_employee_fields",
    response_schema=json_schemas.list_schema("custom_employee_field", CUSTOM_FIELD_SCHEMA),
    query=[IDS],
    paged=True,
    example=[{"custom_employee_field": CUSTOM_FIELD_EXAMPLE}],
)
async def list_custom_employee_fields(request: Request) -> Response:
    """List the custom employee fields of a client."""
    elements = await service.list_fields(request.tenant, request.ids["client_id"], request.page, request.parameters)
    return request.list_response("custom_employee_field", elements)


@router.post(
    "/clients/{client_id}/custom_employee_fields",
    body_schema=CUSTOM_FIELD.json_schema(),
    response_schema=json_schemas.SAVED,
)
async def create_custom_employee_field(request: Request) -> Response:
    """Create a custom employee field in a client."""
    field_id, validated = await service.create_field(request.tenant, request.ids["client_id"], request.body)
    return saved_response("The custom field has been created", id=field_id, warnings=validated.warnings)


@router.patch(
    "/custom_employee_fields/{field_id}",
    body_schema=CUSTOM_FIELD.json_schema(partial=True),
    body_example={"name": "Shirt size"},
    response_schema=json_schemas.SAVED,
)
async def update_custom_employee_field(request: Request) -> Response:
    """Update a custom employee field."""
    field_id = request.ids["field_id"]
    validated = await service.update_field(request.tenant, field_id, request.body)
    return saved_response("The custom field has been updated", id=field_id, warnings=validated.warnings)


@router.delete("/custom_employee_fields/{field_id}", response_schema=json_schemas.DELETED)
async def delete_custom_employee_field(request: Request) -> Response:
    """Delete a custom employee field that no employee has a value in."""
    await service.delete_field(request.tenant, request.ids["field_id"])
    return saved_response("The custom field has been deleted")
