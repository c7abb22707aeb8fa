"""Sends queued mail, each message at most once.

A worker leases messages, makes their attachments and connects to the mail server. If it stops meanwhile, the messages
are due again after the lease. A message is marked as being sent right before the server gets it. From then on it is
tried again only if the server has certainly not accepted it. If the connection ends in the middle, that is unknown, and
the message is recorded as failed. So a worker that stops loses at most the message that it is sending.
"""

import asyncio
import ssl
from collections.abc import Sequence
from datetime import timedelta

from aiosmtplib import SMTP, SMTPException, SMTPResponseException
from aiosmtplib.errors import SMTPRecipientsRefused

from gaji.core.errors import TooManyRequests, Unavailable
from gaji.core.failpoints import failpoint
from gaji.core.logs import LogLevel, log
from gaji.core.metrics import record_mail
from gaji.core.vault import Vault
from gaji.db.pool import Pool
from gaji.db.replica import DATABASE_ERRORS
from gaji.db.tenancy import pooled_connection
from gaji.mail import repository
from gaji.mail.attachments import MAX_BYTES, PdfAttachment, load_payslip_attachment
from gaji.mail.config import MailConfig
from gaji.mail.messages import build_message
from gaji.mail.repository import LeasedMail

BATCH_SIZE = 20
"""Messages that are sent over one connection."""
ATTACHMENTS_PER_ACCOUNT = 4
"""Messages with an attachment of one account in a batch, so that a slow template delays the mail of others little."""
LEASE = timedelta(minutes=2)
"""How long other workers leave a batch to the one that leased it."""
ATTACHMENT_LEASE = timedelta(minutes=5)
"""The same for a batch whose attachments have to be made."""
TIMEOUT_S = 30
MAX_ATTEMPTS = 8
ATTEMPTS_WITH_ATTACHMENT = 4
"""Later attempts to send a message are without its attachment, so that a renderer that is busy does not use up all."""
FIRST_RETRY = timedelta(minutes=1)
"""Each further attempt waits twice as long."""
MIN_PERMANENT_CODE = 500
INVALID_MESSAGE = "The message cannot be written by this version"
UNKNOWN_OUTCOME = "The connection to the mail server ended while the message was sent"
CONNECTION_ENDED = "The connection to the mail server ended before the message was sent"
TEMPORARY_ERRORS = (Unavailable, TooManyRequests, *DATABASE_ERRORS)
"""Errors after which an attachment can be made later."""

Attachments = dict[int, PdfAttachment]

_attachment_lock = asyncio.Lock()
"""Never waited for, so that making attachments takes only one of the tasks that a worker runs at once."""


async def send_all(pool: Pool, vault: Vault, config: MailConfig) -> None:
    """Send all messages that are due. Stop if the server cannot be reached.

    One task of a process at a time makes attachments. The others send the messages that have none.
    """
    if not await _send_without_attachments(pool, vault, config) or _attachment_lock.locked():
        return
    async with _attachment_lock:
        while mails := await _lease_with_attachments(pool):
            attachments, postponed = await _load_attachments(pool, vault, mails)
            ready = [mail for mail in mails if mail.id not in postponed]
            if ready and not await _send_batch(pool, vault, config, ready, attachments):
                return
            if not await _send_without_attachments(pool, vault, config):
                return


async def _send_without_attachments(pool: Pool, vault: Vault, config: MailConfig) -> bool:
    """Send the messages that have no attachment. Return False if the server cannot be reached."""
    while mails := await _lease(pool):
        if not await _send_batch(pool, vault, config, mails, {}):
            return False
    return True


async def _load_attachments(pool: Pool, vault: Vault, mails: Sequence[LeasedMail]) -> tuple[Attachments, set[int]]:
    """Make the attachments of messages, by message, before there is a connection to the mail server.

    Also return the messages that have to wait for theirs.
    """
    by_client: dict[int, list[LeasedMail]] = {}
    for mail in mails:
        if mail.attempts <= ATTEMPTS_WITH_ATTACHMENT:
            by_client.setdefault(mail.parameters["attachment"]["client_id"], []).append(mail)
    attachments: Attachments = {}
    unfinished = await asyncio.gather(*(_load_of_client(pool, vault, *item, attachments) for item in by_client.items()))
    return attachments, {mail.id for of_client in unfinished for mail in of_client}


async def _load_of_client(
    pool: Pool, vault: Vault, client_id: int, mails: Sequence[LeasedMail], attachments: Attachments
) -> Sequence[LeasedMail]:
    """Add the attachments of a client's messages. After an error of the template, the others have the link only.

    Return the messages that have to wait because of an error that passes.
    """
    for position, mail in enumerate(mails):
        payslip_id = mail.parameters["attachment"]["payslip_id"]
        try:
            attachment = await load_payslip_attachment(pool, vault, client_id, payslip_id)
        except Exception as error:  # logged, and the messages are sent later or with the link only
            log(LogLevel.WARNING, "attachment not created", client_id=client_id, error=type(error).__name__)
            return mails[position:] if isinstance(error, TEMPORARY_ERRORS) else []
        if attachment is not None and len(attachment.content) <= MAX_BYTES:
            attachments[mail.id] = attachment
    return []


