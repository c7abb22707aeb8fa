"""What a company owes the authorities: the CPF file of a month, and the tax certificates of a year."""

from datetime import timedelta
from typing import Any

import msgspec

from gaji.console.pagination import pager
from gaji.console.pages import Pages
from gaji.console.portal.employment import own_job, show_own
from gaji.console.request import Visit
from gaji.core import clock
from gaji.core.errors import Conflict, GajiError, NotFound, ValidationError
from gaji.documents.filings import service as filings
from gaji.documents.filings.rules import FIRST_ADVICE, read_asked
from gaji.documents.filings.service import Filing
from gaji.documents.tax_certificates import service as certificates
from gaji.people.employees import directory
from gaji.web.gateway import Response

pages = Pages()

PDF = "application/pdf"
PER_PAGE = 50


@pages.get("/companies/{client_id}/filings")
async def show_filing(visit: Visit) -> Response:
    """What is to be paid to the CPF Board for a month, the last whole one unless another is asked for; or its file."""
    company = await visit.company(visit.ids["client_id"])
    text = visit.query.get("month") or str(clock.today().replace(day=1) - timedelta(days=1))[:7]
    found: list[Filing] = []
    error: GajiError | None = None
    try:
        month, _ = read_asked(text, {})
        if "download" in visit.query:
            made = (await filings.cpf_filing(visit.tenant, company.id, month, FIRST_ADVICE)).made
            name = f'attachment; filename="{made.file_name}"'
            return visit.send(200, made.data or b"", made.media_type, ("Content-Disposition", name))
        found = await filings.list_filings(visit.tenant, company.id, month, FIRST_ADVICE)
    except (ValidationError, Conflict) as refused:
        error = refused
    shown = [_told(one) for one in found]
    return visit.show(
        "filings.html",
        status=error.status if error else 200,
        company=company,
        here="Filings",
        month=text,
        filings=shown,
        error=error,
    )


def _told(filing: Filing) -> dict[str, Any]:
    """A filing with its amounts as texts."""
    shape = filing.shape()
    paid = [{**one, "amount": bytes(one["amount"]).decode()} for one in shape["payments"]]
    return {**shape, "payments": paid, "total": bytes(shape["total"]).decode()}


@pages.get("/companies/{client_id}/tax_certificates")
async def show_certificates(visit: Visit) -> Response:
    """The certificates of a year with their figures; or one that is released, as PDF."""
    company = await visit.company(visit.ids["client_id"])
    return await _certificates_page(visit, company.id)


@pages.post("/companies/{client_id}/tax_certificates")
async def make_certificates(visit: Visit) -> Response:
    """Make the certificates of a year, or let employees see those that say what is so."""
    company = await visit.own_company(visit.ids["client_id"])
    year, where = visit.form.get("year", ""), f"/companies/{company.id}/tax_certificates"
    try:
        if "certificate_id" in visit.form:
            after = f"{where}?year={_number(year)}"
            await certificates.release(visit.tenant, await _own(visit, visit.form["certificate_id"]))
            return visit.go(after, "The certificate is released: the employee can see it")
        done, _ = await certificates.generate(visit.tenant, company.id, {"year": year})
    except (ValidationError, Conflict) as refused:
        return await _certificates_page(visit, company.id, refused)
    return visit.go(f"{where}?year={_number(year)}", f"{len(done.ids)} certificates of {_number(year)} are made")


async def _certificates_page(visit: Visit, client_id: int, error: GajiError | None = None) -> Response:
    company = await visit.company(client_id)
    if "pdf" in visit.query:
        return await _pdf(visit, await _own(visit, visit.query["pdf"]))
    asked = visit.query.get("year") or visit.form.get("year") or str(clock.today().year - 1)
    year = int(asked) if asked.isascii() and asked.isdigit() and len(asked) == len("2026") else clock.today().year
    page = visit.list_page(PER_PAGE)
    listed = await certificates.list_for_review(visit.tenant, client_id, year, page)
    found = [msgspec.json.decode(one) for one in listed.elements]
    async with visit.tenant.reading() as tx:
        names = await directory.names(tx, client_id, [one["employee_id"] for one in found])
    return visit.show(
        "certificates.html",
        status=error.status if error else 200,
        company=company,
        here="Filings",
        year=year,
        certificates=found,
        names=names,
        error=error,
        pages=pager(visit, page, listed.total),
    )


@pages.get("/own/{employee_id}/certificates")
async def show_own_certificates(visit: Visit) -> Response:
    """The tax certificates of an employee that are released; or one of them, as PDF."""
    job = await own_job(visit)
    listed = await certificates.list_released(visit.tenant, job.employee_id, None)
    found = [msgspec.json.decode(one) for one in listed.elements]
    if "pdf" in visit.query:
        if visit.query["pdf"] not in {str(one["id"]) for one in found}:
            raise NotFound("There is no such certificate")
        return await _pdf(visit, int(visit.query["pdf"]))
    return await show_own(visit, job, "own_certificates.html", here="Tax", certificates=found)


async def _pdf(visit: Visit, certificate_id: int) -> Response:
    pdf, kept = await certificates.read_pdf(visit.tenant, certificate_id)
    name = f'inline; filename="IR8A-{kept.year}-{kept.id}.pdf"'
    return visit.send(200, pdf, PDF, ("Content-Disposition", name))


async def _own(visit: Visit, text: str) -> int:
    """The id of a certificate of the company in the path."""
    certificate_id = _number(text)
    if await certificates.client_of_certificate(visit.tenant, certificate_id) != visit.ids["client_id"]:
        raise NotFound("There is no such certificate")
    return certificate_id


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 18):
        raise NotFound("There is no such certificate")
    return int(text)
