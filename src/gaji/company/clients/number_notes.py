"""What is unusual about the UEN and the CPF submission number of clients."""

from collections.abc import Sequence

from gaji.company.clients import repository
from gaji.company.clients.schemas import uen_notes
from gaji.core.errors import ErrorCode, FieldError
from gaji.db.tenancy import Tenant

SHARED_SUBMISSION_NUMBER = ErrorCode("shared_submission_number", "{company} has the same number")


async def load_number_notes(tenant: Tenant, client_ids: Sequence[int]) -> dict[int, list[FieldError]]:
    """Return the notes about the numbers of clients. Clients without any are left out.

    Only clients of the caller are compared. The tenancy must be that of all of them.
    """
    async with tenant.read_only() as tx:
        rows = await repository.load_numbers(tx)
    users: dict[str, list[tuple[int, str]]] = {}
    for row in rows:
        if number := row["cpf_submission_number"]:
            users.setdefault(number, []).append((row["id"], row["name"]))
    wanted, notes = set(client_ids), {}
    for row in rows:
        if row["id"] not in wanted:
            continue
        others = [name for client_id, name in users.get(row["cpf_submission_number"], []) if client_id != row["id"]]
        items = list(uen_notes(row["uen"], row["cpf_submission_number"]))
        items += [
            FieldError("cpf_submission_number", SHARED_SUBMISSION_NUMBER, {"company": name}) for name in others[:1]
        ]
        if items:
            notes[row["id"]] = items
    return notes
