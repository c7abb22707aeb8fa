"""What a company owes the authorities: the CPF file of a month, and the tax certificates of a year."""

from datetime import timedelta
from typing import Any

import msgspec

from gaji.console.pagination import build_pager
from gaji.console.pages import PageRouter
from gaji.console.portal.employment import load_job, render_for_job
from gaji.console.request import PageRequest
from gaji.core import clock
from gaji.core.errors import Conflict, GajiError, NotFound, ValidationError
from gaji.documents.filings import service as filings
from gaji.documents.filings.rules import FIRST_ADVICE, parse_filing_query
from gaji.documents.filings.service import CpfFiling
from gaji.documents.tax_certificates import service as certificates
from gaji.people.employees import directory
from gaji.web.responses import HttpResponse

router = PageRouter()

PDF = "application/pdf"
PER_PAGE = 50


@router.get("/companies/{client_id}/filings")
async def show_filing(request: PageRequest) -> HttpResponse:
    """What is to be paid to the CPF Board for a month, the last whole one unless another is asked for; or its file."""
    company = await request.company(request.ids["client_id"])
    text = request.query.get("month") or str(clock.today().replace(day=1) - timedelta(days=1))[:7]
    found: list[CpfFiling] = []
    error: GajiError | None = None
    try:
        month, _ = parse_filing_query(text, {})
        if "download" in request.query:
            made = (await filings.read_cpf_filing(request.tenant, company.id, month, FIRST_ADVICE)).file
            name = f'attachment; filename="{made.file_name}"'
            return request.respond(200, made.data or b"", made.media_type, ("Content-Disposition", name))
        found = await filings.list_filings(request.tenant, company.id, month, FIRST_ADVICE)
    except (ValidationError, Conflict) as refused:
        error = refused
    shown = [_told(one) for one in found]
    return request.render(
        "filings.html",
        status=error.status if error else 200,
        company=company,
        here="Filings",
        month=text,
        filings=shown,
        error=error,
    )


def _told(filing: CpfFiling) -> dict[str, Any]:
    """A filing with its amounts as texts."""
    shape = filing.to_json()
    paid = [{**one, "amount": bytes(one["amount"]).decode()} for one in shape["payments"]]
    return {**shape, "payments": paid, "total": bytes(shape["total"]).decode()}


@router.get("/companies/{client_id}/tax_certificates")
async def show_certificates(request: PageRequest) -> HttpResponse:
    """The certificates of a year with their figures; or one that is released, as PDF."""
    company = await request.company(request.ids["client_id"])
    return await _certificates_page(request, company.id)


@router.post("/companies/{client_id}/tax_certificates")
async def make_certificates(request: PageRequest) -> HttpResponse:
    """Make the certificates of a year, or let employees see those that say what is so."""
    company = await request.writable_company(request.ids["client_id"])
    year, where = request.form.get("year", ""), f"/companies/{company.id}/tax_certificates"
    try:
        if "certificate_id" in request.form:
            after = f"{where}?year={_number(year)}"
            await certificates.release_certificate(request.tenant, await _own(request, request.form["certificate_id"]))
            return request.redirect(after, "The certificate is released: the employee can see it")
        done, _ = await certificates.generate_certificates(request.tenant, company.id, {"year": year})
    except (ValidationError, Conflict) as refused:
        return await _certificates_page(request, company.id, refused)
    return request.redirect(f"{where}?year={_number(year)}", f"{len(done.ids)} certificates of {_number(year)} are made")


async def _certificates_page(request: PageRequest, client_id: int, error: GajiError | None = None) -> HttpResponse:
    company = await request.company(client_id)
    if "pdf" in request.query:
        return await _pdf(request, await _own(request, request.query["pdf"]))
    asked = request.query.get("year") or request.form.get("year") or str(clock.today().year - 1)
    year = int(asked) if asked.isascii() and asked.isdigit() and len(asked) == len("2026") else clock.today().year
    page = request.list_page(PER_PAGE)
    listed = await certificates.list_for_review(request.tenant, client_id, year, page)
    found = [msgspec.json.decode(one) for one in listed.elements]
    async with request.tenant.reading() as tx:
        names = await directory.names(tx, client_id, [one["employee_id"] for one in found])
    return request.render(
        "tax_certificates.html",
        status=error.status if error else 200,
        company=company,
        here="Filings",
        year=year,
        certificates=found,
        names=names,
        error=error,
        pages=build_pager(request, page, listed.total),
    )


@router.get("/own/{employee_id}/certificates")
async def show_own_certificates(request: PageRequest) -> HttpResponse:
    """The tax certificates of an employee that are released; or one of them, as PDF."""
    job = await load_job(request)
    listed = await certificates.list_released(request.tenant, job.employee_id, None)
    found = [msgspec.json.decode(one) for one in listed.elements]
    if "pdf" in request.query:
        if request.query["pdf"] not in {str(one["id"]) for one in found}:
            raise NotFound("There is no such certificate")
        return await _pdf(request, int(request.query["pdf"]))
    return await render_for_job(request, job, "portal_certificates.html", here="Tax", certificates=found)


async def _pdf(request: PageRequest, certificate_id: int) -> HttpResponse:
    pdf, kept = await certificates.read_pdf(request.tenant, certificate_id)
    name = f'inline; filename="IR8A-{kept.year}-{kept.id}.pdf"'
    return request.respond(200, pdf, PDF, ("Content-Disposition", name))


async def _own(request: PageRequest, text: str) -> int:
    """The id of a certificate of the company in the path."""
    certificate_id = _number(text)
    if await certificates.find_client_id(request.tenant, certificate_id) != request.ids["client_id"]:
        raise NotFound("There is no such certificate")
    return certificate_id


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 18):
        raise NotFound("There is no such certificate")
    return int(text)
