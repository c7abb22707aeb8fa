"""The table of outgoing mail. All access is through database functions, except for that of operators' commands."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

import asyncpg
import msgspec

from gaji.mail.messages import MailKind


class LeasedMail(msgspec.Struct, frozen=True):
    """A message that this worker prepares to send."""

    id: int
    kind: str
    recipient: str
    parameters: dict[str, Any]
    attempts: int


async def queue_invitations(
    connection: asyncpg.Connection,
    client_id: int,
    nonces: Mapping[int, str],
    kind: MailKind,
    parameters: Mapping[str, Any],
) -> None:
    """Queue the messages of invitations of a client, each with the text that its link is derived from."""
    query = "SELECT queue_invitation_mail($1, $2, $3, $4, $5)"
    await connection.execute(query, client_id, list(nonces), list(nonces.values()), kind, _encode(parameters))


async def queue_to_members(
    connection: asyncpg.Connection, client_id: int, roles: Sequence[str], kind: MailKind, parameters: Mapping[str, Any]
) -> int:
    """Queue a message to the members of a client with one of these roles. Return how many."""
    count: int = await connection.fetchval(
        "SELECT queue_mail_to_members($1, $2, $3, $4)", client_id, roles, kind, _encode(parameters)
    )
    return count


async def queue_about_employee(
    connection: asyncpg.Connection,
    client_id: int,
    employee_id: int,
    roles: Sequence[str],
    kind: MailKind,
    parameters: Mapping[str, Any],
    maximum_per_hour: int,
) -> int:
    """Queue a message about an employee to members of a client, unless there were too many. Return to how many."""
    query = "SELECT queue_mail_about_employee($1, $2, $3, $4, $5, $6)"
    arguments = client_id, employee_id, roles, kind, _encode(parameters), maximum_per_hour
    count: int = await connection.fetchval(query, *arguments)
    return count


async def queue_to_employee(
    connection: asyncpg.Connection, client_id: int, employee_id: int, kind: MailKind, parameters: Mapping[str, Any]
) -> int:
    """Queue a message to an employee who has a sign-in. Return how many."""
    query = "SELECT queue_mail_to_employee($1, $2, $3, $4)"
    count: int = await connection.fetchval(query, client_id, employee_id, kind, _encode(parameters))
    return count


async def queue_webhook_disabled(
    connection: asyncpg.Connection, endpoint_id: int, kind: MailKind, parameters: Mapping[str, Any]
) -> int:
    """Queue a message to those who own a disabled webhook endpoint. Return how many."""
    query = "SELECT queue_webhook_mail($1, $2, $3)"
    count: int = await connection.fetchval(query, endpoint_id, kind, _encode(parameters))
    return count


async def queue_payslips(connection: asyncpg.Connection, client_id: int, run_id: int) -> int:
    """Queue a message to each employee of a run who has a sign-in. Return how many."""
    query = "SELECT queue_payslip_mail($1, $2, $3)"
    count: int = await connection.fetchval(query, client_id, run_id, MailKind.PAYSLIP_READY)
    return count


async def queue_password_reset(
    connection: asyncpg.Connection, email: str, token_hash: bytes, lifetime: timedelta, parameters: Mapping[str, Any]
) -> bool:
    """Make a password link and queue the message with it. Return False if no user has the email."""
    query = "SELECT mail_password_reset($1, $2, $3, $4, $5)"
    arguments = email, token_hash, lifetime, MailKind.PASSWORD_RESET, _encode(parameters)
    return bool(await connection.fetchval(query, *arguments))


async def request_email_change(
    connection: asyncpg.Connection,
    user_id: int,
    new_email: str,
    token_hash: bytes | None,
    lifetime: timedelta,
    parameters: Mapping[str, Any],
    taken_parameters: Mapping[str, Any],
) -> None:
    """Record a change of a user's email. With a token, queue the message with the link, or that it is taken."""
    query = "SELECT request_email_change($1, $2, $3, $4, $5, $6, $7, $8)"
    kinds = MailKind.EMAIL_CHANGE, MailKind.EMAIL_TAKEN
    encoded = _encode(parameters), _encode(taken_parameters)
    await connection.execute(query, user_id, new_email, token_hash, lifetime, *kinds, *encoded)


