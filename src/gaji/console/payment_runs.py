"""Pay runs: opened, checked, finalised and released."""

from collections.abc import Awaitable, Callable, Mapping

from gaji.company.clients.service import ClientOfCaller
from gaji.company.waves.queries import waves
from gaji.console.forms import require_records
from gaji.console.pagination import build_pager
from gaji.console.pages import PageRouter

from gaji.console.request import PageRequest
from gaji.core.errors import Conflict, GajiError, NotFound, ValidationError
from gaji.db.tenancy import Tenant
from gaji.payroll.payment_runs import service
from gaji.payroll.payment_runs import finalise
from gaji.payroll.payment_runs import overview
from gaji.payroll.payment_runs import open_run as opening
from gaji.payroll.payslips import summaries as payslips
from gaji.people.employees import directory
from gaji.web.responses import HttpResponse

router = PageRouter()

PER_PAGE = 50


@router.get("/companies/{client_id}/payment_runs")
async def list_runs(request: PageRequest) -> HttpResponse:
    """What is to be paid next, and the runs so far."""
    return await _list_page(request, await request.company(request.ids["client_id"]))


@router.post("/companies/{client_id}/payment_runs")
async def open_run(request: PageRequest) -> HttpResponse:
    """Open a run."""
    company = await request.writable_company(request.ids["client_id"])
    body = {name: request.form.get(name) for name in ("wave_id", "period_end_date")}
    async with request.tenant.reading() as tx:
        require_records([body["wave_id"] or ""], [str(one) for one in await waves(tx, company.id)], "pay frequency")
    try:
        run_id, _ = await opening.open_run(request.tenant, company.id, body)
    except (ValidationError, Conflict) as error:
        return await _list_page(request, company, error)
    return request.redirect(f"/payment_runs/{run_id}", "The pay run is open. Check it, and finalise it when all is right")


@router.get("/payment_runs/{payment_run_id}")
async def show_run(request: PageRequest) -> HttpResponse:
    """One run, with what there is to check."""
    return await _run_page(request)


@router.get("/payment_runs/{payment_run_id}/{step}")
async def ask(request: PageRequest) -> HttpResponse:
    """What a step does, before it is done."""
    run_id, step = request.ids["payment_run_id"], request.names["step"]
    company = await request.company(await overview.client_of_run(request.tenant, run_id))
    if step not in QUESTIONS:
        raise NotFound(f"There is nothing at {request.path[:200]}")
    await request.writable_company(company.id)
    found = await overview.look(request.tenant, run_id, request.list_page(1))
    return request.render("payment_run_step.html", company=company, here="Pay runs", found=found, run=found.run, step=step)


@router.post("/payment_runs/{payment_run_id}/{step}")
async def act(request: PageRequest) -> HttpResponse:
    """Do a step; when it is refused, the run shows why."""
    run_id, step = request.ids["payment_run_id"], request.names["step"]
    if step not in STEPS:
        raise NotFound(f"There is nothing at {request.path[:200]}")
    client_id = await overview.client_of_run(request.tenant, run_id)
    try:
        said = await STEPS[step](request.tenant, run_id)
    except Conflict as error:
        return await _run_page(request, error)
    return request.redirect(f"/companies/{client_id}/payment_runs" if step == "delete" else f"/payment_runs/{run_id}", said)


async def _list_page(request: PageRequest, company: ClientOfCaller, error: GajiError | None = None) -> HttpResponse:
    async with request.tenant.reading() as tx:
        known = await waves(tx, company.id)
        listed = await overview.list_runs(tx, company.id)
        following = await payslips.next_periods(tx, company.id)
    open_waves = {run.wave_id: run for run in listed if not run.finalised and not run.special}
    return request.render(
        "payment_runs.html",
        status=error.status if error else 200,
        company=company,
        here="Pay runs",
        error=error,
        runs=listed,
        following=sorted(following.values(), key=lambda one: (one.end, one.wave_id)),
        open_waves=open_waves,
        labels={wave_id: wave.schedule.label for wave_id, wave in known.items()},
    )


async def _run_page(request: PageRequest, error: GajiError | None = None) -> HttpResponse:
    page = request.list_page(PER_PAGE)
    attention = request.query.get("show") == "attention"
    found = await overview.look(request.tenant, request.ids["payment_run_id"], page, attention=attention)
    company = await request.company(found.client_id)
    async with request.tenant.reading() as tx:
        known = await waves(tx, company.id)
        people = [one.employee_id for one, _ in found.payslips] + [one.employee_id for one in found.movers]
        names = await directory.names(tx, company.id, people)
    return request.render(
        "payment_run.html",
        status=error.status if error else 200,
        company=company,
        here="Pay runs",
        error=error,
        found=found,
        run=found.run,
        label=known[found.run.wave_id].schedule.label,
        names=names,
        attention=attention,
        pages=build_pager(request, page, found.payslips_in_all),
    )


async def _calculate(tenant: Tenant, run_id: int) -> str:
    done = await service.calculate_run(tenant, run_id)
    return f"{format_count(done, 'payslip')} calculated again"


async def _finalise(tenant: Tenant, run_id: int) -> str:
    done = await finalise.finalise_run(tenant, run_id)
    return f"The pay run is finalised: {format_count(done, 'payslip')}. Release it when employees may see their payslips"


async def _unfinalise(tenant: Tenant, run_id: int) -> str:
    done = await finalise.unfinalise_run(tenant, run_id)
    return f"The pay run is open again: {format_count(done, 'payslip')} can change"


async def _release(tenant: Tenant, run_id: int) -> str:
    await service.release_run(tenant, run_id)
    return "The payslips are released: employees can see them"


async def _delete(tenant: Tenant, run_id: int) -> str:
    await service.delete_run(tenant, run_id)
    return "The pay run is deleted"


async def _post(tenant: Tenant, run_id: int) -> str:
    await service.change_run(tenant, run_id, {"posted_to_accounting_system": True})
    return "The journal is noted as posted"


STEPS: Mapping[str, Callable[[Tenant, int], Awaitable[str]]] = {
    "calculate": _calculate,
    "finalise": _finalise,
    "unfinalise": _unfinalise,
    "release": _release,
    "delete": _delete,
    "posted": _post,
}
QUESTIONS = ("finalise", "unfinalise", "release", "delete")
"""The steps that are asked about before they are done."""
