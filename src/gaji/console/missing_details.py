"""Details of companies that files for the bank and the CPF Board need, and that are missing."""

from collections.abc import Sequence

from gaji.company.clients.queries import load_missing_details
from gaji.console.company_numbers import SUBMISSION_NUMBER
from gaji.db.tenancy import Transaction
from gaji.people.employees.directory import find_file_needs

ACCOUNT = "bank_account"


async def find_missing_details(tx: Transaction, client_ids: Sequence[int]) -> dict[int, list[str]]:
    """Return the paths of the details that companies lack and need for their employees in service, by company."""
    lacking = await load_missing_details(tx, client_ids)
    needs = await find_file_needs(tx, list(lacking)) if lacking else {}
    missing: dict[int, list[str]] = {}
    for client_id, need in needs.items():
        details = lacking[client_id]
        paths = [ACCOUNT] if details.account and need.giro else []
        paths += [SUBMISSION_NUMBER] if details.submission_number and need.cpf_file else []
        if paths:
            missing[client_id] = paths
    return missing
