"""Account mapping queries."""

from gaji.db.tenancy import Transaction
from gaji.payroll.account_mappings.schemas import EXPORT_SETTINGS, AccountMapping, ExportSettings


async def load_mappings(tx: Transaction, client_id: int) -> list[AccountMapping]:
    """Load the mappings of a client, ordered by account, item and split."""
    rows = await tx.fetch(
        "SELECT m.account, nullif(m.item, '') AS item, nullif(m.split_key, '') AS split_id, m.code, m.name "
        "FROM account_mappings m WHERE m.client_id = $1 ORDER BY m.account, m.item, m.split_key",
        client_id,
    )
    return [AccountMapping(**row) for row in rows]


async def load_settings(tx: Transaction, client_id: int) -> ExportSettings:
    """Load the settings of a client's exports."""
    row = await tx.fetchrow(
        "SELECT xero_tax_rate, xero_tracking_category, quickbooks_date_format, quickbooks_split_column "
        "FROM accounting_export_settings WHERE client_id = $1",
        client_id,
    )
    return ExportSettings(**row) if row else EXPORT_SETTINGS.parse_create({}).data
