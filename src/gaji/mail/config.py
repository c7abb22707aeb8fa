"""The mail server of this process, from the settings."""

from dataclasses import dataclass
from functools import cache
from typing import Literal
from urllib.parse import unquote, urlsplit

from gaji.core.settings import Settings

LOOPBACK = ("127.0.0.1", "::1", "localhost")
SUBMISSION_PORT = 587
TLS_PORT = 465


@dataclass(frozen=True)
class MailConfig:
    """How mail is sent, and what links in it begin with."""

    host: str
    port: int
    encryption: Literal["tls", "starttls", "none"]
    username: str | None
    password: str | None
    sender: str
    public_url: str
    return_path: str | None = None
    """The address to which mail servers return messages. None for the sender's."""


@cache
def current_mail() -> MailConfig | None:
    """Return the mail server of this process, or None if mail is not set up."""
    return mail_config(Settings.from_environment())


def mail_config(settings: Settings) -> MailConfig | None:
    """Return the mail server of the settings, or None if mail is not set up.

    Without TLS from the start, the connection is upgraded to TLS, or not used. Only a server on the same machine may do
    without.
    """
    if not settings.smtp_url:
        return None
    url = urlsplit(settings.smtp_url)
    host = url.hostname or ""
    is_tls = url.scheme == "smtps"
    return MailConfig(
        host=host,
        port=url.port or (TLS_PORT if is_tls else SUBMISSION_PORT),
        encryption="tls" if is_tls else "none" if host in LOOPBACK else "starttls",
        username=unquote(url.username) if url.username else None,
        password=unquote(url.password) if url.password else None,
        sender=settings.mail_from,
        public_url=settings.public_url,
        return_path=settings.mail_return_path or None,
    )
