"""The employee directory: search, headcount and labels."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import NamedTuple

import asyncpg

from gaji.company.clients.service import require_client
from gaji.core import clock
from gaji.core.error_codes import NOT_ALLOWED
from gaji.core.errors import invalid
from gaji.db.json_lists import ListOrder, ListPage
from gaji.db.tenancy import Tenant, Transaction
from gaji.law.months import Month
from gaji.people.employees import filters
from gaji.people.employees.display_name import EmployeeLabel, employee_label, full_name
from gaji.people.employees.notes import GIRO
from gaji.people.employees.schemas import RESIDENTS

PASS_EXPIRES_WITHIN = timedelta(days=60)
LEAVERS = """
    SELECT e.id, e.number, e.first_name, e.last_name, e.name_format, s.client_id, s.notice_date, s.end_date,
        s.ir21_filed_on
    FROM service_periods s JOIN employees e ON e.client_id = s.client_id AND e.id = s.employee_id"""
IS_LATEST_SERVICE = """NOT EXISTS (SELECT FROM service_periods n WHERE n.client_id = s.client_id
    AND n.employee_id = s.employee_id AND n.start_date > s.start_date)"""
MAX_MOVES = 20
"""How many employees who join or leave are listed."""

NAMES = "id, number, first_name, last_name, name_format"
COLUMNS = "e.id, e.number, e.first_name, e.last_name, e.name_format, e.job_title, e.legal_status, e.pass_to"
SHOWN_NAME = (
    "lower(CASE WHEN e.name_format = 2 THEN e.last_name || ' ' || e.first_name "
    "ELSE e.first_name || ' ' || e.last_name END)"
)
"""The index `employees_by_shown_name` has the same expression."""
BY_NAME = f"{SHOWN_NAME}, e.id"
ORDERS = {
    "name": (SHOWN_NAME,),
    # Numbers such as 9 and 10 in the order of their values, before those with letters.
    "number": ("CASE WHEN e.number ~ '^[0-9]{1,18}$' THEN e.number::bigint END", "lower(e.number)"),
    "job": ("lower(e.job_title)",),
    "status": ("e.legal_status",),
    "pass": ("e.pass_to",),
    "since": (
        "(SELECT max(s.start_date) FROM service_periods s WHERE s.client_id = e.client_id AND s.employee_id = e.id)",
    ),
}
"""The SQL expressions that the directory can be ordered by. Names are ordered as they are shown."""
IN_SERVICE = filters.IN_SERVICE.format("$2")
EXPIRING = "expiring"
PASS_EXPIRES = f"e.pass_to <= $2::date + {PASS_EXPIRES_WITHIN.days}"
DAY_AFTER_EXPIRY = "greatest($2::date, e.pass_to + 1)"
"""Employees whose service ends before the pass does, or with it, need no new pass."""
STATES = {
    "": "$2::date IS NOT NULL",
    filters.SERVING: IN_SERVICE,
    filters.LEFT: f"NOT {IN_SERVICE}",
    EXPIRING: f"{PASS_EXPIRES} AND {filters.IN_SERVICE_OF_FEW.format(DAY_AFTER_EXPIRY)}",
}
"""The SQL condition of each state. The empty one uses $2 too, because every query passes it."""
IN_WAVE = filters.IN_WAVE.format("$3")
IN_ANY_WAVE = "$3::bigint IS NULL"
MATCHES_WORDS = filters.MATCHES_WORDS.format("$4")
# The wave is the open wave period, and the service is the latest one. They are only loaded for one page.
WITH_PERIODS = """
    SELECT e.id, e.number, e.first_name, e.last_name, e.name_format, e.job_title, e.legal_status, e.pass_to,
        (SELECT w.wave_id FROM wave_periods w
         WHERE w.client_id = $1 AND w.employee_id = e.id AND w.end_date IS NULL) AS wave_id, s.start_date, s.end_date
    FROM page e
    CROSS JOIN LATERAL (SELECT start_date, end_date FROM service_periods s
                        WHERE s.client_id = $1 AND s.employee_id = e.id ORDER BY start_date DESC LIMIT 1) s
    ORDER BY e.position"""


@dataclass(frozen=True)
class EmployeeRow:
    """An employee in the directory."""

    id: int
    number: str
    name: str
    job_title: str | None
    legal_status: str
    wave_id: int
    start_date: date
    end_date: date | None
    pass_to: date | None
    """The last day of the work pass."""

    @property
    def has_left(self) -> bool:
        """Whether the last day of service is over."""
        return self.end_date is not None and self.end_date < clock.today()


@dataclass(frozen=True)
class Headcount:
    """The number of employees of a client."""

    has_employees: bool
    """Whether there are any, in service or not."""
    in_service: int
    joining: int
    leaving: int


def employee_orders(table: str) -> dict[str, Sequence[str]]:
    """Return the SQL expressions that records of employees can be ordered by: the name and number of the employee."""
    related = f"FROM employees e WHERE e.client_id = {table}.client_id AND e.id = {table}.employee_id"
    return {name: [f"(SELECT {expression} {related})" for expression in ORDERS[name]] for name in ("name", "number")}


async def search_employees(
    tenant: Tenant,
    client_id: int,
    query: str,
    page: ListPage,
    *,
    state: str = "",
    wave_id: int | None = None,
    order: ListOrder | None = None,
) -> tuple[list[EmployeeRow], int]:
    """Search a client's employees by name, number, job title and email, and return a page and the total number.

    Every word of the query must match. An employee whose number is the query comes first.
    """
    if state not in STATES:
        raise invalid("state", NOT_ALLOWED, allowed=[name for name in STATES if name])
    words = filters.search_words(query)
    wave = IN_ANY_WAVE if wave_id is None else IN_WAVE
    source = f"employees e WHERE e.client_id = $1 AND {STATES[state]} AND {wave}"
    arguments = (client_id, clock.today(), wave_id)
    async with tenant.read_only() as tx:
        await require_client(tx, client_id)
        if words:
            rows, total = await _fetch_matching(tx, source, arguments, words, page, order)
        else:
            rows, total = await _fetch_all(tx, source, arguments, page, order)
    return [_employee_row(row) for row in rows], total


@dataclass(frozen=True)
class FormerEmployee:
    """An employee whose service has ended."""

    id: int
    name: str
    last_day: date


async def find_former_employee(tenant: Tenant, client_id: int, nric: str, fin: str) -> FormerEmployee | None:
    """Return the employee with this NRIC or FIN whose service has ended, to be re-hired instead of added again."""
    async with tenant.read_only() as tx:
        row = await tx.fetchrow(
            f"SELECT {NAMES}, s.end_date FROM employees e CROSS JOIN LATERAL "
            "(SELECT end_date FROM service_periods s WHERE s.client_id = $1 AND s.employee_id = e.id "
            "ORDER BY start_date DESC LIMIT 1) s "
            "WHERE e.client_id = $1 AND (e.nric_lookup = $2 OR e.fin_lookup = $3) AND s.end_date IS NOT NULL",
            client_id,
            tx.vault.identifier_hash(client_id, "nric", nric.strip().upper()),
            tx.vault.identifier_hash(client_id, "fin", fin.strip().upper()),
        )
    return row and FormerEmployee(row["id"], employee_label(row).name, row["end_date"])


async def load_employee_labels(
    tx: Transaction, client_id: int, employee_ids: Sequence[int]
) -> Mapping[int, EmployeeLabel]:
    """Load the names and numbers of employees by ID."""
    rows = await tx.fetch(
        f"SELECT {NAMES} FROM employees WHERE client_id = $1 AND id = ANY ($2::bigint[])", client_id, employee_ids
    )
    return {row["id"]: employee_label(row) for row in rows}


async def load_names_by_number(tx: Transaction, client_id: int, numbers: Sequence[str]) -> Mapping[str, str]:
    """Load the names of employees by payroll number."""
    rows = await tx.fetch(
        f"SELECT {NAMES} FROM employees WHERE client_id = $1 AND number = ANY ($2::text[])", client_id, numbers
    )
    return {row["number"]: employee_label(row).name for row in rows}


async def load_headcount(tx: Transaction, client_id: int) -> Headcount:
    """Count a client's employees: in service today, and joining and leaving this month."""
    today = clock.today()
    month = Month.from_date(today)
    row = await tx.fetchrow(
        "SELECT EXISTS (SELECT FROM employees WHERE client_id = $1) AS has_employees, "
        "count(*) FILTER (WHERE start_date <= $2 AND (end_date IS NULL OR end_date >= $2)) AS in_service, "
        "count(*) FILTER (WHERE start_date BETWEEN $3 AND $4) AS joining, "
        "count(*) FILTER (WHERE end_date BETWEEN $3 AND $4) AS leaving "
        "FROM service_periods WHERE client_id = $1",
        client_id,
        today,
        month.first_day,
        month.last_day,
    )
    return Headcount(row["has_employees"], row["in_service"], row["joining"], row["leaving"])


