"""Calculation SQL."""

from collections.abc import Mapping, Sequence
from functools import cache

import asyncpg
import msgspec

from gaji.core.threads import run_in_thread_if_many
from gaji.db.json_lists import json_text
from gaji.db.query_plans import each_id
from gaji.db.tenancy import Transaction
from gaji.payroll.calculations.history import decode_history, encode_history
from gaji.payroll.calculations.inheritance import Calculation, CalculationOwner
from gaji.payroll.calculations.regular_hours.schedule import WEEK_HOURS
from gaji.payroll.profiles.queries import PROFILE_ASSIGNMENTS_SQL
from gaji.periods.queries import OpenPeriod, open_period_sql

COLUMNS = """client_id, profile_id, employee_id, payslip_id, type, inputs, skip, deleted,
    trim_scale(multiplier)::text AS multiplier, id, shown(created_at) AS created_at, shown(updated_at) AS updated_at,
    history, external_id, metadata"""


async def load_client_calculations(tx: Transaction, client_id: int) -> list[Calculation]:
    """Load the calculations of a client, ordered by ID."""
    rows = await tx.fetch(
        f"SELECT {COLUMNS} FROM calculations WHERE client_id = $1 AND employee_id IS NULL AND profile_id IS NULL "
        "ORDER BY calculations.id",
        client_id,
    )
    return [_calculation(row) for row in rows]


async def load_profile_calculations(tx: Transaction, client_id: int, profile_ids: Sequence[int]) -> list[Calculation]:
    """Load the calculations of profiles, ordered by ID."""
    rows = await tx.fetch(
        f"SELECT {COLUMNS} FROM calculations WHERE client_id = $1 AND profile_id = ANY ($2::bigint[]) "
        "ORDER BY calculations.id",
        client_id,
        profile_ids,
    )
    return [_calculation(row) for row in rows]


async def load_all_levels(
    tx: Transaction, client_id: int, employee_id: int, payslip_id: int | None, profile_ids: Sequence[int]
) -> list[Calculation]:
    """Load the calculations of a client, profiles, an employee and one of their payslips, ordered by ID."""
    rows = await tx.fetch(
        f"""SELECT {COLUMNS} FROM calculations WHERE client_id = $1 AND employee_id IS NULL AND profile_id IS NULL
        UNION ALL SELECT {COLUMNS} FROM calculations WHERE client_id = $1 AND profile_id = ANY ($4::bigint[])
        UNION ALL SELECT {COLUMNS} FROM calculations
            WHERE client_id = $1 AND employee_id = $2 AND (payslip_id IS NULL OR payslip_id = $3)
        ORDER BY id""",
        client_id,
        employee_id,
        payslip_id,
        profile_ids,
    )
    return [_calculation(row) for row in rows]


async def load_own_calculations(
    tx: Transaction, client_id: int, owners: Sequence[CalculationOwner]
) -> dict[tuple[CalculationOwner, str], Calculation]:
    """Load the own calculations of employees and payslips, by owner and type."""
    rows = await tx.fetch(
        f"SELECT {COLUMNS} FROM calculations WHERE client_id = $1 AND employee_id = ANY ($2::bigint[]) "
        "AND (payslip_id IS NULL OR payslip_id = ANY ($3::bigint[]))",
        client_id,
        list({owner.employee_id for owner in owners}),
        list({owner.payslip_id for owner in owners if owner.payslip_id is not None}),
    )

    def index_rows() -> dict[tuple[CalculationOwner, str], Calculation]:
        calculations = [_calculation(row) for row in rows]
        return {(calculation.owner, calculation.type): calculation for calculation in calculations}

    return await run_in_thread_if_many(len(rows), index_rows)


async def load_recurring_calculation(
    tx: Transaction, owner: CalculationOwner, calc_type: str
) -> tuple[Calculation | None, OpenPeriod]:
    """Load the own calculation of an employee and the employee's open period, in one statement."""
    row = await tx.fetchrow(
        f"SELECT open.*, {COLUMNS} FROM (SELECT {open_period_sql('$1', '$3')}) AS open LEFT JOIN calculations "
        "ON client_id = $1 AND type = $2 AND employee_id = $3 AND payslip_id IS NULL",
        owner.client_id,
        calc_type,
        owner.employee_id,
    )
    period = OpenPeriod(row["draft_start"], row["last_finalised_end"])
    return (None if row["id"] is None else _calculation(row)), period


