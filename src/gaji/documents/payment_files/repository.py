"""SQL for payment files that were downloaded."""

from collections.abc import Sequence
from datetime import timedelta

import asyncpg

from gaji.db.tenancy import Transaction
from gaji.documents.downloads import WHO_AND_WHEN


async def load_downloads(tx: Transaction, client_id: int, payment_run_id: int) -> list[asyncpg.Record]:
    """Load the files of a run that were downloaded, in order."""
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT d.id, d.name, d.file_name, d.sha256, d.payments, d.total, d.amounts, d.value_date, "
        f"{WHO_AND_WHEN.format(table='downloaded_payment_files')} "
        "WHERE d.client_id = $1 AND d.payment_run_id = $2 ORDER BY d.id",
        client_id,
        payment_run_id,
    )
    return rows


async def load_named_downloads(
    tx: Transaction, client_ids: Sequence[int], run_ids: Sequence[int], pattern: str
) -> list[asyncpg.Record]:
    """Load the downloads of runs whose names match a regular expression."""
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT payment_run_id, name, amounts, last_downloaded_at FROM downloaded_payment_files "
        "WHERE client_id = ANY ($1::bigint[]) AND payment_run_id = ANY ($2::bigint[]) AND name ~ $3 ORDER BY id",
        client_ids,
        run_ids,
        pattern,
    )
    return rows


async def record_download(
    tx: Transaction,
    client_id: int,
    payment_run_id: int,
    values: dict[str, object],
    counts_again_after: timedelta | None,
) -> None:
    """Record that the caller downloads a file. The same content again is another download of the same file.

    It is not counted if the caller's last download of it is more recent than `counts_again_after`.
    """
    parameters = ", ".join(f"${number}" for number in range(5, 5 + len(values)))
    await tx.execute(
        "INSERT INTO downloaded_payment_files AS d (client_id, payment_run_id, downloaded_by, last_downloaded_by, "
        f"{', '.join(values)}) VALUES ($1, $2, $3, $3, {parameters}) "
        "ON CONFLICT (client_id, payment_run_id, name, sha256) DO UPDATE SET downloads = d.downloads + 1, "
        "last_downloaded_at = now(), last_downloaded_by = excluded.last_downloaded_by WHERE $4::interval IS NULL "
        "OR d.last_downloaded_by IS DISTINCT FROM excluded.last_downloaded_by "
        "OR d.last_downloaded_at < now() - $4::interval",
        client_id,
        payment_run_id,
        tx.caller.user_id,
        counts_again_after,
        *values.values(),
    )


async def is_downloaded(tx: Transaction, client_id: int, payment_run_id: int) -> bool:
    """Return whether a file of a run was downloaded."""
    exists: bool = await tx.fetchval(
        "SELECT EXISTS (SELECT FROM downloaded_payment_files WHERE client_id = $1 AND payment_run_id = $2)",
        client_id,
        payment_run_id,
    )
    return exists
