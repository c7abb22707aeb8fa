"""Leave of each type between two days, for any number of services at once."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np

from gaji.db.tenancy import Transaction
from gaji.engine.leave.leave_years import LeaveYears
from gaji.engine.leave.policies import AccrualMethod, LeavePolicy
from gaji.law.columns import Dates, Flags, date_column
from gaji.law.quantities import Counts, Millis
from gaji.leave.balances.columns import LeaveBalances, load_leave_balances
from gaji.leave.balances.recorded import RecordedLeave
from gaji.leave.types.queries import LeaveType
from gaji.people.service_periods.queries import ServiceTerm

ONE_DAY = timedelta(days=1)


@dataclass(frozen=True)
class LeavePeriodSummary:
    """One leave type in thousandths of days, with one value for each service."""

    type: LeaveType
    accrual: Millis
    """What the policy granted, less what expired."""
    entitlement: Millis
    """The entitlement of the leave year at the end. Zero if the policy does not accrue."""
    entitled: Flags
    taken: Millis
    """Leave taken and leave paid out."""
    adjustment: Millis
    """Adjustments and opening balances."""
    balance: Millis

    @property
    def has_values(self) -> Flags:
        """Whether there is anything to show, for each service."""
        columns = (self.accrual, self.taken, self.adjustment, self.balance)
        nonzero: Flags = np.logical_or.reduce([column != 0 for column in columns])
        return nonzero | self.entitled


@dataclass(frozen=True)
class _Window:
    """The days of each service that are summarised."""

    starts: Sequence[date]
    lasts: Sequence[date]
    before: Dates
    """The days before the first days."""
    as_of: Dates
    """The last days."""
    first: Dates
    """The first days of service."""

    def leave_years(self, policy: LeavePolicy) -> Counts:
        """The numbers of the leave years of the last days."""
        return LeaveYears.of_policy(self.first, policy.leave_year_month).numbers(self.as_of)


async def load_period_summaries(
    tx: Transaction, client_id: int, terms: Sequence[ServiceTerm], first: date, lasts: Sequence[date]
) -> list[LeavePeriodSummary]:
    """Summarise each leave type in these services, from a first day to a last day of each service."""
    starts = [max(first, term.start) for term in terms]
    balances = await load_leave_balances(tx, client_id, terms, max(lasts, default=first))
    before, as_of = date_column([start - ONE_DAY for start in starts]), date_column(lasts)
    window = _Window(starts, lasts, before, as_of, balances.first)
    # In a thread: services of many years take long.
    return await asyncio.to_thread(lambda: [_summarise(balances, leave_type, window) for leave_type in balances.types])


def _summarise(balances: LeaveBalances, leave_type: LeaveType, window: _Window) -> LeavePeriodSummary:
    before, as_of = window.before, window.as_of
    recorded = balances.of_type(leave_type)
    recorded = recorded.select((before[recorded.people] < recorded.dates) & (recorded.dates <= as_of[recorded.people]))
    closing, opening = balances.balance(leave_type, as_of), balances.balance(leave_type, before)
    settled = balances.balance(leave_type, as_of, settled=False) - closing
    taken = settled - _sum_rows(recorded, recorded.taken, len(as_of))
    adjustment = _sum_rows(recorded, ~recorded.taken, len(as_of)) + _opening_balances(balances, leave_type, window)
    entitlement, entitled = _entitlement(leave_type, window)
    accrual = closing - opening + taken - adjustment
    return LeavePeriodSummary(leave_type, accrual, entitlement, entitled, taken, adjustment, closing)


def _sum_rows(recorded: RecordedLeave, rows: Flags, count: int) -> Millis:
    """The sum of recorded rows, for each service."""
    total = np.bincount(recorded.people[rows], weights=recorded.millidays[rows], minlength=count)
    return total.astype(np.int64)


def _opening_balances(balances: LeaveBalances, leave_type: LeaveType, window: _Window) -> Millis:
    """The opening balances in the window, for each service."""
    millidays = np.zeros(len(window.as_of), dtype=np.int64)
    for index, term in enumerate(balances.terms if balances.opening_balances else ()):
        opening = balances.opening_balances.get(term.employee_id)
        if opening is not None and window.starts[index] <= opening.day <= window.lasts[index]:
            millidays[index] = opening.millidays.get(leave_type.id, 0)
    return millidays


def _entitlement(leave_type: LeaveType, window: _Window) -> tuple[Millis, Flags]:
    """The entitlement of the leave year of each last day, and who has one by the policy of that day."""
    entitlement, entitled = np.zeros(len(window.as_of), dtype=np.int64), np.zeros(len(window.as_of), dtype=np.bool_)
    for day in set(window.lasts):
        policy, people = leave_type.policy(day), window.as_of == np.datetime64(day, "D")
        if policy.accrual is not AccrualMethod.NONE:
            entitlement[people] = policy.entitlement.at(window.leave_years(policy)[people])
            entitled |= people
    return entitlement, entitled