async def load_own_calculation(tx: Transaction, owner: CalculationOwner, calc_type: str) -> Calculation | None:
    """Load the own calculation of an owner."""
    columns = {"profile_id": owner.profile_id, "employee_id": owner.employee_id, "payslip_id": owner.payslip_id}
    values = [value for value in columns.values() if value is not None]
    parameters = iter(range(3, 6))
    # One condition for each column, because IS NOT DISTINCT FROM cannot use the index.
    conditions = " AND ".join(
        f"{name} IS NULL" if value is None else f"{name} = ${next(parameters)}" for name, value in columns.items()
    )
    row = await tx.fetchrow(
        f"SELECT {COLUMNS} FROM calculations WHERE client_id = $1 AND type = $2 AND {conditions}",
        owner.client_id,
        calc_type,
        *values,
    )
    return _calculation(row) if row else None


async def load_calculation(tx: Transaction, calculation_id: int) -> Calculation | None:
    """Load a calculation that the caller may see."""
    row = await tx.fetchrow(f"SELECT {COLUMNS} FROM calculations WHERE id = $1", calculation_id)
    return _calculation(row) if row else None


async def load_references(
    tx: Transaction, client_id: int, ids: Sequence[int]
) -> dict[int, tuple[str | None, dict[str, str]]]:
    """Load the external IDs and the metadata of calculations, by ID."""
    rows = await tx.fetch(
        "SELECT id, external_id, metadata FROM calculations WHERE client_id = $1 AND id = ANY ($2::bigint[])",
        client_id,
        ids,
    )
    return {row["id"]: (row["external_id"], msgspec.json.decode(row["metadata"])) for row in rows}


CALCULATION_ROW = "calculation"
HISTORY_ROW = "history"
PROFILE_ROW = "profile"
_LAYER_COLUMNS = "type, inputs, skip, trim_scale(multiplier)::text, deleted, history"


async def load_layer_rows(
    tx: Transaction,
    client_id: int,
    employee_ids: Sequence[int],
    payslip_ids: Sequence[int],
    types: Sequence[str] | None = None,
) -> list[asyncpg.Record]:
    """Load everything that decides on the calculations of these employees and payslips, of all types or of some.

    One statement, because a recalculation of one payslip waits for it. The column `kind` tells the rows apart:

    - `calculation`: a calculation of the client, a profile, an employee or a payslip. `data` has its inputs, `history`
      its dated changes, if any.
    - `history`: the regular hours of an employee, unless nothing was entered or the client does not have the
      feature. `data` has their history.
    - `profile`: the assignment `mapping_id` of a profile to an employee. `data` has which calculations apply.
    """
    is_single = len(employee_ids) == 1
    rows: list[asyncpg.Record] = await tx.fetch(
        _layer_statement(is_single=is_single, has_types=types is not None),
        client_id,
        employee_ids[0] if is_single else employee_ids,
        payslip_ids,
        WEEK_HOURS,
        *(() if types is None else (types,)),
    )
    return rows


