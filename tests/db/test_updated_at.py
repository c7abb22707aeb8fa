"""`updated_at` never moves backwards, whichever of two concurrent transactions began first."""

import asyncio
from datetime import datetime

import asyncpg

from gaji.db.database import SCHEMA
from tests.support.company import Company
from tests.support.running import Service

TABLES = f"""SELECT c.relname AS name, EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = c.oid
        AND t.tgname = 'advance_updated_at' AND t.tgenabled = 'O') AS protected
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'updated_at' AND NOT a.attisdropped
    WHERE c.relkind IN ('r', 'p') AND c.relnamespace = '{SCHEMA}'::regnamespace AND c.relname NOT LIKE 'pgqueuer%'"""


def test_every_table_with_the_column_is_protected(service: Service) -> None:
    tables = service.as_owner(TABLES)
    assert len(tables) > 30
    assert [table["name"] for table in tables if not table["protected"]] == ["employees"]


def test_the_statement_for_employees_does_not_move_it_back(company: Company) -> None:
    employee_id = company.hire()
    company.member.service.as_owner("UPDATE employees SET updated_at = '2100-01-01' WHERE id = $1", employee_id)
    assert company.patch(employee_id, job_title="Cook").status_code == 200
    assert company.employee(employee_id)["updated_at"].startswith("2100-01-01")


def test_a_transaction_that_began_earlier_does_not_move_it_back(company: Company) -> None:
    first, second = _update_interleaved(company.member.service, company.id)
    assert first < second


def test_a_transaction_that_leaves_it_unchanged_does_not_move_it(company: Company) -> None:
    service = company.member.service
    [before] = service.as_owner("SELECT updated_at FROM clients WHERE id = $1", company.id)
    service.as_owner("UPDATE clients SET name = 'Renamed' WHERE id = $1", company.id)
    assert service.as_owner("SELECT updated_at FROM clients WHERE id = $1", company.id) == [before]


def test_a_clock_that_is_set_back_does_not_move_it_back(company: Company) -> None:
    service = company.member.service
    service.as_login("ALTER TABLE gaji.clients DISABLE TRIGGER advance_updated_at")
    try:
        service.as_owner("UPDATE clients SET updated_at = '2100-01-01' WHERE id = $1", company.id)
    finally:
        service.as_login("ALTER TABLE gaji.clients ENABLE TRIGGER advance_updated_at")
    assert company.member.patch(f"/clients/{company.id}", {"name": "Later"}).status_code == 200
    client = company.member.get(f"/clients/{company.id}").json()["client"]
    assert client["updated_at"].startswith("2100-01-01")


def test_cancelling_a_termination_moves_it_forward(company: Company) -> None:
    employee_id = company.hire()
    path = f"/employees/{employee_id}/service_periods"
    company.leave(employee_id, "2026-03-31")
    [terminated] = company.member.get(path).json()
    assert company.member.delete(f"{path}/undo_end_service").status_code == 200
    [reopened] = company.member.get(path).json()
    assert reopened["service_period"]["updated_at"] > terminated["service_period"]["updated_at"]


def _update_interleaved(service: Service, client_id: int) -> tuple[datetime, datetime]:
    """Update a client in a second transaction, then in a first one that began before. Return both timestamps."""
    statement = "UPDATE gaji.clients SET updated_at = now() WHERE id = $1 RETURNING updated_at"

    async def run() -> tuple[datetime, datetime]:
        connections = [await asyncpg.connect(**(service.database.login or {})) for _ in range(2)]
        try:
            early, late = (connection.transaction() for connection in connections)
            await early.start()
            began = await connections[0].fetchval("SELECT now()")
            await late.start()
            assert await connections[1].fetchval("SELECT now()") > began
            by_late = await connections[1].fetchval(statement, client_id)
            await late.commit()
            by_early = await connections[0].fetchval(statement, client_id)
            await early.commit()
            return by_late, by_early
        finally:
            await asyncio.gather(*(connection.close() for connection in connections))

    return service.runner.run(run())
