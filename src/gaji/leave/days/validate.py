"""Checking days of leave before they are kept: all errors at once, each under the path of its day."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date

from gaji.core.errors import INVALID, Conflict, Errors
from gaji.core.validation import Record
from gaji.db.tenancy import Transaction
from gaji.engine.leave.day_length import LeaveDayLength, LeaveDayError, require_hours_within
from gaji.engine.leave.movements import MovementKind, Movement
from gaji.law.quantities import format_millis
from gaji.leave.balances.ledger import Ledger, ledger_of
from gaji.leave.days import repository
from gaji.leave.days.duration import Measure, measure_of
from gaji.leave.days.repository import NewDay
from gaji.leave.types.queries import LeaveType


@dataclass(frozen=True)
class Wanted:
    """A day of leave that is asked for, and where in the body it stands."""

    path: str
    date: date | None
    type_id: int | None
    millihours: int | None

    @classmethod
    def of(cls, path: str, record: Record) -> "Wanted":
        """What a record asks for."""
        return cls(path, record["date"], record["type_id"], record["hours"])


@dataclass
class Surroundings:
    """What days of leave of one employee are held against."""

    employee_id: int
    ledger: Ledger
    measure: Measure
    hours_on: dict[date, int]
    """By date, the thousandths of hours of leave that are there already."""

    def days(self, wanted: Sequence[Wanted], errors: Errors) -> list[NewDay]:
        """The days as they are kept; those with errors are left out."""
        found = [(one.path, self._day(one, errors)) for one in wanted]
        kept = [(path, day) for path, day in found if day is not None]
        if len(kept) == len(wanted):
            self._check_balances(kept, errors)
        return [day for _, day in kept]

    def _day(self, one: Wanted, errors: Errors) -> NewDay | None:
        if one.type_id is not None and self.ledger.type_of(one.type_id) is None:
            errors.setdefault(f"{one.path}type_id", f"there is no leave type {one.type_id} in this client")
        measured = self._measured(one, errors)
        if measured is None or one.date is None or one.type_id is None or f"{one.path}hours" in errors:
            return None
        leave = NewDay(one.type_id, one.date, one.millihours, measured.millihours, *measured.part(one.millihours))
        there = self.hours_on.get(one.date, 0)
        if there + leave.hours_taken > measured.millihours:
            told = f"{one.date} has {format_millis(there)} hours of leave already and {format_millis(measured.millihours)} hours in all"
            errors.setdefault(f"{one.path}date", told)
            return None
        self.hours_on[one.date] = there + leave.hours_taken
        return None if f"{one.path}type_id" in errors else leave

    def _measured(self, one: Wanted, errors: Errors) -> LeaveDayLength | None:
        if one.date is None:
            return None
        if not self.ledger.serves(one.date):
            errors.setdefault(f"{one.path}date", f"{one.date} is outside the service of this employee")
            return None
        try:
            found = self.measure.day(self.employee_id, one.date)
        except LeaveDayError as error:
            joint = " " if str(error).startswith("is ") else ": "
            errors.setdefault(f"{one.path}date", f"{one.date}{joint}{error}")
            return None
        if one.millihours is not None:
            try:
                require_hours_within(found, one.millihours)
            except LeaveDayError as error:
                errors.setdefault(f"{one.path}hours", f"{one.date} {error}")
        return found

    def _check_balances(self, kept: Sequence[tuple[str, NewDay]], errors: Errors) -> None:
        """Name the days, in the order of time, with which a balance would fall below zero against its policy."""
        every = self.ledger.with_taken([_taken(day) for _, day in kept])
        if self._overdrawn(self.ledger, every, {day.type_id for _, day in kept}) is None:
            return
        held = self.ledger
        for path, day in sorted(kept, key=lambda one: one[1].date):
            more = held.with_taken([_taken(day)])
            if told := self._overdrawn(held, more, {day.type_id}):
                errors.add(f"{path}date", INVALID, reason=told)
            else:
                held = more

    def _overdrawn(self, before: Ledger, after: Ledger, type_ids: Collection[int]) -> str | None:
        concerned = {one.id: one for type_id in type_ids for one in after.concerned(type_id)}
        return next((told for one in concerned.values() if (told := _below_zero(one, before, after))), None)


class Checked:
    """The rules of a body with days of leave; has the days as they are kept when they have passed."""

    def __init__(self, surroundings: Surroundings) -> None:
        self._surroundings = surroundings
        self.days: list[NewDay] = []

    def one(self, record: Record, errors: Errors) -> None:
        """A body that is a day."""
        self.days = self._surroundings.days([Wanted.of("", record)], errors)

    def several(self, record: Record, errors: Errors) -> None:
        """A body with dates."""
        wanted = [Wanted.of(f"dates.{place}.", one) for place, one in enumerate(record["dates"] or ())]
        self.days = self._surroundings.days(wanted, errors)


async def surroundings_of(
    tx: Transaction, client_id: int, employee_id: int, replaced: int | None = None
) -> Surroundings:
    """What days of leave of an employee are held against; without the day that is to be replaced."""
    hours_on: dict[date, int] = defaultdict(int)
    for day_id, day, millihours in await repository.hours(tx, client_id, employee_id):
        if day_id != replaced:
            hours_on[day] += millihours
    return Surroundings(
        employee_id,
        await ledger_of(tx, client_id, employee_id, but_day=replaced),
        await measure_of(tx, client_id, [employee_id]),
        hours_on,
    )


def _taken(day: NewDay) -> tuple[int, date, int]:
    return day.type_id, day.date, day.millidays


def _below_zero(one: LeaveType, before: Ledger, after: Ledger) -> str | None:
    """The first date on which leave is taken that brings a balance below zero, and lower than it was."""
    moves = after.movements(one, _last(after, one))
    earlier = before.movements(one, _last(after, one))
    for day in dict.fromkeys(move.date for move in moves if move.kind is MovementKind.TAKEN):
        balance = _sum(moves, day)
        if balance < 0 and balance < _sum(earlier, day) and not one.policy(day).allows_negative:
            return f"{one.name} would be at {format_millis(balance)} days on {day}"
    return None


def _last(ledger: Ledger, one: LeaveType) -> date:
    return max((move.date for move in ledger.recorded.get(one.id, ())), default=date.min)


def _sum(moves: Sequence[Movement], until: date) -> int:
    return sum(move.millidays for move in moves if move.date <= until)