async def count_employees(tx: Transaction, client_id: int) -> int:
    """Count all employees of a client, in service or not."""
    count: int = await tx.fetchval("SELECT count(*) FROM employees WHERE client_id = $1", client_id)
    return count


@dataclass(frozen=True)
class ServiceChange:
    """An employee who joins or leaves."""

    employee_id: int
    employee: EmployeeLabel
    joins: date | None
    leaves: date | None


async def list_service_changes(tx: Transaction, client_id: int, first: date, last: date) -> list[ServiceChange]:
    """List the first employees who join or leave from one day to another, by date."""
    rows = await tx.fetch(
        "SELECT e.id, e.number, e.first_name, e.last_name, e.name_format, "
        "CASE WHEN s.start_date BETWEEN $2 AND $3 THEN s.start_date END AS joins, "
        "CASE WHEN s.end_date BETWEEN $2 AND $3 THEN s.end_date END AS leaves "
        "FROM service_periods s JOIN employees e ON e.client_id = s.client_id AND e.id = s.employee_id "
        "WHERE s.client_id = $1 AND (s.start_date BETWEEN $2 AND $3 OR s.end_date BETWEEN $2 AND $3) "
        f"ORDER BY CASE WHEN s.start_date >= $2 THEN s.start_date ELSE s.end_date END, e.id LIMIT {MAX_MOVES}",
        client_id,
        first,
        last,
    )
    return [ServiceChange(row["id"], employee_label(row), row["joins"], row["leaves"]) for row in rows]


