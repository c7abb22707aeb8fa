"""Custom employee fields over HTTP."""

from gaji.company.custom_fields import service
from gaji.company.custom_fields.schemas import CUSTOM_FIELD
from gaji.core.validation import JsonSchema
from gaji.web import schemas
from gaji.web.operations import Request, Response, Router, saved

routes = Router("Custom employee fields")

OPTION: JsonSchema = {
    "type": "object",
    "required": ["id", "name"],
    "properties": {"id": schemas.IDENTIFIER, "name": {"type": "string"}},
}
ELEMENT: JsonSchema = schemas.read_form(CUSTOM_FIELD, "CustomEmployeeField")
ELEMENT["properties"]["options"] = {"type": "array", "items": OPTION}
EXAMPLE = schemas.example(CUSTOM_FIELD, id=12) | {
    "client_id": 1,
    "created_at": "2026-01-05T09:00:00.000000+08:00",
    "updated_at": "2026-01-05T09:00:00.000000+08:00",
}


@routes.get(
    "/clients/{client_id}/custom_employee_fields",
    answers=schemas.array_of("custom_employee_field", ELEMENT),
    paged=True,
    example=[{"custom_employee_field": EXAMPLE}],
)
async def list_custom_employee_fields(call: Request) -> Response:
    """The custom employee fields of a client."""
    found = await service.list_fields(call.tenant, call.ids["client_id"], call.page)
    return call.listed("custom_employee_field", found)


@routes.post(
    "/clients/{client_id}/custom_employee_fields",
    takes=CUSTOM_FIELD.json_schema(),
    answers=schemas.SAVED,
    statuses=[422],
)
async def create_custom_employee_field(call: Request) -> Response:
    """Add a custom employee field to a client."""
    field_id, reading = await service.create_field(call.tenant, call.ids["client_id"], call.body)
    return saved("The custom field has been created", id=field_id, warnings=reading.warnings)


@routes.patch(
    "/custom_employee_fields/{field_id}",
    takes=CUSTOM_FIELD.json_schema(partial=True),
    answers=schemas.SAVED,
    statuses=[409, 422],
)
async def update_custom_employee_field(call: Request) -> Response:
    """Change a custom employee field."""
    field_id = call.ids["field_id"]
    reading = await service.update_field(call.tenant, field_id, call.body)
    return saved("The custom field has been updated", id=field_id, warnings=reading.warnings)


@routes.delete("/custom_employee_fields/{field_id}", answers=schemas.DELETED, statuses=[409])
async def delete_custom_employee_field(call: Request) -> Response:
    """Remove a custom employee field that no employee has a value in."""
    await service.delete_field(call.tenant, call.ids["field_id"])
    return saved("The custom field has been deleted")
