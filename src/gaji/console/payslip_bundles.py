"""All payslips of a pay run in one ZIP file."""

from gaji.console.pages import PageRouter, when_queried
from gaji.console.request import PageRequest
from gaji.documents.payslips.bundles import service
from gaji.payroll.payment_runs import overview
from gaji.web.responses import HttpResponse

router = PageRouter()

PATH = "/payment_runs/{payment_run_id}/payslips"
ZIP = "application/zip"
REFRESH_S = 2


@router.get(PATH, step_up=when_queried("download"), is_file=True)
async def show_bundle(request: PageRequest) -> HttpResponse:
    """Show the progress of the ZIP file that the query names, or download it."""
    run_id, uuid = request.ids["payment_run_id"], request.query.get("file", "")
    run_overview = await overview.load_overview(request.tenant, run_id)
    company = await request.company(run_overview.client_id)
    if uuid and "download" in request.query:
        return await _download(request, run_overview.run.id, uuid, str(run_overview.run.period_end_date))
    progress = await service.read_progress(request.tenant, run_id, uuid) if uuid else None
    if progress and progress["state"] in ("queued", "running"):
        # The browser reloads the page, with or without scripts.
        request.headers.append(("Refresh", str(REFRESH_S)))
    return request.render(
        "payslip_bundle.html",
        company=company,
        here="Pay runs",
        run=run_overview.run,
        counts=run_overview.counts,
        progress=progress,
        uuid=uuid,
    )


@router.post(PATH)
async def start_bundle(request: PageRequest) -> HttpResponse:
    """Start to create the ZIP file."""
    run_id = request.ids["payment_run_id"]
    await request.writable_company(await overview.load_client_id(request.tenant, run_id))
    uuid = await service.start_bundle(request.tenant, run_id)
    return request.redirect(f"/payment_runs/{run_id}/payslips?file={uuid}")


async def _download(request: PageRequest, run_id: int, uuid: str, end: str) -> HttpResponse:
    bundle = await service.read_bundle(request.tenant, run_id, uuid)
    disposition = ("Content-Disposition", f'attachment; filename="payslips-{end}.zip"')
    return request.respond(200, b"", ZIP, disposition, file=bundle.file)
