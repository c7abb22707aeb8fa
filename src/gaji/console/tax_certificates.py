"""Tax certificates (form IR8A) of a year."""

import msgspec

from gaji.console.downloads import PDF
from gaji.console.formats import format_count
from gaji.console.pages import PageRouter, when_queried
from gaji.console.pagination import build_pager
from gaji.console.request import PageRequest
from gaji.console.table_sort import parse_sort
from gaji.console.tables import SortKeys, build_table
from gaji.core import clock
from gaji.core.errors import Conflict, GajiError, NotFound, ValidationError
from gaji.documents.tax_certificates import exports, printed_forms
from gaji.documents.tax_certificates import service as certificates
from gaji.documents.tax_certificates.certificate_sets import FIRST_SET, list_sets
from gaji.documents.tax_certificates.overdue import load_pending_clearances
from gaji.documents.tax_certificates.schemas import YEAR
from gaji.documents.tax_certificates.year_end_check import CertificateState, EmployeeCheck, YearEndCheck, check_year
from gaji.payroll.payment_runs.overview import list_runs
from gaji.people.employees import directory
from gaji.web.responses import HttpResponse

router = PageRouter()

PER_PAGE = 50
MAX_ID_DIGITS = 18
CHECK_SORT_KEYS: SortKeys[EmployeeCheck] = {
    "name": lambda employee: employee.name,
    "number": lambda employee: employee.number,
    "state": lambda employee: employee.state.value,
    "points": lambda employee: len(employee.points),
}


@router.get(
    "/companies/{client_id}/tax_certificates", step_up=when_queried("pdf", "file", "forms", "preview"), is_file=True
)
async def show_certificates(request: PageRequest) -> HttpResponse:
    """Show the certificates of a year, or return one as PDF."""
    company = await request.company(request.ids["client_id"])
    return await _page(request, company.id)


@router.post("/companies/{client_id}/tax_certificates")
async def create_or_release(request: PageRequest) -> HttpResponse:
    """Create the certificates of a year, or release one to its employee."""
    company = await request.writable_company(request.ids["client_id"])
    year, url = request.form.get("year", ""), f"/companies/{company.id}/tax_certificates"
    try:
        if "certificate_id" in request.form:
            certificate_id = await _require_certificate(request, request.form["certificate_id"])
            is_new = await certificates.release_certificate(request.tenant, certificate_id)
            notice = "Certificate released. The employee can see it" if is_new else "Certificate was released before"
            return request.redirect(f"{url}?year={_parse_number(year)}", notice)
        if "release_all" in request.form:
            result, _ = await certificates.release_year(request.tenant, company.id, {"year": year})
            notice = f"{format_count(len(result.ids), 'certificate')} for {result.year} released"
            if result.new_set and result.new_set[0] > FIRST_SET:
                notice += f". Amended set with {format_count(result.new_set[1], 'record')} created"
            return request.redirect(f"{url}?year={result.year}", notice)
        batch, _ = await certificates.generate_certificates(request.tenant, company.id, {"year": year})
    except (ValidationError, Conflict) as error:
        return await _page(request, company.id, error)
    notice = f"{format_count(len(batch.ids), 'certificate')} for {_parse_number(year)} created"
    return request.redirect(f"{url}?year={_parse_number(year)}", notice)


@router.get("/companies/{client_id}/tax_certificates/check")
async def show_check(request: PageRequest) -> HttpResponse:
    """Show what is still to be done before the certificates of a year are complete."""
    company = await request.company(request.ids["client_id"])
    year = await _requested_year(request, company.id)
    check = await check_year(request.tenant, company.id, year)
    open_first = sorted(check.employees, key=lambda employee: not employee.points)
    sets = await list_sets(request.tenant, company.id, year)
    return request.render(
        "year_end_check.html",
        company=company,
        here="Filings",
        year=year,
        check=check,
        table=build_table(request, open_first, CHECK_SORT_KEYS, searched=_searched_text, anchor="#all"),
        sets=sets,
        form_parts=_count_parts(check),
        files=await exports.list_files(request.tenant, company.id, year) if sets else [],
        is_accepted=exports.is_accepted(year),
    )


