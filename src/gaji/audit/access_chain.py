"""Chains of access events, one for each account.

They work like those of the audit log (`chain.py`). An event is counted up during its day, so it gets two links: the
first one covers what does not change, and the second one, when the day is over, also the count and the last time.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from struct import pack

from gaji.audit.chain import ACCESS_HEADS, ChainLink, UnlinkedEntry, entry_digest, extend_chains
from gaji.core.vault import Vault

MIN_KEPT_DAYS = 729
"""Events are deleted after two years. Younger ones must exist. A day less, because days end by the local time."""


@dataclass(frozen=True)
class UnlinkedEvent:
    """An event that needs a link."""

    event_id: int
    account_id: int
    day: date
    closed: bool
    """Whether the link is the second one."""
    digest: bytes
    """The SHA-256 of what the link covers."""


@dataclass(frozen=True)
class AccessLink:
    """A link and its event."""

    link: ChainLink
    event: UnlinkedEvent


@dataclass(frozen=True)
class AccessChainState:
    """How far the chains are."""

    opening: bool
    """Whether events can get their first link now."""
    closing: bool
    """Whether events can get their second link now."""
    heads_hash: bytes | None
    key_number: int | None


def covered_digest(day: date, closed: bool, digest: bytes) -> bytes:
    """Return what the hash of a link covers instead of the contents alone: also the day, and which link it is."""
    return entry_digest(f"access event, {'closed' if closed else 'opened'} {day.isoformat()} {digest.hex()}")


def erasure_hash(vault: Vault, key_number: int, event_id: int) -> bytes:
    """Return the hash that confirms that an event was deleted with the data of a person."""
    return vault.audit_hash(b"access erasure" + pack(">q", event_id), key_number)


def extend_access_chains(
    vault: Vault,
    heads: dict[int, ChainLink],
    hash_of_heads: bytes | None,
    key: int | None,
    events: Sequence[UnlinkedEvent],
) -> tuple[list[AccessLink], bytes]:
    """Return the links of events, and the hash of the heads that follow. Raises ChangedHeads."""
    entries = [
        UnlinkedEntry(event.event_id, event.account_id, covered_digest(event.day, event.closed, event.digest))
        for event in events
    ]
    links, new_hash = extend_chains(vault, heads, hash_of_heads, key, entries, ACCESS_HEADS)
    return [AccessLink(link, event) for link, event in zip(links, events, strict=True)], new_hash
