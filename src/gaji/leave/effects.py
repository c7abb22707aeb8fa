"""What leave does to payslips: days that are not paid, days that are paid out, and what each type came to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache

import numpy as np

from gaji.db.tenancy import Transaction
from gaji.engine.cases import LeaveEffects, LeaveFigures, Stretch
from gaji.engine.leave.movements import encashed_millidays
from gaji.law.columns import Days, days
from gaji.law.quantities import Millis, number
from gaji.leave.balances.columns import Standing, stand
from gaji.leave.balances.recorded import Recorded
from gaji.leave.types.facts import ANNUAL, LeaveType
from gaji.leave.unpaid_days import unpaid_of
from gaji.service_periods import facts as service_periods
from gaji.service_periods.facts import Term

A_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Slip:
    """A regular payslip: whose, for which period, in which services, and for which of their days it pays."""

    employee_id: int
    start: date
    end: date
    service: Sequence[Stretch]
    paid: Sequence[Stretch]

    @property
    def latest(self) -> Stretch:
        """The service that the period ends with."""
        if len(self.service) == 1:
            return self.service[0]
        begun = [one for one in self.service if one.start <= self.end]
        return begun[-1] if begun else self.service[0]

    @property
    def last(self) -> date:
        """The last day of the period in service."""
        end = self.latest.end
        return self.end if end is None else min(self.end, end)

    @property
    def is_last(self) -> bool:
        """Whether the service ends in the period."""
        end = self.latest.end
        return end is not None and self.start <= end <= self.end


async def payslip_effects(tx: Transaction, client_id: int, slips: Sequence[Slip]) -> list[LeaveEffects]:
    """The effects on each of these payslips, any number of them at once."""
    if not slips:
        return []
    terms = [Term(slip.employee_id, slip.latest.start, slip.latest.end, None) for slip in slips]
    lasts = [slip.last for slip in slips]
    standing = await stand(tx, client_id, terms, max(lasts))
    figures = _figures(standing, slips, lasts)
    encashed = await _encashed(tx, client_id, standing, slips, lasts)
    unpaid = await unpaid_of(tx, client_id, standing, slips)
    return [
        LeaveEffects(_text(unpaid.get(place, 0)), _text(encashed.get(place, 0)), figures[place])
        for place in range(len(slips))
    ]


def _figures(standing: Standing, slips: Sequence[Slip], lasts: Sequence[date]) -> list[dict[str, LeaveFigures]]:
    """What each type that accrues, or of which there is anything, came to in each period."""
    found: list[dict[str, LeaveFigures]] = [{} for _ in slips]
    on, before = days(lasts), days([slip.start - A_DAY for slip in slips])
    leaving = on == standing.last
    for one in standing.types:
        recorded = standing.of_type(one)
        if not one.accrues and not len(recorded.people) and not standing.taken_on:
            continue
        closing, opening = standing.balance(one, on), standing.balance(one, before)
        settled = standing.balance(one, on, settled=False) - closing if leaving.any() else np.zeros_like(closing)
        used = _used(recorded, before, on) + settled
        accrual = closing - opening + used
        own = _used(recorded.only(recorded.type_ids == one.id), before, on)
        shown = accrual.astype(bool) | used.astype(bool) | closing.astype(bool)
        _show(found, one, np.flatnonzero(shown), (accrual, used, closing, own), slips)
    return found


def _show(
    found: list[dict[str, LeaveFigures]],
    one: LeaveType,
    places: Millis,
    columns: tuple[Millis, Millis, Millis, Millis],
    slips: Sequence[Slip],
) -> None:
    texts = [[_text(value) for value in column[places].tolist()] for column in columns]
    for place, accrual, used, balance, own in zip(places.tolist(), *texts, strict=True):
        paid = own if own != "0" and one.policy(slips[place].end).paid else "0"
        found[place][one.name] = LeaveFigures(accrual, used, balance, paid)


@lru_cache(maxsize=10_000)
def _text(millidays: int) -> str:
    """A number of days as it is written; most are whole, and many the same."""
    return str(millidays // 1000) if millidays % 1000 == 0 else number(millidays)


def _used(recorded: Recorded, before: Days, until: Days) -> Millis:
    """The leave that was taken in each period: after the day before it, up to its last day."""
    people, dates = recorded.people, recorded.dates
    chosen = recorded.taken & (before[people] < dates) & (dates <= until[people])
    weights = -recorded.millidays[chosen]
    taken: Millis = np.bincount(people[chosen], weights=weights, minlength=len(before)).astype(np.int64)
    return taken


async def _encashed(
    tx: Transaction, client_id: int, standing: Standing, slips: Sequence[Slip], lasts: Sequence[date]
) -> dict[int, int]:
    """What of annual leave is paid out with those payslips that are the last, by place."""
    leaving = [place for place, slip in enumerate(slips) if slip.is_last]
    annual = next((one for one in standing.types if one.system_type == ANNUAL), None)
    if not leaving or annual is None:
        return {}
    ended = await service_periods.terms(tx, client_id, list({slips[place].employee_id for place in leaving}))
    balance = standing.balance(annual, days(lasts), settled=False)
    return {
        place: encashed_millidays(annual.settlement(_code(ended, slips[place])), int(balance[place]))
        for place in leaving
    }


def _code(ended: Mapping[int, Sequence[Term]], slip: Slip) -> int | None:
    """The termination code of the service that a payslip ends."""
    return next((term.termination_code for term in ended[slip.employee_id] if term.end == slip.latest.end), None)
