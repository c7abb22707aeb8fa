"""Personal data endpoints."""

from gaji.core import json_schemas
from gaji.privacy.personal_data import service
from gaji.privacy.personal_data.schemas import EXAMPLE, PERSONAL_DATA
from gaji.web.operations import JSON, Request, Response, Router

router = Router("Personal data")

PDF = "application/pdf"


@router.get(
    "/employees/{employee_id}/personal_data",
    response_schema=json_schemas.wrapped_schema("personal_data", PERSONAL_DATA),
    example={"personal_data": EXAMPLE},
    error_statuses=[403],
)
async def export_personal_data(request: Request) -> Response:
    """Download everything that is held about an employee. Employees may do this for themselves."""
    data, content = await service.read_json(request.tenant, request.ids["employee_id"])
    return _file(content, f"{data.file_name}.json", JSON)


@router.get("/employees/{employee_id}/personal_data.pdf", file_types=[PDF], error_statuses=[403])
async def export_personal_data_pdf(request: Request) -> Response:
    """Download everything that is held about an employee as PDF. Employees may do this for themselves."""
    data, content = await service.read_pdf(request.tenant, request.ids["employee_id"])
    return _file(content, f"{data.file_name}.pdf", PDF)


def _file(content: bytes, file_name: str, media_type: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{file_name}"'}
    return Response(content, headers=headers, media_type=media_type)
