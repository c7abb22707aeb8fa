"""List a thousand employees over HTTP, with decrypted identifiers, compared with a bare handler.

The bare handler runs one statement that builds the same bytes from copies of the tables, with the same joins and the
same JSON. The copies hold the identifiers in plain text and have no row-level security, and the handler has no
authentication and no tenancy. The difference is what the service adds to a list: authentication, row-level security,
decryption and the application itself.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

import asyncpg
import msgspec

from bench import baseline, servers
from bench.bars import PerformanceBar, Sides
from bench.load import LoadTarget, run_load
from bench.single_record import require_equal
from gaji.db.installation import Installation
from gaji.people.employees.repository import IDENTIFIERS, NO_ADDRESS, PLAIN_COLUMNS

EMPLOYEES = 1000
COPIED_TABLES = ("employees", "wave_periods", "service_periods")
INDEXES = """
    ALTER TABLE bench_employees ADD PRIMARY KEY (client_id, id);
    CREATE INDEX ON bench_wave_periods (client_id, employee_id) INCLUDE (wave_id) WHERE end_date IS NULL;
    CREATE INDEX ON bench_service_periods (client_id, employee_id, start_date);
"""
LIST = f"""
    CREATE VIEW {baseline.TABLE} AS
    SELECT x.client_id AS id,
           '[' || string_agg('{{"employee":' || row_to_json(x)::text || '}}', ',' ORDER BY x.id) || ']' AS body
    FROM (SELECT e.id, e.client_id, {", ".join(f"e.{column}" for column in PLAIN_COLUMNS)}, w.wave_id,
                 s.start_date AS appointment_date, e.days_in_singapore,
                 coalesce(e.physical_address, '{NO_ADDRESS}') AS physical_address, e.custom_fields, e.metadata,
                 gaji.shown(e.created_at) AS created_at, gaji.shown(e.updated_at) AS updated_at,
                 {", ".join(f"e.{name}" for name in IDENTIFIERS)},
                 CASE WHEN e.account_number IS NOT NULL
                      THEN (SELECT a FROM (SELECT e.bank_id, e.account_number, e.branch_code) a) END AS bank_account,
                 e.paynow
          FROM bench_employees e
          JOIN bench_wave_periods w ON w.client_id = e.client_id AND w.employee_id = e.id AND w.end_date IS NULL
          JOIN (SELECT client_id, employee_id, max(start_date) AS start_date FROM bench_service_periods
                GROUP BY client_id, employee_id) s ON s.client_id = e.client_id AND s.employee_id = e.id) x
    GROUP BY x.client_id
"""


@contextmanager
def _sides() -> Iterator[Sides]:
    with servers.open_demo(EMPLOYEES) as (installed, demo), servers.run_service(installed, "--no-worker") as port:
        ours = LoadTarget(port, f"/v1/clients/{demo.client_id}/employees", {"authorization": demo.api_key})
        expected = run_load(ours)
        arguments = asyncio.run(_copy_tables(installed, expected.body))
        with servers.run_bare(installed, "bench.baseline:create", {baseline.ARGUMENTS: arguments}) as bare_port:
            bare = LoadTarget(bare_port, f"/{demo.client_id}", {"authorization": demo.api_key})
            require_equal(expected, run_load(bare))
            yield Sides(ours=lambda: run_load(ours).sample, baseline=lambda: run_load(bare).sample)


async def _copy_tables(installed: Installation, body: bytes) -> str:
    """Copy the tables with plain-text identifiers and return the connection arguments for them."""
    async with installed.database.maintenance() as connection:
        for table in COPIED_TABLES:
            await connection.execute(f"CREATE TABLE bench_{table} AS SELECT * FROM {table}")
        await _add_identifiers(connection, body)
        await connection.execute(INDEXES + LIST)
    async with installed.database.owner_connection() as connection:
        await connection.execute("VACUUM ANALYZE")
    return msgspec.json.encode(installed.database.owner).decode()


async def _add_identifiers(connection: asyncpg.Connection, body: bytes) -> None:
    names = (*IDENTIFIERS, "account_number", "paynow")
    columns = ", ".join(f"ADD COLUMN {name} text" for name in names)
    await connection.execute(f"ALTER TABLE bench_employees {columns}")
    employees = [element["employee"] for element in msgspec.json.decode(body)]
    await connection.executemany(
        f"UPDATE bench_employees SET ({', '.join(names)}) = ($2, $3, $4, $5, $6, $7) WHERE id = $1",
        [
            (
                employee["id"],
                *(employee[name] for name in IDENTIFIERS),
                (employee["bank_account"] or {}).get("account_number"),
                employee["paynow"],
            )
            for employee in employees
        ],
    )


BAR = PerformanceBar(name="GET 1,000 employees", unit="req/s", sides=_sides, min_ratio=0.35)
