"""The SQL of calculations."""

from collections.abc import Sequence

import asyncpg
import msgspec

from gaji.db.json_lists import json_text
from gaji.db.tenancy import Transaction
from gaji.payroll.calculations.inheritance import Calculation, CalculationOwner
from gaji.payroll.calculations.week_hours import TYPE as WEEK_HOURS
from gaji.payroll.profiles.queries import APPLIED

COLUMNS = """client_id, profile_id, employee_id, payslip_id, type, inputs, skip, deleted,
    trim_scale(multiplier)::text AS multiplier, id, shown(created_at) AS created_at, shown(updated_at) AS updated_at"""


async def of_client(tx: Transaction, client_id: int) -> list[Calculation]:
    """What a client says, in the order of ids."""
    rows = await tx.fetch(
        f"SELECT {COLUMNS} FROM calculations WHERE client_id = $1 AND employee_id IS NULL AND profile_id IS NULL "
        "ORDER BY calculations.id",
        client_id,
    )
    return [calculation_of(row) for row in rows]


async def of_profiles(tx: Transaction, client_id: int, profile_ids: Sequence[int]) -> list[Calculation]:
    """What profiles say, in the order of ids."""
    rows = await tx.fetch(
        f"SELECT {COLUMNS} FROM calculations WHERE client_id = $1 AND profile_id = ANY ($2::bigint[]) "
        "ORDER BY calculations.id",
        client_id,
        profile_ids,
    )
    return [calculation_of(row) for row in rows]


async def of_employee(
    tx: Transaction, client_id: int, employee_id: int, payslip_id: int | None, profile_ids: Sequence[int]
) -> list[Calculation]:
    """What the client, these profiles, an employee and a payslip of theirs say, in the order of ids."""
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
    return [calculation_of(row) for row in rows]


async def types_of_employees(tx: Transaction, client_id: int) -> set[str]:
    """The types that any employee of a client has something of, regular hours with a history included."""
    rows = await tx.fetch(
        "SELECT DISTINCT type FROM calculations "
        "WHERE client_id = $1 AND employee_id IS NOT NULL AND payslip_id IS NULL "
        "UNION SELECT DISTINCT short_name FROM inherited_calculations WHERE client_id = $1",
        client_id,
    )
    return {row[0] for row in rows}


async def own(tx: Transaction, owner: CalculationOwner, name: str) -> Calculation | None:
    """What one level alone says about a type."""
    named = {"profile_id": owner.profile_id, "employee_id": owner.employee_id, "payslip_id": owner.payslip_id}
    given = [value for value in named.values() if value is not None]
    places = iter(range(3, 6))
    # Spelt out for each level: IS NOT DISTINCT FROM would not find its way through the index.
    owned = " AND ".join(
        f"{key} IS NULL" if value is None else f"{key} = ${next(places)}" for key, value in named.items()
    )
    row = await tx.fetchrow(
        f"SELECT {COLUMNS} FROM calculations WHERE client_id = $1 AND type = $2 AND {owned}",
        owner.client_id,
        name,
        *given,
    )
    return calculation_of(row) if row else None


async def calculation(tx: Transaction, calculation_id: int) -> Calculation | None:
    """One calculation that the caller may see."""
    row = await tx.fetchrow(f"SELECT {COLUMNS} FROM calculations WHERE id = $1", calculation_id)
    return calculation_of(row) if row else None


_SAID = "type, inputs, skip, trim_scale(multiplier)::text, deleted FROM calculations WHERE client_id = $1"
_OF_TYPES = "AND ($4::text[] IS NULL OR type = ANY ($4))"


