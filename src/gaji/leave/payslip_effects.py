"""Effects of leave on payslips: unpaid days, encashed days, and the leave of each type."""

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from gaji.core.law_loader import current_law
from gaji.db.tenancy import Transaction
from gaji.engine.leave.child_leave_types import CHILD_LEAVE_TYPES
from gaji.engine.leave.holidays_off import list_holidays_off
from gaji.engine.leave.movements import Settlement, encashed_millidays
from gaji.engine.leave.policies import HolidayOffChoice
from gaji.engine.payslip_input import LeaveEffects, LeaveTypeSummary, ServiceInterval
from gaji.law.columns import Dates, Flags, date_column
from gaji.law.quantities import MILLI, Millis, format_millis
from gaji.leave.balances.columns import LeaveBalances, load_leave_balances
from gaji.leave.balances.recorded import RecordedLeave
from gaji.leave.days.duration import DayLengths, load_day_lengths
from gaji.leave.types.queries import ANNUAL, LeaveType
from gaji.leave.unpaid_days import NO_ABSENCE, AbsentDays, is_national_service, is_unpaid, load_absent_days
from gaji.people.service_periods import queries as service_periods
from gaji.people.service_periods.queries import ServiceTerm

ONE_DAY = timedelta(days=1)


class LeavePayslip(NamedTuple):
    """A regular payslip: its employee, period, service, and the days of service that it pays for."""

    employee_id: int
    start: date
    end: date
    service: Sequence[ServiceInterval]
    paid: Sequence[ServiceInterval]

    def term(self) -> ServiceTerm:
        """Return the service at the end of the period."""
        interval = self.service[-1]
        if interval.start > self.end:
            started = (served for served in reversed(self.service) if served.start <= self.end)
            interval = next(started, self.service[0])
        return ServiceTerm(self.employee_id, interval.start, interval.end, None)

    def ended_services(self) -> "list[LeavePayslip]":
        """Return the period up to the end of each earlier service that ended in it."""
        last = self.term()
        return [
            LeavePayslip(self.employee_id, self.start, served.end, [served], [served])
            for served in self.service
            if served.end is not None and self.start <= served.end <= self.end and served.start < last.start
        ]


async def compute_payslip_effects(
    tx: Transaction, client_id: int, payslips: Sequence[LeavePayslip]
) -> list[LeaveEffects]:
    """Return the effects of leave on each of these payslips."""
    if not payslips:
        return []
    effects = await _compute_effects(tx, client_id, payslips)
    # Someone who left and was reinstated within a period: the leave of each service is settled when it ends.
    ended = [(index, service) for index, payslip in enumerate(payslips) for service in payslip.ended_services()]
    if ended:
        settled = await _compute_effects(tx, client_id, [service for _, service in ended])
        for (index, _), settlement in zip(ended, settled, strict=True):
            effects[index] = _add_settlement(effects[index], settlement)
    return effects


def _add_settlement(effects: LeaveEffects, settlement: LeaveEffects) -> LeaveEffects:
    """Add the annual leave of an earlier service that is paid out or was taken beyond the entitlement."""
    encashed = Decimal(effects.encash_days) + Decimal(settlement.encash_days)
    excess = {month: Decimal(days) for month, days in effects.excess_days.items()}
    for month, days in settlement.excess_days.items():
        excess[month] = excess.get(month, Decimal(0)) + Decimal(days)
    return replace(
        effects,
        encash_days=str(encashed),
        excess_days={month: str(days) for month, days in sorted(excess.items())},
    )


async def _compute_effects(tx: Transaction, client_id: int, payslips: Sequence[LeavePayslip]) -> list[LeaveEffects]:
    """Return the effects of leave, with the settlement of the service at the end of each period."""
    terms = [payslip.term() for payslip in payslips]
    lasts = [
        payslip.end if term.end is None else min(payslip.end, term.end)
        for payslip, term in zip(payslips, terms, strict=True)
    ]
    # Each service twice: for the balance at the end of the period, and on the day before it starts.
    balances = await load_leave_balances(tx, client_id, terms * 2, max(lasts))
    periods = PayslipPeriods(
        date_column([payslip.start - ONE_DAY for payslip in payslips]),
        date_column(lasts),
        balances.last[: len(payslips)],
    )
    # In a thread: a service of many years takes long.
    summaries, annual_balance = await asyncio.to_thread(_summarise_types, balances, periods, payslips)
    annual = next((leave_type for leave_type in balances.types if leave_type.system_type == ANNUAL), None)
    encashed: dict[int, int] = {}
    excess: dict[int, dict[str, str]] = {}
    if annual is not None and annual_balance is not None:
        encashed = await _encashed_millidays(tx, client_id, annual, annual_balance, periods, terms)
        excess = _excess_days(balances.of_type(annual), annual_balance, periods)
    unpaid = await load_absent_days(tx, client_id, balances, payslips, is_unpaid)
    service = await load_absent_days(tx, client_id, balances, payslips, is_national_service)
    holidays = await _paid_holidays(tx, client_id, balances.types, payslips)
    return [
        _effects(
            unpaid.get(index, NO_ABSENCE),
            service.get(index, NO_ABSENCE),
            encashed.get(index, 0),
            excess.get(index, {}),
            summary,
            holidays.get(index, {}),
        )
        for index, summary in enumerate(summaries)
    ]


