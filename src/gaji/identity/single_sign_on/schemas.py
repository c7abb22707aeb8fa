"""The settings of single sign-on, as administrators enter them."""

import re
from collections.abc import Sequence
from functools import cache

import msgspec

from gaji.core.errors import ErrorCode, InvalidValue
from gaji.core.field_types import Boolean, Text, TextPattern
from gaji.core.outgoing_addresses import AddressRefused, check_url
from gaji.core.settings import Settings
from gaji.core.validation import Attribute, Schema

MAX_URL_LENGTH = 500
MAX_DOMAINS_LENGTH = 1000
DOMAIN = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?")
REQUIRED_OF = ("nobody", "staff", "everyone")

ISSUER_NOT_USABLE = ErrorCode("issuer_not_usable", "cannot be used: {reason}")
NOT_DOMAINS = ErrorCode("not_domains", "must be domains with commas between them, such as example.com")
NOT_PRINTABLE = ErrorCode("not_printable", "must be letters, digits and signs without spaces")


class SingleSignOnInput(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of an account."""

    issuer: str
    oauth_client: str
    client_secret: str | None
    email_domains: str | None
    enabled: bool

    @property
    def domains(self) -> Sequence[str]:
        """The domains of `email_domains`."""
        return split_domains(self.email_domains or "")


def split_domains(text: str) -> list[str]:
    """Return the domains in a text, in lower case, each once.

    >>> split_domains("Example.com, payroll.example.com example.com")
    ['example.com', 'payroll.example.com']
    """
    return list(dict.fromkeys(text.lower().replace(",", " ").split()))


@cache
def _settings() -> Settings:
    return Settings.from_environment()


def _normalise_issuer(url: str) -> str:
    """Return a URL that may be an issuer. Raises InvalidValue."""
    try:
        parts = check_url(url, _settings().webhook_allow)
    except AddressRefused as error:
        raise InvalidValue(ISSUER_NOT_USABLE, reason=str(error)) from None
    if parts.query or url.endswith("/.well-known/openid-configuration"):
        raise InvalidValue(ISSUER_NOT_USABLE, reason="Enter the issuer, without a query and without /.well-known")
    return url


def _normalise_domains(text: str) -> str:
    domains = split_domains(text)
    if not all(DOMAIN.fullmatch(domain) for domain in domains):
        raise InvalidValue(NOT_DOMAINS)
    return ", ".join(domains)


_VISIBLE = TextPattern(r"[!-~]+", NOT_PRINTABLE)
SINGLE_SIGN_ON = Schema(
    "single_sign_on",
    (
        Attribute(
            "issuer",
            Text(min_length=1, max_length=MAX_URL_LENGTH, normalise=_normalise_issuer),
            "Address of the identity provider, as it calls itself.",
            required=True,
            example="https://login.example.com",
        ),
        Attribute(
            "oauth_client",
            Text(min_length=1, max_length=255, pattern=_VISIBLE),
            "Client ID that the provider gave to Gaji.",
            required=True,
        ),
        Attribute(
            "client_secret",
            Text(min_length=1, max_length=500, pattern=_VISIBLE),
            "Client secret that the provider gave to Gaji. If blank: unchanged.",
        ),
        Attribute(
            "email_domains",
            Text(max_length=MAX_DOMAINS_LENGTH, normalise=_normalise_domains),
            "Domains of the email addresses that may sign in. If blank: all.",
        ),
        Attribute("enabled", Boolean(), "Users can sign in with single sign-on.", default=False),
    ),
    struct=SingleSignOnInput,
)