async def said(
    tx: Transaction,
    client_id: int,
    employee_ids: Sequence[int],
    payslip_ids: Sequence[int],
    types: Sequence[str] | None = None,
) -> list[asyncpg.Record]:
    """What the client, its profiles, these employees and payslips of theirs say, about all types or some.

    Profile, employee, payslip, type, inputs, skip, multiplier and deleted. The history of an employee's regular hours,
    which stands beside what is entered for them, comes as its inputs, without a type. So does each profile that an
    employee has: which of its calculations apply as inputs, and the mapping in the place of the payslip.
    """
    rows: list[asyncpg.Record] = await tx.fetch(
        f"""SELECT profile_id, NULL::bigint, NULL::bigint, {_SAID}
            AND employee_id IS NULL AND payslip_id IS NULL {_OF_TYPES}
        UNION ALL SELECT NULL, employee_id, payslip_id, {_SAID}
            AND employee_id = ANY ($2::bigint[]) AND (payslip_id IS NULL OR payslip_id = ANY ($3::bigint[])) {_OF_TYPES}
        UNION ALL SELECT NULL, employee_id, NULL, NULL, inputs_history, NULL, NULL, NULL FROM inherited_calculations
            WHERE client_id = $1 AND employee_id = ANY ($2) AND short_name = $5
            AND ($4::text[] IS NULL OR short_name = ANY ($4))
        UNION ALL SELECT profile_id, employee_id, id, NULL, calculations, NULL, NULL, NULL FROM ({APPLIED}) AS a""",
        client_id,
        employee_ids,
        payslip_ids,
        types,
        WEEK_HOURS,
    )
    return rows


async def save(tx: Transaction, one: Calculation, calculation_def_id: int | None) -> int:
    """Save what a level says about a type in place of what it said, and give the id of the row."""
    owner = one.owner
    if one.id is not None:  # it is there, and takes half the time of one that might be
        await tx.execute(
            "UPDATE calculations SET inputs = $3, skip = $4, deleted = $5, multiplier = $6::text::numeric, "
            "updated_at = now() WHERE client_id = $1 AND id = $2",
            owner.client_id,
            one.id,
            json_text(one.inputs),
            one.skip,
            one.deleted,
            one.multiplier,
        )
        return one.id
    calculation_id: int = await tx.fetchval(
        "INSERT INTO calculations AS c (client_id, profile_id, employee_id, payslip_id, type, calculation_def_id, "
        "inputs, skip, deleted, multiplier) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10::text::numeric) "
        "ON CONFLICT ON CONSTRAINT calculations_once DO UPDATE SET inputs = excluded.inputs, skip = excluded.skip, "
        "deleted = excluded.deleted, multiplier = excluded.multiplier, updated_at = now() RETURNING c.id",
        owner.client_id,
        owner.profile_id,
        owner.employee_id,
        owner.payslip_id,
        one.type,
        calculation_def_id,
        json_text(one.inputs),
        one.skip,
        one.deleted,
        one.multiplier,
    )
    return calculation_id


async def delete(tx: Transaction, client_id: int, calculation_id: int) -> None:
    """Remove a row."""
    await tx.execute("DELETE FROM calculations WHERE client_id = $1 AND id = $2", client_id, calculation_id)


async def hold(tx: Transaction, client_id: int) -> None:
    """Keep everyone else from changing what the client and its profiles say until the transaction ends."""
    await tx.execute("SELECT pg_advisory_xact_lock(hashtextextended('calculations', $1))", client_id)


async def uses(tx: Transaction, client_id: int, definition_id: int) -> asyncpg.Record:
    """The profiles that have a custom item, and how many other calculations are of it."""
    row: asyncpg.Record = await tx.fetchrow(
        "SELECT coalesce(array_agg(profile_id ORDER BY profile_id) FILTER (WHERE profile_id IS NOT NULL), '{}') "
        "AS profiles, count(*) FILTER (WHERE profile_id IS NULL) AS calculations FROM calculations "
        "WHERE client_id = $1 AND calculation_def_id = $2",
        client_id,
        definition_id,
    )
    return row


def calculation_of(row: asyncpg.Record) -> Calculation:
    """The calculation of a row."""
    return Calculation(
        owner=CalculationOwner(row["client_id"], row["profile_id"], row["employee_id"], row["payslip_id"]),
        type=row["type"],
        inputs=msgspec.json.decode(row["inputs"]),
        skip=row["skip"],
        deleted=row["deleted"],
        multiplier=row["multiplier"],
        id=row["id"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
    )
