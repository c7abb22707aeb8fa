"""SQL that saves calculation results."""

from collections.abc import Mapping, Sequence
from typing import Any

import asyncpg

from gaji.db.query_plans import planned_without
from gaji.db.tenancy import Transaction
from gaji.engine.payslip_input import MonthToDate

FIGURES = MonthToDate.__struct_fields__
REGISTER_TOTALS = ("gross", "wage_deductions", "employer_contributions")
PLAIN = {
    "pay_date": "date",
    "nett_pay": "bigint",
    "pays_regular_hours": "boolean",
    **dict.fromkeys((*FIGURES, *REGISTER_TOTALS), "bigint"),
}
CAST = {
    "lines": "json",
    "inputs": "json",
    "moved": "jsonb",
    "carried": "jsonb",
    "previous_month": "jsonb",
    "past_months": "jsonb",
}
TEXTS = ("attention", "remarks")
COLUMNS = ("id", *PLAIN, *CAST, *TEXTS)
"""The columns that are saved. A list of strings is a JSON array, or null if it is empty."""

FIRST = 5
"""The number of the first column parameter."""


def _type(name: str) -> str:
    return "bigint" if name == "id" else PLAIN.get(name, "text")


def _changes(values: Mapping[str, str]) -> str:
    """Return the SET clause for these value expressions."""
    texts = (
        f"{name} = CASE WHEN {values[name]} IS NULL THEN '{{}}' "
        f"ELSE ARRAY(SELECT json_array_elements_text({values[name]}::json)) END"
        for name in TEXTS
    )
    casts = (f"{name} = {values[name]}::{kind}" for name, kind in CAST.items())
    return ", ".join(
        (
            "dirty = false, rules_version = $2, catalogue_version = $3",
            # The draft of a correction run is withdrawn until its differences are known.
            "withdrawn = p.withdrawn AND p.corrects IS NULL",
            "payment_run_id = coalesce($4, p.payment_run_id)",
            *(f"{name} = {values[name]}" for name in PLAIN),
            *casts,
            *texts,
        )
    )


_ARRAY_LIMIT = 100
"""Up to this many rows are sent as arrays. More go through a temporary table, which is faster for each row."""
_ARRAYS = ", ".join(f"${number}::{_type(name)}[]" for number, name in enumerate(COLUMNS, start=FIRST))
_SET = _changes({name: f"n.{name}" for name in COLUMNS})
_UPDATE_FEW = (
    f"UPDATE payslips p SET {_SET} FROM unnest({_ARRAYS}) AS n({', '.join(COLUMNS)}) "
    "WHERE p.client_id = $1 AND p.id = n.id AND NOT p.finalised"
)
# The chunks of a run are ranges of employees. Without the range, PostgreSQL would read the whole client for each chunk
# (see `db.query_plans`). It does not use IS NOT DISTINCT FROM with an index; row-level security names the client too.
_UPDATE_MANY = (
    f"UPDATE payslips p SET {_SET} FROM arriving n WHERE p.client_id IS NOT DISTINCT FROM $1 "
    "AND p.employee_id BETWEEN $5 AND $6 AND p.id = n.id AND NOT p.finalised"
)
_ARRIVING = f"CREATE TEMPORARY TABLE arriving ({', '.join(f'{name} {_type(name)}' for name in COLUMNS)}) ON COMMIT DROP"
# The common case is one payslip while a caller waits. Without arrays it takes half the time.
_VALUES = {name: f"${number}::{_type(name)}" for number, name in enumerate(COLUMNS, start=FIRST)}
_UPDATE_ONE = (
    f"UPDATE payslips p SET {_changes(_VALUES)} WHERE p.client_id = $1 AND p.id = {_VALUES['id']} AND NOT p.finalised"
)
_IS_STORED = """SELECT EXISTS (SELECT FROM rule_books WHERE rules_version = $2) AS law,
    EXISTS (SELECT FROM calculation_catalogues WHERE client_id = $1 AND version = $3) AS catalogue"""


async def save_results(
    tx: Transaction,
    client_id: int,
    rules_version: str,
    catalogue_version: str,
    payment_run_id: int | None,
    employee_ids: Sequence[int],
    columns: Mapping[str, Sequence[Any]],
) -> asyncpg.Record:
    """Save the results of drafts of these employees. Returns whether their law and catalogue versions are stored.

    The run that they are attached to is saved in the same statement, so that each row is written once.
    """
    values = [columns[name] for name in COLUMNS]
    common = client_id, rules_version, catalogue_version, payment_run_id
    count = len(columns["id"])
    if count > _ARRAY_LIMIT:
        return await _save_many(tx, (*common, min(employee_ids), max(employee_ids)), values)
    update = _UPDATE_FEW
    if count == 1:
        update, values = _UPDATE_ONE, [value for (value,) in values]
    return await tx.fetchrow(f"WITH saved AS ({update}) {_IS_STORED}", *common, *values)


async def _save_many(tx: Transaction, arguments: Sequence[object], values: Sequence[Sequence[Any]]) -> asyncpg.Record:
    await tx.execute(_ARRIVING)
    records = zip(*values, strict=True)
    await tx.connection.copy_records_to_table("arriving", records=records, columns=COLUMNS, schema_name="pg_temp")
    # A nested loop would compare each payslip of the range with all that are arriving.
    async with planned_without(tx, "enable_nestloop"):
        stored = await tx.fetchrow(f"WITH saved AS ({_UPDATE_MANY}) {_IS_STORED}", *arguments)
    await tx.execute("DROP TABLE arriving")
    return stored


async def save_law(tx: Transaction, rules_version: str, text: str) -> None:
    """Store the law parameters of a version."""
    await tx.execute("INSERT INTO rule_books VALUES ($1, $2) ON CONFLICT DO NOTHING", rules_version, text)


async def save_catalogue(tx: Transaction, client_id: int, version: str, definitions: str) -> None:
    """Store the custom items of a client and version."""
    await tx.execute(
        "INSERT INTO calculation_catalogues VALUES ($1, $2, $3) ON CONFLICT DO NOTHING", client_id, version, definitions
    )
