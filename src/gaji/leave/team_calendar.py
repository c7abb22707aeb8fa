"""Leave as a whole company sees it: who is away, and who asks to be."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

import msgspec

from gaji.company.clients.service import require_client
from gaji.db.json_lists import Page
from gaji.db.tenancy import Tenant, Transaction
from gaji.law.quantities import MILLI
from gaji.leave import team_calendar_repository as store
from gaji.leave.types import service as types
from gaji.people.employees import directory
from gaji.people.employees.names import Named

MOST_PENDING = 200


@dataclass(frozen=True)
class Away:
    """Someone who is on leave on a day, or on a part of it."""

    employee_id: int
    who: Named
    type: str
    whole: bool


@dataclass(frozen=True)
class DayAway:
    """Some of those who are away on a day, and how many there are."""

    people: list[Away]
    total: int


@dataclass(frozen=True)
class Asked:
    """A request that nobody has decided about."""

    id: int
    employee_id: int
    who: Named
    dates: Sequence[date]
    types: Mapping[str, int]
    """By the name of a type, how many of the dates."""
    reason: str | None
    asked_at: datetime


async def away(tenant: Tenant, client_id: int, first: date, last: date, page: Page) -> dict[date, DayAway]:
    """Who is on leave, by day: of each day the same page, and how many there are."""
    async with tenant.reading() as tx:
        await require_client(tx, client_id)
        rows = await store.days(tx, client_id, first, last, page)
        names = await directory.names(tx, client_id, list({row["employee_id"] for row in rows}))
    found: dict[date, DayAway] = {}
    for employee_id, day, kind, millidays, total in rows:
        people = found.setdefault(day, DayAway([], total)).people
        people.append(Away(employee_id, names[employee_id], kind, millidays >= MILLI))
    return found


async def pending(tenant: Tenant, client_id: int) -> list[Asked]:
    """The requests of a client that wait for an answer, oldest first."""
    known = await types.list_types(tenant, client_id)
    async with tenant.reading() as tx:
        rows = await store.pending(tx, client_id, MOST_PENDING)
        names = await directory.names(tx, client_id, [row["employee_id"] for row in rows])
    return [_asked(*row, names=names, known=known) for row in rows]


async def count_pending(tx: Transaction, client_id: int) -> int:
    """How many requests of a client wait for an answer."""
    return await store.count_pending(tx, client_id)


def _asked(
    request_id: int,
    employee_id: int,
    dates: str,
    reason: str | None,
    at: datetime,
    *,
    names: Mapping[int, Named],
    known: Mapping[int, str],
) -> Asked:
    days = msgspec.json.decode(dates)
    kinds = Counter(known.get(one["type_id"], "") for one in days)
    asked = [date.fromisoformat(one["date"]) for one in days]
    return Asked(request_id, employee_id, names[employee_id], sorted(asked), kinds, reason, at)
