"""Invitations of many employees at once, in a transaction that holds the lock on the client's roles."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gaji.core.threads import run_in_thread_if_many
from gaji.db.tenancy import Transaction
from gaji.identity import invitation_repository as repository
from gaji.identity import member_repository, sessions
from gaji.identity.invitation_codes import new_code
from gaji.identity.invitation_repository import EmployeeInvitation
from gaji.identity.invitations import INVITATION_LIFETIME, send_invitations
from gaji.identity.roles import EMPLOYEE
from gaji.mail.outbox import MailedLink


@dataclass(frozen=True)
class Invitee:
    """An employee who gets an invitation."""

    employee_id: int
    name: str
    email: str | None
    """None if the employee enters one."""


async def mail_invitations(tx: Transaction, client_id: int, invitees: Sequence[Invitee]) -> None:
    """Send invitations, in place of those that the employees have. Each invitee has an email."""
    vault = tx.vault
    links = await run_in_thread_if_many(len(invitees), lambda: [MailedLink(vault) for _ in invitees])
    ids = await _replace(tx, client_id, invitees, [link.token for link in links])
    by_id = {ids[invitee.employee_id]: link for invitee, link in zip(invitees, links, strict=True)}
    await send_invitations(tx, client_id, EMPLOYEE, by_id)


async def print_invitations(tx: Transaction, client_id: int, invitees: Sequence[Invitee]) -> dict[int, str]:
    """Create invitations, in place of those that the employees have. Return the codes by employee."""
    codes = [new_code() for _ in invitees]
    await _replace(tx, client_id, invitees, codes)
    return {invitee.employee_id: code for invitee, code in zip(invitees, codes, strict=True)}


async def grant_access(tx: Transaction, client_id: int, user_ids: Mapping[int, int]) -> None:
    """Give users of the account access as employees. The IDs of the users are by employee."""
    await member_repository.set_employee_roles(tx, client_id, user_ids)
    await repository.delete_employee_invitations(tx, client_id, list(user_ids))


async def _replace(
    tx: Transaction, client_id: int, invitees: Sequence[Invitee], tokens: Sequence[str]
) -> dict[int, int]:
    rows = [
        EmployeeInvitation(invitee.employee_id, invitee.name, invitee.email, sessions.hash_token(token))
        for invitee, token in zip(invitees, tokens, strict=True)
    ]
    return await repository.replace_employee_invitations(tx, client_id, rows, INVITATION_LIFETIME)
