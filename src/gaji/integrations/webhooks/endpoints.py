"""Webhook endpoints of the API."""

from gaji.core import json_schemas
from gaji.core.field_types import OneOf
from gaji.db.json_lists import wrap_element
from gaji.integrations.webhooks import service
from gaji.integrations.webhooks.schemas import (
    DELIVERY,
    DELIVERY_EXAMPLE,
    DELIVERY_STATES,
    ENDPOINT,
    ENDPOINT_EXAMPLE,
    REPLAY,
    WEBHOOK_ENDPOINT,
    WITH_SECRET,
)
from gaji.integrations.webhooks.service import NewSecret
from gaji.web.operations import Request, Response, Router, saved_response
from gaji.web.query_parameters import QueryParameter

router = Router("Webhooks")

OF_CLIENT = "/clients/{client_id}/webhook_endpoints"
ONE = "/webhook_endpoints/{endpoint_id}"
LIST = json_schemas.list_schema("webhook_endpoint", ENDPOINT)
STATE = QueryParameter(
    "state", OneOf(DELIVERY_STATES, "delivery_state", title="DeliveryState"), "Only deliveries in this state."
)


@router.get("/webhook_endpoints", response_schema=LIST, example=[{"webhook_endpoint": ENDPOINT_EXAMPLE}])
async def list_webhook_endpoints(request: Request) -> Response:
    """List all webhook endpoints that this key can see. Those of the account are for its administrators."""
    return await _list(request, None)


@router.post(
    "/webhook_endpoints",
    body_schema=WEBHOOK_ENDPOINT.json_schema(),
    response_schema=WITH_SECRET,
    error_statuses=[409],
)
async def create_account_webhook_endpoint(request: Request) -> Response:
    """Create a webhook endpoint for all clients of the account. The secret is shown only in this response."""
    return await _create(request, None)


@router.get(OF_CLIENT, response_schema=LIST, example=[{"webhook_endpoint": ENDPOINT_EXAMPLE | {"client_id": 1}}])
async def list_client_webhook_endpoints(request: Request) -> Response:
    """List the webhook endpoints of a client."""
    return await _list(request, request.ids["client_id"])


@router.post(OF_CLIENT, body_schema=WEBHOOK_ENDPOINT.json_schema(), response_schema=WITH_SECRET, error_statuses=[409])
async def create_webhook_endpoint(request: Request) -> Response:
    """Create a webhook endpoint of a client. The secret is shown only in this response."""
    return await _create(request, request.ids["client_id"])


@router.get(
    ONE,
    response_schema=json_schemas.wrapped_schema("webhook_endpoint", ENDPOINT),
    example={"webhook_endpoint": ENDPOINT_EXAMPLE},
)
async def read_webhook_endpoint(request: Request) -> Response:
    """Return one webhook endpoint."""
    element = await service.read_endpoint(request.tenant, request.ids["endpoint_id"])
    return Response(wrap_element("webhook_endpoint", element))


@router.patch(
    ONE,
    body_schema=WEBHOOK_ENDPOINT.json_schema(partial=True),
    body_example={"types": ["employee.created"]},
    response_schema=json_schemas.SAVED,
)
async def update_webhook_endpoint(request: Request) -> Response:
    """Update a webhook endpoint. When it is enabled again, it gets what it has missed."""
    endpoint_id = request.ids["endpoint_id"]
    validated = await service.update_endpoint(request.tenant, endpoint_id, request.body)
    return saved_response("The webhook endpoint has been updated", id=endpoint_id, warnings=validated.warnings)


@router.delete(ONE, response_schema=json_schemas.DELETED)
async def delete_webhook_endpoint(request: Request) -> Response:
    """Delete a webhook endpoint with its deliveries."""
    await service.delete_endpoint(request.tenant, request.ids["endpoint_id"])
    return saved_response("The webhook endpoint has been deleted")


@router.post(f"{ONE}/rotate_secret", response_schema=WITH_SECRET)
async def rotate_webhook_secret(request: Request) -> Response:
    """Replace the secret of a webhook endpoint. Messages are signed with both secrets for a day."""
    new = await service.rotate_secret(request.tenant, request.ids["endpoint_id"])
    return saved_response("The secret has been replaced", id=new.endpoint_id, secret=new.secret)


@router.post(f"{ONE}/test", response_schema=json_schemas.SAVED, error_statuses=[409])
async def test_webhook_endpoint(request: Request) -> Response:
    """Send a test message. The response has the ID of its delivery."""
    delivery_id = await service.send_test(request.tenant, request.ids["endpoint_id"])
    return saved_response("The test message has been queued", id=delivery_id)


@router.post(
    f"{ONE}/replay",
    body_schema=REPLAY.json_schema(),
    response_schema=json_schemas.DONE,
    error_statuses=[409],
)
async def replay_webhook_events(request: Request) -> Response:
    """Send all events after one again, as far as they are of the endpoint's types."""
    await service.replay_events(request.tenant, request.ids["endpoint_id"], request.body)
    return saved_response("The events have been queued", warnings=request.warnings)


@router.get(
    f"{ONE}/deliveries",
    query=[STATE],
    paged=True,
    response_schema=json_schemas.list_schema("webhook_delivery", DELIVERY),
    example=[{"webhook_delivery": DELIVERY_EXAMPLE}],
)
async def list_webhook_deliveries(request: Request) -> Response:
    """List the deliveries of a webhook endpoint with their attempts, newest first. They are kept for 30 days."""
    state = request.parameters.get("state")
    deliveries = await service.list_deliveries(request.tenant, request.ids["endpoint_id"], state, request.page)
    return request.list_response("webhook_delivery", deliveries)


@router.post("/webhook_deliveries/{delivery_id}/replay", response_schema=json_schemas.DONE, error_statuses=[409])
async def replay_webhook_delivery(request: Request) -> Response:
    """Send a delivery again."""
    await service.replay_delivery(request.tenant, request.ids["delivery_id"])
    return saved_response("The delivery has been queued")


async def _list(request: Request, client_id: int | None) -> Response:
    elements = await service.list_endpoints(request.tenant, client_id)
    return request.list_response("webhook_endpoint", (elements, len(elements)))


async def _create(request: Request, client_id: int | None) -> Response:
    new, validated = await service.create_endpoint(request.tenant, client_id, request.body)
    return _secret_response(new, validated.warnings)


def _secret_response(new: NewSecret, warnings: dict[str, str]) -> Response:
    message = "The webhook endpoint has been created"
    return saved_response(message, id=new.endpoint_id, secret=new.secret, warnings=warnings)