def _effects(
    unpaid: AbsentDays,
    service: AbsentDays,
    encashed_millidays: int,
    excess_days: dict[str, str],
    types: dict[str, LeaveTypeSummary],
    holidays_off: dict[str, str],
) -> LeaveEffects:
    return LeaveEffects(
        unpaid_days=_text(unpaid.total),
        unpaid_previous_days=None if unpaid.previous is None else _text(unpaid.previous),
        national_service_days=_text(service.total),
        national_service_previous_days=None if service.previous is None else _text(service.previous),
        encash_days=_text(encashed_millidays),
        excess_days=excess_days,
        types=types,
        unpaid_dates=_dates(unpaid),
        national_service_dates=_dates(service),
        holidays_off=holidays_off,
    )


async def _paid_holidays(
    tx: Transaction, client_id: int, leave_types: Sequence[LeaveType], payslips: Sequence[LeavePayslip]
) -> dict[int, dict[str, str]]:
    """The names of public holidays on days off that a policy pays, by date, by index of the payslip."""
    paying = [leave_type for leave_type in leave_types if leave_type.makes_choice(HolidayOffChoice.PAY)]
    if not paying:
        return {}
    day_lengths = await load_day_lengths(tx, client_id, [payslip.employee_id for payslip in payslips])

    def find() -> dict[int, dict[str, str]]:
        return {index: _holidays_of(payslip, day_lengths, paying) for index, payslip in enumerate(payslips)}

    return await asyncio.to_thread(find)


def _holidays_of(payslip: LeavePayslip, day_lengths: DayLengths, paying: Sequence[LeaveType]) -> dict[str, str]:
    schedule = day_lengths.schedule(payslip.employee_id)
    holidays = {
        holiday.day: holiday.name
        for leave_type in paying
        for holiday in list_holidays_off(
            current_law().holidays, schedule, leave_type.policies, HolidayOffChoice.PAY, payslip.end
        )
        if any(interval.start <= holiday.day <= (interval.end or payslip.end) for interval in payslip.paid)
    }
    return {day.isoformat(): name for day, name in sorted(holidays.items()) if payslip.start <= day}


def _dates(absent: AbsentDays) -> dict[str, str]:
    return {day.isoformat(): _text(millidays) for day, millidays in absent.dates.items()}


@dataclass(frozen=True)
class PayslipPeriods:
    """The periods of some payslips, as columns."""

    before: Dates
    """The day before each period."""
    last: Dates
    """The last day in service of each period."""
    service_ends: Dates
    """The end of each service, if it has ended."""

    @cached_property
    def ends_and_starts(self) -> Dates:
        """The ends of all periods, followed by the days before their starts."""
        return np.concatenate([self.last, self.before])

    @cached_property
    def is_last(self) -> Flags:
        """Whether the service ends in the period."""
        is_last: Flags = self.last == self.service_ends
        return is_last


def _summarise_types(
    balances: LeaveBalances, periods: PayslipPeriods, payslips: Sequence[LeavePayslip]
) -> tuple[list[dict[str, LeaveTypeSummary]], Millis | None]:
    """Return the leave of each type for each payslip, and the balances of annual leave."""
    summaries: list[dict[str, LeaveTypeSummary]] = [{} for _ in payslips]
    annual_balance = None
    for leave_type in balances.types:
        recorded = balances.of_type(leave_type)
        if _has_leave(balances, leave_type) or len(recorded.people) or balances.opening_balances:
            balance = balances.balance(leave_type, periods.ends_and_starts, settled=False)
            _add_summaries(summaries, leave_type, recorded, balance, periods, payslips)
            if leave_type.system_type == ANNUAL:
                annual_balance = balance
    return summaries, annual_balance


