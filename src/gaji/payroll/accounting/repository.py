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


async def load_splits(tx: Transaction, client_id: int) -> dict[int, str]:
    """Load the names of a client's splits by ID, ordered by ID."""
    rows = await tx.fetch("SELECT id, name FROM accounting_splits WHERE client_id = $1 ORDER BY id", client_id)
    return {row["id"]: row["name"] for row in rows}


async def lock_split_ids(tx: Transaction, client_id: int) -> set[int]:
    """Return the IDs of a client's splits, and prevent their deletion until the transaction ends."""
    rows = await tx.fetch("SELECT id FROM accounting_splits WHERE client_id = $1 FOR KEY SHARE", client_id)
    return {row["id"] for row in rows}


async def load_used_split_ids(tx: Transaction, client_id: int, split_ids: Sequence[int]) -> list[int]:
    """Return which of these splits employees have a share in, ordered by ID."""
    rows = await tx.fetch(
        "SELECT DISTINCT split_id FROM employee_accounting_splits "
        "WHERE client_id = $1 AND split_id = ANY ($2::bigint[]) ORDER BY split_id",
        client_id,
        split_ids,
    )
    return [row["split_id"] for row in rows]


async def delete_splits(tx: Transaction, client_id: int, split_ids: Sequence[int]) -> None:
    """Delete splits. Raises ForeignKeyViolationError if an employee has a share in one."""
    await tx.execute(
        "DELETE FROM accounting_splits WHERE client_id = $1 AND id = ANY ($2::bigint[])", client_id, split_ids
    )


async def rename_splits(tx: Transaction, client_id: int, names: Mapping[int, str]) -> None:
    """Rename splits in one statement, so that names can be swapped. Raises ExclusionViolationError for a taken name."""
    await tx.execute(
        "UPDATE accounting_splits s SET name = n.name, updated_at = now() "
        "FROM unnest($2::bigint[], $3::text[]) AS n(id, name) WHERE s.client_id = $1 AND s.id = n.id "
        "AND s.name <> n.name",
        client_id,
        list(names),
        list(names.values()),
    )


async def insert_splits(tx: Transaction, client_id: int, names: Sequence[str]) -> None:
    """Add splits with IDs in the order of the names. Raises ExclusionViolationError for a taken name."""
    await tx.execute(
        "INSERT INTO accounting_splits (client_id, name) "
        "SELECT $1, name FROM unnest($2::text[]) WITH ORDINALITY AS n(name, ordinal) ORDER BY ordinal",
        client_id,
        names,
    )


async def load_shares(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> dict[int, dict[int, int]]:
    """Load the shares of employees by employee and split. Employees without shares are left out."""
    rows = await tx.fetch(
        "SELECT employee_id, split_id, share FROM employee_accounting_splits "
        "WHERE client_id = $1 AND employee_id = ANY ($2::bigint[]) ORDER BY employee_id, split_id",
        client_id,
        employee_ids,
    )
    shares: dict[int, dict[int, int]] = {}
    for row in rows:
        shares.setdefault(row["employee_id"], {})[row["split_id"]] = row["share"]
    return shares


async def replace_shares(tx: Transaction, client_id: int, employee_id: int, shares: Mapping[int, int]) -> None:
    """Replace the shares of an employee."""
    await tx.execute(
        "DELETE FROM employee_accounting_splits "
        "WHERE client_id = $1 AND employee_id = $2 AND NOT split_id = ANY ($3::bigint[])",
        client_id,
        employee_id,
        list(shares),
    )
    await tx.execute(
        "INSERT INTO employee_accounting_splits AS s (client_id, employee_id, split_id, share) "
        "SELECT $1, $2, * FROM unnest($3::bigint[], $4::integer[]) "
        "ON CONFLICT (client_id, employee_id, split_id) DO UPDATE SET share = excluded.share, updated_at = now() "
        "WHERE s.share <> excluded.share",
        client_id,
        employee_id,
        list(shares),
        list(shares.values()),
    )
