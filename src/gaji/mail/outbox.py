"""The outbox: messages are queued in the transaction of the change, and workers send them after its commit.

Nothing is queued if mail is not set up.
"""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from enum import Enum
from typing import Any

import asyncpg

from gaji.core.vault import Vault
from gaji.db.tenancy import Transaction
from gaji.mail import repository
from gaji.mail.config import current_mail
from gaji.mail.link_tokens import link_token, new_nonce
from gaji.mail.messages import MailKind
from gaji.tasks.queue import ClientTask, enqueue_on

SEND_TASK = "send_mail"
APPROVERS = ("owner", "payroll")
MAX_DETAILS_REQUESTS_PER_HOUR = 3
"""Messages to an approver about requests of one employee, who can request and cancel as often as they like."""
SIGN_IN = "/sign-in"
FORGOTTEN_PASSWORD = "/sign-in/forgotten"  # noqa: S105 - a path
NO_CLIENT = 0
"""One task sends the mail of all clients."""


def is_mail_set_up() -> bool:
    """Return whether this installation sends mail."""
    return current_mail() is not None


class SecurityNotice(Enum):
    """A change to a user's sign-in, or as the user, that is reported by mail: subject and sentence."""

    PASSWORD_CHANGED = ("Your password has been changed", "Your Gaji password has been changed.")
    NEW_DEVICE = ("New sign-in to Gaji", "Someone signed in to Gaji as you on a new device.")
    AUTHENTICATOR_ADDED = (
        "Authenticator app added",
        "An authenticator app has been added to your two-step sign-in to Gaji.",
    )
    AUTHENTICATOR_REMOVED = (
        "Authenticator app removed",
        "The authenticator app has been removed from your two-step sign-in to Gaji.",
    )
    TWO_STEPS_OFF = ("Two-step sign-in has been turned off", "Two-step sign-in to Gaji has been turned off for you.")
    PASSKEY_ADDED = ("A passkey has been added", "A passkey has been added to your sign-in to Gaji.")
    PASSKEY_REMOVED = ("A passkey has been removed", "A passkey has been removed from your sign-in to Gaji.")
    DETAILS_REQUESTED = (
        "Change of your details requested",
        "Someone who signed in to Gaji as you requested a change of your address or payment details.",
    )


class MailedLink:
    """A link with a secret token that only its recipient gets to know."""

    def __init__(self, vault: Vault) -> None:
        self.nonce = new_nonce()
        self.token = link_token(vault, self.nonce)


async def queue_invitations(
    tx: Transaction, client_id: int, links: Mapping[int, MailedLink], company: str, role: str, invited_by: str
) -> None:
    """Queue the messages of invitations of a client, by ID. Their addresses are those of the invitations."""
    parameters = {"company": company, "role": role, "invited_by": invited_by}
    nonces = {invitation_id: link.nonce for invitation_id, link in links.items()}
    await repository.queue_invitations(tx.connection, client_id, nonces, MailKind.INVITATION, parameters)
    await _wake_worker(tx.connection)


async def queue_password_reset(
    connection: asyncpg.Connection, email: str, link: MailedLink, token_hash: bytes, lifetime: timedelta
) -> bool:
    """Make a password link and queue its message, if a user with a password has this email. Return whether."""
    async with connection.transaction():
        is_queued = await repository.queue_password_reset(
            connection, email, token_hash, lifetime, {"nonce": link.nonce}
        )
        if is_queued:
            await _wake_worker(connection)
    return is_queued


async def request_email_change(
    connection: asyncpg.Connection,
    user_id: int,
    new_email: str,
    link: MailedLink | None,
    token_hash: bytes | None,
    lifetime: timedelta,
) -> None:
    """Record that a user asks for a new email. With a link, queue the message to the new address."""
    nonce = {"nonce": link.nonce} if link else {}
    async with connection.transaction():
        arguments = user_id, new_email, token_hash, lifetime, nonce, {"path": SIGN_IN}
        await repository.request_email_change(connection, *arguments)
        if link:
            await _wake_worker(connection)


async def use_email_change(
    connection: asyncpg.Connection, token_hash: bytes, user_id: int, kept_session_hash: bytes
) -> bool:
    """Change the email of a user and queue the message to the old address. Return False if the link does not work."""
    kind = MailKind.EMAIL_CHANGED if is_mail_set_up() else None
    arguments = token_hash, user_id, kept_session_hash, kind, {"path": FORGOTTEN_PASSWORD}
    is_changed = await repository.use_email_change(connection, *arguments)
    if is_changed and kind:
        await _wake_worker(connection)
    return is_changed


async def reset_second_factor(tx: Transaction, user_id: int, company: str) -> bool | None:
    """Turn off the two-step sign-in of another user and queue the message to them.

    Return None if the caller may not do this, and False if it is off already.
    """
    kind = MailKind.TWO_STEPS_OFF if is_mail_set_up() else None
    is_reset = await repository.reset_second_factor(tx.connection, user_id, kind, {"company": company, "path": SIGN_IN})
    if is_reset and kind:
        await _wake_worker(tx.connection)
    return is_reset


async def queue_security_notice(
    connection: asyncpg.Connection, user_id: int, notice: SecurityNotice, detail: str = ""
) -> None:
    """Tell a user of a change of their sign-in, if mail is set up. The detail says which device or passkey it was."""
    await _queue_to_user(connection, user_id, MailKind.SECURITY_NOTICE, _notice_parameters(notice, detail))


