"""Filings: payments to the CPF Board for a month, and their file."""

from datetime import timedelta
from typing import Any

from gaji.console.pages import PageRouter
from gaji.console.request import PageRequest
from gaji.core import clock
from gaji.core.errors import Conflict, Errors, GajiError, ValidationError
from gaji.documents.filings import service as filings
from gaji.documents.filings.schemas import FIRST_ADVICE, FilingMonth
from gaji.documents.filings.service import CpfFiling
from gaji.documents.withholding_tax.service import WithheldTax, list_withheld_taxes
from gaji.people.employees import directory
from gaji.web.responses import HttpResponse

router = PageRouter()


@router.get("/companies/{client_id}/filings")
async def show_filing(request: PageRequest) -> HttpResponse:
    """Show the payments for a month (default: last month), or download the file."""
    company = await request.company(request.ids["client_id"])
    text = request.query.get("month") or str(clock.today().replace(day=1) - timedelta(days=1))[:7]
    cpf_filings: list[CpfFiling] = []
    taxes: list[WithheldTax] = []
    error: GajiError | None = None
    errors = Errors()
    month = FilingMonth().parse(text, "month", errors)
    try:
        if month is None:
            raise ValidationError(errors)
        if "download" in request.query:
            file = (await filings.read_cpf_filing(request.tenant, company.id, month, FIRST_ADVICE)).file
            disposition = ("Content-Disposition", f'attachment; filename="{file.file_name}"')
            return request.respond(200, file.data or b"", file.media_type, disposition)
        taxes = await list_withheld_taxes(request.tenant, company.id, month.year)
        cpf_filings = await filings.list_filings(request.tenant, company.id, month, FIRST_ADVICE)
    except (ValidationError, Conflict) as caught:
        error = caught
    async with request.tenant.read_only() as tx:
        names = await directory.load_employee_labels(tx, company.id, [tax.employee_id for tax in taxes])
    return request.render(
        "filings.html",
        status=error.status if error else 200,
        company=company,
        here="Filings",
        month=text,
        filings=[(_filing_values(filing), filing.file) for filing in cpf_filings],
        error=error,
        taxes=taxes,
        names=names,
    )


def _filing_values(filing: CpfFiling) -> dict[str, Any]:
    """Return a filing with its amounts as decimal text."""
    values = filing.to_json()
    payments = [{**payment, "amount": bytes(payment["amount"]).decode()} for payment in values["payments"]]
    return {**values, "payments": payments}
