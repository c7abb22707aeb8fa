"""The list read: a thousand employees over HTTP, their identifiers decrypted, against a bare handler.

The bare handler runs one statement, which builds the same bytes from copies of the same tables: the same joins and the
same JSON, as one text. Its copies hold the identifiers in clear and are under no policy, and it neither asks who calls
nor opens a tenancy. What is left between the two is what this service adds to a list: authentication, row-level
security, decryption, and the way through the application.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

import asyncpg
import msgspec

from bench import ceiling, servers
from bench.bars import Bar, Sides
from bench.load import Job, put_on
from bench.one_record import check_equal
from gaji.db.installation import Installation
from gaji.people.employees.store import IDENTIFIERS, PLAIN

EMPLOYEES = 1000
COPIED = ("employees", "wave_periods", "service_periods")
INDEXES = """
    ALTER TABLE bench_employees ADD PRIMARY KEY (client_id, id);
    CREATE INDEX ON bench_wave_periods (client_id, employee_id) INCLUDE (wave_id) WHERE end_date IS NULL;
    CREATE INDEX ON bench_service_periods (client_id, employee_id, start_date);
"""
LIST = f"""
    CREATE VIEW {ceiling.TABLE} AS
    SELECT x.client_id AS id,
           '[' || string_agg('{{"employee":' || row_to_json(x)::text || '}}', ',' ORDER BY x.id) || ']' AS body
    FROM (SELECT e.id, e.client_id, {", ".join(f"e.{column}" for column in PLAIN)}, w.wave_id,
                 s.start_date AS appointment_date, e.physical_address, e.custom_fields,
                 gaji.shown(e.created_at) AS created_at, gaji.shown(e.updated_at) AS updated_at,
                 {", ".join(f"e.{name}" for name in IDENTIFIERS)},
                 CASE WHEN e.account_number IS NOT NULL
                      THEN (SELECT a FROM (SELECT e.bank_id, e.account_number, e.branch_code) a) END AS bank_account
          FROM bench_employees e
          JOIN bench_wave_periods w ON w.client_id = e.client_id AND w.employee_id = e.id AND w.end_date IS NULL
          JOIN (SELECT client_id, employee_id, max(start_date) AS start_date FROM bench_service_periods
                GROUP BY client_id, employee_id) s ON s.client_id = e.client_id AND s.employee_id = e.id) x
    GROUP BY x.client_id
"""


@contextmanager
def _sides() -> Iterator[Sides]:
    with servers.installation(EMPLOYEES) as (installed, demo), servers.service(installed, "--no-worker") as port:
        ours = Job(port, f"/v1/clients/{demo.client_id}/employees", {"authorization": demo.api_key})
        expected = put_on(ours)
        arguments = asyncio.run(_copy(installed, expected.body))
        with servers.bare(installed, "bench.ceiling:create", {ceiling.ARGUMENTS: arguments}) as bare_port:
            bare = Job(bare_port, f"/{demo.client_id}", {"authorization": demo.api_key})
            check_equal(expected, put_on(bare))
            yield Sides(ours=lambda: put_on(ours).sample, ceiling=lambda: put_on(bare).sample)


async def _copy(installed: Installation, body: bytes) -> str:
    """Make the copies, with the identifiers that the list shows, and give the way to them."""
    async with installed.database.maintenance() as connection:
        for table in COPIED:
            await connection.execute(f"CREATE TABLE bench_{table} AS SELECT * FROM {table}")
        await _in_clear(connection, body)
        await connection.execute(INDEXES + LIST)
    async with installed.database.owner_connection() as connection:
        await connection.execute("VACUUM ANALYZE")
    return msgspec.json.encode(installed.database.owner).decode()


async def _in_clear(connection: asyncpg.Connection, body: bytes) -> None:
    names = (*IDENTIFIERS, "account_number")
    columns = ", ".join(f"ADD COLUMN {name} text" for name in names)
    await connection.execute(f"ALTER TABLE bench_employees {columns}")
    people = [element["employee"] for element in msgspec.json.decode(body)]
    await connection.executemany(
        f"UPDATE bench_employees SET ({', '.join(names)}) = ($2, $3, $4, $5, $6) WHERE id = $1",
        [
            (one["id"], *(one[name] for name in IDENTIFIERS), (one["bank_account"] or {}).get("account_number"))
            for one in people
        ],
    )


BAR = Bar(name="GET 1,000 employees", unit="req/s", sides=_sides, at_least=0.35)
