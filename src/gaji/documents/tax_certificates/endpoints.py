"""Tax certificate endpoints."""

from gaji.core import clock, json_schemas
from gaji.core.field_types import Integer
from gaji.documents.tax_certificates import (
    certificate_sets,
    exports,
    ir21_drafts,
    printed_forms,
    service,
    year_end_check,
)
from gaji.documents.tax_certificates.certificate_sets import FIRST_SET
from gaji.documents.tax_certificates.export_formats import EXPORT_FORMATS
from gaji.documents.tax_certificates.schemas import (
    CERTIFICATE,
    CERTIFICATE_SET,
    EXAMPLE,
    EXPLANATION,
    EXPLANATION_EXAMPLE,
    EXPORT_DOCUMENT,
    EXPORT_DOCUMENT_EXAMPLE,
    EXPORT_EXAMPLE,
    EXPORT_FILE,
    GENERATE_CERTIFICATES,
    GENERATED,
    REVIEWED,
    REVIEWED_EXAMPLE,
    SET_EXAMPLE,
    YEAR,
    YEAR_END_CHECK,
    YEAR_END_EXAMPLE,
)
from gaji.documents.tax_certificates.service import GenerationResult, ReleaseResult
from gaji.web.operations import JSON, Request, Response, Router, json_response, saved_response
from gaji.web.query_parameters import IDS, QueryParameter

router = Router("Tax certificates")

PDF = "application/pdf"
MAX_PART = 1000
CLIENT_CERTIFICATES = "/clients/{client_id}/tax_certificates"


@router.post(
    CLIENT_CERTIFICATES,
    body_schema=GENERATE_CERTIFICATES.json_schema(),
    response_schema=GENERATED,
)
async def generate_tax_certificates(request: Request) -> Response:
    """Generate the certificates of a year for all employees with income in it."""
    result, validated = await service.generate_certificates(request.tenant, request.ids["client_id"], request.body)
    return saved_response(_generation_message(result), ids=result.ids, warnings=validated.warnings)


@router.get(
    CLIENT_CERTIFICATES,
    response_schema={"type": "array", "items": REVIEWED},
    query=[IDS, QueryParameter("year", YEAR, "The year of income. Default: all years.")],
    paged=True,
    has_rules_version=True,
    example=[REVIEWED_EXAMPLE],
)
async def review_tax_certificates(request: Request) -> Response:
    """List the certificates of a client with their figures, released or not."""
    page = await service.list_for_review(request.tenant, request.ids["client_id"], request.page, request.parameters)
    return request.bare_list_response((page.elements, page.total)).with_rules_version(page.rules_versions)


@router.get(
    "/employees/{employee_id}/tax_certificates",
    response_schema={"type": "array", "items": CERTIFICATE},
    query=[IDS],
    paged=True,
    has_rules_version=True,
    example=[EXAMPLE],
    allows_replica=True,
)
async def list_tax_certificates(request: Request) -> Response:
    """List the released certificates of an employee."""
    page = await service.list_released(request.tenant, request.ids["employee_id"], request.page, request.parameters)
    return request.bare_list_response((page.elements, page.total)).with_rules_version(page.rules_versions)


@router.get("/tax_certificates/{tax_certificate_id}", file_types=[PDF], has_rules_version=True)
async def read_tax_certificate(request: Request) -> Response:
    """Download a released certificate as PDF."""
    file = await service.read_pdf(request.tenant, request.ids["tax_certificate_id"])
    return _pdf_response(file.content, file.name).with_rules_version(file.certificate.content.rules_versions)


@router.get(
    "/tax_certificates/{tax_certificate_id}/explanation",
    response_schema=EXPLANATION,
    has_rules_version=True,
    example=EXPLANATION_EXAMPLE,
    error_statuses=[403],
)
async def explain_tax_certificate(request: Request) -> Response:
    """Explain each box of a certificate: its payslips, and the rule that gives their year of income."""
    boxes, certificate, dirty = await service.explain_certificate(request.tenant, request.ids["tax_certificate_id"])
    response = json_response({"dirty": dirty, "boxes": [box.to_json() for box in boxes]})
    return response.with_rules_version(certificate.content.rules_versions)


@router.post("/tax_certificates/{tax_certificate_id}/release", response_schema=json_schemas.SAVED)
async def release_tax_certificate(request: Request) -> Response:
    """Release a certificate to the employee."""
    certificate_id = request.ids["tax_certificate_id"]
    is_new = await service.release_certificate(request.tenant, certificate_id)
    message = "The tax certificate has been released" if is_new else "The tax certificate was released before"
    return saved_response(message, id=certificate_id)


@router.post(
    f"{CLIENT_CERTIFICATES}/release",
    body_schema=GENERATE_CERTIFICATES.json_schema(),
    response_schema=GENERATED,
    error_statuses=[409, 422],
)
async def release_tax_certificates(request: Request) -> Response:
    """Release all certificates of a year. If one is missing or out of date, none is released."""
    result, validated = await service.release_year(request.tenant, request.ids["client_id"], request.body)
    return saved_response(release_message(result), ids=result.ids, warnings=validated.warnings)


@router.get(
    f"{CLIENT_CERTIFICATES}/check",
    response_schema=YEAR_END_CHECK,
    query=[QueryParameter("year", YEAR, "The year of income. Default: last year.")],
    example=YEAR_END_EXAMPLE,
    error_statuses=[422],
)
async def check_tax_certificates(request: Request) -> Response:
    """List what is still to be done before the certificates of a year are complete."""
    year = request.parameters.get("year") or clock.today().year - 1
    check = await year_end_check.check_year(request.tenant, request.ids["client_id"], year)
    return json_response(check.to_json())


