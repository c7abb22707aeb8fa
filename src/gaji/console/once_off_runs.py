"""Once-off pay runs: extra payslips in addition to the regular ones."""

from collections.abc import Mapping

from gaji.company.clients.service import ClientMembership
from gaji.company.waves.queries import PayCalendar, load_pay_calendars
from gaji.console.error_messages import summarise
from gaji.console.forms import require_known_ids
from gaji.console.pages import PageRouter
from gaji.console.request import PageRequest
from gaji.core import clock
from gaji.core.errors import ErrorCode, ValidationError, invalid
from gaji.db.json_lists import ListPage
from gaji.payroll.payment_runs import open_run as opening
from gaji.payroll.payslips import summaries as payslips
from gaji.people.employees import directory
from gaji.web.responses import HttpResponse

router = PageRouter()

MAX_LISTED_EMPLOYEES = 200
PERIODS_BEFORE, PERIODS_AFTER = 6, 1
"""Periods to choose from, around the one that is paid next. The API accepts any period."""
NO_EMPLOYEES_CHOSEN = ErrorCode("no_employees_chosen", "choose at least one employee")
MAX_ID_DIGITS = 18
EMPLOYEES = "employee_ids"
OPENED = "Once-off pay run opened. Enter the amounts on each payslip, then finalise the run"


@router.get("/companies/{client_id}/payment_runs/new")
async def new_run(request: PageRequest) -> HttpResponse:
    """Show the form for a once-off pay run."""
    company = await request.writable_company(request.ids["client_id"])
    return await _form_page(request, company, request.query)


@router.post("/companies/{client_id}/payment_runs/new")
async def open_run(request: PageRequest) -> HttpResponse:
    """Open a once-off pay run for the chosen employees."""
    company = await request.writable_company(request.ids["client_id"])
    chosen = list(dict.fromkeys(request.fields.get(EMPLOYEES, [])))
    body = {name: request.form.get(name) for name in ("wave_id", "period_end_date")}
    names = await _load_names(request, company.id, body["wave_id"] or "", chosen)
    try:
        if not chosen:
            raise invalid(EMPLOYEES, NO_EMPLOYEES_CHOSEN)
        run_id, _ = await opening.open_run(request.tenant, company.id, {**body, "special": True, EMPLOYEES: chosen})
    except ValidationError as error:
        labels = {f"{EMPLOYEES}.{i}": names.get(employee_id, employee_id) for i, employee_id in enumerate(chosen)}
        return await _form_page(request, company, request.form, error, labels, chosen)
    return request.redirect(f"/payment_runs/{run_id}", OPENED)


async def _load_names(request: PageRequest, client_id: int, wave_id: str, chosen: list[str]) -> Mapping[str, str]:
    """Return the names of the chosen employees by ID. Raises NotFound for records of another company."""
    ids = [int(text) for text in chosen if text.isascii() and text.isdigit() and len(text) <= MAX_ID_DIGITS]
    async with request.tenant.read_only() as tx:
        waves_by_id = await load_pay_calendars(tx, client_id)
        employees = await directory.load_employee_labels(tx, client_id, ids)
    require_known_ids([wave_id], [str(known_id) for known_id in waves_by_id], "pay schedule")
    require_known_ids(chosen, [str(employee_id) for employee_id in employees], "employee")
    return {str(employee_id): employee.name for employee_id, employee in employees.items()}


async def _form_page(
    request: PageRequest,
    company: ClientMembership,
    submitted: Mapping[str, str],
    error: ValidationError | None = None,
    error_labels: Mapping[str, str] | None = None,
    chosen: list[str] | None = None,
) -> HttpResponse:
    async with request.tenant.read_only() as tx:
        waves_by_id = await load_pay_calendars(tx, company.id)
        next_periods = await payslips.load_next_periods(tx, company.id)
    wave_id = next(
        (known_id for known_id in waves_by_id if str(known_id) == submitted.get("wave_id")),
        next(iter(waves_by_id), None),
    )
    next_period = next_periods.get(wave_id) if wave_id else None
    periods = _period_ends(waves_by_id[wave_id], next_period.offset if next_period else None) if wave_id else []
    search = submitted.get("search", "")
    employees, total = await directory.search_employees(
        request.tenant, company.id, search, ListPage(1, MAX_LISTED_EMPLOYEES), wave_id=wave_id
    )
    end = submitted.get("period_end_date")
    return request.render(
        "once_off_run.html",
        status=error.status if error else 200,
        company=company,
        here="Pay runs",
        error=summarise(error, error_labels),
        labels={known_id: wave.schedule.label for known_id, wave in waves_by_id.items()},
        wave_id=wave_id,
        periods=periods,
        end=end if end in periods else _default_period(periods),
        search=search,
        employees=employees if wave_id else [],
        total=total,
        chosen=set(chosen or ()),
    )


def _period_ends(wave: PayCalendar, next_offset: int | None) -> list[str]:
    """Return the ends of the periods to choose from, latest first."""
    current = wave.schedule.offset_containing(clock.today()) if next_offset is None else next_offset
    first = max(current - PERIODS_BEFORE, wave.first_offset)
    return [str(wave.schedule.end(offset)) for offset in range(current + PERIODS_AFTER, first - 1, -1)]


def _default_period(periods: list[str]) -> str:
    """Return the period that is paid next."""
    return periods[min(PERIODS_AFTER, len(periods) - 1)] if periods else ""
