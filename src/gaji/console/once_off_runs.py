"""Once-off pay runs: what some people are paid beside their regular payslips."""

from collections.abc import Mapping

from gaji.company.clients.service import ClientOfCaller
from gaji.company.waves.queries import WaveFacts, waves
from gaji.console.forms import require_records
from gaji.console.pages import PageRouter
from gaji.console.request import PageRequest
from gaji.core import clock
from gaji.core.errors import INVALID, Errors, ValidationError
from gaji.db.json_lists import Page
from gaji.payroll.payment_runs import open_run as opening
from gaji.payroll.payslips import summaries as payslips
from gaji.people.employees import directory
from gaji.web.responses import HttpResponse

router = PageRouter()

MOST_SHOWN = 200
PERIODS_BEFORE, PERIODS_AFTER = 6, 1
"""Around the one that is to be paid next; others can be had through the API."""
NOBODY = ValidationError(Errors.single("employees", INVALID, reason="choose at least one"), "Nobody is chosen")
ID_DIGITS = 18
EACH = "employee_ids."
OPENED = "The once-off run is open. Enter on each payslip what is paid, and finalise the run when all is right"


@router.get("/companies/{client_id}/payment_runs/new")
async def new_run(request: PageRequest) -> HttpResponse:
    """The form: which period, and who."""
    company = await request.writable_company(request.ids["client_id"])
    return await _page(request, company, request.query)


@router.post("/companies/{client_id}/payment_runs/new")
async def open_run(request: PageRequest) -> HttpResponse:
    """Open a once-off run for those who were chosen."""
    company = await request.writable_company(request.ids["client_id"])
    chosen = list(dict.fromkeys(request.fields.get("employee_ids", [])))
    body = {name: request.form.get(name) for name in ("wave_id", "period_end_date")}
    names = await _known(request, company.id, body["wave_id"] or "", chosen)
    try:
        if not chosen:
            raise NOBODY
        asked = {**body, "special": True, "employee_ids": chosen}
        run_id, _ = await opening.open_run(request.tenant, company.id, asked)
    except ValidationError as error:
        return await _page(request, company, request.form, _by_name(error, chosen, names), chosen)
    return request.redirect(f"/payment_runs/{run_id}", OPENED)


async def _known(request: PageRequest, client_id: int, wave_id: str, chosen: list[str]) -> Mapping[str, str]:
    """The names of those who were chosen, by id; refuses what another company has."""
    numbers = [int(one) for one in chosen if one.isascii() and one.isdigit() and len(one) <= ID_DIGITS]
    async with request.tenant.reading() as tx:
        known = await waves(tx, client_id)
        people = await directory.names(tx, client_id, numbers)
    require_records([wave_id], [str(one) for one in known], "pay frequency")
    require_records(chosen, [str(one) for one in people], "employee")
    return {str(one): named.name for one, named in people.items()}


def _by_name(error: ValidationError, chosen: list[str], names: Mapping[str, str]) -> ValidationError:
    """The same, with people by their names and in one place."""
    told = {path: text for path, text in error.errors.items() if not path.startswith(EACH)}
    people = []
    for path in error.errors.keys() - told.keys():
        employee_id = chosen[int(path.removeprefix(EACH))]
        name = names.get(employee_id, employee_id)
        people.append(error.errors[path].replace(f"employee {employee_id}", name))
    return ValidationError({**told, "employees": "; ".join(sorted(people))} if people else told, error.message)


async def _page(
    request: PageRequest,
    company: ClientOfCaller,
    typed: Mapping[str, str],
    error: ValidationError | None = None,
    chosen: list[str] | None = None,
) -> HttpResponse:
    async with request.tenant.reading() as tx:
        known = await waves(tx, company.id)
        following = await payslips.next_periods(tx, company.id)
    offsets = {wave_id: following[wave_id].offset if wave_id in following else None for wave_id in known}
    wave_id = next((one for one in known if str(one) == typed.get("wave_id")), next(iter(known), None))
    periods = _periods(known[wave_id], offsets[wave_id]) if wave_id else []
    search = typed.get("search", "")
    people, total = await directory.search(request.tenant, company.id, search, Page(1, MOST_SHOWN), wave_id=wave_id)
    return request.render(
        "once_off_run.html",
        status=error.status if error else 200,
        company=company,
        here="Pay runs",
        error=error,
        labels={one: wave.schedule.label for one, wave in known.items()},
        wave_id=wave_id,
        periods=periods,
        end=typed.get("period_end_date") if typed.get("period_end_date") in periods else _usual(periods),
        search=search,
        people=people if wave_id else [],
        total=total,
        chosen=set(chosen or ()),
    )


def _periods(wave: WaveFacts, following: int | None) -> list[str]:
    """The ends of the periods to choose from, the newest first."""
    current = wave.schedule.offset_containing(clock.today()) if following is None else following
    first = max(current - PERIODS_BEFORE, wave.first_offset)
    return [str(wave.schedule.end(offset)) for offset in range(current + PERIODS_AFTER, first - 1, -1)]


def _usual(periods: list[str]) -> str:
    """The one that is to be paid next."""
    return periods[min(PERIODS_AFTER, len(periods) - 1)] if periods else ""
