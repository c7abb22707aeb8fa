"""Deadline endpoints."""

from gaji.core.field_types import DateType
from gaji.documents.deadlines import service
from gaji.documents.deadlines.schemas import EXAMPLE, LIST
from gaji.web.operations import Request, Response, Router, json_response
from gaji.web.query_parameters import QueryParameter

router = Router("Deadlines")


@router.get(
    "/clients/{client_id}/deadlines",
    response_schema=LIST,
    query=[QueryParameter("until", DateType(), "The last due date. Default: 31 days from today.")],
    has_rules_version=True,
    example=[{"deadline": EXAMPLE}],
)
async def list_deadlines(request: Request) -> Response:
    """List what is due: pay runs, leave requests to decide, CPF files, levies, withheld tax, IR8A and IR21."""
    client_id, until = request.ids["client_id"], request.parameters.get("until")
    deadlines, versions = await service.list_deadlines(request.tenant, client_id, until)
    return json_response([{"deadline": deadline} for deadline in deadlines]).with_rules_version(versions)