async def use_email_change(
    connection: asyncpg.Connection,
    token_hash: bytes,
    user_id: int,
    kept_session_hash: bytes,
    kind: MailKind | None,
    parameters: Mapping[str, Any],
) -> bool:
    """Change the email of a user and, with a kind, queue the message to the old one. Return whether the link worked."""
    query = "SELECT use_email_change($1, $2, $3, $4, $5)"
    return bool(await connection.fetchval(query, token_hash, user_id, kept_session_hash, kind, _encode(parameters)))


async def reset_second_factor(
    connection: asyncpg.Connection, user_id: int, kind: MailKind | None, parameters: Mapping[str, Any]
) -> bool | None:
    """Turn off the two-step sign-in of another user and, with a kind, queue the message to them.

    Return None if the caller may not do this, and False if it is off already.
    """
    is_reset: bool | None = await connection.fetchval(
        "SELECT reset_second_factor($1, $2, $3)", user_id, kind, _encode(parameters)
    )
    return is_reset


async def queue_to_user(
    connection: asyncpg.Connection, user_id: int, kind: MailKind, parameters: Mapping[str, Any]
) -> None:
    """Queue a message to a user about their own sign-in."""
    await connection.execute("SELECT queue_security_mail($1, $2, $3)", user_id, kind, _encode(parameters))


async def queue_sign_in_address(connection: asyncpg.Connection, email: str) -> bool:
    """Queue a message with the address for single sign-on. Return False if nobody with the email has one."""
    return bool(await connection.fetchval("SELECT mail_sign_in_address($1, $2)", email, MailKind.SIGN_IN_ADDRESS))


async def lease(connection: asyncpg.Connection, maximum: int, lease_for: timedelta) -> list[LeasedMail]:
    """Return messages without an attachment that are due. They stay queued, and are due again after the lease."""
    query = "SELECT id, kind, recipient, parameters, attempts FROM lease_mail($1, $2)"
    return [_leased(row) for row in await connection.fetch(query, maximum, lease_for)]


async def lease_with_attachments(
    connection: asyncpg.Connection, maximum: int, maximum_per_account: int, lease_for: timedelta
) -> list[LeasedMail]:
    """Return messages with an attachment that are due, a few per account. They stay queued like the others."""
    query = "SELECT id, kind, recipient, parameters, attempts FROM lease_mail_with_attachments($1, $2, $3)"
    return [_leased(row) for row in await connection.fetch(query, maximum, maximum_per_account, lease_for)]


async def claim_leased(connection: asyncpg.Connection, mail_id: int) -> bool | None:
    """Mark a leased message as being sent.

    Return whether the address still belongs to the employee of the attachment, or None if the message is not queued.
    """
    may_attach: bool | None = await connection.fetchval("SELECT may_attach FROM claim_leased_mail($1)", [mail_id])
    return may_attach


async def postpone(connection: asyncpg.Connection, mail_id: int, error: str, retry_in: timedelta | None) -> None:
    """Record why a leased message was not sent. Without a delay, it is given up."""
    await connection.execute("SELECT postpone_mail($1, $2, $3)", mail_id, error, retry_in)


async def finish(connection: asyncpg.Connection, mail_id: int, error: str | None, retry_in: timedelta | None) -> None:
    """Record what became of a message. With a delay, it is tried again after it."""
    await connection.execute("SELECT finish_mail($1, $2, $3)", mail_id, error, retry_in)


async def record_return(connection: asyncpg.Connection, mail_id: int, error: str) -> bool:
    """Record that a message that was sent was returned, on a maintenance connection. False if it was not sent."""
    query = (
        "UPDATE outgoing_mail SET state = 'failed', error = $2, finished_at = now() "
        "WHERE id = $1 AND state IN ('sending', 'sent') RETURNING id"
    )
    return await connection.fetchval(query, mail_id, error) is not None


async def forget_old(connection: asyncpg.Connection) -> None:
    """Give up messages of workers that died, and delete those that were finished long ago."""
    await connection.execute("SELECT forget_old_mail()")


def _leased(row: asyncpg.Record) -> LeasedMail:
    return LeasedMail(**{**row, "parameters": msgspec.json.decode(row["parameters"])})


def _encode(parameters: Mapping[str, Any]) -> str:
    return msgspec.json.encode(parameters).decode()
