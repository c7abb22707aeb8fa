"""The SQL of accounting."""

from collections.abc import Mapping, Sequence

import asyncpg

from gaji.db.tenancy import Transaction
from gaji.engine.ledger import AccountOverrides, OverridesByItem

NO_MODE = "none"


async def own_accounts(tx: Transaction, client_id: int) -> dict[str, AccountOverrides]:
    """What a client names of the accounts of items, by item."""
    rows = await tx.fetch(
        "SELECT item, category, debit_account, credit_account FROM ledger_accounts WHERE client_id = $1", client_id
    )
    return {item: AccountOverrides(*names) for item, *names in rows}


async def replace_accounts(tx: Transaction, client_id: int, own: OverridesByItem) -> None:
    """Let a client name these accounts and no others."""
    await tx.execute(
        "DELETE FROM ledger_accounts WHERE client_id = $1 AND NOT item = ANY ($2::text[])", client_id, list(own)
    )
    await tx.execute(
        "INSERT INTO ledger_accounts AS a (client_id, item, category, debit_account, credit_account) "
        "SELECT $1, * FROM unnest($2::text[], $3::text[], $4::text[], $5::text[]) "
        "ON CONFLICT (client_id, item) DO UPDATE SET category = excluded.category, "
        "debit_account = excluded.debit_account, credit_account = excluded.credit_account, updated_at = now() "
        "WHERE (a.category, a.debit_account, a.credit_account) "
        "IS DISTINCT FROM (excluded.category, excluded.debit_account, excluded.credit_account)",
        client_id,
        list(own),
        [one.category for one in own.values()],
        [one.debit for one in own.values()],
        [one.credit for one in own.values()],
    )


async def mode(tx: Transaction, client_id: int) -> str:
    """Over what the journals of a client are divided."""
    found: str | None = await tx.fetchval("SELECT mode FROM accounting_modes WHERE client_id = $1", client_id)
    return found or NO_MODE


async def hold_mode(tx: Transaction, client_id: int) -> None:
    """Keep everyone else from changing the mode and the splits of a client until the transaction ends."""
    await tx.execute(
        "INSERT INTO accounting_modes AS m (client_id, mode) VALUES ($1, $2) "
        "ON CONFLICT (client_id) DO UPDATE SET mode = m.mode",
        client_id,
        NO_MODE,
    )


async def set_mode(tx: Transaction, client_id: int, mode: str) -> None:
    """Choose over what the journals of a client are divided; its mode is held."""
    await tx.execute(
        "UPDATE accounting_modes SET mode = $2, updated_at = now() WHERE client_id = $1 AND mode <> $2",
        client_id,
        mode,
    )


async def splits(tx: Transaction, client_id: int) -> dict[int, str]:
    """The names of a client's splits by their ids, in the order of the ids."""
    return dict(await tx.fetch("SELECT id, name FROM accounting_splits WHERE client_id = $1 ORDER BY id", client_id))


async def keep_splits(tx: Transaction, client_id: int) -> set[int]:
    """The ids of a client's splits; none of them goes until the transaction ends."""
    rows = await tx.fetch("SELECT id FROM accounting_splits WHERE client_id = $1 FOR KEY SHARE", client_id)
    return {row[0] for row in rows}


async def used_splits(tx: Transaction, client_id: int, split_ids: Sequence[int]) -> dict[int, int]:
    """By split, of these, how many employees have a share in it."""
    rows = await tx.fetch(
        "SELECT split_id, count(*) FROM employee_accounting_splits "
        "WHERE client_id = $1 AND split_id = ANY ($2::bigint[]) GROUP BY 1 ORDER BY 1",
        client_id,
        split_ids,
    )
    return dict(rows)


async def delete_splits(tx: Transaction, client_id: int, split_ids: Sequence[int]) -> None:
    """Remove splits; raises ForeignKeyViolationError while an employee has a share in one."""
    await tx.execute(
        "DELETE FROM accounting_splits WHERE client_id = $1 AND id = ANY ($2::bigint[])", client_id, split_ids
    )


async def rename_splits(tx: Transaction, client_id: int, names: Mapping[int, str]) -> None:
    """Give splits these names, all at once; raises ExclusionViolationError for a name in use."""
    await tx.execute(
        "UPDATE accounting_splits s SET name = n.name, updated_at = now() "
        "FROM unnest($2::bigint[], $3::text[]) AS n(id, name) WHERE s.client_id = $1 AND s.id = n.id "
        "AND s.name <> n.name",
        client_id,
        list(names),
        list(names.values()),
    )


async def insert_splits(tx: Transaction, client_id: int, names: Sequence[str]) -> None:
    """Add splits with these names in their order; raises ExclusionViolationError for a name in use."""
    await tx.execute(
        "INSERT INTO accounting_splits (client_id, name) "
        "SELECT $1, name FROM unnest($2::text[]) WITH ORDINALITY AS n(name, place) ORDER BY place",
        client_id,
        names,
    )


async def shares(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> list[asyncpg.Record]:
    """Employee, split and share of these employees, in the order of splits."""
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT employee_id, split_id, share FROM employee_accounting_splits "
        "WHERE client_id = $1 AND employee_id = ANY ($2::bigint[]) ORDER BY employee_id, split_id",
        client_id,
        employee_ids,
    )
    return rows


async def replace_shares(tx: Transaction, client_id: int, employee_id: int, shares: Mapping[int, int]) -> None:
    """Divide an employee in this way in place of the one before."""
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
