"""Accounting SQL."""

from collections.abc import Mapping, Sequence

from gaji.db.tenancy import Transaction
from gaji.engine.ledger import AccountOverrides, OverridesByItem
from gaji.payroll.accounting.rules import UNDIVIDED


async def load_account_overrides(tx: Transaction, client_id: int) -> dict[str, AccountOverrides]:
    """Load the client's overrides of the default accounts, by item."""
    rows = await tx.fetch(
        "SELECT item, category, debit_account, credit_account FROM ledger_accounts WHERE client_id = $1", client_id
    )
    return {row["item"]: AccountOverrides(row["category"], row["debit_account"], row["credit_account"]) for row in rows}


async def replace_account_overrides(tx: Transaction, client_id: int, overrides: OverridesByItem) -> None:
    """Replace the client's overrides of the default accounts."""
    await tx.execute(
        "DELETE FROM ledger_accounts WHERE client_id = $1 AND NOT item = ANY ($2::text[])", client_id, list(overrides)
    )
    await tx.execute(
        "INSERT INTO ledger_accounts AS a (client_id, item, category, debit_account, credit_account) "
        "SELECT $1, * FROM unnest($2::text[], $3::text[], $4::text[], $5::text[]) "
        "ON CONFLICT (client_id, item) DO UPDATE SET category = excluded.category, "
        "debit_account = excluded.debit_account, credit_account = excluded.credit_account, updated_at = now() "
        "WHERE (a.category, a.debit_account, a.credit_account) "
        "IS DISTINCT FROM (excluded.category, excluded.debit_account, excluded.credit_account)",
        client_id,
        list(overrides),
        [override.category for override in overrides.values()],
        [override.debit for override in overrides.values()],
        [override.credit for override in overrides.values()],
    )


async def load_mode(tx: Transaction, client_id: int) -> str:
    """Load how the journals of a client are divided."""
    mode: str | None = await tx.fetchval("SELECT mode FROM accounting_modes WHERE client_id = $1", client_id)
    return mode or UNDIVIDED


async def lock_mode(tx: Transaction, client_id: int) -> None:
    """Lock the mode and the splits of a client until the transaction ends."""
    await tx.execute(
        "INSERT INTO accounting_modes AS m (client_id, mode) VALUES ($1, $2) "
        "ON CONFLICT (client_id) DO UPDATE SET mode = m.mode",
        client_id,
        UNDIVIDED,
    )


async def update_mode(tx: Transaction, client_id: int, mode: str) -> None:
    """Save how the journals of a client are divided. Call `lock_mode` first."""
    await tx.execute(
        "UPDATE accounting_modes SET mode = $2, updated_at = now() WHERE client_id = $1 AND mode <> $2",
        client_id,
        mode,
    )


async def load_splits(tx: Transaction, client_id: int) -> dict[str, str]:
    """Load the names of a client's splits by key, in the order in which they were added."""
    rows = await tx.fetch("SELECT key, name FROM accounting_splits WHERE client_id = $1 ORDER BY id", client_id)
    return {row["key"]: row["name"] for row in rows}


async def lock_split_keys(tx: Transaction, client_id: int) -> set[str]:
    """Return the keys of a client's splits, and prevent their deletion until the transaction ends."""
    rows = await tx.fetch("SELECT key FROM accounting_splits WHERE client_id = $1 FOR KEY SHARE", client_id)
    return {row["key"] for row in rows}


async def load_used_split_keys(tx: Transaction, client_id: int, keys: Sequence[str]) -> list[str]:
    """Return which of these splits employees have a share in, in the order in which they were added."""
    rows = await tx.fetch(
        "SELECT s.key FROM accounting_splits s WHERE s.client_id = $1 AND s.key = ANY ($2::text[]) "
        "AND EXISTS (SELECT FROM employee_accounting_splits e WHERE e.client_id = s.client_id AND e.split_id = s.id) "
        "ORDER BY s.id",
        client_id,
        keys,
    )
    return [row["key"] for row in rows]


async def delete_splits(tx: Transaction, client_id: int, keys: Sequence[str]) -> None:
    """Delete splits. Raises ForeignKeyViolationError if an employee has a share in one."""
    await tx.execute("DELETE FROM accounting_splits WHERE client_id = $1 AND key = ANY ($2::text[])", client_id, keys)


async def rename_splits(tx: Transaction, client_id: int, names: Mapping[str, str]) -> None:
    """Rename splits in one statement, so that names can be swapped. Raises ExclusionViolationError for a taken name."""
    await tx.execute(
        "UPDATE accounting_splits s SET name = n.name, updated_at = now() "
        "FROM unnest($2::text[], $3::text[]) AS n(key, name) WHERE s.client_id = $1 AND s.key = n.key "
        "AND s.name <> n.name",
        client_id,
        list(names),
        list(names.values()),
    )


async def draw_split_key(tx: Transaction) -> str:
    """Return a new number as the key of a split."""
    number: int = await tx.fetchval("SELECT nextval(pg_get_serial_sequence('accounting_splits', 'id'))")
    return str(number)


async def insert_splits(tx: Transaction, client_id: int, names: Mapping[str, str]) -> None:
    """Add splits, with names by key. Raises ExclusionViolationError for a taken name."""
    await tx.execute(
        "INSERT INTO accounting_splits (client_id, key, name) SELECT $1, key, name "
        "FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS n(key, name, ordinal) ORDER BY ordinal",
        client_id,
        list(names),
        list(names.values()),
    )


async def load_shares(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> dict[int, dict[str, int]]:
    """Load the shares of employees by employee and key of the split. Employees without shares are left out."""
    rows = await tx.fetch(
        "SELECT e.employee_id, s.key, e.share FROM employee_accounting_splits e "
        "JOIN accounting_splits s ON s.client_id = e.client_id AND s.id = e.split_id "
        "WHERE e.client_id = $1 AND e.employee_id = ANY ($2::bigint[]) ORDER BY e.employee_id, s.id",
        client_id,
        employee_ids,
    )
    shares: dict[int, dict[str, int]] = {}
    for row in rows:
        shares.setdefault(row["employee_id"], {})[row["key"]] = row["share"]
    return shares


async def replace_shares(tx: Transaction, client_id: int, employee_id: int, shares: Mapping[str, int]) -> None:
    """Replace the shares of an employee, by key of the split."""
    await tx.execute(
        "DELETE FROM employee_accounting_splits WHERE client_id = $1 AND employee_id = $2 AND NOT split_id IN "
        "(SELECT id FROM accounting_splits WHERE client_id = $1 AND key = ANY ($3::text[]))",
        client_id,
        employee_id,
        list(shares),
    )
    await tx.execute(
        "INSERT INTO employee_accounting_splits AS e (client_id, employee_id, split_id, share) "
        "SELECT $1, $2, s.id, n.share FROM unnest($3::text[], $4::integer[]) AS n(key, share) "
        "JOIN accounting_splits s ON s.client_id = $1 AND s.key = n.key "
        "ON CONFLICT (client_id, employee_id, split_id) DO UPDATE SET share = excluded.share, updated_at = now() "
        "WHERE e.share <> excluded.share",
        client_id,
        employee_id,
        list(shares),
        list(shares.values()),
    )