def _has_leave(balances: LeaveBalances, leave_type: LeaveType) -> bool:
    """Return whether someone can have leave of a type although none was recorded."""
    in_lieu = leave_type.makes_choice(HolidayOffChoice.DAY_IN_LIEU)
    for_children = balances.parents is not None and leave_type.system_type in CHILD_LEAVE_TYPES
    return leave_type.accrues or in_lieu or for_children


def _add_summaries(
    summaries: list[dict[str, LeaveTypeSummary]],
    leave_type: LeaveType,
    recorded: RecordedLeave,
    balance: Millis,
    periods: PayslipPeriods,
    payslips: Sequence[LeavePayslip],
) -> None:
    """Add the summary of a leave type to each payslip for which it is not zero."""
    remaining, opening = np.split(balance, 2)
    closing = remaining
    if leave_type.settlement(None) is not Settlement.ENDS:
        closing = np.where(periods.is_last, np.minimum(remaining, 0), remaining)
    used = _used_millidays(recorded, periods) + remaining - closing
    accrual = closing - opening + used
    own_leave = _used_millidays(recorded.select(recorded.type_ids == leave_type.id), periods)
    indexes = np.flatnonzero((accrual != 0) | (used != 0) | (closing != 0))
    columns = (column[indexes].tolist() for column in (accrual, used, closing, own_leave))
    for index, accrued, taken, left, paid in zip(indexes.tolist(), *columns, strict=True):
        paid_millidays = paid if paid and leave_type.policy(payslips[index].end).paid else 0
        summaries[index][leave_type.name] = _summary(accrued, taken, left, paid_millidays)


@lru_cache(maxsize=10_000)
def _summary(accrual: int, taken: int, balance: int, paid: int) -> LeaveTypeSummary:
    return LeaveTypeSummary(_text(accrual), _text(taken), _text(balance), _text(paid))


def _text(millidays: int) -> str:
    """A number of days as text. Most numbers are whole."""
    return str(millidays // MILLI) if millidays % MILLI == 0 else format_millis(millidays)


def _used_millidays(recorded: RecordedLeave, periods: PayslipPeriods) -> Millis:
    """The leave taken in each period."""
    count = len(periods.last)
    taken = recorded.select(recorded.taken & (recorded.people < count))
    if not len(taken.people):
        return np.zeros(count, dtype=np.int64)
    within = taken.select((periods.before[taken.people] < taken.dates) & (taken.dates <= periods.last[taken.people]))
    used: Millis = np.bincount(within.people, weights=-within.millidays, minlength=count).astype(np.int64)
    return used


async def _encashed_millidays(
    tx: Transaction,
    client_id: int,
    annual: LeaveType,
    balance: Millis,
    periods: PayslipPeriods,
    terms: Sequence[ServiceTerm],
) -> dict[int, int]:
    """The annual leave that is paid out with last payslips, by index of the payslip."""
    last_payslips = np.flatnonzero(periods.is_last).tolist()
    if not last_payslips:
        return {}
    employee_ids = [terms[index].employee_id for index in last_payslips]
    ended = await service_periods.load_service_terms(tx, client_id, employee_ids)
    return {
        index: encashed_millidays(annual.settlement(_termination_code(ended, terms[index])), int(balance[index]))
        for index in last_payslips
    }


def _termination_code(ended: Mapping[int, Sequence[ServiceTerm]], term: ServiceTerm) -> int | None:
    """The recorded termination code of a service."""
    codes = (other.termination_code for other in ended[term.employee_id] if other.end == term.end)
    return next(codes, None)


def _excess_days(recorded: RecordedLeave, balance: Millis, periods: PayslipPeriods) -> dict[int, dict[str, str]]:
    """The annual leave beyond the entitlement on last payslips, by month, by index of the payslip."""
    overdrawn = np.flatnonzero(periods.is_last & (balance[: len(periods.last)] < 0))
    return {
        index: _latest_days(recorded.select(recorded.taken & (recorded.people == index)), -int(balance[index]), last)
        for index, last in zip(overdrawn.tolist(), periods.last[overdrawn].tolist(), strict=True)
    }


def _latest_days(taken: RecordedLeave, excess_millidays: int, last: date) -> dict[str, str]:
    """The latest days of leave that add up to the excess, by month. What no leave explains is in the last month."""
    millidays: dict[str, int] = defaultdict(int)
    for row in np.argsort(-taken.dates.astype(np.int64), kind="stable").tolist():
        part = min(-int(taken.millidays[row]), excess_millidays)
        millidays[str(taken.dates[row])[:7]] += part
        excess_millidays -= part
    millidays[f"{last:%Y-%m}"] += excess_millidays
    return {month: _text(days) for month, days in sorted(millidays.items()) if days}
