"""What leave does to payslips: days that are not paid, days that are paid out, and what each type came to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np

from gaji.db.tenancy import Transaction
from gaji.engine.leave.movements import Settlement, encashed_millidays
from gaji.engine.payslip_input import LeaveEffects, LeaveTypeSummary, ServiceInterval
from gaji.law.columns import Dates, Flags, date_column
from gaji.law.quantities import MILLI, Millis, format_millis
from gaji.leave.balances.columns import stand
from gaji.leave.balances.recorded import Recorded
from gaji.leave.types.queries import ANNUAL, LeaveType
from gaji.leave.unpaid_days import unpaid_of
from gaji.people.service_periods import facts as service_periods
from gaji.people.service_periods.facts import Term

A_DAY = timedelta(days=1)


class Slip(NamedTuple):
    """A regular payslip: whose, for which period, in which services, and for which of their days it pays."""

    employee_id: int
    start: date
    end: date
    service: Sequence[ServiceInterval]
    paid: Sequence[ServiceInterval]

    def term(self) -> Term:
        """The service that the period ends with."""
        one = self.service[-1]
        if one.start > self.end:
            one = next((each for each in reversed(self.service) if each.start <= self.end), self.service[0])
        return Term(self.employee_id, one.start, one.end, None)


async def payslip_effects(tx: Transaction, client_id: int, slips: Sequence[Slip]) -> list[LeaveEffects]:
    """The effects on each of these payslips, any number of them at once."""
    if not slips:
        return []
    terms = [slip.term() for slip in slips]
    lasts = [slip.end if term.end is None else min(slip.end, term.end) for slip, term in zip(slips, terms, strict=True)]
    # Everyone twice: at the end of the period, and on the day before it.
    standing = await stand(tx, client_id, terms * 2, max(lasts))
    periods = Periods(
        date_column([slip.start - A_DAY for slip in slips]), date_column(lasts), standing.last[: len(slips)]
    )
    figures: list[dict[str, LeaveTypeSummary]] = [{} for _ in slips]
    encashed: dict[int, int] = {}
    for one in standing.types:
        recorded = standing.of_type(one)
        if one.accrues or len(recorded.people) or standing.taken_on:
            balance = standing.balance(one, periods.both, settled=False)
            _show(figures, one, recorded, balance, periods, slips)
            if one.system_type == ANNUAL:
                encashed = await _encashed(tx, client_id, one, balance, periods, terms)
    unpaid = await unpaid_of(tx, client_id, standing, slips)
    return [
        LeaveEffects(_text(unpaid.get(place, 0)), _text(encashed.get(place, 0)), shown)
        for place, shown in enumerate(figures)
    ]


@dataclass(frozen=True)
class Periods:
    """The periods of some payslips."""

    before: Dates
    """The day before each."""
    last: Dates
    """The last day of each in service."""
    ends: Dates
    """When the service ends, where it does."""

    @cached_property
    def both(self) -> Dates:
        """The ends of all periods, and then their beginnings."""
        return np.concatenate([self.last, self.before])

    @cached_property
    def leaving(self) -> Flags:
        """Whose service ends in the period."""
        leaving: Flags = self.last == self.ends
        return leaving


def _show(
    found: list[dict[str, LeaveTypeSummary]],
    one: LeaveType,
    recorded: Recorded,
    balance: Millis,
    periods: Periods,
    slips: Sequence[Slip],
) -> None:
    """Add what a type came to in each period, where it accrues or there is anything of it."""
    left, opening = np.split(balance, 2)
    closing = left
    if one.settlement(None) is not Settlement.ENDS:
        closing = np.where(periods.leaving, np.minimum(left, 0), left)
    used = _used(recorded, periods) + left - closing
    accrual = closing - opening + used
    own = _used(recorded.only(recorded.type_ids == one.id), periods)
    places = np.flatnonzero((accrual != 0) | (used != 0) | (closing != 0))
    columns = (column[places].tolist() for column in (accrual, used, closing, own))
    for place, accrued, taken, left_over, paid in zip(places.tolist(), *columns, strict=True):
        if paid and not one.policy(slips[place].end).paid:
            paid = 0
        found[place][one.name] = _figures(accrued, taken, left_over, paid)


@lru_cache(maxsize=10_000)
def _figures(accrual: int, taken: int, balance: int, paid: int) -> LeaveTypeSummary:
    return LeaveTypeSummary(_text(accrual), _text(taken), _text(balance), _text(paid))


def _text(millidays: int) -> str:
    """A number of days as it is written; most are whole."""
    return str(millidays // MILLI) if millidays % MILLI == 0 else format_millis(millidays)


def _used(recorded: Recorded, periods: Periods) -> Millis:
    """The leave that was taken in each period."""
    slips = len(periods.last)
    own = recorded.only(recorded.taken & (recorded.people < slips))
    if not len(own.people):
        return np.zeros(slips, dtype=np.int64)
    within = own.only((periods.before[own.people] < own.dates) & (own.dates <= periods.last[own.people]))
    taken: Millis = np.bincount(within.people, weights=-within.millidays, minlength=slips).astype(np.int64)
    return taken


async def _encashed(
    tx: Transaction, client_id: int, annual: LeaveType, balance: Millis, periods: Periods, terms: Sequence[Term]
) -> dict[int, int]:
    """What of annual leave is paid out with those payslips that are the last, by place."""
    leaving = np.flatnonzero(periods.leaving).tolist()
    if not leaving:
        return {}
    ended = await service_periods.terms(tx, client_id, [terms[place].employee_id for place in leaving])
    return {
        place: encashed_millidays(annual.settlement(_code(ended, terms[place])), int(balance[place]))
        for place in leaving
    }


def _code(ended: Mapping[int, Sequence[Term]], term: Term) -> int | None:
    """The termination code that is recorded of a service."""
    return next((one.termination_code for one in ended[term.employee_id] if one.end == term.end), None)
