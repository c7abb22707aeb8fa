"""Check leave days before they are saved. All errors are reported at once, each under the path of its day."""

from collections import defaultdict
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from gaji.core.error_codes import UNKNOWN_ID
from gaji.core.errors import ErrorCode, Errors
from gaji.core.validation import Record, Rule
from gaji.db.tenancy import Transaction
from gaji.engine.leave.day_length import LeaveDayError, LeaveDayLength, require_hours_within
from gaji.engine.leave.policies import AccrualMethod
from gaji.law.quantities import format_millis
from gaji.leave.balances.availability import shortage_params
from gaji.leave.balances.ledger import LeaveLedger, load_ledger
from gaji.leave.days import repository
from gaji.leave.days.duration import DayLengths, load_day_lengths
from gaji.leave.days.overdrafts import LeaveEntry, Overdraft, OverdraftChecker
from gaji.leave.days.repository import NewLeaveDay

OUTSIDE_SERVICE = ErrorCode("outside_service", "{date} is outside the service of this employee")
NO_LEAVE_POSSIBLE = ErrorCode("no_leave_possible", "{date} {reason}")
TOO_MANY_HOURS = ErrorCode("too_many_hours", "{date} {reason}")
DAY_FULL = ErrorCode("day_full", "{date} already has {recorded} hours of leave and {total} working hours in total")
UNKNOWN_LEAVE_DAY = ErrorCode("unknown_leave_day", "leave day {id} of this employee does not exist")
NOT_ENOUGH_LEAVE = ErrorCode(
    "not_enough_leave", "the {leave_type} balance would be {balance} days on {date} ({available} available)"
)
NOT_ENOUGH_LEAVE_PENDING = ErrorCode(
    "not_enough_leave_pending",
    "the {leave_type} balance would be {balance} days on {date} ({available} available, {pending} in pending requests)",
)
LIMIT_PASSED = "The limit is passed: the {leave_type} balance is {balance} days on {date}."


@dataclass(frozen=True)
class RequestedDay:
    """A requested leave day, and its path in the body."""

    path: str
    date: date | None
    type_id: int | None
    millihours: int | None

    @classmethod
    def from_record(cls, path: str, record: Record) -> "RequestedDay":
        """Return the day that a record requests."""
        return cls(path, record["date"], record["type_id"], record["millihours"])


