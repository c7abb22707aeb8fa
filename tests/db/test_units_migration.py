"""Migration 30: keys of accounting splits, and the units of leave in stored JSON."""

import asyncio
import json
from pathlib import Path

from gaji.core.settings import Settings
from gaji.db.database import locate_database
from gaji.db.migrate import migrate
from gaji.identity.repository import insert_account
from tests.db.databases import as_owner, empty_database
from tests.support.running import SECRET, Cluster

BEFORE = 27
ROWS = """
    INSERT INTO clients (account_id, name) SELECT id, 'Kopi' FROM accounts;
    INSERT INTO accounting_splits (client_id, name) SELECT c.id, s FROM clients c, unnest(ARRAY['Sales', 'Ops']) s;
    INSERT INTO leave_types (client_id, name) SELECT id, 'annual' FROM clients;
    INSERT INTO leave_policies (client_id, leave_type_id, effective_date, accrual, entitlement, first_year,
                                least_months, carry_over_limit, prorate, below_zero, paid)
    SELECT client_id, id, '2026-01-01', 'yearly', '[{"year": 1, "days": 14000}, {"year": 3, "days": 16500}]',
           '[{"months": 3, "days": 5000}]', 0, 5000, true, false, true FROM leave_types;
    INSERT INTO leave_policies (client_id, leave_type_id, effective_date, accrual, entitlement, least_months, prorate,
                                below_zero, paid)
    SELECT client_id, id, '2027-01-01', 'none', '[]', 0, true, false, true FROM leave_types;
    INSERT INTO employees (client_id, number, first_name, name_format, payment_method, birthdate, legal_status, gender,
                           race, religion, sdl_exempt, cpf_exempt, pr_cpf_rates, employment_act_group)
    SELECT id, '1', 'Mei', 1, 'cash', '1990-01-01', 'CITIZEN', 'F', 'CHINESE', 'NONE', false, false, 'GG', 'manager'
    FROM clients;
    INSERT INTO leave_requests (client_id, employee_id, dates)
    SELECT client_id, id, '[{"date": "2026-05-04", "hours": 4500, "type_id": 1},
                            {"date": "2026-05-05", "hours": null, "type_id": 1}]' FROM employees;
"""


def test_values_keep_their_meaning_and_the_audit_log_is_unchanged(cluster: Cluster, tmp_path: Path) -> None:
    with empty_database(cluster) as url:
        settings = Settings(data=tmp_path, database_url=url, secret_key=SECRET)
        database = locate_database(settings)
        asyncio.run(_create_rows(settings))
        logged = as_owner(database, "SELECT count(*) FROM audit_log")
        asyncio.run(migrate(database))
        assert as_owner(database, "SELECT count(*) FROM audit_log") == logged
        splits = as_owner(database, "SELECT id::text, key, name FROM accounting_splits ORDER BY id")
        assert [(split["key"] == split["id"], split["name"]) for split in splits] == [(True, "Sales"), (True, "Ops")]
        columns = "entitlement::text, first_year::text, carry_over_limit_millidays"
        policies = as_owner(database, f"SELECT {columns} FROM leave_policies ORDER BY effective_date")
        requests = as_owner(database, "SELECT dates::text FROM leave_requests")
    assert json.loads(policies[0]["entitlement"]) == [{"year": 1, "millidays": 14000}, {"year": 3, "millidays": 16500}]
    assert json.loads(policies[0]["first_year"]) == [{"months": 3, "millidays": 5000}]
    assert policies[0]["carry_over_limit_millidays"] == 5000
    assert policies[1] == {"entitlement": "[]", "first_year": None, "carry_over_limit_millidays": None}
    assert json.loads(requests[0]["dates"]) == [
        {"date": "2026-05-04", "millihours": 4500, "type_id": 1},
        {"date": "2026-05-05", "millihours": None, "type_id": 1},
    ]


async def _create_rows(settings: Settings) -> None:
    database = locate_database(settings)
    await migrate(database, up_to=BEFORE)
    async with database.maintenance() as connection:
        await insert_account(connection, "An account", "someone@example.com", "no password opens this")
        await connection.execute(ROWS)
