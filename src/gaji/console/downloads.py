"""What leaves the company: payslips on paper, and the files of a pay run."""

from gaji.console.pages import PageRouter
from gaji.console.portal.employment import load_job
from gaji.console.request import PageRequest
from gaji.core.errors import NotFound
from gaji.documents.payment_files import service as payment_files
from gaji.documents.payslips import service as payslips
from gaji.payroll.payment_runs import overview
from gaji.payroll.payslips import summaries as headings
from gaji.web.responses import HttpResponse

router = PageRouter()

PDF = "application/pdf"


@router.get("/payslips/{payslip_id}.pdf")
async def show_pdf(request: PageRequest) -> HttpResponse:
    """A payslip as it is printed."""
    return await _pdf(request)


@router.get("/own/{employee_id}/payslips/{payslip_id}.pdf")
async def show_own_pdf(request: PageRequest) -> HttpResponse:
    """One's own."""
    job = await load_job(request)
    async with request.tenant.reading() as tx:
        found = await headings.heading(tx, request.ids["payslip_id"])
    if found.employee_id != job.employee_id or not found.released:
        raise NotFound(f"There is no payslip {request.ids['payslip_id']}")
    return await _pdf(request)


async def _pdf(request: PageRequest) -> HttpResponse:
    pdf, paper = await payslips.read_pdf(request.tenant, request.ids["payslip_id"])
    return request.respond(200, pdf, PDF, ("Content-Disposition", f'inline; filename="{paper.file_name}"'))


@router.get("/payment_runs/{payment_run_id}/files")
async def show_files(request: PageRequest) -> HttpResponse:
    """The files that pay a run, each with what to check it by; or one of them."""
    run_id = request.ids["payment_run_id"]
    company = await request.company(await overview.client_of_run(request.tenant, run_id))
    if "download" in request.query:
        found = await payment_files.read_file(request.tenant, run_id, request.query["download"])
        name = f'attachment; filename="{found.file.file_name}"'
        return request.respond(200, found.file.data or b"", found.file.media_type, ("Content-Disposition", name))
    run = (await overview.look(request.tenant, run_id, request.list_page(1))).run
    files = await payment_files.list_files(request.tenant, run_id) if run.finalised else []
    shown = [(one.to_json(), one.file.total_cents) for one in files]
    return request.render("payment_run_files.html", company=company, here="Pay runs", run=run, files=shown)
