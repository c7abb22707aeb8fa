"""Payment run queries that other resources may use."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from operator import attrgetter

import asyncpg

from gaji.core import clock
from gaji.core.law_loader import current_law
from gaji.db.tenancy import Transaction
from gaji.law.pay.deadlines import salary_due
from gaji.payroll.payment_runs.repository import CORRECTED_END, PAYMENT_DATE

DUE_SOON = timedelta(days=7)
MAX_DAYS_LATE = timedelta(days=92)
"""How long a run that is not marked as paid, or a released payment, needs attention.

Companies may pay without the file, or without recording it.
"""
MAX_DAYS_SINCE_PERIOD = MAX_DAYS_LATE + timedelta(days=366)
"""A run is paid within a year of the end of its period."""


@dataclass(frozen=True, slots=True)
class RunStatus:
    """The owner and the state of a payment run."""

    client_id: int
    wave_id: int
    finalised: bool
    posted_to_accounting_system: bool
    opening: bool
    """Whether a task is still attaching its payslips."""


@dataclass(frozen=True, slots=True)
class FinalisedRunKey:
    """A finalised payment run, and when it was finalised."""

    client_id: int
    id: int
    finalised_at: datetime


@dataclass(frozen=True, slots=True)
class LatestRun(FinalisedRunKey):
    """A finalised payment run, and the number of its payslips."""

    payslips: int


@dataclass(frozen=True, slots=True)
class OpenSpecialRun:
    """A once-off run or a correction that is not finalised."""

    id: int
    payment_date: date
    is_correction: bool
    corrected_end: date | None
    """The end of the corrected period. None for a once-off run, and for a correction without payslips."""


@dataclass(frozen=True, slots=True)
class UnfinishedRun:
    """A finalised run with a step that is not done yet."""

    id: int
    period_end_date: date
    special: bool
    """Whether the run is once-off or a correction."""
    corrected_end: date | None
    """The end of the corrected period. None if the run is not a correction."""


@dataclass(frozen=True, slots=True)
class UnpostedRun(UnfinishedRun):
    """A finalised run that is not marked as posted. Its journal may have no lines."""

    finalised_at: datetime
    total: int
    """The nett pay of its payslips in cents."""


@dataclass(frozen=True, slots=True)
class DuePayment:
    """A finalised run that is not marked as paid."""

    run_id: int
    due: date
    corrected_end: date | None
    """The end of the corrected period. None if the run is not a correction."""


async def load_finalised_runs(tx: Transaction, client_ids: Sequence[int], first: date) -> list[FinalisedRunKey]:
    """Load the finalised runs of clients whose periods end on a day or later."""
    rows = await tx.fetch(
        "SELECT client_id, id, finalised_at FROM payment_runs WHERE client_id = ANY ($1::bigint[]) AND finalised "
        "AND period_end_date >= $2 ORDER BY client_id, id",
        client_ids,
        first,
    )
    return [FinalisedRunKey(**row) for row in rows]


async def load_last_finalised(
    tx: Transaction, client_ids: Sequence[int], first: date
) -> dict[tuple[int, date], datetime]:
    """Load when the last run was finalised, by client and first day of the month, for periods that end from a day on.

    A correction run belongs to the month that it corrects.
    """
    rows = await tx.fetch(
        "SELECT client_id, date_trunc('month', coalesce(corrected_end, period_end_date))::date AS month, "
        "max(finalised_at) AS finalised_at FROM (SELECT r.client_id, r.period_end_date, r.finalised_at, "
        f"{CORRECTED_END} FROM payment_runs r WHERE r.client_id = ANY ($1::bigint[]) AND r.finalised "
        "AND r.period_end_date >= $2) runs GROUP BY 1, 2",
        client_ids,
        first,
    )
    return {(row["client_id"], row["month"]): row["finalised_at"] for row in rows}


async def load_latest_runs(tx: Transaction, client_ids: Sequence[int], limit: int) -> list[LatestRun]:
    """Load the newest finalised regular runs of each client, up to a number."""
    rows = await tx.fetch(
        "SELECT c.id AS client_id, r.id, r.finalised_at, coalesce(r.payslip_count, 0) AS payslips "
        "FROM unnest($1::bigint[]) AS c(id), LATERAL (SELECT id, finalised_at, payslip_count "
        "FROM payment_runs WHERE client_id = c.id AND finalised AND NOT special "
        "ORDER BY period_end_date DESC, id DESC LIMIT $2) r",
        client_ids,
        limit,
    )
    return [LatestRun(**row) for row in rows]


async def find_clients_with_pay(
    tx: Transaction, client_ids: Sequence[int], first: date, last: date, cleared_before: date
) -> set[int]:
    """Return the clients that paid someone in a period that ended from one day to another.

    Employees who left with an IR21 before a day do not count, because it reports their pay.
    """
    rows = await tx.fetch(
        "SELECT c.id FROM unnest($1::bigint[]) AS c(id) WHERE EXISTS (SELECT FROM payment_runs r "
        "JOIN payslips p ON p.client_id = r.client_id AND p.payment_run_id = r.id "
        "WHERE r.client_id = c.id AND r.finalised AND r.period_end_date BETWEEN $2 AND $3 AND p.nett_pay > 0 "
        "AND NOT EXISTS (SELECT FROM service_periods s WHERE s.client_id = c.id AND s.employee_id = p.employee_id "
        "AND s.ir21 AND s.end_date < $4))",
        client_ids,
        first,
        last,
        cleared_before,
    )
    return {row["id"] for row in rows}


async def load_run_status(tx: Transaction, payment_run_id: int) -> RunStatus | None:
    """Load the status of a payment run that the caller may see."""
    row = await tx.fetchrow(
        "SELECT client_id, wave_id, finalised, posted_to_accounting_system, state = 'opening' AS opening "
        "FROM payment_runs WHERE id = $1",
        payment_run_id,
    )
    return RunStatus(**row) if row else None


async def load_open_runs(tx: Transaction, client_id: int) -> dict[tuple[int, int], int]:
    """Return the regular runs that are not finalised, by wave and period offset. New drafts of the period join them."""
    rows = await tx.fetch(
        "SELECT wave_id, period_offset, id FROM payment_runs WHERE client_id = $1 AND NOT special AND NOT finalised",
        client_id,
    )
    return {(row["wave_id"], row["period_offset"]): row["id"] for row in rows}


async def load_open_runs_of_clients(tx: Transaction, client_ids: Sequence[int]) -> dict[tuple[int, int], int]:
    """Return the regular runs that are not finalised, by wave and period offset. The IDs of waves are unique."""
    rows = await tx.fetch(
        "SELECT wave_id, period_offset, id FROM payment_runs WHERE client_id = ANY ($1::bigint[]) AND NOT special "
        "AND NOT finalised",
        client_ids,
    )
    return {(row["wave_id"], row["period_offset"]): row["id"] for row in rows}


async def load_open_special_runs(tx: Transaction, client_ids: Sequence[int]) -> dict[int, list[OpenSpecialRun]]:
    """Return the once-off runs and corrections that are not finalised, by client and payment date."""
    rows = await tx.fetch(
        f"SELECT r.client_id, r.id, {PAYMENT_DATE} AS payment_date, r.corrects IS NOT NULL AS is_correction, "
        f"{CORRECTED_END} FROM payment_runs r WHERE r.client_id = ANY ($1::bigint[]) AND r.special "
        "AND NOT r.finalised ORDER BY payment_date, r.id",
        client_ids,
    )
    runs: dict[int, list[OpenSpecialRun]] = {}
    for row in rows:
        run = OpenSpecialRun(row["id"], row["payment_date"], row["is_correction"], row["corrected_end"])
        runs.setdefault(row["client_id"], []).append(run)
    return runs


async def load_unreleased_runs(tx: Transaction, client_ids: Sequence[int]) -> dict[int, list[UnfinishedRun]]:
    """Return each finalised run that is not released, by client, oldest first."""
    rows = await tx.fetch(
        f"SELECT r.client_id, r.id, r.period_end_date, r.special, {CORRECTED_END} FROM payment_runs r "
        "WHERE r.client_id = ANY ($1::bigint[]) AND r.finalised AND NOT r.released ORDER BY r.period_end_date, r.id",
        client_ids,
    )
    return _unfinished_runs(rows)


def is_recent(day: date, finalised_at: datetime, today: date) -> bool:
    """Return whether what was due on a day may still need attention. A run can be finalised long after that day."""
    return max(day, clock.date_of(finalised_at)) >= today - MAX_DAYS_LATE


def find_wages_due(payment_date: date, corrected_end: date | None) -> date:
    """Return the day on which the wages of a run are due. Those of a correction were due with the corrected period."""
    if corrected_end is None:
        return payment_date
    return min(payment_date, salary_due(current_law().pay, corrected_end))


def is_payment_late(due: date, finalised_at: datetime, today: date) -> bool:
    """Return whether a run that is not marked as paid needs attention."""
    return due < today and is_recent(due, finalised_at, today)


async def load_due_payments(tx: Transaction, client_ids: Sequence[int], today: date) -> dict[int, list[DuePayment]]:
    """Return each finalised run that is not marked as paid and is due by the end of a week, by client and due date."""
    rows = await tx.fetch(
        f"SELECT r.client_id, r.id, {PAYMENT_DATE} AS payment_date, r.finalised_at, {CORRECTED_END} "
        "FROM payment_runs r WHERE r.client_id = ANY ($1::bigint[]) AND r.finalised AND r.paid_at IS NULL "
        "AND r.total > 0 AND (r.period_end_date >= $2 OR r.finalised_at >= $3) ORDER BY r.id",
        client_ids,
        today - MAX_DAYS_SINCE_PERIOD,
        _first_moment(today),
    )
    payments: dict[int, list[DuePayment]] = {}
    for row in rows:
        due = find_wages_due(row["payment_date"], row["corrected_end"])
        if due <= today + DUE_SOON and is_recent(due, row["finalised_at"], today):
            payment = DuePayment(row["id"], due, row["corrected_end"])
            payments.setdefault(row["client_id"], []).append(payment)
    return {client_id: sorted(listed, key=attrgetter("due")) for client_id, listed in payments.items()}


def _first_moment(today: date) -> datetime:
    """Return the earliest time at which a recent run was finalised."""
    return datetime.combine(today - MAX_DAYS_LATE, time(), clock.SINGAPORE)


async def load_unposted_runs(tx: Transaction, client_ids: Sequence[int], today: date) -> dict[int, list[UnpostedRun]]:
    """Return each recent finalised run that is not marked as posted, by client, oldest first.

    Only of clients that have marked an earlier run, or one of the same day, as posted. Others may not use journals.
    """
    rows = await tx.fetch(
        f"SELECT r.client_id, r.id, r.period_end_date, r.special, {CORRECTED_END}, r.finalised_at, "
        "coalesce(r.total, 0) AS total FROM payment_runs r "
        "JOIN (SELECT client_id, min(period_end_date) AS first FROM payment_runs WHERE client_id = ANY ($1::bigint[]) "
        "AND posted_to_accounting_system GROUP BY client_id) posted ON posted.client_id = r.client_id "
        "WHERE r.client_id = ANY ($1::bigint[]) AND r.finalised AND NOT r.posted_to_accounting_system "
        "AND r.period_end_date >= posted.first AND (r.period_end_date >= $2 OR r.finalised_at >= $3) "
        "ORDER BY r.period_end_date, r.id",
        client_ids,
        today - MAX_DAYS_LATE,
        _first_moment(today),
    )
    runs: dict[int, list[UnpostedRun]] = {}
    for row in map(dict, rows):
        runs.setdefault(row.pop("client_id"), []).append(UnpostedRun(**row))
    return runs


def _unfinished_runs(rows: Iterable[asyncpg.Record]) -> dict[int, list[UnfinishedRun]]:
    runs: dict[int, list[UnfinishedRun]] = {}
    for row in rows:
        run = UnfinishedRun(row["id"], row["period_end_date"], row["special"], row["corrected_end"])
        runs.setdefault(row["client_id"], []).append(run)
    return runs


async def load_open_between(tx: Transaction, client_id: int, first: date, last: date) -> dict[int, date]:
    """Return the period ends of runs, special ones included, that pay for some of these days and are not finalised.

    A correction run pays for the days of the payslips that it corrects.
    """
    rows = await tx.fetch(
        "SELECT r.id, r.period_end_date FROM payment_runs r WHERE r.client_id = $1 AND NOT r.finalised "
        "AND r.period_end_date >= $2 AND (r.corrects IS NULL AND r.period_end_date <= $3 OR EXISTS "
        "(SELECT FROM payslips p WHERE p.client_id = $1 AND p.payment_run_id = r.id AND p.corrects IS NULL "
        "AND p.start_date <= $3) OR EXISTS (SELECT FROM payslips p JOIN payslips corrected "
        "ON corrected.client_id = p.client_id AND corrected.id = p.corrects WHERE p.client_id = $1 "
        "AND p.payment_run_id = r.id AND corrected.date >= $2 AND corrected.start_date <= $3)) ORDER BY r.id",
        client_id,
        first,
        last,
    )
    return {row["id"]: row["period_end_date"] for row in rows}