@dataclass(frozen=True)
class ServiceLeaver:
    """An employee whose service ends, or has ended."""

    client_id: int
    employee_id: int
    employee: EmployeeLabel
    notice_date: date | None
    last_day: date
    filed_on: date | None


async def list_ir21_leavers(tx: Transaction, client_ids: Sequence[int], first: date) -> list[ServiceLeaver]:
    """List the employees of clients whose latest service ends with an IR21 on a day or later, by the last day."""
    rows = await tx.fetch(
        f"{LEAVERS} WHERE s.client_id = ANY ($1::bigint[]) AND s.ir21 AND s.end_date >= $2 AND {IS_LATEST_SERVICE} "
        "ORDER BY s.end_date, e.id",
        client_ids,
        first,
    )
    return [_leaver(row) for row in rows]


async def list_uncleared_foreigners(
    tx: Transaction, client_ids: Sequence[int], first: date, last: date
) -> list[ServiceLeaver]:
    """List the foreigners of clients whose latest service ends on these days without an IR21, by the last day."""
    rows = await tx.fetch(
        f"{LEAVERS} WHERE s.client_id = ANY ($1::bigint[]) AND s.ir21 IS NOT TRUE AND s.end_date BETWEEN $2 AND $3 "
        f"AND e.legal_status <> ALL ($4::text[]) AND {IS_LATEST_SERVICE} ORDER BY s.end_date, e.id",
        client_ids,
        first,
        last,
        RESIDENTS,
    )
    return [_leaver(row) for row in rows]


