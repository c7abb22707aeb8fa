"""Find the leave days that would overdraw a balance.

A day that is taken reduces the balance of its date and of all later dates of the same service. The exception is leave
that would have expired in between: taking it costs nothing. Balances are therefore subtracted from, which is fast, and
computed again only if leave expires after the day.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import accumulate

from gaji.engine.leave.children import anniversary
from gaji.engine.leave.movements import MovementKind
from gaji.leave.balances.ledger import LeaveLedger
from gaji.leave.types.queries import LeaveType

SETTLEMENTS = (MovementKind.ENCASHMENT, MovementKind.FORFEITURE)
"""They follow the balance of the last day of service, and count from the next day."""

EXPIRIES = (MovementKind.EXPIRY, MovementKind.LAPSE)

LeaveEntry = tuple[int, date, int]
"""Type, date and thousandths of days."""


@dataclass(frozen=True)
class Overdraft:
    """The first date on which a balance would become negative against its policy."""

    leave_type: str
    balance_millidays: int
    date: date
    available_millidays: int
    """The balance on the date without the leave days that are checked. Zero if it is negative."""


class OverdraftChecker:
    """Checks leave days one after the other. Each must be possible with those that were taken before it."""

    def __init__(self, ledger: LeaveLedger, requested: Sequence[LeaveEntry]) -> None:
        self._recorded = ledger
        self._ledger = ledger
        self._dates = sorted({day for _, day, _ in requested})
        self._timelines: dict[int, _BalanceTimeline] = {}
        self._recorded_timelines: dict[int, _BalanceTimeline] = {}

    def take(self, type_id: int, day: date, millidays: int) -> Overdraft | None:
        """Take a day, or return the overdraft that it would cause."""
        entry = type_id, day, millidays
        leave_types = self._ledger.affected_types(type_id)
        extended = self._ledger.with_leave([entry])
        for leave_type in leave_types:
            overdraft = self._timeline(leave_type).find_overdraft(day, millidays)
            if overdraft is not None and overdraft.needs_recomputation:
                recomputed = _BalanceTimeline(extended, leave_type, self._dates)
                overdraft = recomputed.find_decrease(self._timeline(leave_type), day)
            if overdraft is not None:
                available = self._available_millidays(leave_type, overdraft.date)
                return Overdraft(leave_type.name, overdraft.balance_millidays, overdraft.date, available)
        self._ledger = extended
        for leave_type in leave_types:
            if not self._timeline(leave_type).subtract(day, millidays):
                self._timelines[leave_type.id] = _BalanceTimeline(extended, leave_type, self._dates)
        return None

    def _available_millidays(self, leave_type: LeaveType, day: date) -> int:
        if leave_type.id not in self._recorded_timelines:
            self._recorded_timelines[leave_type.id] = _BalanceTimeline(self._recorded, leave_type, self._dates)
        return max(0, self._recorded_timelines[leave_type.id].balance(day))

    def _timeline(self, leave_type: LeaveType) -> "_BalanceTimeline":
        if leave_type.id not in self._timelines:
            self._timelines[leave_type.id] = _BalanceTimeline(self._ledger, leave_type, self._dates)
        return self._timelines[leave_type.id]


@dataclass(frozen=True)
class _PossibleOverdraft:
    balance_millidays: int
    date: date
    needs_recomputation: bool
    """Whether leave expires between the day that is taken and the date, so that the balance may be higher."""


class _BalanceTimeline:
    """The balances of a leave type on the dates that matter: those with leave, and those that are requested."""

    def __init__(self, ledger: LeaveLedger, leave_type: LeaveType, requested: Sequence[date]) -> None:
        self._leave_type = leave_type
        self._services = [service.counted_days for service in ledger.services(leave_type)]
        recorded = ledger.recorded.get(leave_type.id, ())
        taken = {movement.date for movement in recorded if movement.kind is MovementKind.TAKEN and movement.millidays}
        self._taken = {day for day in taken if self._last_counted(day) is not None}
        self._dates = sorted(self._taken.union(requested))
        # Not up to the last adjustment: it changes no earlier balance, and its date may be centuries away.
        movements = ledger.movements(leave_type, self._dates[-1], describe=False)
        expiries = [movement.date for movement in movements if movement.kind in EXPIRIES]
        self._expiries = sorted([*expiries, *_excess_ends(ledger, leave_type, self._dates[-1])])
        self._balances = list(
            _balances_on(
                self._dates,
                [(movement.date, movement.kind in SETTLEMENTS, movement.millidays) for movement in movements],
            )
        )

    def balance(self, day: date) -> int:
        """Return the balance on one of the dates."""
        return self._balances[bisect_left(self._dates, day)]

    def find_overdraft(self, day: date, millidays: int) -> _PossibleOverdraft | None:
        """Return the first date on which the balance would be negative if leave were taken on a day."""
        for index in self._following(day):
            date_after, balance = self._dates[index], self._balances[index] - millidays
            if (date_after == day or date_after in self._taken) and self._is_overdrawn(date_after, balance):
                return _PossibleOverdraft(balance, date_after, self._has_expiry(day, date_after))
        return None

    def find_decrease(self, before: "_BalanceTimeline", day: date) -> _PossibleOverdraft | None:
        """Return the first date, from a day on, on which the balance is negative and lower than it was before."""
        for index in self._following(day):
            date_after, balance = self._dates[index], self._balances[index]
            is_lower = date_after in self._taken and balance < before._balances[index]
            if is_lower and self._is_overdrawn(date_after, balance):
                return _PossibleOverdraft(balance, date_after, needs_recomputation=False)
        return None

    def subtract(self, day: date, millidays: int) -> bool:
        """Take leave on a day. Return False if the balances must be computed again, because leave expires later."""
        self._taken.add(day)
        following = self._following(day)
        if following and self._has_expiry(day, self._dates[following[-1]]):
            return False
        for index in following:
            self._balances[index] -= millidays
        return True

    def _following(self, day: date) -> range:
        """The indexes of the dates from a day to the end of its service. Empty if leave on the day does not count."""
        last = self._last_counted(day)
        return range(0) if last is None else range(bisect_left(self._dates, day), bisect_right(self._dates, last))

    def _is_overdrawn(self, day: date, balance: int) -> bool:
        return balance < 0 and not self._leave_type.policy(day).allows_negative

    def _has_expiry(self, after: date, until: date) -> bool:
        return bisect_right(self._expiries, until) > bisect_right(self._expiries, after)

    def _last_counted(self, day: date) -> date | None:
        """The last day of the service in which leave on a day counts."""
        return next((last for first, last in self._services if first <= day <= last), None)


def _excess_ends(ledger: LeaveLedger, leave_type: LeaveType, until: date) -> Iterable[date]:
    """The days from which leave beyond the days of a year no longer counts. Such years follow the service."""
    if all(policy.carries_negative for policy in leave_type.policies):
        return
    for service in ledger.services(leave_type):
        yield from (anniversary(service.first, years) for years in range(1, until.year - service.first.year + 1))


def _balances_on(dates: Iterable[date], movements: Sequence[tuple[date, bool, int]]) -> Iterable[int]:
    """The balance at the end of each date, before settlements on that date."""
    days = [day for day, _, _ in movements]
    totals = [0, *accumulate(millidays for _, _, millidays in movements)]
    for day in dates:
        end = bisect_right(days, day)
        settled = sum(amount for _, is_settlement, amount in movements[bisect_left(days, day) : end] if is_settlement)
        yield totals[end] - settled