@router.get(
    f"{CLIENT_CERTIFICATES}/sets",
    response_schema=json_schemas.list_schema("set", CERTIFICATE_SET),
    query=[QueryParameter("year", YEAR, "The year of income. Default: last year.")],
    example=[{"set": SET_EXAMPLE}],
    error_statuses=[422],
)
async def list_tax_certificate_sets(request: Request) -> Response:
    """List the sets of a year: the first with all certificates, and amended ones with what changed since."""
    year = request.parameters.get("year") or clock.today().year - 1
    sets = await certificate_sets.list_sets(request.tenant, request.ids["client_id"], year)
    return json_response([{"set": certificate_set.to_json()} for certificate_set in sets])


@router.get(
    f"{CLIENT_CERTIFICATES}/files",
    response_schema=json_schemas.list_schema("file", EXPORT_FILE),
    query=[QueryParameter("year", YEAR, "The year of income. Default: last year.")],
    example=[{"file": EXPORT_EXAMPLE}],
    error_statuses=[409, 422],
)
async def list_tax_certificate_files(request: Request) -> Response:
    """List the files with the certificates of a year. They exist once all certificates are released."""
    year = request.parameters.get("year") or clock.today().year - 1
    files = await exports.list_files(request.tenant, request.ids["client_id"], year)
    return json_response([{"file": file.to_json()} for file in files])


@router.get(
    f"{CLIENT_CERTIFICATES}/files/{{name}}",
    path_schemas={"name": {"type": "string", "minLength": 1, "examples": ["ir8a_2026_1.json"]}},
    response_schema=EXPORT_DOCUMENT,
    file_types=[export_format.media_type for export_format in EXPORT_FORMATS if export_format.media_type != JSON],
    has_rules_version=True,
    example=EXPORT_DOCUMENT_EXAMPLE,
    error_statuses=[403, 409, 422],
)
async def download_tax_certificate_file(request: Request) -> Response:
    """Download a file with the certificates of a year, in our own shape as JSON or XLSX."""
    file, data, versions = await exports.read_file(request.tenant, request.ids["client_id"], request.names["name"])
    headers = {"Content-Disposition": f'attachment; filename="{file.name}"'}
    return Response(data, headers=headers, media_type=file.format.media_type).with_rules_version(versions)


@router.get(
    f"{CLIENT_CERTIFICATES}/forms.pdf",
    file_types=[PDF],
    query=[
        QueryParameter("year", YEAR, "The year of income. Default: last year."),
        QueryParameter("part", Integer(1, MAX_PART), "The part, of up to 100 forms. Default: 1."),
    ],
    has_rules_version=True,
)
async def print_tax_certificates(request: Request) -> Response:
    """Download the released certificates of a year in one PDF, to be printed: up to 100 in a part."""
    year = request.parameters.get("year") or clock.today().year - 1
    part = request.parameters.get("part") or 1
    forms = await printed_forms.read_forms(request.tenant, request.ids["client_id"], year, part)
    return _pdf_response(forms.pdf, forms.file_name).with_rules_version(forms.rules_versions)


@router.get("/tax_certificates/{tax_certificate_id}/preview", file_types=[PDF], has_rules_version=True)
async def preview_tax_certificate(request: Request) -> Response:
    """Download a certificate as PDF before its release. It is marked as a draft until then."""
    file = await service.read_preview(request.tenant, request.ids["tax_certificate_id"])
    return _pdf_response(file.content, file.name).with_rules_version(file.certificate.content.rules_versions)


@router.get("/employees/{employee_id}/ir21.pdf", file_types=[PDF], has_rules_version=True)
async def read_ir21(request: Request) -> Response:
    """Download a draft of form IR21 for an employee whose service was ended with `ir21`."""
    employee_id = request.ids["employee_id"]
    draft = await ir21_drafts.read_ir21(request.tenant, employee_id)
    return _pdf_response(draft.pdf, f"IR21-draft-{employee_id}.pdf").with_rules_version(draft.rules_versions)


def _pdf_response(pdf: bytes, file_name: str) -> Response:
    return Response(pdf, headers={"Content-Disposition": f'inline; filename="{file_name}"'}, media_type=PDF)


def release_message(result: ReleaseResult) -> str:
    """Return what was released, in words."""
    count = len(result.ids)
    noun = "1 certificate" if count == 1 else f"{count:,} certificates"
    message = f"{noun} for {result.year} {'has' if count == 1 else 'have'} been released"
    message += f"; {result.released_before:,} released before" if result.released_before else ""
    if result.new_set and result.new_set[0] > FIRST_SET:
        number, records = result.new_set
        message += f"; set {number} amends {'1 record' if records == 1 else f'{records:,} records'}"
    return message


def _generation_message(result: GenerationResult) -> str:
    count = len(result.ids)
    noun = "1 certificate" if count == 1 else f"{count:,} certificates"
    message = f"{noun} for {result.year} {'has' if count == 1 else 'have'} been generated"
    if result.withdrawn:
        verb = "has" if result.withdrawn == 1 else "have"
        message += f"; {result.withdrawn:,} released before {verb} changed and must be released again"
    if result.removed:
        verb = "has" if result.removed == 1 else "have"
        message += f"; {result.removed:,} without income in the year {verb} been removed"
    return message
