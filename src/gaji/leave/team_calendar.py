"""Leave of a whole company: who is away, and pending requests."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

import asyncpg
import msgspec

from gaji.company.clients.service import require_client
from gaji.db.json_lists import ListPage
from gaji.db.tenancy import Tenant, Transaction
from gaji.law.holidays import Holiday
from gaji.law.quantities import MILLI
from gaji.leave import team_calendar_repository as repository
from gaji.leave.days.duration import DayLengths, LeaveTime, load_day_lengths
from gaji.leave.medical_certificates.queries import load_certificate_ids
from gaji.leave.requests.clashes import REQUESTED, Clash, RequestedDate, load_clashes
from gaji.leave.requests.request_balances import RequestBalance, UndecidedLeave, load_request_balances, stored_days
from gaji.leave.requests.service import PENDING
from gaji.leave.types import service as types
from gaji.leave.unpaid_holidays import load_requested_holidays
from gaji.people.employees import directory
from gaji.people.employees.display_name import EmployeeLabel

MAX_PENDING = 200


@dataclass(frozen=True)
class Absence:
    """An employee who is on leave on a day, or for a part of it."""

    employee_id: int
    who: EmployeeLabel
    type: str
    whole_day: bool


@dataclass(frozen=True)
class DayAbsences:
    """A page of the employees who are away on a day, and their total number."""

    people: list[Absence]
    total: int


@dataclass(frozen=True)
class ClashingAbsence:
    """Someone who is away on days of a request, or has asked for them."""

    name: str
    dates: Sequence[date]
    is_request: bool
    """Whether they have only asked for them."""
    is_own: bool
    """Whether it is leave of the same employee."""


@dataclass(frozen=True)
class PendingRequest:
    """A leave request, or a withdrawal of approved leave, without a decision."""

    id: int
    employee_id: int
    who: EmployeeLabel
    dates: Sequence[date]
    times: Mapping[str, Sequence[LeaveTime]]
    """The leave on each date, by name of the leave type."""
    reason: str | None
    part_of_day: str | None
    """The half of each day, if the employee said which."""
    asked_at: datetime
    is_withdrawal: bool
    certificate_ids: Sequence[int]
    """Medical certificates."""
    clashes: Sequence["ClashingAbsence"]
    """Who of the same pay point is away too, or has asked for the same days."""
    balances: Sequence[RequestBalance]
    """The balances before and after approval, of types with a limit. None of withdrawals."""
    unpaid_holidays: Sequence[Holiday]
    """Public holidays that are not paid because of the request. None of withdrawals."""


@dataclass(frozen=True)
class UndecidedRequest:
    """A leave request, or a withdrawal of approved leave, without a decision, and its first day."""

    id: int
    employee_id: int
    first_date: date


async def load_absences(
    tenant: Tenant, client_id: int, first: date, last: date, page: ListPage
) -> dict[date, DayAbsences]:
    """Load who is on leave, by day. The page applies to each day."""
    async with tenant.read_only() as tx:
        await require_client(tx, client_id)
        rows = await repository.list_absences(tx, client_id, first, last, page)
        labels = await directory.load_employee_labels(tx, client_id, list({row["employee_id"] for row in rows}))
    absences: dict[date, DayAbsences] = {}
    for row in rows:
        people = absences.setdefault(row["date"], DayAbsences([], row["total"])).people
        employee_id, whole_day = row["employee_id"], row["millidays"] >= MILLI
        people.append(Absence(employee_id, labels[employee_id], row["type"], whole_day))
    return absences


async def load_pending(tenant: Tenant, client_id: int) -> list[PendingRequest]:
    """Load the pending requests of a client, oldest first."""
    type_names = await types.list_types(tenant, client_id)
    async with tenant.read_only() as tx:
        rows = await repository.list_pending(tx, client_id, MAX_PENDING)
        clashes = await load_clashes(tx, client_id, _requested_dates(rows))
        employee_ids = {row["employee_id"] for row in rows} | {clash.employee_id for clash in clashes}
        labels = await directory.load_employee_labels(tx, client_id, list(employee_ids))
        certificates = await load_certificate_ids(tx, client_id, [row["id"] for row in rows])
        balances = await load_request_balances(tx, client_id, _undecided_leave(rows))
        holidays = await load_requested_holidays(tx, client_id, _undecided_leave(rows))
        day_lengths = await load_day_lengths(tx, client_id, list({row["employee_id"] for row in rows}))
    times = await asyncio.to_thread(lambda: {row["id"]: _times_by_type(row, type_names, day_lengths) for row in rows})
    return [
        _pending_request(row, labels, times[row["id"]], certificates.get(row["id"], []), clashes, balances, holidays)
        for row in rows
    ]


async def list_undecided(tx: Transaction, client_id: int) -> list[UndecidedRequest]:
    """List the pending requests of a client, oldest first."""
    return [
        UndecidedRequest(row["id"], row["employee_id"], min(_dates(row)))
        for row in await repository.list_pending(tx, client_id, MAX_PENDING)
    ]


async def count_pending(tx: Transaction, client_ids: Sequence[int]) -> dict[int, int]:
    """Count the pending requests and withdrawals of clients. Clients without any are left out."""
    return await repository.count_pending(tx, client_ids)


def _pending_request(
    row: asyncpg.Record,
    labels: Mapping[int, EmployeeLabel],
    times: Mapping[str, Sequence[LeaveTime]],
    certificate_ids: Sequence[int],
    clashes: Sequence[Clash],
    balances: Mapping[int, Sequence[RequestBalance]],
    holidays: Mapping[int, Sequence[Holiday]],
) -> PendingRequest:
    return PendingRequest(
        row["id"],
        row["employee_id"],
        labels[row["employee_id"]],
        sorted(_dates(row)),
        times,
        row["reason"],
        row["part_of_day"],
        row["created_at"],
        row["status"] != PENDING,
        certificate_ids,
        _clashing_absences(row, labels, clashes),
        balances.get(row["id"], ()),
        holidays.get(row["id"], ()),
    )


def _times_by_type(
    row: asyncpg.Record, type_names: Mapping[int, str], day_lengths: DayLengths
) -> dict[str, list[LeaveTime]]:
    times: dict[str, list[LeaveTime]] = {}
    for day in msgspec.json.decode(row["dates"]):
        time = day_lengths.leave_time(row["employee_id"], date.fromisoformat(day["date"]), day["millihours"])
        times.setdefault(type_names.get(day["type_id"], ""), []).append(time)
    return times


def _dates(row: asyncpg.Record) -> list[date]:
    return [date.fromisoformat(day["date"]) for day in msgspec.json.decode(row["dates"])]


def _undecided_leave(rows: Sequence[asyncpg.Record]) -> list[UndecidedLeave]:
    """The requests without the withdrawals."""
    return [
        UndecidedLeave(row["id"], row["employee_id"], stored_days(row["dates"]))
        for row in rows
        if row["status"] == PENDING
    ]


def _requested_dates(rows: Sequence[asyncpg.Record]) -> list[RequestedDate]:
    """The days of the requests without those of withdrawals."""
    return [
        RequestedDate(row["id"], row["employee_id"], day)
        for row in rows
        if row["status"] == PENDING
        for day in _dates(row)
    ]


def _clashing_absences(
    row: asyncpg.Record, labels: Mapping[int, EmployeeLabel], clashes: Sequence[Clash]
) -> list[ClashingAbsence]:
    dates: dict[tuple[int, str], list[date]] = {}
    for clash in clashes:
        if clash.request_id == row["id"]:
            dates.setdefault((clash.employee_id, clash.status), []).append(clash.date)
    return [
        ClashingAbsence(labels[employee_id].name, days, status == REQUESTED, employee_id == row["employee_id"])
        for (employee_id, status), days in dates.items()
    ]
