"""Medical certificate endpoints."""

from gaji.core import json_schemas
from gaji.core.field_types import JsonSchema
from gaji.leave.medical_certificates import service
from gaji.leave.medical_certificates.rules import EXTENSIONS, MAX_BYTES
from gaji.web.operations import Request, Response, Router, saved_response
from gaji.web.query_parameters import IDS

router = Router("Leave")

FILE_TYPES = tuple(EXTENSIONS)
FILE: JsonSchema = {
    "type": "string",
    "format": "binary",
    "description": f"The file: PDF, PNG or JPEG, up to {MAX_BYTES // 1024 // 1024} MiB.",
    "examples": ["%PDF-1.7…"],
}
_CERTIFICATE: JsonSchema = {
    "id": json_schemas.IDENTIFIER,
    "employee_id": json_schemas.IDENTIFIER,
    "leave_request_id": {"type": ["integer", "null"]},
    "leave_day_id": {"type": ["integer", "null"]},
    "media_type": {"enum": list(FILE_TYPES)},
    "size_bytes": {"type": "integer"},
    "created_at": json_schemas.TIMESTAMP,
}
ELEMENT: JsonSchema = {
    "type": "object",
    "title": "MedicalCertificate",
    "required": list(_CERTIFICATE),
    "properties": _CERTIFICATE,
}
EXAMPLE = {
    "id": 5,
    "employee_id": 4,
    "leave_request_id": 12,
    "leave_day_id": None,
    "media_type": "application/pdf",
    "size_bytes": 48213,
    "created_at": "2026-05-04T09:15:00+08:00",
}
ADDED = "The medical certificate has been added"


@router.get(
    "/employees/{employee_id}/medical_certificates",
    response_schema=json_schemas.list_schema("medical_certificate", ELEMENT),
    query=[IDS],
    paged=True,
    example=[{"medical_certificate": EXAMPLE}],
)
async def list_medical_certificates(request: Request) -> Response:
    """List the medical certificates of an employee, without their files."""
    certificates = await service.list_certificates(
        request.tenant, request.ids["employee_id"], request.page, request.parameters
    )
    return request.list_response("medical_certificate", certificates)


@router.post(
    "/leave_requests/{request_id}/medical_certificates",
    body_schema=FILE,
    body_media_types=FILE_TYPES,
    response_schema=json_schemas.SAVED,
)
async def add_request_certificate(request: Request) -> Response:
    """Add a medical certificate to a leave request. Employees may do this for themselves."""
    certificate_id = await service.add_to_request(request.tenant, request.ids["request_id"], request.raw_body)
    return saved_response(ADDED, id=certificate_id)


@router.post(
    "/leave_days/{leave_day_id}/medical_certificates",
    body_schema=FILE,
    body_media_types=FILE_TYPES,
    response_schema=json_schemas.SAVED,
)
async def add_leave_day_certificate(request: Request) -> Response:
    """Add a medical certificate to a leave day. Employees may do this for themselves."""
    certificate_id = await service.add_to_day(request.tenant, request.ids["leave_day_id"], request.raw_body)
    return saved_response(ADDED, id=certificate_id)


@router.get("/medical_certificates/{medical_certificate_id}", file_types=FILE_TYPES)
async def download_medical_certificate(request: Request) -> Response:
    """Download the file of a medical certificate."""
    file = await service.read_file(request.tenant, request.ids["medical_certificate_id"])
    headers = {"Content-Disposition": f'attachment; filename="{file.file_name}"'}
    return Response(file.content, headers=headers, media_type=file.media_type)


@router.delete("/medical_certificates/{medical_certificate_id}", response_schema=json_schemas.DELETED)
async def delete_medical_certificate(request: Request) -> Response:
    """Delete a medical certificate.

    Employees may do this with certificates that they added, until the leave is decided or on a finalised payslip.
    """
    await service.delete_certificate(request.tenant, request.ids["medical_certificate_id"])
    return saved_response("The medical certificate has been deleted")
