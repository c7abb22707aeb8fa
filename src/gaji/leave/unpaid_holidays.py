"""Public holidays that requested or recorded unpaid leave leaves unpaid, counted as on payslips."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from gaji.core.law_loader import current_law
from gaji.core.threads import run_in_thread_if_many
from gaji.db.tenancy import Transaction
from gaji.engine.leave.day_length import LeaveDayError
from gaji.engine.leave.unpaid_days import UnpaidDates, unpaid_days
from gaji.law.columns import date_column, flags
from gaji.law.holidays import Holiday
from gaji.law.pay.working_days import weeks
from gaji.law.quantities import counts
from gaji.leave.days import repository
from gaji.leave.days.duration import DayLengths, load_day_lengths
from gaji.leave.days.validate import RequestedDay
from gaji.leave.requests.request_balances import UndecidedLeave
from gaji.leave.types.queries import LeaveType, load_leave_types
from gaji.leave.unpaid_days import MAX_LOOKBACK, half_days_of_week, is_unpaid


@dataclass(frozen=True)
class _Absence:
    """Leave of an employee on some dates, of which a part may not be recorded yet."""

    employee_id: int
    dates: frozenset[date]
    """The dates with unpaid leave. Holidays that are unpaid without them are not of interest."""
    added_millihours: Mapping[date, int] = field(default_factory=dict)
    """The unpaid leave that is not recorded."""

    @property
    def first(self) -> date:
        """The first day of recorded leave that matters."""
        return min(self.dates) - MAX_LOOKBACK

    @property
    def last(self) -> date:
        """The last day of recorded leave that matters."""
        return max(self.dates) + MAX_LOOKBACK


async def load_requested_holidays(
    tx: Transaction, client_id: int, requests: Sequence[UndecidedLeave]
) -> dict[int, list[Holiday]]:
    """Load the holidays that each request would leave unpaid, by request. Requests without any are left out."""
    types = {leave_type.id: leave_type for leave_type in await load_leave_types(tx, client_id)}
    unpaid = {request.request_id: _unpaid_days(request, types) for request in requests}
    affected = [request for request in requests if unpaid[request.request_id]]
    if not affected:
        return {}
    day_lengths = await load_day_lengths(tx, client_id, list({request.employee_id for request in affected}))

    def list_absences() -> list[_Absence]:
        return [
            _requested_absence(request.employee_id, unpaid[request.request_id], day_lengths) for request in affected
        ]

    absences = await run_in_thread_if_many(sum(map(len, unpaid.values())), list_absences)
    holidays = await _load_holidays(tx, client_id, absences, types, day_lengths)
    return {request.request_id: days for request, days in zip(affected, holidays, strict=True) if days}


async def load_recorded_holidays(
    tx: Transaction, client_id: int, employee_id: int, dates: Iterable[date]
) -> list[Holiday]:
    """Load the holidays that recorded leave on some dates leaves unpaid."""
    absence = _Absence(employee_id, frozenset(dates))
    if not absence.dates:
        return []
    types = {leave_type.id: leave_type for leave_type in await load_leave_types(tx, client_id)}
    day_lengths = await load_day_lengths(tx, client_id, [employee_id])
    [holidays] = await _load_holidays(tx, client_id, [absence], types, day_lengths)
    return holidays


def _unpaid_days(request: UndecidedLeave, types: Mapping[int, LeaveType]) -> list[tuple[date, RequestedDay]]:
    return [
        (day.date, day)
        for day in request.days
        if day.date is not None and day.type_id is not None and is_unpaid(types[day.type_id], day.date)
    ]


def _requested_absence(
    employee_id: int, days: Sequence[tuple[date, RequestedDay]], day_lengths: DayLengths
) -> _Absence:
    added: dict[date, int] = defaultdict(int)
    for day, requested in days:
        added[day] += requested.millihours or _day_millihours(day_lengths, employee_id, day)
    return _Absence(employee_id, frozenset(added), added)


async def _load_holidays(
    tx: Transaction,
    client_id: int,
    absences: Sequence[_Absence],
    types: Mapping[int, LeaveType],
    day_lengths: DayLengths,
) -> list[list[Holiday]]:
    """The holidays that are unpaid because of each absence."""
    rows = await repository.load_hours_by_type(
        tx,
        client_id,
        [absence.employee_id for absence in absences],
        [absence.first for absence in absences],
        [absence.last for absence in absences],
        list(types),
    )
    recorded: list[dict[date, int]] = [defaultdict(int) for _ in absences]
    for row in rows:
        if is_unpaid(types[row["leave_type_id"]], row["date"]):
            recorded[row["place"] - 1][row["date"]] += row["millihours"]
    count = len(rows) + sum(len(absence.dates) for absence in absences)
    return await run_in_thread_if_many(count, lambda: _compare(absences, recorded, day_lengths))


def _compare(
    absences: Sequence[_Absence], recorded: Sequence[Mapping[date, int]], day_lengths: DayLengths
) -> list[list[Holiday]]:
    """The holidays that are unpaid with each absence, and paid without it."""
    with_absence, without = [
        _find_holidays(absences, hours, day_lengths)
        for hours in (_with_added(absences, recorded), _without_dates(absences, recorded))
    ]
    return [
        [holiday for holiday in current_law().holidays.days if holiday.day in unpaid - before]
        for unpaid, before in zip(with_absence, without, strict=True)
    ]


def _with_added(absences: Sequence[_Absence], recorded: Sequence[Mapping[date, int]]) -> list[dict[date, int]]:
    return [
        {day: hours.get(day, 0) + absence.added_millihours.get(day, 0) for day in {*hours, *absence.added_millihours}}
        for absence, hours in zip(absences, recorded, strict=True)
    ]


def _without_dates(absences: Sequence[_Absence], recorded: Sequence[Mapping[date, int]]) -> list[dict[date, int]]:
    return [
        {day: millihours for day, millihours in hours.items() if day not in absence.dates}
        for absence, hours in zip(absences, recorded, strict=True)
    ]


def _find_holidays(
    absences: Sequence[_Absence], hours_by_date: Sequence[Mapping[date, int]], day_lengths: DayLengths
) -> list[set[date]]:
    """The holidays within the unpaid leave of each absence, by the working week on its last date."""
    rows = [
        (index, day, millihours >= _day_millihours(day_lengths, absences[index].employee_id, day) > 0)
        for index, hours in enumerate(hours_by_date)
        for day, millihours in hours.items()
    ]
    unpaid = UnpaidDates(
        people=counts([index for index, _, _ in rows]),
        dates=date_column([day for _, day, _ in rows]),
        working_millidays=counts([0] * len(rows)),
        is_whole_day=flags([is_whole_day for _, _, is_whole_day in rows]),
    )
    half_days = weeks([half_days_of_week(day_lengths, absence.employee_id, max(absence.dates)) for absence in absences])
    firsts = date_column([absence.first for absence in absences])
    lasts = date_column([absence.last for absence in absences])
    days = unpaid_days(current_law().holidays, half_days, unpaid, firsts, lasts)
    holidays_by_index: list[set[date]] = [set() for _ in absences]
    for index, day, millidays in zip(days.people.tolist(), days.dates.tolist(), days.millidays.tolist(), strict=True):
        if millidays:
            holidays_by_index[index].add(day)
    return holidays_by_index


def _day_millihours(day_lengths: DayLengths, employee_id: int, day: date) -> int:
    """The hours of a date, in thousandths. Zero if no leave can be taken on it."""
    try:
        return day_lengths.leave_day(employee_id, day).millihours
    except LeaveDayError:
        return 0
