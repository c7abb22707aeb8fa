"""The account that a payment run is paid from."""

from gaji.company.clients.queries import PayerAccount, load_filing_details
from gaji.db.tenancy import Transaction
from gaji.documents.giro.bank_formats import formats_of_bank
from gaji.documents.giro.batch import GiroPayer
from gaji.documents.giro.rules import account_errors
from gaji.payroll.snapshots import queries as snapshots

NO_PAYER = GiroPayer("", None, None)


async def load_payer(tx: Transaction, client_id: int, run_id: int) -> PayerAccount | None:
    """Load the account of a finalised run: the client's at that time, or the current one if no file fits the former.

    Otherwise a client without an account would have to unfinalise the run to pay it.
    """
    payer = await snapshots.load_payer(tx, client_id, run_id)
    if payer and _has_file(payer):
        return payer
    return (await load_filing_details(tx, client_id)).account or payer


def giro_payer(account: PayerAccount | None) -> GiroPayer:
    """Return the payer as bank files name it."""
    return GiroPayer(account.number, account.name, account.company_id, account.bank_id) if account else NO_PAYER


def _has_file(account: PayerAccount) -> bool:
    """Return whether there is a file format for the account."""
    formats = formats_of_bank(account.bank_id)
    return any(not account_errors(giro_format, giro_payer(account)) for giro_format in formats)
