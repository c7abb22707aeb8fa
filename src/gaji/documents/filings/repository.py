"""SQL for CPF submissions that were downloaded."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta

import asyncpg

from gaji.db.tenancy import Transaction
from gaji.documents.downloads import WHO_AND_WHEN


async def lock_submissions(tx: Transaction, client_id: int) -> None:
    """Prevent other transactions from recording submissions of the client until this one ends."""
    await tx.execute("SELECT pg_advisory_xact_lock(hashtextextended('cpf_submissions', $1))", client_id)


async def load_submissions(tx: Transaction, client_id: int, month: date) -> list[asyncpg.Record]:
    """Load the submissions of a month that count, in order."""
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT d.id, d.advice_code, d.file_created_at AS created, d.members, d.sdl_total, d.total, d.employees, "
        f"d.file_name, d.sha256, {WHO_AND_WHEN.format(table='cpf_submissions')} "
        "WHERE d.client_id = $1 AND d.month = $2 AND d.discarded_at IS NULL ORDER BY d.id",
        client_id,
        month,
    )
    return rows


async def load_submission_times(
    tx: Transaction, client_ids: Sequence[int], first: date
) -> dict[tuple[int, date], datetime]:
    """Load when the last file that counts was downloaded, by client and month, from the first month on."""
    rows = await tx.fetch(
        "SELECT client_id, month, max(last_downloaded_at) AS downloaded_at FROM cpf_submissions "
        "WHERE client_id = ANY ($1::bigint[]) AND month >= $2 AND discarded_at IS NULL GROUP BY client_id, month",
        client_ids,
        first,
    )
    return {(row["client_id"], row["month"]): row["downloaded_at"] for row in rows}


async def load_first_downloads(
    tx: Transaction, client_ids: Sequence[int], first: date
) -> dict[tuple[int, date], datetime]:
    """Load when the first file that counts was first downloaded, by client and month, from the first month on."""
    rows = await tx.fetch(
        "SELECT client_id, month, min(downloaded_at) AS downloaded_at FROM cpf_submissions "
        "WHERE client_id = ANY ($1::bigint[]) AND month >= $2 AND discarded_at IS NULL GROUP BY client_id, month",
        client_ids,
        first,
    )
    return {(row["client_id"], row["month"]): row["downloaded_at"] for row in rows}


async def insert_submission(tx: Transaction, client_id: int, month: date, values: dict[str, object]) -> None:
    """Record a submission that the caller downloads."""
    columns = ", ".join(values)
    parameters = ", ".join(f"${number}" for number in range(4, 4 + len(values)))
    await tx.execute(
        f"INSERT INTO cpf_submissions (client_id, month, downloaded_by, last_downloaded_by, {columns}) "
        f"VALUES ($1, $2, $3, $3, {parameters})",
        client_id,
        month,
        tx.caller.user_id,
        *values.values(),
    )


async def count_download(
    tx: Transaction,
    client_id: int,
    submission_id: int,
    file_name: str,
    sha256: str,
    counts_again_after: timedelta | None,
) -> None:
    """Record that the caller downloads a submission again, unless the caller's last download is too recent."""
    await tx.execute(
        "UPDATE cpf_submissions SET downloads = downloads + 1, last_downloaded_at = now(), last_downloaded_by = $3, "
        "file_name = $4, sha256 = $5 WHERE client_id = $1 AND id = $2 AND ($6::interval IS NULL "
        "OR last_downloaded_by IS DISTINCT FROM $3 OR last_downloaded_at < now() - $6::interval)",
        client_id,
        submission_id,
        tx.caller.user_id,
        file_name,
        sha256,
        counts_again_after,
    )


async def find_submission(tx: Transaction, submission_id: int) -> asyncpg.Record | None:
    """Load the client, month and advice code of a submission that counts."""
    return await tx.fetchrow(
        "SELECT client_id, month, advice_code FROM cpf_submissions WHERE id = $1 AND discarded_at IS NULL",
        submission_id,
    )


async def find_last_id(tx: Transaction, client_id: int, month: date) -> int | None:
    """Return the ID of the last submission of a month that counts."""
    last: int | None = await tx.fetchval(
        "SELECT max(id) FROM cpf_submissions WHERE client_id = $1 AND month = $2 AND discarded_at IS NULL",
        client_id,
        month,
    )
    return last


async def discard(tx: Transaction, client_id: int, submission_id: int) -> None:
    """Mark a submission as discarded by the caller."""
    await tx.execute(
        "UPDATE cpf_submissions SET discarded_at = now(), discarded_by = $3 WHERE client_id = $1 AND id = $2",
        client_id,
        submission_id,
        tx.caller.user_id,
    )
