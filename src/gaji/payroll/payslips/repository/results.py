"""The SQL of keeping what was calculated."""

from collections.abc import Mapping, Sequence
from typing import Any

import asyncpg

from gaji.db.tenancy import Transaction
from gaji.engine.payslip_input import MonthToDate

FIGURES = MonthToDate.__struct_fields__
PLAIN = {"pay_date": "date", "nett_pay": "bigint", **dict.fromkeys(FIGURES, "bigint")}
CAST = {"lines": "json", "inputs": "json", "moved": "jsonb", "carried": "jsonb"}
TEXTS = ("attention", "remarks")
COLUMNS = ("id", *PLAIN, *CAST, *TEXTS)
"""The columns of what is saved; a list of texts comes as a JSON array, or null where it is empty."""

FIRST = 5
"""The number of the first parameter that is a column."""


def _type(name: str) -> str:
    return "bigint" if name == "id" else PLAIN.get(name, "text")


def _changes(values: Mapping[str, str]) -> str:
    """What is set, with the expression that each value comes from."""
    texts = (
        f"{name} = CASE WHEN {values[name]} IS NULL THEN '{{}}' "
        f"ELSE ARRAY(SELECT json_array_elements_text({values[name]}::json)) END"
        for name in TEXTS
    )
    casts = (f"{name} = {values[name]}::{kind}" for name, kind in CAST.items())
    return ", ".join(
        (
            "dirty = false, rules_version = $2, catalogue_version = $3",
            "payment_run_id = coalesce($4, p.payment_run_id)",
            *(f"{name} = {values[name]}" for name in PLAIN),
            *casts,
            *texts,
        )
    )


_ARRAY_LIMIT = 100
"""So many go as arrays. More go through a temporary table, which takes a moment to make and far less for each."""
_ARRAYS = ", ".join(f"${number}::{_type(name)}[]" for number, name in enumerate(COLUMNS, start=FIRST))
_SOURCES = {True: f"unnest({_ARRAYS}) AS n({', '.join(COLUMNS)})", False: "arriving n"}
_UPDATE_MANY = {
    few: f"UPDATE payslips p SET {_changes({name: f'n.{name}' for name in COLUMNS})} FROM {source} "
    "WHERE p.client_id = $1 AND p.id = n.id AND NOT p.finalised"
    for few, source in _SOURCES.items()
}
_ARRIVING = f"CREATE TEMPORARY TABLE arriving ({', '.join(f'{name} {_type(name)}' for name in COLUMNS)}) ON COMMIT DROP"
# Most often it is one, and someone waits for it: without arrays it takes half the time.
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
    columns: Mapping[str, Sequence[Any]],
) -> asyncpg.Record:
    """Keep what drafts came to; says whether the law and the catalogue that they came from are kept already.

    A run that takes them up is saved with them: one new version of each row, and not two.
    """
    values = [columns[name] for name in COLUMNS]
    about = client_id, rules_version, catalogue_version, payment_run_id
    number = len(columns["id"])
    if number > _ARRAY_LIMIT:
        return await _save_many(tx, about, values)
    update = _UPDATE_MANY[True]
    if number == 1:
        update, values = _UPDATE_ONE, [one for (one,) in values]
    return await tx.fetchrow(f"WITH saved AS ({update}) {_IS_STORED}", *about, *values)


async def _save_many(tx: Transaction, about: Sequence[object], values: Sequence[Sequence[Any]]) -> asyncpg.Record:
    await tx.execute(_ARRIVING)
    records = zip(*values, strict=True)
    await tx.connection.copy_records_to_table("arriving", records=records, columns=COLUMNS, schema_name="pg_temp")
    kept = await tx.fetchrow(f"WITH saved AS ({_UPDATE_MANY[False]}) {_IS_STORED}", *about)
    await tx.execute("DROP TABLE arriving")
    return kept


async def save_law(tx: Transaction, rules_version: str, text: str) -> None:
    """Keep the figures of the law under their version."""
    await tx.execute("INSERT INTO rule_books VALUES ($1, $2) ON CONFLICT DO NOTHING", rules_version, text)


async def save_catalogue(tx: Transaction, client_id: int, version: str, definitions: str) -> None:
    """Keep the custom items of a client under their version."""
    await tx.execute(
        "INSERT INTO calculation_catalogues VALUES ($1, $2, $3) ON CONFLICT DO NOTHING", client_id, version, definitions
    )