def _leaver(row: asyncpg.Record) -> ServiceLeaver:
    return ServiceLeaver(
        row["client_id"],
        row["id"],
        employee_label(row),
        row["notice_date"],
        row["end_date"],
        row["ir21_filed_on"],
    )


async def load_headcounts(tx: Transaction, client_ids: Sequence[int]) -> dict[int, int]:
    """Return the number of employees in service today by client. Clients without any are left out."""
    rows = await tx.fetch(
        "SELECT client_id, count(*) AS employees FROM service_periods WHERE client_id = ANY ($1::bigint[]) "
        "AND start_date <= $2 AND (end_date IS NULL OR end_date >= $2) GROUP BY client_id",
        client_ids,
        clock.today(),
    )
    return {row["client_id"]: row["employees"] for row in rows}


class FileNeeds(NamedTuple):
    """Which files a client needs for its employees in service."""

    giro: bool
    """A file for the bank."""
    cpf_file: bool
    """A file for the CPF Board, which also collects the skills development levy."""


async def find_file_needs(tx: Transaction, client_ids: Sequence[int]) -> dict[int, FileNeeds]:
    """Return which files clients need for their employees in service."""
    # Looks for one employee who needs the file, instead of reading all of them.
    in_service = (
        "SELECT FROM service_periods s WHERE s.client_id = e.client_id AND s.employee_id = e.id "
        "AND s.start_date <= $2 AND (s.end_date IS NULL OR s.end_date >= $2)"
    )
    with_file = f"EXISTS (SELECT FROM employees e WHERE e.client_id = c.id AND {{}} AND EXISTS ({in_service} OFFSET 0))"
    needs_cpf_file = "(NOT e.sdl_exempt OR e.legal_status = ANY ($4::text[]) AND NOT e.cpf_exempt)"
    rows = await tx.fetch(
        f"SELECT c.id AS client_id, {with_file.format('e.payment_method = $3')} AS giro, "
        f"{with_file.format(needs_cpf_file)} AS cpf_file FROM unnest($1::bigint[]) AS c(id)",
        client_ids,
        clock.today(),
        GIRO,
        RESIDENTS,
    )
    return {row["client_id"]: FileNeeds(row["giro"], row["cpf_file"]) for row in rows}


async def find_clients_with_employees(tx: Transaction, client_ids: Sequence[int]) -> set[int]:
    """Return the clients that have employees, in service or not."""
    rows = await tx.fetch(
        "SELECT c.id FROM unnest($1::bigint[]) AS c(id) WHERE EXISTS (SELECT FROM employees WHERE client_id = c.id)",
        client_ids,
    )
    return {row["id"] for row in rows}


@dataclass(frozen=True)
class PersonMatch:
    """An employee of one of several clients."""

    id: int
    client_id: int
    employee: EmployeeLabel


async def search_people(tx: Transaction, client_ids: Sequence[int], query: str, limit: int) -> list[PersonMatch]:
    """Search the employees of several clients by name, number, job title and email.

    Those in whose name a word begins with each word of the query come first, and among them those of the first client.
    """
    rows = await tx.fetch(
        "SELECT e.client_id, e.id, e.number, e.first_name, e.last_name, e.name_format FROM employees e "
        "WHERE e.client_id = ANY ($1::bigint[]) AND e.searched LIKE ALL ($2::text[]) "
        "ORDER BY lower(concat_ws(' ', '', e.first_name, e.last_name)) LIKE ALL ($4::text[]) DESC, "
        f"e.client_id <> ($1::bigint[])[1], lower(e.number) <> $3, e.searched, e.id LIMIT {limit:d}",
        client_ids,
        filters.search_patterns(query),
        query.strip().lower(),
        filters.name_patterns(query),
    )
    return [PersonMatch(row["id"], row["client_id"], employee_label(row)) for row in rows]


