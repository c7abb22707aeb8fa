"""Verification of access events: those that were changed, deleted or inserted after they got a link.

An event may be missing after two years, and if it was deleted with the data of a person.
"""

from collections.abc import Sequence
from datetime import date

import asyncpg
import msgspec

from gaji.audit.access_chain import MIN_KEPT_DAYS, covered_digest, erasure_hash
from gaji.audit.chain import ACCESS_HEADS, ChainLink, are_heads_unchanged, entry_digest
from gaji.audit.exported_heads import HeadFile
from gaji.audit.verification import MAX_PROBLEMS, ROWS_AT_ONCE, ChainReport, ChainWalk
from gaji.core.vault import Vault

OPENED = """e.id, e.account_id, e.user_id, e.key_id, e.kind, e.path, e.address, e.user_agent, e.day,
    (extract(epoch FROM e.first_at) * 1000000)::bigint"""
CLOSED = f"{OPENED}, e.count, (extract(epoch FROM e.last_at) * 1000000)::bigint"
"""What the first and the second link cover. The function `access_events_without_link` has the same expressions."""
LINKS = f"""SELECT k.account_id, k.position, k.event_id AS entry_id, k.day, k.closed, k.digest, k.key_number, k.hash,
                   e.id IS NOT NULL AS has_entry,
                   CASE WHEN k.closed THEN jsonb_build_array({CLOSED})
                        ELSE jsonb_build_array({OPENED}) END::text AS text,
                   r.hash AS erasure_hash, r.key_number AS erasure_key, current_date AS today
            FROM access_links k LEFT JOIN access_events e ON e.id = k.event_id
                 LEFT JOIN access_erasures r ON r.event_id = k.event_id ORDER BY k.account_id, k.position"""
STATE = """SELECT s.chained_through, s.closed_through, s.heads_hash, s.key_number,
                  (SELECT last_value FROM access_events_id_seq) AS last_id FROM access_chain_state s"""
NO_OPENED = "NOT EXISTS (SELECT FROM access_links k WHERE k.event_id = e.id AND NOT k.closed)"
NO_CLOSED = "NOT EXISTS (SELECT FROM access_links k WHERE k.event_id = e.id AND k.closed)"
INSERTED = f"""SELECT e.id, e.account_id FROM access_events e
               WHERE (e.id > $2 OR e.id <= $1 AND {NO_OPENED} OR e.day <= $3 AND {NO_CLOSED})
               ORDER BY e.id LIMIT {MAX_PROBLEMS}"""


async def verify_access_chains(
    connection: asyncpg.Connection, vault: Vault, exported: HeadFile | None = None
) -> ChainReport:
    """Compare all links with their events, and with heads that were exported earlier.

    Requires the owner's connection in a transaction with the isolation "repeatable read".
    """
    await connection.execute("SELECT set_config('gaji.maintenance', 'on', true)")
    heads = [ChainLink(**row) for row in await connection.fetch("SELECT * FROM access_heads")]
    expected = exported.access_heads if exported else ()
    walk = AccessWalk(vault, heads, () if expected is msgspec.UNSET else expected)
    cursor = await connection.cursor(LINKS)
    while rows := await cursor.fetch(ROWS_AT_ONCE):
        for row in rows:
            walk.visit(row)
    report = walk.finish()
    await _check_state(connection, vault, heads, report)
    return report


class AccessWalk(ChainWalk):
    """Visits all links of access events."""

    noun = "access event"

    def may_be_missing(self, link: asyncpg.Record, previous_hash: bytes) -> bool:
        """Return whether an event is missing because it is old or was erased. Its link must be right in any case."""
        digest = covered_digest(link["day"], link["closed"], bytes(link["digest"]))
        if not self.is_link_of(link, digest, previous_hash):
            return False
        return _age_days(link["today"], link["day"]) >= MIN_KEPT_DAYS or self._is_erased(link)

    def is_unchanged(self, link: asyncpg.Record, previous_hash: bytes) -> bool:
        """Return whether an event is what its link covers."""
        digest = entry_digest(link["text"])
        covered = covered_digest(link["day"], link["closed"], digest)
        return digest == bytes(link["digest"]) and self.is_link_of(link, covered, previous_hash)

    def _is_erased(self, link: asyncpg.Record) -> bool:
        key_number = link["erasure_key"]
        if key_number is None or not 0 <= key_number < len(self._vault.audit_keys):
            return False
        return erasure_hash(self._vault, key_number, link["entry_id"]) == bytes(link["erasure_hash"])


def _age_days(today: date, day: date) -> int:
    return (today - day).days


async def _check_state(
    connection: asyncpg.Connection, vault: Vault, heads: Sequence[ChainLink], report: ChainReport
) -> None:
    """Check the hash of the heads, and look for events without a link."""
    state = await connection.fetchrow(STATE)
    if state is None or not are_heads_unchanged(vault, heads, state["heads_hash"], state["key_number"], ACCESS_HEADS):
        report.add_problem("the heads of the chains of access events were changed, or a chain is missing completely")
    if state is None:
        return
    limits = state["chained_through"], state["last_id"]
    for row in await connection.fetch(INSERTED, *limits, state["closed_through"]):
        report.add_problem(f"account {row['account_id']}: access event {row['id']} was inserted later")
    pending = await connection.fetchrow(
        f"SELECT count(*) AS count, min(e.first_at) AS since FROM access_events e "
        f"WHERE e.id > $1 AND e.id <= $2 AND {NO_OPENED}",
        *limits,
    )
    report.pending, report.pending_since = pending["count"], pending["since"]
