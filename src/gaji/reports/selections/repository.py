"""Saved selections in the database."""

import msgspec

from gaji.db.json_lists import json_text
from gaji.db.tenancy import Transaction
from gaji.reports.selections.schemas import Parameters, ReportSelection


async def list_selections(tx: Transaction, client_id: int) -> list[ReportSelection]:
    """Load the selections of a client, ordered by name."""
    rows = await tx.fetch(
        "SELECT id, report, name, parameters FROM report_selections WHERE client_id = $1 ORDER BY lower(name), id",
        client_id,
    )
    return [
        ReportSelection(
            id=row["id"],
            report=row["report"],
            name=row["name"],
            parameters=msgspec.json.decode(row["parameters"], type=dict[str, list[str]]),
        )
        for row in rows
    ]


async def insert(tx: Transaction, client_id: int, report_id: str, name: str, parameters: Parameters) -> int:
    """Insert a selection and return its ID. Raises UniqueViolationError if the name is in use."""
    selection_id: int = await tx.fetchval(
        "INSERT INTO report_selections (client_id, report, name, parameters) VALUES ($1, $2, $3, $4) RETURNING id",
        client_id,
        report_id,
        name,
        json_text(parameters),
    )
    return selection_id


async def delete(tx: Transaction, client_id: int, selection_id: int) -> str | None:
    """Delete a selection and return its report, or None if the client has no such selection."""
    report_id: str | None = await tx.fetchval(
        "DELETE FROM report_selections WHERE client_id = $1 AND id = $2 RETURNING report", client_id, selection_id
    )
    return report_id
