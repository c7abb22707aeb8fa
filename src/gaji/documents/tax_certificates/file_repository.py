"""SQL for the files of released sets. Their contents are encrypted, because they have identity numbers."""

from collections.abc import Sequence
from typing import NamedTuple

from gaji.core.vault import SealedCell
from gaji.db.tenancy import Transaction


class FilePart(NamedTuple):
    """The records of a part of a set in one format."""

    extension: str
    number: int
    record_count: int
    content: bytes = b""
    """The encoded records, when they are written."""
    stored_id: int = 0
    """Zero if the file is not stored."""

    @property
    def key(self) -> tuple[str, int]:
        """What identifies the part in its set."""
        return self.extension, self.number


async def insert_files(tx: Transaction, client_id: int, year: int, set_number: int, parts: Sequence[FilePart]) -> None:
    """Store the files of a set."""
    for part in parts:
        file_id: int = await tx.fetchval("SELECT nextval(pg_get_serial_sequence('tax_certificate_files', 'id'))")
        await tx.execute(
            "INSERT INTO tax_certificate_files (client_id, id, year, set_number, extension, part, records, "
            "content_sealed) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
            client_id,
            file_id,
            year,
            set_number,
            part.extension,
            part.number,
            part.record_count,
            tx.vault.seal(part.content, _sealed_cell(client_id, file_id)),
        )


async def load_files(tx: Transaction, client_id: int, year: int) -> dict[int, list[FilePart]]:
    """Return the stored files of a year by set, ordered by format and part, without their contents."""
    rows = await tx.fetch(
        "SELECT id, set_number, extension, part, records FROM tax_certificate_files "
        "WHERE client_id = $1 AND year = $2 ORDER BY set_number, extension, part",
        client_id,
        year,
    )
    parts: dict[int, list[FilePart]] = {}
    for row in rows:
        part = FilePart(row["extension"], row["part"], row["records"], stored_id=row["id"])
        parts.setdefault(row["set_number"], []).append(part)
    return parts


async def load_content(tx: Transaction, client_id: int, file_id: int) -> bytes:
    """Return the encoded records of a stored file."""
    sealed: bytes = await tx.fetchval(
        "SELECT content_sealed FROM tax_certificate_files WHERE client_id = $1 AND id = $2", client_id, file_id
    )
    return tx.vault.open_bytes(sealed, _sealed_cell(client_id, file_id))


def _sealed_cell(client_id: int, file_id: int) -> SealedCell:
    return SealedCell(client_id, "tax_certificate_files", file_id, "content_sealed")
