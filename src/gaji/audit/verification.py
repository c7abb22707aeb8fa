"""Verification of the audit log: entries that were changed, deleted or inserted after they got a link.

Everything is compared in one transaction, so that links and entries that appear meanwhile make no difference. Nothing
here relies on functions in the database, because whoever changes entries could change those too.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import asyncpg

from gaji.audit.chain import NO_HASH, ChainLink, are_heads_unchanged, entry_digest, link_hash
from gaji.audit.exported_heads import ExportedHead, HeadFile
from gaji.audit.redaction import Redaction, is_signed
from gaji.core.vault import Vault

MAX_PROBLEMS = 100
"""Problems that are described. All are counted."""
ROWS_AT_ONCE = 1000
ENTRY_TEXT = """jsonb_build_array(
    l.id, (extract(epoch FROM l.at) * 1000000)::bigint, l.account_id, l.client_id, l.user_id, l.key_id,
    l.request_id, l.actor, l.action, l.row_id, l.before, l.after)::text"""
"""The contents of an entry. The function `entries_without_link` has the same expression."""
LINKS = f"""SELECT k.account_id, k.position, k.entry_id, k.key_number, k.hash, l.id IS NOT NULL AS has_entry,
                   {ENTRY_TEXT} AS text, r.original_digest, r.redacted_digest, r.hash AS redaction_hash,
                   r.key_number AS redaction_key
            FROM audit_links k LEFT JOIN audit_log l ON l.id = k.entry_id
                 LEFT JOIN audit_redactions r ON r.entry_id = k.entry_id ORDER BY k.account_id, k.position"""
STATE = """SELECT s.chained_through, s.heads_hash, s.key_number,
                  (SELECT last_value FROM audit_log_id_seq) AS last_id FROM audit_chain_state s"""
WITHOUT_LINK = "FROM audit_log l WHERE NOT EXISTS (SELECT FROM audit_links k WHERE k.entry_id = l.id)"


@dataclass
class ChainReport:
    """The result of a verification."""

    entries: int = 0
    """Links that were compared with their entries."""
    accounts: int = 0
    problems: list[str] = field(default_factory=list)
    """A sentence about each problem, up to MAX_PROBLEMS."""
    problem_count: int = 0
    pending: int = 0
    """New entries that have no link yet."""
    pending_since: datetime | None = None
    """The time of the oldest of them."""

    def add_problem(self, sentence: str) -> None:
        """Count a problem, and keep its sentence if there are not too many."""
        self.problem_count += 1
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(sentence)


async def verify_chains(connection: asyncpg.Connection, vault: Vault, exported: HeadFile | None = None) -> ChainReport:
    """Compare all links with their entries, and with heads that were exported earlier.

    Requires the owner's connection in a transaction with the isolation "repeatable read".
    """
    await connection.execute("SELECT set_config('gaji.maintenance', 'on', true)")
    heads = [ChainLink(**row) for row in await connection.fetch("SELECT * FROM audit_heads")]
    walk = ChainWalk(vault, heads, exported.heads if exported else ())
    cursor = await connection.cursor(LINKS)
    while rows := await cursor.fetch(ROWS_AT_ONCE):
        for row in rows:
            walk.visit(row)
    report = walk.finish()
    await _check_state(connection, vault, heads, report)
    return report


class ChainWalk:
    """Visits all links in the order of accounts and positions."""

    noun = "entry"

    def __init__(self, vault: Vault, heads: Sequence[ChainLink], exported_heads: Sequence[ExportedHead]) -> None:
        self._vault = vault
        self._heads = {head.account_id: head for head in heads}
        self._expected = {(head.account_id, head.position): head.hash for head in exported_heads}
        self._last: asyncpg.Record | None = None
        self._report = ChainReport()

    def visit(self, link: asyncpg.Record) -> None:
        if self._last is None or self._last["account_id"] != link["account_id"]:
            self._end_chain()
            self._report.accounts += 1
        self._report.entries += 1
        self._compare(link)
        self._last = link
        expected = self._expected.pop((link["account_id"], link["position"]), None)
        if expected not in (None, link["hash"].hex()):
            self._report.add_problem(f"{_label(link, self.noun)}: its link is not the one that was exported")

    def _compare(self, link: asyncpg.Record) -> None:
        position, previous_hash = (self._last["position"], self._last["hash"]) if self._last else (0, NO_HASH)
        if link["position"] != position + 1:
            missing = f"{position + 1} to {link['position'] - 1}"
            self._report.add_problem(f"account {link['account_id']}: links {missing} are missing")
        elif not link["has_entry"] and not self.may_be_missing(link, previous_hash):
            self._report.add_problem(f"{_label(link, self.noun)} is missing")
        elif link["has_entry"] and not self.is_unchanged(link, previous_hash):
            self._report.add_problem(f"{_label(link, self.noun)} was changed")

    def may_be_missing(self, link: asyncpg.Record, previous_hash: bytes) -> bool:
        """Return whether there is a reason for an entry to be missing. Entries of the audit log never are."""
        return False

    def is_unchanged(self, link: asyncpg.Record, previous_hash: bytes) -> bool:
        """Return whether an entry is what its link covers."""
        return self.is_link_of(link, self._original_digest(link), previous_hash)

    def is_link_of(self, link: asyncpg.Record, digest: bytes, previous_hash: bytes) -> bool:
        """Return whether the hash of a link is that of a digest after another link."""
        if not 0 <= link["key_number"] < len(self._vault.audit_keys):
            return False
        place = link["account_id"], link["position"], link["entry_id"]
        return link_hash(self._vault, link["key_number"], *place, digest, previous_hash) == bytes(link["hash"])

    def _original_digest(self, link: asyncpg.Record) -> bytes:
        """Return the digest of what the entry contained when it was written.

        That of an entry whose values were erased counts if the erasure is signed and nothing changed since.
        """
        digest = entry_digest(link["text"])
        if link["original_digest"] is None:
            return digest
        redaction = Redaction(link["entry_id"], bytes(link["original_digest"]), bytes(link["redacted_digest"]))
        if not is_signed(self._vault, redaction, link["redaction_hash"], link["redaction_key"]):
            return digest
        return redaction.original_digest if digest == redaction.redacted_digest else digest

    def _end_chain(self) -> None:
        """Compare the last link of the chain that was visited with its head."""
        if self._last is None:
            return
        account_id, position = self._last["account_id"], self._last["position"]
        head = self._heads.pop(account_id, None)
        if head is None:
            self._report.add_problem(f"account {account_id}: the head of its chain is missing")
        elif (head.position, head.entry_id, head.hash) != (position, self._last["entry_id"], self._last["hash"]):
            self._report.add_problem(
                f"account {account_id}: its chain ends at link {position}, but its head is link {head.position}"
            )
        self._last = None

    def finish(self) -> ChainReport:
        """Return the report, with chains and exported heads that are missing completely."""
        self._end_chain()
        for head in self._heads.values():
            self._report.add_problem(f"account {head.account_id}: all {head.position} links of its chain are missing")
        for account_id, position in self._expected:
            self._report.add_problem(f"account {account_id}: link {position}, which was exported, is missing")
        return self._report


async def _check_state(
    connection: asyncpg.Connection, vault: Vault, heads: Sequence[ChainLink], report: ChainReport
) -> None:
    """Check the hash of the heads, and count the entries without a link."""
    state = await connection.fetchrow(STATE)
    if state is None or not are_heads_unchanged(vault, heads, state["heads_hash"], state["key_number"]):
        report.add_problem("the heads of the chains were changed, or a chain is missing completely")
    if state is None:
        return
    limits = state["chained_through"], state["last_id"]
    for sentence in await _inserted_entries(connection, limits):
        report.add_problem(sentence)
    pending = await connection.fetchrow(
        f"SELECT count(*) AS count, min(l.at) AS since {WITHOUT_LINK} AND l.id > $1 AND l.id <= $2", *limits
    )
    report.pending, report.pending_since = pending["count"], pending["since"]


async def _inserted_entries(connection: asyncpg.Connection, limits: tuple[int, int]) -> Iterator[str]:
    """Return sentences about entries that have no link although entries around them do, or whose ID is invented."""
    rows = await connection.fetch(
        f"SELECT l.id AS entry_id, coalesce(l.account_id, 0) AS account_id {WITHOUT_LINK} "
        f"AND (l.id <= $1 OR l.id > $2) ORDER BY l.id LIMIT {MAX_PROBLEMS}",
        *limits,
    )
    return (f"{_label(row, ChainWalk.noun)} was inserted later" for row in rows)


def _label(row: asyncpg.Record, noun: str) -> str:
    return f"account {row['account_id']}: {noun} {row['entry_id']}"
