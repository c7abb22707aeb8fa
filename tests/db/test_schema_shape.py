"""The shape of the database that `gaji doctor` expects is that of a new installation."""

import asyncio

import pytest

from gaji.core.settings import Settings
from gaji.db.database import locate_database
from gaji.db.schema_shape import expected_shape, load_shape, shape_differences

DIFFERENT = "different definition"
CHANGES = [
    ("DROP INDEX employees_email", ["index employees_email (missing)"]),
    ("ALTER TABLE clients ADD COLUMN extra text", ["column clients.extra (additional)"]),
    ("ALTER TABLE clients ALTER COLUMN name DROP NOT NULL", [f"column clients.name ({DIFFERENT})"]),
    ("ALTER TABLE clients ALTER COLUMN name SET DEFAULT 'x'", [f"column clients.name ({DIFFERENT})"]),
    ("ALTER TABLE clients ADD CONSTRAINT extra CHECK (name <> '')", ["constraint clients.extra (additional)"]),
    ("ALTER TABLE clients NO FORCE ROW LEVEL SECURITY", [f"relation clients ({DIFFERENT})"]),
    ("CREATE POLICY extra ON clients TO gaji_app USING (true)", ["policy clients.extra (additional)"]),
    ("ALTER POLICY maintenance ON clients USING (true)", [f"policy clients.maintenance ({DIFFERENT})"]),
    (
        "CREATE FUNCTION extra() RETURNS integer LANGUAGE sql AS 'SELECT 1'",
        ["function extra() (additional)"],
    ),
    (
        "ALTER FUNCTION open_tenancy(bigint[]) SECURITY INVOKER",
        [f"function open_tenancy(bigint[]) ({DIFFERENT})"],
    ),
    ("REVOKE SELECT ON clients FROM gaji_app", [f"relation clients ({DIFFERENT})"]),
    ("GRANT UPDATE (actor) ON audit_log TO gaji_app", [f"column audit_log.actor ({DIFFERENT})"]),
]
HARMLESS_CHANGES = [
    "ALTER SEQUENCE clients_id_seq RESTART WITH 100",
    "ALTER TABLE clients SET (autovacuum_vacuum_scale_factor = 0.05)",
    "COMMENT ON TABLE clients IS 'Companies'",
    "ALTER TABLE pgqueuer ADD COLUMN extra text",
]


async def _differences(settings: Settings, *statements: str) -> list[str]:
    """Return the differences after statements that are then rolled back."""
    async with locate_database(settings).owner_connection() as connection:
        transaction = connection.transaction()
        await transaction.start()
        try:
            for statement in statements:
                await connection.execute(statement)
            return [str(difference) for difference in shape_differences(await load_shape(connection), expected_shape())]
        finally:
            await transaction.rollback()


def test_the_file_has_the_shape_of_a_new_installation(settings: Settings) -> None:
    differences = asyncio.run(_differences(settings))
    assert differences == [], "Run: .venv/bin/python -m tests.db.renew_schema_shape"
    assert len(expected_shape()) > 2000


@pytest.mark.parametrize(("statement", "differences"), CHANGES)
def test_a_change_is_named(settings: Settings, statement: str, differences: list[str]) -> None:
    assert asyncio.run(_differences(settings, statement)) == differences


def test_changes_that_an_operator_may_make_do_not_count(settings: Settings) -> None:
    assert asyncio.run(_differences(settings, *HARMLESS_CHANGES)) == []


def test_objects_in_other_schemas_do_not_count(settings: Settings) -> None:
    statements = ("SET LOCAL ROLE NONE", "CREATE SCHEMA reporting", "CREATE TABLE reporting.clients (id bigint)")
    assert asyncio.run(_differences(settings, *statements)) == []


def test_a_trigger_that_is_off_differs(settings: Settings) -> None:
    differences = asyncio.run(_differences(settings, "ALTER TABLE clients DISABLE TRIGGER USER"))
    assert differences
    assert all(name.startswith("trigger clients.") and name.endswith(f"({DIFFERENT})") for name in differences)


def test_a_missing_table_is_named_with_its_parts(settings: Settings) -> None:
    differences = asyncio.run(_differences(settings, "DROP TABLE last_backup"))
    assert "relation last_backup (missing)" in differences
    assert "column last_backup.completed_at (missing)" in differences
    assert all("last_backup" in name for name in differences)
