"""The messages that Gaji sends, in plain text and HTML."""

from collections.abc import Mapping
from datetime import UTC, date, datetime
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, parseaddr
from enum import StrEnum
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from gaji.core.vault import Vault
from gaji.mail.attachments import PdfAttachment
from gaji.mail.config import MailConfig
from gaji.mail.link_tokens import link_token
from gaji.mail.message_ids import new_message_id

MAX_SUBJECT_LENGTH = 150


class MailKind(StrEnum):
    """The kinds of messages. Each has a template for both forms."""

    INVITATION = "invitation"
    PASSWORD_RESET = "password_reset"  # noqa: S105 - a kind of message
    EMAIL_CHANGE = "email_change"
    EMAIL_TAKEN = "email_taken"
    EMAIL_CHANGED = "email_changed"
    TWO_STEPS_OFF = "two_steps_off"
    SECURITY_NOTICE = "security_notice"
    SIGN_IN_ADDRESS = "sign_in_address"
    PAYSLIP_READY = "payslip_ready"
    LEAVE_REQUEST = "leave_request"
    LEAVE_DECISION = "leave_decision"
    DETAILS_DECISION = "details_decision"
    APPROVAL_REQUEST = "approval_request"
    WEBHOOK_DISABLED = "webhook_disabled"


SUBJECTS = {
    MailKind.INVITATION: "Your invitation to {company}",
    MailKind.PASSWORD_RESET: "Set a new password",
    MailKind.EMAIL_CHANGE: "Confirm your new email address",
    MailKind.EMAIL_TAKEN: "You already have a sign-in",
    MailKind.EMAIL_CHANGED: "Your email address has been changed",
    MailKind.TWO_STEPS_OFF: "Two-step sign-in has been turned off",
    MailKind.SECURITY_NOTICE: "{title}",
    MailKind.SIGN_IN_ADDRESS: "Sign in to {account}",
    MailKind.PAYSLIP_READY: "Your payslip from {company} is ready",
    MailKind.LEAVE_REQUEST: "Leave request of {employee}",
    MailKind.LEAVE_DECISION: "Your leave request: {decision}",
    MailKind.DETAILS_DECISION: "Your requested change of details: {decision}",
    MailKind.APPROVAL_REQUEST: "Approval needed for {company}",
    MailKind.WEBHOOK_DISABLED: "Webhook to {host} turned off",
}
LINKS = {
    MailKind.INVITATION: "/invitation?token=",
    MailKind.PASSWORD_RESET: "/reset-password?token=",
    MailKind.EMAIL_CHANGE: "/email/confirm?token=",
}
"""The pages of links with a token. Other messages name their page themselves."""


def build_message(
    config: MailConfig,
    vault: Vault,
    mail_id: int,
    kind: str,
    recipient: str,
    parameters: Mapping[str, Any],
    attachment: PdfAttachment | None = None,
) -> EmailMessage:
    """Return a message ready to be sent."""
    mail_kind = MailKind(kind)
    link = config.public_url + _path(vault, mail_kind, parameters)
    identity_document = attachment.identity_document if attachment else ""
    values = {
        **parameters,
        "link": link,
        "has_attachment": attachment is not None,
        "identity_document": identity_document,
    }
    message = EmailMessage(policy=SMTP)
    message["From"], message["To"] = config.sender, recipient
    message["Subject"] = _one_line(SUBJECTS[mail_kind].format_map(values))
    message["Date"] = format_datetime(datetime.now(UTC))
    message["Message-ID"] = new_message_id(vault, mail_id, parseaddr(config.sender)[1].rpartition("@")[2])
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(_render(f"{kind}.txt", values))
    message.add_alternative(_render(f"{kind}.html", values), subtype="html")
    if attachment:
        message.add_attachment(attachment.content, maintype="application", subtype="pdf", filename=attachment.file_name)
    return message


def format_day(text: str) -> str:
    """Return a date in words.

    >>> format_day("2026-01-31")
    '31 January 2026'
    """
    day = date.fromisoformat(text)
    return f"{day.day} {day:%B %Y}"


def _path(vault: Vault, kind: MailKind, parameters: Mapping[str, Any]) -> str:
    if kind in LINKS:
        return LINKS[kind] + link_token(vault, parameters["nonce"])
    path: str = parameters["path"]
    return path


def _one_line(text: str) -> str:
    """Return a text without line ends and control characters, as a header requires."""
    return " ".join("".join(character if character.isprintable() else " " for character in text).split())[
        :MAX_SUBJECT_LENGTH
    ]


def _render(template: str, values: Mapping[str, Any]) -> str:
    return _environment.get_template(template).render(values)


_environment = Environment(
    loader=PackageLoader(__package__ or "", "templates"),
    autoescape=lambda name: bool(name and name.endswith(".html")),  # noqa: S701 - plain text is not escaped
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_environment.filters["day"] = format_day
