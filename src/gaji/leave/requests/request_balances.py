"""The balances of pending requests before and after their approval, of many employees at once."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import msgspec

from gaji.db.tenancy import Transaction
from gaji.law.columns import Dates, date_column
from gaji.law.quantities import Millis
from gaji.leave.balances.columns import LeaveBalances, load_leave_balances
from gaji.leave.days.duration import DayLengths, load_day_lengths
from gaji.leave.days.validate import RequestedDay
from gaji.leave.quantities import format_thousandths
from gaji.leave.types.queries import LeaveType
from gaji.people.service_periods import queries as service_periods
from gaji.people.service_periods.queries import ServiceTerm


@dataclass(frozen=True)
class UndecidedLeave:
    """The days of a request that waits for a decision."""

    request_id: int
    employee_id: int
    days: Sequence[RequestedDay]

    @property
    def last_date(self) -> date:
        """The last requested date."""
        return max(day.date for day in self.days if day.date is not None)


@dataclass(frozen=True)
class RequestBalance:
    """The balance of a leave type on the last date of a request, without and with the request."""

    type: str
    date: date
    before: int | float
    after: int | float


def stored_days(dates: str) -> list[RequestedDay]:
    """Return the days of a stored request."""
    days: list[dict[str, Any]] = msgspec.json.decode(dates)
    return [RequestedDay.from_record("", {**day, "date": date.fromisoformat(day["date"])}) for day in days]


async def load_request_balances(
    tx: Transaction, client_id: int, requests: Sequence[UndecidedLeave]
) -> dict[int, list[RequestBalance]]:
    """Load the balances of each request, by request. Other pending requests do not count.

    Types without a limit are left out, as are requests that end outside of the service.
    """
    employee_ids = list({request.employee_id for request in requests})
    terms_by_employee = await service_periods.load_service_terms(tx, client_id, employee_ids)
    served = [(request, term) for request in requests if (term := _find_term(request, terms_by_employee)) is not None]
    if not served:
        return {}
    last_dates = [request.last_date for request, _ in served]
    balances = await load_leave_balances(tx, client_id, [term for _, term in served], max(last_dates))
    day_lengths = await load_day_lengths(tx, client_id, employee_ids)
    return await asyncio.to_thread(_compute, balances, [request for request, _ in served], day_lengths)


def _find_term(request: UndecidedLeave, terms: Mapping[int, Sequence[ServiceTerm]]) -> ServiceTerm | None:
    day = request.last_date
    return next(
        (
            term
            for term in terms.get(request.employee_id, ())
            if term.start <= day and (term.end is None or day <= term.end)
        ),
        None,
    )


def _compute(
    balances: LeaveBalances, requests: Sequence[UndecidedLeave], day_lengths: DayLengths
) -> dict[int, list[RequestBalance]]:
    as_of = date_column([request.last_date for request in requests])
    extended = _with_requests(balances, requests, day_lengths)
    requested = {day.type_id for request in requests for day in request.days}
    columns = [
        (leave_type, _balance(balances, leave_type, as_of), _balance(extended, leave_type, as_of))
        for leave_type in balances.types
        if leave_type.id in requested
    ]
    return {
        request.request_id: [
            RequestBalance(
                leave_type.name,
                request.last_date,
                format_thousandths(int(before[index])),
                format_thousandths(int(after[index])),
            )
            for leave_type, before, after in columns
            if any(day.type_id == leave_type.id for day in request.days)
            and not leave_type.policy(request.last_date).is_unlimited
        ]
        for index, request in enumerate(requests)
    }


def _balance(balances: LeaveBalances, leave_type: LeaveType, as_of: Dates) -> Millis:
    return balances.balance(leave_type, as_of, settled=False)


def _with_requests(
    balances: LeaveBalances, requests: Sequence[UndecidedLeave], day_lengths: DayLengths
) -> LeaveBalances:
    """The balances with each request taken in its own service."""
    rows = [
        (index, day.type_id, (day.date, day_lengths.charged_millidays(request.employee_id, day.date, day.millihours)))
        for index, request in enumerate(requests)
        for day in request.days
        if day.date is not None and day.type_id is not None
    ]
    return balances.with_leave(
        [index for index, _, _ in rows], [type_id for _, type_id, _ in rows], [taken for _, _, taken in rows]
    )
