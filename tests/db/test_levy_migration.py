"""Drafts that migrations have recalculated.

Migration 100: those with a foreign worker levy, or with other regular hours within the period.
Migration 111: those with a levy whose period spans two months.
"""

import asyncio
from pathlib import Path

import pytest

from gaji.core.settings import Settings
from gaji.db.database import Database, locate_database
from gaji.db.migrate import migrate
from gaji.identity.repository import insert_account
from tests.db.databases import as_owner, empty_database
from tests.support.running import SECRET, Cluster

BEFORE = 99
ROWS = (
    "INSERT INTO clients (account_id, name) SELECT id, 'Kopi' FROM accounts",
    "INSERT INTO waves (client_id, name, frequency, first_end_date, given_first_end_date, first_period_offset, "
    "last_day_of_month, length_months, length_weeks) "
    "SELECT id, 'Monthly', 'monthly', '2008-01-31', '2026-01-31', 216, 31, 1, 0 FROM clients",
    "INSERT INTO employees (client_id, number, first_name, name_format, payment_method, birthdate, legal_status, "
    "pr_cpf_rates, gender, race, religion, sdl_exempt, cpf_exempt, employment_act_group) SELECT id, '1', 'Arun', 1, "
    "'cash', '1990-01-01', 'FOREIGNER_WP', 'GG', 'M', 'OTHER', 'NONE', false, false, 'non_workman' FROM clients",
    "INSERT INTO payslips (client_id, employee_id, wave_id, period_offset, start_date, date, pay_date, dirty, special, "
    "finalised, finalised_at, inputs) SELECT e.client_id, e.id, w.id, 1, '2026-03-01', '2026-03-31', '2026-03-31', "
    "false, true, s.finalised, CASE WHEN s.finalised THEN now() END, s.inputs::json FROM employees e, waves w, (VALUES "
    "(false, '{\"calculations\":{\"foreign_worker_levy\":{}}}'), (false, '{}'), (false, NULL), "
    '(true, \'{"calculations":{"foreign_worker_levy":{}}}\')) AS s(finalised, inputs)',
)


@pytest.mark.parametrize(
    ("effective_date", "dirty"),
    [("2026-03-01", False), ("2026-03-02", True)],
)
def test_drafts_with_other_hours_within_the_period_are_recalculated(
    cluster: Cluster, tmp_path: Path, effective_date: str, dirty: bool
) -> None:
    history = f"UPDATE inherited_calculations SET inputs_history = '{{\"{effective_date}\": {{}}}}'"
    with empty_database(cluster) as url:
        database = locate_database(Settings(data=tmp_path, database_url=url, secret_key=SECRET))
        asyncio.run(_create_rows(database, history))
        asyncio.run(migrate(database, up_to=100))
        rows = as_owner(database, "SELECT dirty FROM payslips ORDER BY id")
    assert [row["dirty"] for row in rows] == [True, dirty, False, False]


def test_only_drafts_with_a_levy_are_recalculated(cluster: Cluster, tmp_path: Path) -> None:
    with empty_database(cluster) as url:
        database = locate_database(Settings(data=tmp_path, database_url=url, secret_key=SECRET))
        asyncio.run(_create_rows(database))
        asyncio.run(migrate(database, up_to=100))
        rows = as_owner(database, "SELECT dirty FROM payslips ORDER BY id")
    assert [row["dirty"] for row in rows] == [True, False, False, False]


def test_drafts_with_a_levy_in_a_period_of_two_months_are_recalculated(cluster: Cluster, tmp_path: Path) -> None:
    regular = "UPDATE payslips SET special = false, period_offset = id"
    spans = "UPDATE payslips SET start_date = '2026-02-21', date = '2026-03-20' WHERE inputs::text <> '{}'"
    with empty_database(cluster) as url:
        database = locate_database(Settings(data=tmp_path, database_url=url, secret_key=SECRET))
        asyncio.run(_create_rows(database, regular, up_to=110))
        asyncio.run(migrate(database))
        rows = as_owner(database, "SELECT dirty FROM payslips ORDER BY id")
    assert [row["dirty"] for row in rows] == [False, False, False, False]
    with empty_database(cluster) as url:
        database = locate_database(Settings(data=tmp_path, database_url=url, secret_key=SECRET))
        asyncio.run(_create_rows(database, regular, spans, up_to=110))
        asyncio.run(migrate(database))
        rows = as_owner(database, "SELECT dirty FROM payslips ORDER BY id")
    assert [row["dirty"] for row in rows] == [True, False, False, False]


async def _create_rows(database: Database, *more: str, up_to: int = BEFORE) -> None:
    await migrate(database, up_to=up_to)
    async with database.maintenance() as connection:
        await insert_account(connection, "Kopi", "owner@example.com", "known")
        for statement in (*ROWS, *more):
            await connection.execute(statement)
