"""The SQL of what a client is to banks and boards."""

import asyncpg

from gaji.db.tenancy import Transaction


async def payer(tx: Transaction, client_id: int) -> asyncpg.Record:
    """The submission number and the account, its number still sealed, of a client that the caller may see."""
    return await tx.fetchrow(
        "SELECT cpf_submission_number, bank_id, account_name, company_id, account_number_sealed "
        "FROM clients WHERE id = $1",
        client_id,
    )
