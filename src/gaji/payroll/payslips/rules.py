"""Which draft an employee should have, and which days of a period one payslip pays for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import NamedTuple

from gaji.company.waves.facts import WaveFacts
from gaji.engine.payslip_input import PayPeriod, ServiceInterval
from gaji.people.wave_periods.facts import PaidBy


class Place(NamedTuple):
    """Where a regular payslip stands: its wave and the offset of its period."""

    wave_id: int
    offset: int


@dataclass
class Standing:
    """The regular payslips of one employee, as far as the next draft depends on them."""

    finalised: dict[int, int] = field(default_factory=dict)
    """By wave, the offset of the latest finalised one."""
    drafts: dict[Place, int] = field(default_factory=dict)
    """The drafts, by where they stand."""
    withdrawn: dict[Place, int] = field(default_factory=dict)
    """Those that are put aside."""


def stretches(service: Sequence[ServiceInterval], paid_by: Sequence[PaidBy]) -> list[PaidBy]:
    """The days in service, each stretch with the wave that pays for it, in the order of time."""
    found = []
    for one in service:
        for wave in paid_by:
            start = max(one.start, wave.start)
            end = _earlier(one.end, wave.end)
            if end is None or start <= end:
                found.append(PaidBy(wave.wave_id, start, end))
    return found


def touching(stretches: Sequence[PaidBy], wave_id: int, period: PayPeriod) -> list[ServiceInterval]:
    """The stretches for which this wave pays in this period."""
    return [
        ServiceInterval(one.start, one.end)
        for one in stretches
        if one.wave_id == wave_id and one.start <= period.end and (one.end is None or one.end >= period.start)
    ]


def wanted_draft(
    stretches: Sequence[PaidBy], standing: Standing, waves: Mapping[int, WaveFacts], open_offsets: Mapping[int, int]
) -> Place | None:
    """Where the draft of an employee should stand: the first period in service that is not finalised.

    Whoever is new to a wave begins with the first period that the wave has not finalised; whoever has been paid by it
    goes on from there, also when others are further.
    """
    for one in stretches:
        schedule = waves[one.wave_id].schedule
        offset = schedule.offset_containing(one.start)
        last = standing.finalised.get(one.wave_id)
        if last is not None and schedule.end(last) >= one.start:
            offset = last + 1
        else:
            own = [place.offset for place in standing.drafts if place.wave_id == one.wave_id]
            offset = max(offset, min([open_offsets[one.wave_id], *own]))
        if one.end is None or schedule.start(offset) <= one.end:
            return Place(one.wave_id, offset)
    return None


def whole_month_served(service: Sequence[ServiceInterval], first: date, last: date) -> bool:
    """Whether one service covers these days entirely."""
    return any(one.start <= first and (one.end is None or one.end >= last) for one in service)


def _earlier(one: date | None, other: date | None) -> date | None:
    if one is None or other is None:
        return one or other
    return min(one, other)
