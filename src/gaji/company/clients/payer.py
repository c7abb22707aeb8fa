"""What a client is to banks and boards, for those who make files for them."""

from dataclasses import dataclass

from gaji.company.clients import payer_store as store
from gaji.core.vault import Place
from gaji.db.tenancy import Transaction


@dataclass(frozen=True, slots=True)
class PayerAccount:
    """The account that pays."""

    bank_id: int
    number: str
    name: str | None
    company_id: str | None
    """What the bank knows the company by in payment files."""


@dataclass(frozen=True, slots=True)
class FilingDetails:
    """What the company gives itself out as."""

    cpf_submission_number: str | None
    account: PayerAccount | None


async def load_filing_details(tx: Transaction, client_id: int) -> FilingDetails:
    """The facts about a client that the caller may see; the account number is opened, also for who may not see it."""
    row = await store.payer(tx, client_id)
    sealed = row["account_number_sealed"]
    if sealed is None:
        return FilingDetails(row["cpf_submission_number"], None)
    number = tx.vault.open(sealed, Place(client_id, "clients", client_id, "account_number_sealed"))
    return FilingDetails(
        row["cpf_submission_number"],
        PayerAccount(row["bank_id"], number, row["account_name"], row["company_id"]),
    )
