"""Chains of the audit log, one for each account. The hash of a link covers an entry and the link before it.

Links are added by a worker after entries were committed (`tasks.py`), and checked by `verification.py`. The key of the
hashes is derived from the secret, so nobody can make a link with access to the database alone.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from struct import pack

from gaji.core.vault import Vault

NO_HASH = bytes(32)
"""What the first link of a chain has instead of the hash of the link before it."""
WITHOUT_ACCOUNT = 0
"""The chain of entries that belong to no account."""
AUDIT_HEADS = b"heads"
ACCESS_HEADS = b"access heads"


@dataclass(frozen=True)
class ChainLink:
    """The link of one entry. The last one of a chain is its head."""

    account_id: int
    position: int
    """Its number in the chain, from 1."""
    entry_id: int
    hash: bytes


@dataclass(frozen=True)
class UnlinkedEntry:
    """An entry that needs a link."""

    entry_id: int
    account_id: int
    digest: bytes
    """The SHA-256 of its contents."""


def entry_digest(text: str) -> bytes:
    """Return the digest of an entry from the text of its contents."""
    return sha256(text.encode()).digest()


def link_hash(
    vault: Vault, key_number: int, account_id: int, position: int, entry_id: int, digest: bytes, previous_hash: bytes
) -> bytes:
    """Return the hash of a link."""
    data = b"link" + pack(">qqq", account_id, position, entry_id) + digest + previous_hash
    return vault.audit_hash(data, key_number)


def heads_hash(vault: Vault, key_number: int, heads: Iterable[ChainLink], label: bytes = AUDIT_HEADS) -> bytes:
    """Return the hash over the heads of all chains. It shows whether the end of a chain or a whole chain is missing.

    The label keeps the hashes of the audit log and of access events apart.
    """
    ordered = sorted(heads, key=lambda head: head.account_id)
    data = b"".join(pack(">qqq", head.account_id, head.position, head.entry_id) + head.hash for head in ordered)
    return vault.audit_hash(label + data, key_number)


class ChangedHeads(Exception):
    """Someone changed the heads of the chains, so no links are added to them."""


@dataclass(frozen=True)
class ChainState:
    """How far the chains are."""

    ready: bool
    """Whether entries can get links now."""
    heads_hash: bytes | None
    """The hash over the heads of all chains. None before the first link."""
    key_number: int | None
    """The key of that hash."""


def are_heads_unchanged(
    vault: Vault,
    heads: Sequence[ChainLink],
    hash_of_heads: bytes | None,
    key: int | None,
    label: bytes = AUDIT_HEADS,
) -> bool:
    """Return whether the heads are those that the hash was made of."""
    if hash_of_heads is None or key is None:
        return not heads
    return 0 <= key < len(vault.audit_keys) and heads_hash(vault, key, heads, label) == hash_of_heads


def extend_chains(
    vault: Vault,
    heads: dict[int, ChainLink],
    hash_of_heads: bytes | None,
    key: int | None,
    entries: Sequence[UnlinkedEntry],
    label: bytes = AUDIT_HEADS,
) -> tuple[list[ChainLink], bytes]:
    """Return the links of entries, made with the current key, and the hash of the heads that follow.

    Raises ChangedHeads, so that heads that were changed are not confirmed with a new hash.
    """
    if not are_heads_unchanged(vault, list(heads.values()), hash_of_heads, key, label):
        raise ChangedHeads("the heads of the chains were changed; run `gaji audit verify`")
    key_number = len(vault.audit_keys) - 1
    latest, links = dict(heads), []
    for entry in entries:
        head = latest.get(entry.account_id)
        position, previous_hash = (head.position + 1, head.hash) if head else (1, NO_HASH)
        place = entry.account_id, position, entry.entry_id
        link = ChainLink(*place, link_hash(vault, key_number, *place, entry.digest, previous_hash))
        latest[entry.account_id] = link
        links.append(link)
    return links, heads_hash(vault, key_number, latest.values(), label)
