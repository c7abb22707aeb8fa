"""Draft periods: which period an employee's next draft is for, and which days of a period a payslip pays for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import NamedTuple

from gaji.company.waves.queries import PayCalendar
from gaji.engine.payslip_input import PayPeriod, ServiceInterval
from gaji.people.wave_periods.queries import WaveInterval


class PeriodKey(NamedTuple):
    """The pay period of a regular payslip: its wave and the offset of the period."""

    wave_id: int
    offset: int


@dataclass
class DraftState:
    """The regular payslips of one employee that decide which draft comes next."""

    finalised: dict[int, int] = field(default_factory=dict)
    """The offset of the latest finalised payslip, by wave."""
    drafts: dict[PeriodKey, int] = field(default_factory=dict)
    """The ids of the drafts, by period."""
    withdrawn: dict[PeriodKey, int] = field(default_factory=dict)
    """The ids of the withdrawn drafts, by period."""


def paid_intervals(service: Sequence[ServiceInterval], waves: Sequence[WaveInterval]) -> list[WaveInterval]:
    """Return the days in service, divided by the wave that pays for them, in order of time."""
    intervals = []
    for served in service:
        for wave in waves:
            start = max(served.start, wave.start)
            end = _earlier(served.end, wave.end)
            if end is None or start <= end:
                intervals.append(WaveInterval(wave.wave_id, start, end))
    return intervals


def service_in_period(intervals: Sequence[WaveInterval], wave_id: int, period: PayPeriod) -> list[ServiceInterval]:
    """Return the intervals for which a wave pays in a period."""
    return [
        ServiceInterval(interval.start, interval.end)
        for interval in intervals
        if interval.wave_id == wave_id
        and interval.start <= period.end
        and (interval.end is None or interval.end >= period.start)
    ]


def next_draft_period(
    intervals: Sequence[WaveInterval],
    state: DraftState,
    waves: Mapping[int, PayCalendar],
    open_offsets: Mapping[int, int],
) -> PeriodKey | None:
    """Return the period of an employee's draft: the first period in service that is not finalised.

    An employee who is new to a wave starts with the first period that the wave has not finalised. An employee who was
    paid by the wave before continues with the next period, even if others are further ahead.
    """
    for interval in intervals:
        schedule = waves[interval.wave_id].schedule
        offset = schedule.offset_containing(interval.start)
        last = state.finalised.get(interval.wave_id)
        if last is not None and schedule.end(last) >= interval.start:
            offset = last + 1
        else:
            drafts = [period.offset for period in state.drafts if period.wave_id == interval.wave_id]
            offset = max(offset, min([open_offsets[interval.wave_id], *drafts]))
        if interval.end is None or schedule.start(offset) <= interval.end:
            return PeriodKey(interval.wave_id, offset)
    return None


def is_paid_after(key: PeriodKey, intervals: Sequence[WaveInterval], end: date) -> bool:
    """Return whether a wave pays an employee after the end of one of its periods, until further notice."""
    last = intervals[-1] if intervals else None
    return last is not None and last.end is None and last.wave_id == key.wave_id and last.start <= end


def is_last_of_month(
    key: PeriodKey,
    intervals: Sequence[WaveInterval],
    waves: Mapping[int, PayCalendar],
    open_offsets: Mapping[int, int],
) -> bool:
    """Return whether no later regular payslip of an employee ends in the calendar month in which a period ends."""
    end = waves[key.wave_id].schedule.end(key.offset)
    remaining = [interval for interval in intervals if interval.end is None or interval.end > end]
    following = next_draft_period(remaining, DraftState({key.wave_id: key.offset}), waves, open_offsets)
    if following is None:
        return True
    next_end = waves[following.wave_id].schedule.end(following.offset)
    return (next_end.year, next_end.month) != (end.year, end.month)


def joins_in_previous_month(
    served: Sequence[ServiceInterval], service: Sequence[ServiceInterval], period: PayPeriod
) -> bool:
    """Return whether a service begins in the period, in the month before that in which the period ends.

    `served` are the intervals for which the payslip pays.
    """
    first_days = {interval.start for interval in service}
    return any(
        interval.start in first_days and period.start <= interval.start < period.end.replace(day=1)
        for interval in served
    )


def served_whole_month(service: Sequence[ServiceInterval], first: date, last: date) -> bool:
    """Return whether one service covers all of these days."""
    return any(served.start <= first and (served.end is None or served.end >= last) for served in service)


def _earlier(first: date | None, second: date | None) -> date | None:
    if first is None or second is None:
        return first or second
    return min(first, second)
