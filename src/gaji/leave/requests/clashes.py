"""Clashes of requested leave: who else of the same group is away or has asked for the same days, and own leave.

The group of an employee is their pay point. Employees without a pay point are grouped by wave.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from gaji.db.tenancy import Transaction
from gaji.leave.requests import repository

AWAY, REQUESTED = "away", "requested"

NEW_REQUEST = 0
"""The ID of a request that is not saved yet."""


@dataclass(frozen=True)
class RequestedDate:
    """A day that an employee asks for."""

    request_id: int
    employee_id: int
    date: date


@dataclass(frozen=True)
class Clash:
    """Someone of the group who is away on a requested day or has asked for it, or own leave."""

    request_id: int
    date: date
    employee_id: int
    status: str
    """`away` or `requested`."""


@dataclass(frozen=True)
class DayClashes:
    """The clashes of one requested day."""

    date: date
    others_away: int
    others_requested: int
    own_leave: bool
    own_request: bool

    @property
    def sentence(self) -> str:
        """The clashes as a caller of the API reads them."""
        parts = []
        if self.others_away:
            parts.append(f"{_others(self.others_away)} of the same group {_are(self.others_away)} away")
        if self.others_requested:
            have = "has" if self.others_requested == 1 else "have"
            parts.append(f"{_others(self.others_requested)} of the same group {have} asked for this day")
        if self.own_leave:
            parts.append("the employee already has leave on a part of this day")
        if self.own_request:
            parts.append("another request of the employee for this day is pending")
        return f"{self.date}: {'; '.join(parts)}"


async def load_clashes(tx: Transaction, client_id: int, dates: Sequence[RequestedDate]) -> list[Clash]:
    """Load the clashes of requested days, by request and date. A request does not clash with itself."""
    rows = await repository.load_clashes(
        tx,
        client_id,
        [day.request_id for day in dates],
        [day.employee_id for day in dates],
        [day.date for day in dates],
    )
    return [Clash(**row) for row in rows]


def summarise_clashes(clashes: Sequence[Clash], employee_id: int) -> list[DayClashes]:
    """Return the clashes by day. Someone who is away on a day is not counted as having asked for it."""
    by_date: dict[date, list[Clash]] = defaultdict(list)
    for clash in clashes:
        by_date[clash.date].append(clash)
    return [_day_clashes(day, by_date[day], employee_id) for day in sorted(by_date)]


def clash_warnings(days: Sequence[DayClashes], dates: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return a warning for each requested day with a clash, by its path in the body."""
    sentences = {day.date: day.sentence for day in days}
    return {
        f"dates.{index}": sentences[element["date"]]
        for index, element in enumerate(dates)
        if element["date"] in sentences
    }


def _day_clashes(day: date, clashes: Sequence[Clash], employee_id: int) -> DayClashes:
    away = {clash.employee_id for clash in clashes if clash.status == AWAY}
    requested = {clash.employee_id for clash in clashes if clash.status == REQUESTED}
    return DayClashes(
        day,
        len(away - {employee_id}),
        len(requested - away - {employee_id}),
        employee_id in away,
        employee_id in requested,
    )


def _others(number: int) -> str:
    return "1 other" if number == 1 else f"{number} others"


def _are(number: int) -> str:
    return "is" if number == 1 else "are"
