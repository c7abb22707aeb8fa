"""Payslip PDFs, and the bank files of a pay run."""

from typing import Any

from gaji.console.pages import PageRouter
from gaji.console.request import PageRequest
from gaji.documents.payment_files import service as payment_files
from gaji.documents.payment_files.service import PaymentFile
from gaji.documents.payslips import service as payslips
from gaji.payroll.payment_runs import overview
from gaji.web.responses import HttpResponse

router = PageRouter()

PDF = "application/pdf"


@router.get("/payslips/{payslip_id}.pdf")
async def show_pdf(request: PageRequest) -> HttpResponse:
    """Return a payslip as PDF."""
    return await pdf_response(request)


async def pdf_response(request: PageRequest) -> HttpResponse:
    """Return the PDF of the payslip with the ID in the path."""
    pdf, document = await payslips.read_pdf(request.tenant, request.ids["payslip_id"])
    return request.respond(200, pdf, PDF, ("Content-Disposition", f'inline; filename="{document.file_name}"'))


@router.get("/payment_runs/{payment_run_id}/files")
async def show_files(request: PageRequest) -> HttpResponse:
    """Show the bank files of a pay run with their totals, or download one of them."""
    run_id = request.ids["payment_run_id"]
    company = await request.company(await overview.load_client_id(request.tenant, run_id))
    if "download" in request.query:
        file = (await payment_files.download_file(request.tenant, run_id, request.query["download"])).file
        disposition = ("Content-Disposition", f'attachment; filename="{file.file_name}"')
        return request.respond(200, file.data or b"", file.media_type, disposition)
    run = (await overview.load_overview(request.tenant, run_id, request.list_page(1))).run
    files = await payment_files.list_files(request.tenant, run_id) if run.finalised else []
    return request.render(
        "payment_run_files.html",
        company=company,
        here="Pay runs",
        run=run,
        files=[(_file_values(file), file.file, file.downloads) for file in files],
    )


def _file_values(file: PaymentFile) -> dict[str, Any]:
    """Return a file with its withheld amounts as decimal text."""
    values = file.to_json()
    withheld = [{**payment, "amount": bytes(payment["amount"]).decode()} for payment in values["withheld"]]
    return {**values, "withheld": withheld}