async def _page(request: PageRequest, client_id: int, error: GajiError | None = None) -> HttpResponse:
    company = await request.company(client_id)
    if "pdf" in request.query:
        return await pdf_response(request, await _require_certificate(request, request.query["pdf"]))
    if "file" in request.query:
        file, data, _ = await exports.read_file(request.tenant, client_id, request.query["file"])
        disposition = ("Content-Disposition", f'attachment; filename="{file.name}"')
        return request.respond(200, data, file.format.media_type, disposition)
    if "forms" in request.query:
        return await _forms_response(request, client_id)
    if "preview" in request.query:
        return await _preview_response(request, await _require_certificate(request, request.query["preview"]))
    if "explain" in request.query:
        return await _explanation_page(request, await _require_certificate(request, request.query["explain"]))
    year = await _requested_year(request, client_id)
    page = request.list_page(PER_PAGE)
    sort = parse_sort(request, ("name", "number", "state"), anchor="#all")
    certificate_page = await certificates.list_for_review(request.tenant, client_id, page, {"year": year}, sort.order)
    elements = [msgspec.json.decode(element) for element in certificate_page.elements]
    async with request.tenant.read_only() as tx:
        names = await directory.load_employee_labels(tx, client_id, [element["employee_id"] for element in elements])
        clearances = (await load_pending_clearances(tx, [client_id])).get(client_id, [])
    return request.render(
        "tax_certificates.html",
        status=error.status if error else 200,
        company=company,
        here="Filings",
        year=year,
        certificates=elements,
        clearances=clearances,
        names=names,
        error=error,
        sort=sort,
        pager=build_pager(request, page, certificate_page.total),
    )


def _searched_text(employee: EmployeeCheck) -> str:
    return f"{employee.name} {employee.number}"


def _count_parts(check: YearEndCheck) -> int:
    """Return how many PDFs the released certificates fill."""
    return -(-check.count(CertificateState.RELEASED) // printed_forms.MAX_FORMS)


async def _requested_year(request: PageRequest, client_id: int) -> int:
    """Return the year in the query. Without one, it is last year, or this year if the company had no pay run before."""
    today = clock.today()
    text = request.query.get("year") or request.form.get("year")
    if not text:
        async with request.tenant.read_only() as tx:
            runs = await list_runs(tx, client_id)
        return today.year if runs and runs[-1].period_end_date.year == today.year else today.year - 1
    is_year = text.isascii() and text.isdigit() and len(text) == len("2026") and YEAR.minimum <= int(text)
    return int(text) if is_year and int(text) <= YEAR.maximum else today.year


async def _forms_response(request: PageRequest, client_id: int) -> HttpResponse:
    """Return a part of the released certificates in one PDF."""
    part = _parse_number(request.query["forms"])
    year = await _requested_year(request, client_id)
    forms = await printed_forms.read_forms(request.tenant, client_id, year, part)
    return request.respond(200, forms.pdf, PDF, ("Content-Disposition", f'inline; filename="{forms.file_name}"'))


async def _preview_response(request: PageRequest, certificate_id: int) -> HttpResponse:
    """Return a certificate as PDF before its release."""
    file = await certificates.read_preview(request.tenant, certificate_id)
    return request.respond(200, file.content, PDF, ("Content-Disposition", f'inline; filename="{file.name}"'))


async def _explanation_page(request: PageRequest, certificate_id: int) -> HttpResponse:
    """Show the payslips and the rules behind each box of a certificate."""
    company = await request.company(request.ids["client_id"])
    boxes, certificate, dirty = await certificates.explain_certificate(request.tenant, certificate_id)
    async with request.tenant.read_only() as tx:
        names = await directory.load_employee_labels(tx, company.id, [certificate.employee_id])
    return request.render(
        "tax_certificate_explanation.html",
        company=company,
        here="Filings",
        certificate=certificate,
        employee=names[certificate.employee_id],
        boxes=boxes,
        dirty=dirty,
    )


async def pdf_response(request: PageRequest, certificate_id: int) -> HttpResponse:
    """Return a certificate as PDF."""
    file = await certificates.read_pdf(request.tenant, certificate_id)
    return request.respond(200, file.content, PDF, ("Content-Disposition", f'inline; filename="{file.name}"'))


async def _require_certificate(request: PageRequest, text: str) -> int:
    """Return the ID of a certificate of the company in the path. Raises NotFound for any other."""
    certificate_id = _parse_number(text)
    if await certificates.find_client_id(request.tenant, certificate_id) != request.ids["client_id"]:
        raise NotFound("This certificate does not exist")
    return certificate_id


def _parse_number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= MAX_ID_DIGITS):
        raise NotFound("This certificate does not exist")
    return int(text)
