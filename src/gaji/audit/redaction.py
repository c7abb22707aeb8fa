"""Redaction: the values of entries about a person are erased, and the chains stay intact.

A link covers the digest of the entry as it was written. When values are erased, this digest is stored, together with
that of what remains and a keyed hash over both. Nobody can make this hash with access to the database alone, so a value
that someone else changes or removes is still found.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from struct import pack

from gaji.core.threads import run_in_thread_if_many
from gaji.core.vault import Vault
from gaji.db.tenancy import Transaction


@dataclass(frozen=True)
class Redaction:
    """An entry whose values were erased, with the digests of its contents before and after."""

    entry_id: int
    original_digest: bytes
    redacted_digest: bytes


def redaction_hash(vault: Vault, key_number: int, redaction: Redaction) -> bytes:
    """Return the hash that confirms a redaction."""
    digests = redaction.original_digest + redaction.redacted_digest
    return vault.audit_hash(b"redaction" + pack(">q", redaction.entry_id) + digests, key_number)


def is_signed(vault: Vault, redaction: Redaction, signature: bytes | None, key_number: int | None) -> bool:
    """Return whether this installation made the redaction."""
    if signature is None or key_number is None or not 0 <= key_number < len(vault.audit_keys):
        return False
    return redaction_hash(vault, key_number, redaction) == bytes(signature)


async def redact_entries(tx: Transaction, client_id: int, employee_id: int, entry_ids: Sequence[int]) -> int:
    """Erase the values of entries about an employee whose erasure is recorded. Return the number of entries."""
    rows = await tx.fetch(
        "SELECT entry_id, original_digest, redacted_digest FROM redact_audit_entries($1, $2, $3)",
        client_id,
        employee_id,
        list(entry_ids),
    )
    redactions = [Redaction(row["entry_id"], row["original_digest"], row["redacted_digest"]) for row in rows]
    key_number = len(tx.vault.audit_keys) - 1
    hashes = await run_in_thread_if_many(
        len(rows), lambda: [redaction_hash(tx.vault, key_number, redaction) for redaction in redactions]
    )
    signed_ids = [redaction.entry_id for redaction in redactions]
    await tx.execute("SELECT sign_audit_redactions($1, $2, $3)", signed_ids, hashes, key_number)
    return len(redactions)
