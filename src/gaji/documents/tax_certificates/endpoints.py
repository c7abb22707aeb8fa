"""Tax certificates over HTTP."""

from gaji.core.errors import Errors, ValidationError
from gaji.core.validation import Integer
from gaji.documents.tax_certificates import ir21_drafts, service
from gaji.documents.tax_certificates import schemas as shapes
from gaji.documents.tax_certificates.rules import FIRST_YEAR, GENERATE, LAST_YEAR
from gaji.documents.tax_certificates.service import Generated
from gaji.web import schemas
from gaji.web.operations import QueryParameter, Request, Response, Router, saved

router = Router("Tax certificates")

PDF = "application/pdf"
OF_CLIENT = "/clients/{client_id}/tax_certificates"
YEAR = Integer(FIRST_YEAR, LAST_YEAR)


@router.post(OF_CLIENT, takes=GENERATE.json_schema(), answers=shapes.GENERATED, statuses=[422])
async def generate_tax_certificates(call: Request) -> Response:
    """Make the certificates of a year for all employees with income of it."""
    generated, reading = await service.generate_certificates(call.tenant, call.ids["client_id"], call.body)
    return saved(_told(generated), ids=generated.ids, warnings=reading.warnings)


@router.get(
    OF_CLIENT,
    answers={"type": "array", "items": shapes.REVIEWED},
    query=[QueryParameter("year", YEAR.json_schema(), "The year of income; all unless given.")],
    paged=True,
    by_rules=True,
    example=[shapes.REVIEWED_EXAMPLE],
    statuses=[422],
)
async def review_tax_certificates(call: Request) -> Response:
    """The certificates of a client with their figures, released or not, for those who release them."""
    found = await service.list_for_review(call.tenant, call.ids["client_id"], _year(call), call.page)
    return call.listed_bare((found.elements, found.total)).by_rules(found.rules_versions)


@router.get(
    "/employees/{employee_id}/tax_certificates",
    answers={"type": "array", "items": shapes.CERTIFICATE},
    paged=True,
    by_rules=True,
    example=[shapes.EXAMPLE],
)
async def list_tax_certificates(call: Request) -> Response:
    """The released certificates of an employee."""
    found = await service.list_released(call.tenant, call.ids["employee_id"], call.page)
    return call.listed_bare((found.elements, found.total)).by_rules(found.rules_versions)


@router.get("/tax_certificates/{tax_certificate_id}", files=[PDF], by_rules=True)
async def read_tax_certificate(call: Request) -> Response:
    """A released certificate as PDF."""
    pdf, kept = await service.read_pdf(call.tenant, call.ids["tax_certificate_id"])
    return _file(pdf, f"IR8A-{kept.year}-{kept.id}.pdf").by_rules(kept.content.rules_versions)


@router.post("/tax_certificates/{tax_certificate_id}/release", answers=schemas.SAVED, statuses=[409])
async def release_tax_certificate(call: Request) -> Response:
    """Let the employee see a certificate."""
    certificate_id = call.ids["tax_certificate_id"]
    await service.release_certificate(call.tenant, certificate_id)
    return saved("The tax certificate has been released", id=certificate_id)


@router.get("/employees/{employee_id}/ir21.pdf", files=[PDF], by_rules=True)
async def read_ir21(call: Request) -> Response:
    """The draft of form IR21 of an employee whose service was ended with ir21."""
    employee_id = call.ids["employee_id"]
    draft = await ir21_drafts.read_ir21(call.tenant, employee_id)
    return _file(draft.pdf, f"IR21-draft-{employee_id}.pdf").by_rules(draft.rules_versions)


def _file(pdf: bytes, name: str) -> Response:
    return Response(pdf, headers={"Content-Disposition": f'inline; filename="{name}"'}, media_type=PDF)


def _told(generated: Generated) -> str:
    told = f"The certificates of {generated.year} have been generated: {len(generated.ids):,}"
    if generated.withdrawn:
        told += f"; {generated.withdrawn:,} had been released, say something else now, and are to be released again"
    if generated.removed:
        told += f"; {generated.removed:,} of employees without income of the year have been removed"
    return told


def _year(call: Request) -> int | None:
    given = call.query.get("year") if call.query_string else None
    if not given:
        return None
    faults: Errors = Errors()
    year = YEAR.read(given[-1], "year", faults)
    if faults:
        raise ValidationError(faults)
    return year
