"""What leaves the company: payslips on paper, and the files of a pay run."""

from gaji.console.pages import Pages
from gaji.console.portal.employment import own_job
from gaji.console.request import Visit
from gaji.core.errors import NotFound
from gaji.documents.payment_files import service as payment_files
from gaji.documents.payslips import service as payslips
from gaji.payroll.payment_runs import looking
from gaji.payroll.payslips import looking as headings
from gaji.web.gateway import Response

pages = Pages()

PDF = "application/pdf"


@pages.get("/payslips/{payslip_id}.pdf")
async def show_pdf(visit: Visit) -> Response:
    """A payslip as it is printed."""
    return await _pdf(visit)


@pages.get("/own/{employee_id}/payslips/{payslip_id}.pdf")
async def show_own_pdf(visit: Visit) -> Response:
    """One's own."""
    job = await own_job(visit)
    async with visit.tenant.reading() as tx:
        found = await headings.heading(tx, visit.ids["payslip_id"])
    if found.employee_id != job.employee_id or not found.released:
        raise NotFound(f"There is no payslip {visit.ids['payslip_id']}")
    return await _pdf(visit)


async def _pdf(visit: Visit) -> Response:
    pdf, paper = await payslips.read_pdf(visit.tenant, visit.ids["payslip_id"])
    return visit.send(200, pdf, PDF, ("Content-Disposition", f'inline; filename="{paper.file_name}"'))


@pages.get("/payment_runs/{payment_run_id}/files")
async def show_files(visit: Visit) -> Response:
    """The files that pay a run, each with what to check it by; or one of them."""
    run_id = visit.ids["payment_run_id"]
    company = await visit.company(await looking.client_of_run(visit.tenant, run_id))
    if "download" in visit.query:
        found = await payment_files.read_file(visit.tenant, run_id, visit.query["download"])
        name = f'attachment; filename="{found.made.file_name}"'
        return visit.send(200, found.made.data or b"", found.made.media_type, ("Content-Disposition", name))
    run = (await looking.look(visit.tenant, run_id, visit.list_page(1))).run
    files = await payment_files.list_files(visit.tenant, run_id) if run.finalised else []
    shown = [(one.shape(), one.made.total_cents) for one in files]
    return visit.show("run_files.html", company=company, here="Pay runs", run=run, files=shown)