@cache
def _layer_statement(*, is_single: bool, has_types: bool) -> str:
    """Return the statement for one employee or for many.

    PostgreSQL plans a statement with an array of employees each time, which takes five times as long as running it for
    one employee. It keeps the plan of a statement that compares with one value.
    """
    of_types, of_names = ("AND type = ANY ($5::text[])", "AND short_name = ANY ($5)") if has_types else ("", "")
    if is_single:
        of_payslips = _of_employees("calculations", f"payslip_id = ANY ($3::bigint[]) {of_types}", is_single)
    else:
        query = f"SELECT * FROM calculations WHERE client_id = ids.client_id AND payslip_id = ids.id {of_types}"
        of_payslips = each_id("$3", query)
    of_client = f"""(SELECT $1::bigint AS id OFFSET 0) client CROSS JOIN LATERAL (SELECT * FROM calculations
        WHERE client_id = client.id AND employee_id IS NULL AND payslip_id IS NULL {of_types} OFFSET 0)"""
    hours = f"short_name = $4 AND inputs_history <> '{{}}' {of_names}"
    return f"""SELECT '{CALCULATION_ROW}' AS kind, profile_id, NULL::bigint AS employee_id, NULL::bigint AS payslip_id,
            NULL::bigint AS mapping_id, type, inputs AS data, skip, trim_scale(multiplier)::text AS multiplier, deleted,
            history FROM {of_client} c
        UNION ALL SELECT '{CALCULATION_ROW}', NULL, employee_id, NULL, NULL, {_LAYER_COLUMNS}
            FROM {_of_employees("calculations", f"payslip_id IS NULL {of_types}", is_single)} c
        UNION ALL SELECT '{CALCULATION_ROW}', NULL, employee_id, payslip_id, NULL, {_LAYER_COLUMNS} FROM {of_payslips} c
        UNION ALL SELECT '{HISTORY_ROW}', NULL, employee_id, NULL, NULL, short_name, inputs_history, NULL, NULL, NULL,
            NULL FROM {_of_employees("inherited_calculations", hours, is_single)} h
            WHERE (SELECT regular_hours_v2 FROM clients WHERE id = $1)
        UNION ALL SELECT '{PROFILE_ROW}', profile_id, employee_id, NULL, mapping_id, NULL, calculations, NULL, NULL,
            NULL, NULL FROM {_of_employees(PROFILE_ASSIGNMENTS_SQL, "true", is_single)} p"""


def _of_employees(source: str, condition: str, is_single: bool) -> str:
    """Return the rows of one employee or of many, to be used after FROM and followed by an alias."""
    if is_single:
        return f"(SELECT * FROM {source} WHERE client_id = $1 AND employee_id = $2::bigint AND {condition})"
    return each_id(
        "$2", f"SELECT * FROM {source} WHERE client_id = ids.client_id AND employee_id = ids.id AND {condition}"
    )


async def load_employee_types(tx: Transaction, client_id: int) -> set[str]:
    """Return the types of the calculations of a client's employees, inherited calculations included."""
    rows = await tx.fetch(
        "SELECT DISTINCT type FROM calculations "
        "WHERE client_id = $1 AND employee_id IS NOT NULL AND payslip_id IS NULL "
        "UNION SELECT DISTINCT short_name FROM inherited_calculations "
        "WHERE client_id = $1 AND inputs_history <> '{}'",
        client_id,
    )
    return {row["type"] for row in rows}


async def load_item_usage(tx: Transaction, client_id: int, definition_id: int) -> asyncpg.Record:
    """Return the profiles with calculations of a custom item, and the number of its other calculations.

    Calculations with dated changes are left out.
    """
    row: asyncpg.Record = await tx.fetchrow(
        "SELECT coalesce(array_agg(profile_id ORDER BY profile_id) FILTER (WHERE profile_id IS NOT NULL), '{}') "
        "AS profile_ids, count(*) FILTER (WHERE profile_id IS NULL) AS calculation_count FROM calculations "
        "WHERE client_id = $1 AND calculation_def_id = $2 AND history IS NULL",
        client_id,
        definition_id,
    )
    return row


async def load_dated_calculations(tx: Transaction, client_id: int, definition_id: int) -> list[Calculation]:
    """Load the calculations of a custom item that have dated changes."""
    rows = await tx.fetch(
        f"SELECT {COLUMNS} FROM calculations WHERE client_id = $1 AND calculation_def_id = $2 AND history IS NOT NULL",
        client_id,
        definition_id,
    )
    return [_calculation(row) for row in rows]