async def _send_batch(
    pool: Pool, vault: Vault, config: MailConfig, mails: Sequence[LeasedMail], attachments: Attachments
) -> bool:
    """Send messages over one connection. Return False if there was none."""
    try:
        client = await _connect(config)
    except (SMTPException, OSError, TimeoutError) as error:
        for mail in mails:
            await _postpone(pool, mail, f"The mail server cannot be reached: {_describe(error)}")
        return False
    is_usable = True
    try:
        for mail in mails:
            if is_usable:
                is_usable = await _send(pool, vault, config, client, mail, attachments.get(mail.id))
            else:
                await _postpone(pool, mail, CONNECTION_ENDED)
    finally:
        client.close()
    return is_usable


async def _send(
    pool: Pool, vault: Vault, config: MailConfig, client: SMTP, mail: LeasedMail, attachment: PdfAttachment | None
) -> bool:
    """Send a message and record the outcome. Return whether the connection can be used again."""
    may_attach = await _claim(pool, mail)
    if may_attach is None:
        return True  # another worker has sent it, or it was deleted
    if not may_attach:
        attachment = None
    try:
        message = build_message(config, vault, mail.id, mail.kind, mail.recipient, mail.parameters, attachment)
    except Exception as error:  # logged and recorded, so that the other messages of the batch are sent
        await _finish(pool, mail, INVALID_MESSAGE)
        log(LogLevel.ERROR, "invalid mail", kind=mail.kind, error=type(error).__name__)
        return True
    failpoint("mail.before_send")
    try:
        await client.send_message(message, sender=config.return_path)
    except (SMTPRecipientsRefused, SMTPResponseException) as error:
        await _record_refusal(pool, mail, error)
        return client.is_connected
    except (SMTPException, OSError, TimeoutError):
        await _finish(pool, mail, UNKNOWN_OUTCOME)
        return False
    failpoint("mail.after_send")
    await _finish(pool, mail, None)
    return True


async def _record_refusal(pool: Pool, mail: LeasedMail, error: SMTPException) -> None:
    refusals = error.recipients if isinstance(error, SMTPRecipientsRefused) else [error]
    codes = [item.code for item in refusals if isinstance(item, SMTPResponseException)]
    if any(code >= MIN_PERMANENT_CODE for code in codes):
        await _finish(pool, mail, f"The mail server refused the message: {_describe(refusals[0])}")
    else:
        await _retry(pool, mail, f"The mail server refused the message for now: {_describe(refusals[0])}")


async def _connect(config: MailConfig) -> SMTP:
    client = SMTP(
        hostname=config.host,
        port=config.port,
        username=config.username,
        password=config.password,
        timeout=TIMEOUT_S,
        use_tls=config.encryption == "tls",
        start_tls=config.encryption == "starttls",
        tls_context=ssl.create_default_context(),
    )
    await client.connect()
    return client


async def _lease(pool: Pool) -> list[LeasedMail]:
    async with pooled_connection(pool) as connection:
        return await repository.lease(connection, BATCH_SIZE, LEASE)


async def _lease_with_attachments(pool: Pool) -> list[LeasedMail]:
    async with pooled_connection(pool) as connection:
        return await repository.lease_with_attachments(
            connection, BATCH_SIZE, ATTACHMENTS_PER_ACCOUNT, ATTACHMENT_LEASE
        )


async def _claim(pool: Pool, mail: LeasedMail) -> bool | None:
    """Mark a message as being sent. Return whether its attachment may be sent, or None if it is no longer queued."""
    async with pooled_connection(pool) as connection:
        return await repository.claim_leased(connection, mail.id)


async def _postpone(pool: Pool, mail: LeasedMail, error: str) -> None:
    """Record why a leased message was not sent, and try it again later."""
    delay = _retry_delay(mail)
    async with pooled_connection(pool) as connection:
        await repository.postpone(connection, mail.id, error, delay)
    _report(mail, error, delay)


async def _retry(pool: Pool, mail: LeasedMail, error: str) -> None:
    await _finish(pool, mail, error, _retry_delay(mail))


async def _finish(pool: Pool, mail: LeasedMail, error: str | None, retry_in: timedelta | None = None) -> None:
    async with pooled_connection(pool) as connection:
        await repository.finish(connection, mail.id, error, retry_in)
    _report(mail, error, retry_in)


def _retry_delay(mail: LeasedMail) -> timedelta | None:
    """Return how long a message that was not sent has to wait, or None after the last attempt."""
    return FIRST_RETRY * 2 ** (mail.attempts - 1) if mail.attempts < MAX_ATTEMPTS else None


def _report(mail: LeasedMail, error: str | None, retry_in: timedelta | None) -> None:
    if error is not None:
        log(LogLevel.WARNING, "mail not sent", mail_id=mail.id, kind=mail.kind, will_retry=retry_in is not None)
    record_mail("sent" if error is None else "failed" if retry_in is None else "retried")


def _describe(error: BaseException) -> str:
    if isinstance(error, SMTPResponseException):
        return f"{error.code} {error.message}"[:300]
    return (str(error) or type(error).__name__)[:300]
