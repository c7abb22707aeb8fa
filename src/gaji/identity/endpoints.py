"""The endpoint that describes the caller."""

from gaji.core.settings import Settings
from gaji.identity import service
from gaji.identity.caller_schemas import ME_EXAMPLE, ME_SCHEMA
from gaji.web.operations import Request, Response, Router

router = Router("Caller")


@router.get("/me", response_schema=ME_SCHEMA, example=ME_EXAMPLE)
async def read_me(request: Request) -> Response:
    """Return the user and the account of this API key, its clients with the user's roles, and its limits."""
    return Response(await service.read_caller(request.tenant, Settings.from_environment().rate_limit))