async def save(tx: Transaction, calculation: Calculation, definition_id: int | None) -> int:
    """Insert or update a calculation and return its ID."""
    owner = calculation.owner
    if calculation.id is not None:  # An update takes half the time of an upsert.
        await tx.execute(
            "UPDATE calculations SET inputs = $3, skip = $4, deleted = $5, multiplier = $6::text::numeric, "
            "history = $7, external_id = $8, metadata = $9, updated_at = now() WHERE client_id = $1 AND id = $2",
            owner.client_id,
            calculation.id,
            json_text(calculation.inputs),
            calculation.skip,
            calculation.deleted,
            calculation.multiplier,
            encode_history(calculation.history),
            calculation.external_id,
            json_text(calculation.metadata),
        )
        return calculation.id
    calculation_id: int = await tx.fetchval(
        "INSERT INTO calculations AS c (client_id, profile_id, employee_id, payslip_id, type, calculation_def_id, "
        "inputs, skip, deleted, multiplier, history, external_id, metadata) "
        "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10::text::numeric, $11, $12, $13) "
        "ON CONFLICT ON CONSTRAINT calculations_once DO UPDATE SET inputs = excluded.inputs, skip = excluded.skip, "
        "deleted = excluded.deleted, multiplier = excluded.multiplier, history = excluded.history, "
        "external_id = excluded.external_id, metadata = excluded.metadata, updated_at = now() RETURNING c.id",
        owner.client_id,
        owner.profile_id,
        owner.employee_id,
        owner.payslip_id,
        calculation.type,
        definition_id,
        json_text(calculation.inputs),
        calculation.skip,
        calculation.deleted,
        calculation.multiplier,
        encode_history(calculation.history),
        calculation.external_id,
        json_text(calculation.metadata),
    )
    return calculation_id


async def save_many(
    tx: Transaction, calculations: Sequence[Calculation], definition_ids: Mapping[str, int]
) -> list[int]:
    """Insert or update calculations of employees and payslips of one client, and return their IDs.

    Custom items have a definition ID. External IDs and metadata stay as they are.
    """
    if not calculations:
        return []
    columns = await run_in_thread_if_many(len(calculations), lambda: _build_columns(calculations, definition_ids))
    rows = await tx.fetch(
        "INSERT INTO calculations AS c (client_id, employee_id, payslip_id, type, calculation_def_id, inputs, skip, "
        "deleted, multiplier, history) SELECT $1, n.* FROM (SELECT employee_id, payslip_id, type, calculation_def_id, "
        "inputs::jsonb, skip, deleted, multiplier::numeric, history::jsonb FROM unnest($2::bigint[], $3::bigint[], "
        "$4::text[], $5::bigint[], $6::text[], $7::boolean[], $8::boolean[], $9::text[], $10::text[]) AS "
        "t(employee_id, payslip_id, type, calculation_def_id, inputs, skip, deleted, multiplier, history)) n "
        "ON CONFLICT ON CONSTRAINT calculations_once DO UPDATE SET inputs = excluded.inputs, skip = excluded.skip, "
        "deleted = excluded.deleted, multiplier = excluded.multiplier, history = excluded.history, updated_at = now() "
        "RETURNING c.id",
        calculations[0].owner.client_id,
        *columns,
    )
    return [row["id"] for row in rows]


def _build_columns(calculations: Sequence[Calculation], definition_ids: Mapping[str, int]) -> list[list[object]]:
    return [
        [calculation.owner.employee_id for calculation in calculations],
        [calculation.owner.payslip_id for calculation in calculations],
        [calculation.type for calculation in calculations],
        [definition_ids.get(calculation.type) for calculation in calculations],
        [json_text(calculation.inputs) for calculation in calculations],
        [calculation.skip for calculation in calculations],
        [calculation.deleted for calculation in calculations],
        [calculation.multiplier for calculation in calculations],
        [encode_history(calculation.history) for calculation in calculations],
    ]


async def delete(tx: Transaction, client_id: int, calculation_id: int) -> None:
    """Delete a calculation."""
    await tx.execute("DELETE FROM calculations WHERE client_id = $1 AND id = $2", client_id, calculation_id)


async def lock_client_calculations(tx: Transaction, client_id: int) -> None:
    """Serialise changes of the calculations of a client and its profiles until the transaction ends."""
    await tx.execute("SELECT pg_advisory_xact_lock(hashtextextended('calculations', $1))", client_id)


def _calculation(row: asyncpg.Record) -> Calculation:
    return Calculation(
        owner=CalculationOwner(
            client_id=row["client_id"],
            profile_id=row["profile_id"],
            employee_id=row["employee_id"],
            payslip_id=row["payslip_id"],
        ),
        type=row["type"],
        inputs=msgspec.json.decode(row["inputs"]),
        skip=row["skip"],
        deleted=row["deleted"],
        multiplier=row["multiplier"],
        id=row["id"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
        history=decode_history(row["history"]),
        external_id=row["external_id"],
        metadata=msgspec.json.decode(row["metadata"]),
    )