def _notice_parameters(notice: SecurityNotice, detail: str = "") -> dict[str, str]:
    title, sentence = notice.value
    return {"title": title, "sentence": sentence, "detail": detail, "path": FORGOTTEN_PASSWORD}


async def queue_email_changed(connection: asyncpg.Connection, user_id: int) -> None:
    """Tell a user at the present address that it is about to change, if mail is set up."""
    await _queue_to_user(connection, user_id, MailKind.EMAIL_CHANGED, {"path": FORGOTTEN_PASSWORD})


async def queue_sign_in_address(connection: asyncpg.Connection, email: str) -> None:
    """Queue a message with the address for single sign-on, if a user or invited person with this email has one."""
    async with connection.transaction():
        if await repository.queue_sign_in_address(connection, email):
            await _wake_worker(connection)


async def queue_payslips_ready(tx: Transaction, client_id: int, run_id: int) -> None:
    """Tell the employees of a run who have a sign-in that their payslips are ready."""
    if is_mail_set_up() and await repository.queue_payslips(tx.connection, client_id, run_id):
        await _wake_worker(tx.connection)


async def queue_leave_request(
    tx: Transaction, client_id: int, employee: str, days: Sequence[date], leave_types: Sequence[str]
) -> None:
    """Tell those who approve leave that an employee has requested some, and of which types."""
    parameters = {
        "employee": employee,
        "leave_types": list(leave_types),
        "first_day": min(days).isoformat(),
        "last_day": max(days).isoformat(),
        "path": f"/companies/{client_id}/leave",
    }
    if await repository.queue_to_members(tx.connection, client_id, APPROVERS, MailKind.LEAVE_REQUEST, parameters):
        await _wake_worker(tx.connection)


async def queue_leave_decision(
    tx: Transaction, client_id: int, employee_id: int, days: Sequence[date], decision: str, comment: str | None
) -> None:
    """Tell an employee what was decided about a leave request or a withdrawal."""
    if not is_mail_set_up():
        return
    parameters = {
        "decision": decision,
        "comment": comment,
        "first_day": min(days).isoformat(),
        "last_day": max(days).isoformat(),
        "path": f"/own/{employee_id}/leave",
    }
    kind = MailKind.LEAVE_DECISION
    if await repository.queue_to_employee(tx.connection, client_id, employee_id, kind, parameters):
        await _wake_worker(tx.connection)


async def queue_details_requested(tx: Transaction) -> None:
    """Tell the caller, an employee, that a change of their details was requested in their name."""
    if is_mail_set_up():
        parameters = _notice_parameters(SecurityNotice.DETAILS_REQUESTED)
        await repository.queue_to_user(tx.connection, tx.caller.user_id, MailKind.SECURITY_NOTICE, parameters)
        await _wake_worker(tx.connection)


async def queue_details_decision(tx: Transaction, client_id: int, employee_id: int, decision: str) -> None:
    """Tell an employee what was decided about a change of details. The portal shows which, and the reason."""
    if not is_mail_set_up():
        return
    parameters = {"decision": decision, "path": f"/own/{employee_id}/details"}
    kind = MailKind.DETAILS_DECISION
    if await repository.queue_to_employee(tx.connection, client_id, employee_id, kind, parameters):
        await _wake_worker(tx.connection)


async def queue_approval_request(tx: Transaction, client_id: int, count: int) -> None:
    """Tell the others who may change a client that something needs their approval."""
    if not is_mail_set_up():
        return
    parameters = _approval_parameters(client_id, count)
    if await repository.queue_to_members(tx.connection, client_id, APPROVERS, MailKind.APPROVAL_REQUEST, parameters):
        await _wake_worker(tx.connection)


async def queue_details_approval_request(tx: Transaction, client_id: int, employee_id: int) -> None:
    """Tell the approvers that an employee requests a change of details, unless they had many such messages lately."""
    if not is_mail_set_up():
        return
    arguments = MailKind.APPROVAL_REQUEST, _approval_parameters(client_id, 1), MAX_DETAILS_REQUESTS_PER_HOUR
    if await repository.queue_about_employee(tx.connection, client_id, employee_id, APPROVERS, *arguments):
        await _wake_worker(tx.connection)


def _approval_parameters(client_id: int, count: int) -> dict[str, Any]:
    return {"count": count, "path": f"/companies/{client_id}/approvals"}


async def _queue_to_user(
    connection: asyncpg.Connection, user_id: int, kind: MailKind, parameters: Mapping[str, str]
) -> None:
    if is_mail_set_up():
        async with connection.transaction():
            await repository.queue_to_user(connection, user_id, kind, parameters)
            await _wake_worker(connection)


async def queue_webhook_disabled(
    connection: asyncpg.Connection, client_id: int, endpoint_id: int, host: str, reason: str
) -> None:
    """Tell the owners that a webhook endpoint has been disabled because its deliveries failed.

    The client is the one of the last delivery. Only the host of the address is named, because the rest may be secret.
    """
    if not is_mail_set_up():
        return
    path = f"/companies/{client_id}/settings/webhooks/{endpoint_id}/edit"
    parameters = {"host": host, "reason": reason, "path": path}
    if await repository.queue_webhook_disabled(connection, endpoint_id, MailKind.WEBHOOK_DISABLED, parameters):
        await _wake_worker(connection)


async def _wake_worker(connection: asyncpg.Connection) -> None:
    await enqueue_on(connection, SEND_TASK, ClientTask(NO_CLIENT))