@dataclass
class LeaveContext:
    """What leave days of one employee are checked against."""

    employee_id: int
    ledger: LeaveLedger
    day_lengths: DayLengths
    millihours_on: dict[date, int]
    """Thousandths of hours of leave that are already recorded, by date."""
    warnings: dict[str, str] = field(default_factory=dict)
    """Valid days that bring a balance below zero where the policy allows it, by path."""
    pending: Sequence[LeaveEntry] = ()
    """Leave of requests without a decision. The ledger counts it as taken."""
    _reasons: dict[int, dict[str, Any]] = field(default_factory=dict)
    """Why there is no leave on the first day that overdraws a type, by type."""

    def with_pending(self, requested: Iterable[RequestedDay]) -> "LeaveContext":
        """Return the context in which days of requests without a decision count as taken."""
        pending = [entry for day in requested if (entry := self._pending_entry(day)) is not None]
        return replace(self, ledger=self.ledger.with_leave(pending), pending=pending)

    def check_days(self, requested: Sequence[RequestedDay], errors: Errors) -> list[NewLeaveDay]:
        """Return the valid days as they are stored, and add an error for each of the others."""
        days = [(request.path, self._check_day(request, errors)) for request in requested]
        valid = [(path, day) for path, day in days if day is not None]
        if len(valid) == len(requested):
            self._check_balances(valid, errors)
            self.warnings = {} if errors else self._limit_warnings(valid)
        return [day for _, day in valid]

    def _check_day(self, request: RequestedDay, errors: Errors) -> NewLeaveDay | None:
        path, day, type_id = request.path, request.date, request.type_id
        if type_id is not None and self.ledger.find_type(type_id) is None:
            errors.add_if_absent(f"{path}type_id", UNKNOWN_ID, resource="leave type", id=type_id)
        length = self._day_length(request, errors)
        if length is None or day is None or type_id is None or f"{path}hours" in errors:
            return None
        leave = NewLeaveDay(
            type_id, day, request.millihours, length.millihours, *length.portion_millidays(request.millihours)
        )
        recorded = self.millihours_on.get(day, 0)
        if recorded + leave.hours_taken > length.millihours:
            errors.add_if_absent(
                f"{path}date",
                DAY_FULL,
                date=day,
                recorded=format_millis(recorded),
                total=format_millis(length.millihours),
            )
            return None
        self.millihours_on[day] = recorded + leave.hours_taken
        return None if f"{path}type_id" in errors else leave

    def _pending_entry(self, request: RequestedDay) -> LeaveEntry | None:
        """The leave of a pending request, or None if no leave can be taken on its day any more."""
        day, type_id = request.date, request.type_id
        length = self._day_length(request, Errors())
        if length is None or day is None or type_id is None or self.ledger.find_type(type_id) is None:
            return None
        return type_id, day, length.portion_millidays(request.millihours)[0]

    def _day_length(self, request: RequestedDay, errors: Errors) -> LeaveDayLength | None:
        path, day = request.path, request.date
        if day is None:
            return None
        if not self.ledger.serves(day):
            errors.add_if_absent(f"{path}date", OUTSIDE_SERVICE, date=day)
            return None
        try:
            length = self.day_lengths.leave_day(self.employee_id, day)
        except LeaveDayError as error:
            errors.add_if_absent(f"{path}date", NO_LEAVE_POSSIBLE, date=day, reason=str(error))
            return None
        if request.millihours is not None:
            try:
                require_hours_within(length, request.millihours)
            except LeaveDayError as error:
                errors.add_if_absent(f"{path}hours", TOO_MANY_HOURS, date=day, reason=str(error))
        return length

    def _limit_warnings(self, days: Sequence[tuple[str, NewLeaveDay]]) -> dict[str, str]:
        """Return a warning for each day that passes the limit of a type with an entitlement."""
        ledger = self.ledger.with_leave([_entry(day) for _, day in days])
        warnings = {}
        for path, day in days:
            for leave_type in ledger.affected_types(day.type_id):
                policy = leave_type.policy(day.date)
                if policy.allows_negative and policy.accrual is not AccrualMethod.NONE:
                    movements = ledger.movements(leave_type, day.date, describe=False)
                    balance = sum(movement.millidays for movement in movements)
                    if balance < 0:
                        warnings[f"{path}date"] = LIMIT_PASSED.format(
                            leave_type=leave_type.name, balance=format_millis(balance), date=day.date
                        )
        return warnings

    def _check_balances(self, days: Sequence[tuple[str, NewLeaveDay]], errors: Errors) -> None:
        """Add an error for each day, in chronological order, that would overdraw a balance."""
        checker = OverdraftChecker(self.ledger, [_entry(day) for _, day in days])
        for path, day in sorted(days, key=lambda item: item[1].date):
            if overdraft := checker.take(*_entry(day)):
                self._add_overdraft(f"{path}date", day.type_id, overdraft, errors)

    def _add_overdraft(self, path: str, type_id: int, overdraft: Overdraft, errors: Errors) -> None:
        pending = self._pending_millidays(type_id, overdraft.date)
        errors.add(
            path,
            NOT_ENOUGH_LEAVE_PENDING if pending else NOT_ENOUGH_LEAVE,
            leave_type=overdraft.leave_type,
            balance=format_millis(overdraft.balance_millidays),
            date=overdraft.date,
            available=format_millis(overdraft.available_millidays),
            **({"pending": format_millis(pending)} if pending else self._shortage_params(type_id, overdraft)),
        )

    def _shortage_params(self, type_id: int, overdraft: Overdraft) -> dict[str, Any]:
        """Why there is no leave of a type on a day. It is found once for all days of the type."""
        leave_type = self.ledger.find_type(type_id)
        if leave_type is None or leave_type.name != overdraft.leave_type or overdraft.available_millidays:
            return {}
        if type_id not in self._reasons:
            self._reasons[type_id] = shortage_params(self.ledger, leave_type, overdraft.date)
        reason = self._reasons[type_id]
        return {} if reason.get("available_from", date.max) <= overdraft.date else reason

    def _pending_millidays(self, type_id: int, until: date) -> int:
        """The days of pending requests of a type up to a day."""
        return sum(millidays for pending_id, day, millidays in self.pending if pending_id == type_id and day <= until)


class LeaveDayChecker:
    """Validation rules for bodies with leave days. Holds the days as they are stored once they are valid."""

    def __init__(self, context: LeaveContext) -> None:
        self._context = context
        self.days: list[NewLeaveDay] = []

    @property
    def warnings(self) -> dict[str, str]:
        """Warnings about valid days, by path."""
        return self._context.warnings

    def list_type_names(self) -> tuple[str, ...]:
        """Return the names of the types of the valid days, each once, in the order of the days."""
        types = [self._context.ledger.find_type(day.type_id) for day in self.days]
        return tuple(dict.fromkeys(leave_type.name for leave_type in types if leave_type))

    def check_day(self, record: Record, errors: Errors) -> None:
        """Check a body that is one day."""
        self.days = self._context.check_days([RequestedDay.from_record("", record)], errors)

    def check_days(self, record: Record, errors: Errors) -> None:
        """Check a body with `dates`."""
        dates = enumerate(record["dates"] or ())
        requested = [RequestedDay.from_record(f"dates.{index}.", element) for index, element in dates]
        self.days = self._context.check_days(requested, errors)


def known_days_rule(known_ids: Container[int]) -> Rule:
    """Return the rule that every ID is that of a leave day of the employee."""

    def check(record: Record, errors: Errors) -> None:
        for index, day_id in enumerate(record["ids"] or ()):
            if day_id is not None and day_id not in known_ids:
                errors.add(f"ids.{index}", UNKNOWN_LEAVE_DAY, id=day_id)

    return check


async def load_leave_context(
    tx: Transaction, client_id: int, employee_id: int, exclude_day_id: int | None = None
) -> LeaveContext:
    """Load what leave days of an employee are checked against, without the day that is being replaced."""
    millihours_on: dict[date, int] = defaultdict(int)
    for row in await repository.load_hours(tx, client_id, employee_id):
        if row["id"] != exclude_day_id:
            millihours_on[row["date"]] += row["millihours"]
    return LeaveContext(
        employee_id,
        await load_ledger(tx, client_id, employee_id, exclude_day_id=exclude_day_id),
        await load_day_lengths(tx, client_id, [employee_id]),
        millihours_on,
    )


def _entry(day: NewLeaveDay) -> tuple[int, date, int]:
    return day.type_id, day.date, day.millidays