async def list_expiring_passes(
    tx: Transaction, client_id: int, limit: int
) -> tuple[list[tuple[int, EmployeeLabel, date]], int]:
    """List employees in service whose work pass has expired or expires soon, and return how many there are.

    Each is the ID, the label and the last day of the pass.
    """
    rows = await tx.fetch(
        "SELECT e.id, e.number, e.first_name, e.last_name, e.name_format, e.pass_to, count(*) OVER () AS total "
        f"FROM employees e WHERE e.client_id = $1 AND {STATES[EXPIRING]} ORDER BY e.pass_to, e.id LIMIT {limit:d}",
        client_id,
        clock.today(),
    )
    passes = [(row["id"], employee_label(row), row["pass_to"]) for row in rows]
    return passes, rows[0]["total"] if rows else 0


@dataclass(frozen=True)
class EndingPasses:
    """The work passes of employees in service that have expired or expire soon."""

    ended: int
    ending: int
    first: date
    """The last day of the pass that ends first."""
    first_ending: date | None
    """The last day of the first one that has not ended."""


async def load_ending_passes(tx: Transaction, client_ids: Sequence[int]) -> dict[int, EndingPasses]:
    """Return the work passes that have expired or expire soon, by client. Clients without any are left out."""
    rows = await tx.fetch(
        "SELECT e.client_id, count(*) FILTER (WHERE e.pass_to < $2) AS ended, "
        "count(*) FILTER (WHERE e.pass_to >= $2) AS ending, min(e.pass_to) AS first, "
        "min(e.pass_to) FILTER (WHERE e.pass_to >= $2) AS first_ending FROM employees e "
        f"WHERE e.client_id = ANY ($1::bigint[]) AND {PASS_EXPIRES} "
        f"AND {filters.IN_SERVICE_OF_FEW.format(DAY_AFTER_EXPIRY)} GROUP BY e.client_id",
        client_ids,
        clock.today(),
    )
    names = ("ended", "ending", "first", "first_ending")
    return {row["client_id"]: EndingPasses(**{name: row[name] for name in names}) for row in rows}


async def _fetch_all(
    tx: Transaction, source: str, arguments: Sequence[object], page: ListPage, order: ListOrder | None
) -> tuple[list[asyncpg.Record], int]:
    total = await tx.fetchval(f"SELECT count(*) FROM {source}", *arguments)
    # The usual order is that of the index by name, so that only the rows of the page are read.
    by = order.sql(ORDERS, "e.id") if order else BY_NAME
    query = f"SELECT {COLUMNS}, row_number() OVER (ORDER BY {by}) AS position FROM {source} ORDER BY {by}"
    rows = await tx.fetch(f"WITH page AS ({query} {_limit(page)}) {WITH_PERIODS}", *arguments)
    return rows, total


async def _fetch_matching(
    tx: Transaction,
    source: str,
    arguments: Sequence[object],
    words: Sequence[str],
    page: ListPage,
    order: ListOrder | None,
) -> tuple[list[asyncpg.Record], int]:
    by = f"lower(e.number) <> $5, {order.sql(ORDERS, 'e.id') if order else BY_NAME}"
    # Matching words is the slowest part, so the matches are computed once for both the page and the count.
    rows = await tx.fetch(
        f"WITH matches AS MATERIALIZED (SELECT {COLUMNS}, row_number() OVER (ORDER BY {by}) AS position "
        f"FROM {source} AND {MATCHES_WORDS}), "
        f"page AS (SELECT * FROM matches ORDER BY position {_limit(page)}), "
        f"count AS (SELECT count(*) AS total FROM matches), result AS ({WITH_PERIODS}) "
        "SELECT result.*, count.total FROM count LEFT JOIN result ON true",
        *arguments,
        filters.word_patterns(words),
        " ".join(words),
    )
    return [row for row in rows if row["id"] is not None], rows[0]["total"]


def _limit(page: ListPage) -> str:
    return f"LIMIT {page.size:d} OFFSET {page.offset:d}"


def _employee_row(row: asyncpg.Record) -> EmployeeRow:
    return EmployeeRow(
        row["id"],
        row["number"],
        full_name(row["first_name"], row["last_name"], row["name_format"]),
        row["job_title"],
        row["legal_status"],
        row["wave_id"],
        row["start_date"],
        row["end_date"],
        row["pass_to"],
    )
