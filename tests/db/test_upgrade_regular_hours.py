"""Migration 26 on data of version 0.1.0: IDs of calculations become unique, and no working week changes."""

import asyncio
import json
import lzma
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import asyncpg
import pytest

from gaji.core.settings import Settings
from gaji.db.database import SCHEMA, Database, locate_database
from gaji.db.migrate import migrate
from gaji.engine.regular_hours import work_week
from gaji.payroll.calculations.regular_hours.history import inputs_on
from gaji.payroll.calculations.regular_hours.schedule import complete_week
from tests.db.databases import as_owner, empty_database
from tests.db.test_upgrade import FOLDER
from tests.support.running import Cluster

DAYS = ("2026-01-01", "2026-06-01", "2026-12-01", "2027-06-01")
WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
History = dict[str, dict[str, Any]]


@dataclass(frozen=True)
class MigratedHours:
    """A migrated database with random regular hours, and what they were before."""

    database: Database
    histories: dict[int, History]
    """By employee."""
    ids: dict[int, int]
    """The IDs before the migration, by employee."""
    upper: dict[int, dict[str, Any]]
    """The inputs of the client and the profiles before the migration, by employee."""


@pytest.fixture(scope="module", params=range(4))
def migrated(
    request: pytest.FixtureRequest, cluster: Cluster, template: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[MigratedHours]:
    chance = random.Random(request.param)
    with empty_database(cluster) as url:
        before = asyncio.run(_restore(url, chance, with_client_week=request.param == 3))
        settings = Settings(data=tmp_path_factory.mktemp("migrated"), database_url=url)
        database = locate_database(settings)
        asyncio.run(migrate(database))
        yield MigratedHours(database, *before)


def test_no_id_means_two_things(migrated: MigratedHours) -> None:
    assert as_owner(migrated.database, "SELECT id FROM calculations JOIN inherited_calculations USING (id)") == []
    [row] = as_owner(
        migrated.database,
        "SELECT nextval('calculation_ids') > greatest((SELECT max(id) FROM calculations), "
        "(SELECT max(id) FROM inherited_calculations)) AS free",
    )
    assert row["free"]


def test_only_ambiguous_ids_change_and_the_audit_log_follows(migrated: MigratedHours) -> None:
    calculation_ids = {row["id"] for row in as_owner(migrated.database, "SELECT id FROM calculations")}
    ids = {
        row["employee_id"]: row["id"]
        for row in as_owner(migrated.database, "SELECT employee_id, id FROM inherited_calculations")
    }
    assert any(old_id in calculation_ids for old_id in migrated.ids.values())
    for employee_id, old_id in migrated.ids.items():
        assert (ids[employee_id] == old_id) == (old_id not in calculation_ids)
        rows = as_owner(
            migrated.database,
            "SELECT row_id FROM audit_log WHERE action = 'inherited_calculations.insert' "
            "AND after ->> 'employee_id' = $1",
            str(employee_id),
        )
        assert {row["row_id"] for row in rows} == {ids[employee_id]}


def test_every_employee_has_one_record(migrated: MigratedHours) -> None:
    assert (
        as_owner(
            migrated.database,
            "SELECT e.id FROM employees e LEFT JOIN inherited_calculations i ON i.employee_id = e.id "
            "GROUP BY e.id HAVING count(i.id) <> 1",
        )
        == []
    )


def test_no_working_week_changes(migrated: MigratedHours) -> None:
    histories = {
        row["employee_id"]: json.loads(row["inputs_history"])
        for row in as_owner(migrated.database, "SELECT employee_id, inputs_history::text FROM inherited_calculations")
    }
    upper = asyncio.run(_load_upper(migrated.database))
    for employee_id, history in migrated.histories.items():
        for day in DAYS:
            old_inputs = _applicable({**migrated.upper[employee_id], **_fold(history, day)})
            new_inputs = complete_week({**upper[employee_id], **inputs_on(histories[employee_id], day)})
            expected, actual = work_week(old_inputs, 5), work_week(new_inputs, 5)
            assert actual == expected, (employee_id, day, history, histories[employee_id])


async def _restore(
    url: str, chance: random.Random, *, with_client_week: bool
) -> tuple[dict[int, History], dict[int, int], dict[int, dict[str, Any]]]:
    """Restore the dump and replace the regular hours of its employees by random ones of version 0.1.0."""
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(lzma.decompress((FOLDER / "0.1.0.sql.xz").read_bytes()).decode())
        await connection.execute(f"SET search_path TO {SCHEMA}; SET row_security TO on")  # pg_dump turned it off.
        await connection.execute("DELETE FROM inherited_calculations")
        await connection.execute("DELETE FROM audit_log WHERE action LIKE 'inherited_calculations.%'")
        if with_client_week:
            await connection.execute(
                "INSERT INTO calculations (client_id, type, inputs) VALUES (1, 'week_hours', $1)",
                json.dumps({"schedule": "fixed", "works_mon": True, "works_sat": True}),
            )
        upper = await _upper_inputs(connection)
        histories: dict[int, History] = {}
        ids: dict[int, int] = {}
        for number, employee_id in enumerate(upper, start=1):
            histories[employee_id] = _random_history(chance, upper[employee_id])
            ids[employee_id] = chance.choice([number, 1000 + number])
            await connection.execute(
                "INSERT INTO inherited_calculations (id, client_id, employee_id, short_name, inputs_history) "
                "VALUES ($1, 1, $2, 'week_hours', $3)",
                ids[employee_id],
                employee_id,
                json.dumps(histories[employee_id]),
            )
        return histories, ids, upper
    finally:
        await connection.close()


async def _load_upper(database: Database) -> dict[int, dict[str, Any]]:
    async with database.owner_connection() as connection, connection.transaction():
        await connection.execute("SELECT begin_maintenance()")
        return await _upper_inputs(connection)


async def _upper_inputs(connection: asyncpg.Connection) -> dict[int, dict[str, Any]]:
    """Return the regular hours of the client and the profile of each employee of the demo company."""
    rows = await connection.fetch(
        "SELECT e.id, c.inputs::text AS client, p.inputs::text AS profile FROM employees e "
        "LEFT JOIN calculations c ON c.client_id = e.client_id AND c.type = 'week_hours' AND c.employee_id IS NULL "
        "AND c.profile_id IS NULL LEFT JOIN profile_mappings m ON m.employee_id = e.id "
        "LEFT JOIN calculations p ON p.profile_id = m.profile_id AND p.type = 'week_hours' "
        "WHERE e.client_id = 1 ORDER BY e.id"
    )
    return {row["id"]: {**json.loads(row["client"] or "{}"), **json.loads(row["profile"] or "{}")} for row in rows}


def _random_history(chance: random.Random, upper: dict[str, Any]) -> History:
    """Return a history as version 0.1.0 stored it: inputs that no longer applied were cleared."""
    history: History = {}
    for day in sorted(chance.sample(["", *DAYS[1:]], chance.randint(1, 3))):
        before = _fold(history, day)
        wanted = {**before}
        for weekday in chance.sample(WEEKDAYS, chance.randint(0, 4)):
            wanted[f"works_{weekday}"] = chance.choice([True, True, False])
        for weekday in chance.sample(WEEKDAYS, 1):
            wanted.pop(f"works_{weekday}", None)
        wanted["schedule"] = chance.choice(["fixed", "fixed", "casual"])
        if chance.random() < 0.3:
            wanted["full_day_hours_input"] = chance.choice(["7", "9"])
        applicable = _applicable({**upper, **wanted})
        wanted = {name: value for name, value in wanted.items() if name in applicable}
        changes = {name: value for name, value in wanted.items() if before.get(name) != value}
        changes |= dict.fromkeys(before.keys() - wanted.keys())
        if changes:
            history[day] = changes
    return history


def _fold(history: History, day: str) -> dict[str, Any]:
    inputs: dict[str, Any] = {}
    for effective_date in sorted(history):
        if effective_date <= day:
            inputs |= history[effective_date]
    return {name: value for name, value in inputs.items() if value is not None}


def _applicable(inputs: dict[str, Any]) -> dict[str, Any]:
    """Return the inputs that applied in version 0.1.0."""
    if inputs.get("schedule") == "fixed":
        return inputs
    return {name: value for name, value in inputs.items() if not name.startswith(("works", "day_type", "partial"))}
