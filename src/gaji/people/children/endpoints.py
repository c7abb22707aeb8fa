"""Child endpoints."""

from gaji.core import json_schemas
from gaji.people.children import service
from gaji.people.children.schemas import CHILD, CHILD_EXAMPLE, CHILD_SCHEMA
from gaji.web.operations import Request, Response, Router, saved_response
from gaji.web.query_parameters import IDS

router = Router("Children")


@router.get(
    "/employees/{employee_id}/children",
    response_schema=json_schemas.list_schema("child", CHILD_SCHEMA),
    query=[IDS],
    paged=True,
    example=[{"child": CHILD_EXAMPLE}],
)
async def list_children(request: Request) -> Response:
    """List the children of an employee."""
    children = await service.list_children(request.tenant, request.ids["employee_id"], request.page, request.parameters)
    return request.list_response("child", children)


@router.post(
    "/employees/{employee_id}/children",
    body_schema=CHILD.json_schema(),
    response_schema=json_schemas.SAVED,
)
async def create_child(request: Request) -> Response:
    """Add a child to an employee. Leave for the child is granted by the rules."""
    child_id, validated = await service.create_child(request.tenant, request.ids["employee_id"], request.body)
    return saved_response("The child has been created", id=child_id, warnings=validated.warnings)


@router.patch(
    "/children/{child_id}",
    body_schema=CHILD.json_schema(partial=True),
    body_example={"name": "Tan Wei Ming"},
    response_schema=json_schemas.SAVED,
)
async def update_child(request: Request) -> Response:
    """Update a child."""
    child_id = request.ids["child_id"]
    validated = await service.update_child(request.tenant, child_id, request.body)
    return saved_response("The child has been updated", id=child_id, warnings=validated.warnings)


@router.delete("/children/{child_id}", response_schema=json_schemas.DELETED)
async def delete_child(request: Request) -> Response:
    """Delete a child. Leave that was granted for the child is no longer granted."""
    await service.delete_child(request.tenant, request.ids["child_id"])
    return saved_response("The child has been deleted")
