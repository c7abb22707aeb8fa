"""Logo endpoints."""

from gaji.company.logos import service
from gaji.company.logos.rules import JPEG, MAX_BYTES, MAX_PIXELS, PNG, LogoImage
from gaji.core import json_schemas
from gaji.core.field_types import JsonSchema
from gaji.web.operations import Request, Response, Router, json_response, saved_response

router = Router("Clients")

LOGO = "/clients/{client_id}/logo"
FILE: JsonSchema = {
    "type": "string",
    "format": "binary",
    "description": f"The image: PNG or JPEG, up to {MAX_BYTES // 1024} KiB and {MAX_PIXELS} pixels wide and high.",
    "examples": ["\u0089PNG…"],
}


@router.get(LOGO, file_types=[PNG, JPEG])
async def download_logo(request: Request) -> Response:
    """Download the logo of a client."""
    logo = await service.read_logo(request.tenant, request.ids["client_id"])
    return Response(logo.content, media_type=logo.media_type)


async def _check_logo(request: Request) -> LogoImage:
    return await service.check_logo(request.tenant, request.ids["client_id"], request.raw_body)


@router.put(
    LOGO, body_schema=FILE, body_media_types=[PNG, JPEG], response_schema=json_schemas.SAVED, prepare=_check_logo
)
async def replace_logo(request: Request) -> Response:
    """Replace the logo of a client, which payslips and the console show."""
    client_id = request.ids["client_id"]
    await service.replace_logo(request.tenant, client_id, request.prepared)
    return saved_response("The logo has been saved", id=client_id)


@router.delete(LOGO, response_schema=json_schemas.DELETED)
async def delete_logo(request: Request) -> Response:
    """Delete the logo of a client."""
    await service.delete_logo(request.tenant, request.ids["client_id"])
    return json_response({"message": "The logo has been deleted"})
