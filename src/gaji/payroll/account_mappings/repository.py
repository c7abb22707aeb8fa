"""Account mapping SQL. The tables have an empty string where a mapping is for every item or split."""

from collections.abc import Sequence

from gaji.db.tenancy import Transaction
from gaji.payroll.account_mappings.schemas import AccountMapping, ExportSettings


async def lock_mappings(tx: Transaction, client_id: int) -> None:
    """Prevent other changes of the client's mappings until the transaction ends."""
    await tx.execute("SELECT pg_advisory_xact_lock(hashtextextended('account_mappings', $1))", client_id)


async def save_mappings(tx: Transaction, client_id: int, mappings: Sequence[AccountMapping]) -> None:
    """Insert or update mappings."""
    await tx.execute(
        "INSERT INTO account_mappings AS m (client_id, account, item, split_key, code, name) "
        "SELECT $1, * FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[]) "
        "ON CONFLICT (client_id, account, item, split_key) DO UPDATE SET code = excluded.code, name = excluded.name, "
        "updated_at = now() WHERE (m.code, m.name) IS DISTINCT FROM (excluded.code, excluded.name)",
        client_id,
        *_key_columns(mappings),
        [mapping.code for mapping in mappings],
        [mapping.name for mapping in mappings],
    )


async def delete_mappings(tx: Transaction, client_id: int, mappings: Sequence[AccountMapping]) -> None:
    """Delete these mappings. Those that do not exist are ignored."""
    await tx.execute(
        "DELETE FROM account_mappings m "
        "USING unnest($2::text[], $3::text[], $4::text[]) AS k(account, item, split_key) "
        "WHERE m.client_id = $1 AND (m.account, m.item, m.split_key) = (k.account, k.item, k.split_key)",
        client_id,
        *_key_columns(mappings),
    )


async def save_settings(tx: Transaction, client_id: int, settings: ExportSettings) -> None:
    """Save the settings of a client's exports."""
    await tx.execute(
        "INSERT INTO accounting_export_settings (client_id, xero_tax_rate, xero_tracking_category, "
        "quickbooks_date_format, quickbooks_split_column) VALUES ($1, $2, $3, $4, $5) "
        "ON CONFLICT (client_id) DO UPDATE SET xero_tax_rate = excluded.xero_tax_rate, "
        "xero_tracking_category = excluded.xero_tracking_category, "
        "quickbooks_date_format = excluded.quickbooks_date_format, "
        "quickbooks_split_column = excluded.quickbooks_split_column, updated_at = now()",
        client_id,
        settings.xero_tax_rate,
        settings.xero_tracking_category,
        settings.quickbooks_date_format,
        settings.quickbooks_split_column,
    )


def _key_columns(mappings: Sequence[AccountMapping]) -> tuple[list[str], list[str], list[str]]:
    return (
        [mapping.account for mapping in mappings],
        [mapping.item or "" for mapping in mappings],
        [mapping.split_id or "" for mapping in mappings],
    )
