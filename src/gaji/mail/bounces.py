"""Delivery status notifications (RFC 3464), by which mail servers return messages that they had accepted.

Anyone can write one. It changes only the message whose Message-ID it returns, which others cannot guess, and all it can
change is that this message counts as failed instead of sent.
"""

import re
from dataclasses import dataclass
from email.message import Message
from email.parser import BytesHeaderParser, BytesParser
from email.policy import Compat32, Policy
from typing import cast

from gaji.core.vault import Vault
from gaji.db.database import Database
from gaji.mail import repository
from gaji.mail.message_ids import find_mail_id

MAX_BYTES = 256 * 1024
"""What is read of a notification. Only the body of the returned message comes later."""
MAX_LINES = 20_000
MAX_PARTS = 50
"""Including parts within parts and the blocks of a status, which take long to parse."""
MAX_HEADER_LENGTH = 16 * 1024
"""The parameters of a long header take long to parse, too."""
MAX_REASON_LENGTH = 300
REPORT = "multipart/report"
STATUS = "message/delivery-status"
RETURNED_MESSAGE = "message/rfc822"
RETURNED_HEADERS = "text/rfc822-headers"
STATUS_CODE = re.compile(r"[245]\.[0-9]{1,3}\.[0-9]{1,3}")
FAILED = "failed"


class NotANotification(ValueError):
    """The message is not a delivery status notification."""

    def __init__(self) -> None:
        super().__init__("this message is not a delivery status notification (RFC 3464)")


class _LimitedHeaders(Compat32):
    """Refuses long headers."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        if sum(len(line) for line in sourcelines) > MAX_HEADER_LENGTH:
            raise NotANotification
        return super().header_source_parse(sourcelines)


class _PartFactory:
    """Creates the parts of a message, up to a number."""

    def __init__(self) -> None:
        self._count = 0

    def __call__(self, policy: Policy) -> Message:
        self._count += 1
        if self._count > MAX_PARTS:
            raise NotANotification
        return Message(policy)


@dataclass(frozen=True)
class DeliveryNotification:
    """What a mail server reports about a message."""

    message_id: str
    """The Message-ID of the returned message. Empty if it was not returned."""
    action: str
    """What happened: `failed`, `delayed`, `delivered`, `relayed` or `expanded`."""
    reason: str
    """The status code and the diagnostic text."""


def parse_notification(data: bytes) -> DeliveryNotification:
    """Parse a message, of which the end may be missing. Raises NotANotification."""
    if len(data.splitlines()) > MAX_LINES:
        raise NotANotification
    try:
        policy = _LimitedHeaders(message_factory=_PartFactory())
        notification = _parse(BytesParser(policy=policy).parsebytes(data))
    except Exception as error:  # the message is from anyone, and the parser has errors of its own
        raise NotANotification from error
    if notification is None:
        raise NotANotification
    return notification


async def record_notification(database: Database, vault: Vault, notification: DeliveryNotification) -> str:
    """Record that a message failed, if the notification says so. Return a sentence about what was done."""
    if notification.action != FAILED:
        return f"Nothing changed: the notification reports {notification.action!r}, which is not a failure."
    mail_id = find_mail_id(vault, notification.message_id)
    if mail_id is None:
        return "Nothing changed: the notification is not about a message that this installation has sent."
    async with database.maintenance() as connection:
        is_changed = await repository.record_return(
            connection, mail_id, f"The message was returned: {notification.reason}"
        )
    if not is_changed:
        return f"Nothing changed: message {mail_id} is not recorded as sent, or was deleted."
    return f"Recorded that message {mail_id} was returned."


def _parse(message: Message) -> DeliveryNotification | None:
    if message.get_content_type() != REPORT or not message.is_multipart():
        return None
    parts = cast(list[Message], message.get_payload())
    by_type = {part.get_content_type(): part for part in reversed(parts)}
    if STATUS not in by_type:
        return None
    recipients = [block for block in _blocks(by_type[STATUS]) if block["Action"]]
    if not recipients:
        return None
    recipient = next((block for block in recipients if _action(block) == FAILED), recipients[0])
    return DeliveryNotification(_returned_id(by_type), _action(recipient), _reason(recipient))


def _blocks(status: Message) -> list[Message]:
    """Return the fields of the message, and those of each recipient."""
    return cast(list[Message], status.get_payload()) if status.is_multipart() else []


def _action(recipient: Message) -> str:
    return _clean(recipient["Action"])[:20].lower()


def _reason(recipient: Message) -> str:
    code = STATUS_CODE.search(_clean(recipient["Status"]))
    diagnostic = _clean(recipient["Diagnostic-Code"]).partition(";")[2].strip()
    return " ".join(text for text in (code[0] if code else "", diagnostic) if text)[:MAX_REASON_LENGTH] or "no reason"


def _returned_id(by_type: dict[str, Message]) -> str:
    """Return the Message-ID of the returned message, or of its headers."""
    if RETURNED_MESSAGE in by_type:
        returned = cast(list[Message], by_type[RETURNED_MESSAGE].get_payload())[0]
    elif RETURNED_HEADERS in by_type:
        returned = BytesHeaderParser().parsebytes(cast(bytes, by_type[RETURNED_HEADERS].get_payload(decode=True)))
    else:
        return ""
    return _clean(returned["Message-ID"])


def _clean(value: object) -> str:
    """Return the text of a header without line ends and control characters."""
    text = "" if value is None else str(value)
    return " ".join("".join(character if character.isprintable() else " " for character in text).split())
