"""Pay points over HTTP."""

from gaji.company.pay_points import service
from gaji.company.pay_points.schemas import PAY_POINT
from gaji.web import schemas
from gaji.web.operations import Request, Response, Router, saved

routes = Router("Pay points")

EXAMPLE = schemas.example(PAY_POINT, id=3) | {
    "client_id": 1,
    "created_at": "2026-01-05T09:00:00.000000+08:00",
    "updated_at": "2026-01-05T09:00:00.000000+08:00",
}
ELEMENT = schemas.read_form(PAY_POINT, "PayPoint")


@routes.get(
    "/clients/{client_id}/pay_points",
    answers=schemas.array_of("pay_point", ELEMENT),
    paged=True,
    example=[{"pay_point": EXAMPLE}],
)
async def list_pay_points(call: Request) -> Response:
    """The pay points of a client."""
    found = await service.list_pay_points(call.tenant, call.ids["client_id"], call.page)
    return call.listed("pay_point", found)


@routes.post(
    "/clients/{client_id}/pay_points", takes=PAY_POINT.json_schema(), answers=schemas.SAVED, statuses=[403, 422]
)
async def create_pay_point(call: Request) -> Response:
    """Add a pay point to a client."""
    pay_point_id, reading = await service.create_pay_point(call.tenant, call.ids["client_id"], call.body)
    return saved("The pay point has been created", id=pay_point_id, warnings=reading.warnings)


@routes.patch(
    "/pay_points/{pay_point_id}",
    takes=PAY_POINT.json_schema(partial=True),
    answers=schemas.SAVED,
    statuses=[403, 422],
)
async def update_pay_point(call: Request) -> Response:
    """Change a pay point: only what is supplied changes, null clears."""
    pay_point_id = call.ids["pay_point_id"]
    reading = await service.update_pay_point(call.tenant, pay_point_id, call.body)
    return saved("The pay point has been updated", id=pay_point_id, warnings=reading.warnings)


@routes.delete("/pay_points/{pay_point_id}", answers=schemas.DELETED, statuses=[403, 409])
async def delete_pay_point(call: Request) -> Response:
    """Remove a pay point that nothing uses."""
    await service.delete_pay_point(call.tenant, call.ids["pay_point_id"])
    return saved("The pay point has been deleted")
