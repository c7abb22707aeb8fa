"""Operator settings from environment variables."""

import os
import re
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PublicKey

from gaji.core.logs import LogLevel
from gaji.core.recipients import InvalidKey, parse_recipient
from gaji.core.system_rights import as_starter

Network = IPv4Network | IPv6Network
TOKEN = re.compile(r"[A-Za-z0-9._~+/=-]+", re.ASCII)
MIN_TOKEN_LENGTH = 16
SERVICE_USER = "gaji"
LOOPBACK = "127.0.0.1, ::1"
EVERY_ADDRESS = ("0.0.0.0", "::")  # noqa: S104 - compared with, not listened on
SMTP_URL = re.compile(
    r"smtps?://([^\s/@:]+(:[^\s/@]*)?@)?([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(:(?P<port>[0-9]{1,5}))?/?"
)
MAX_PORT = 65535
MAIL_ADDRESS = re.compile(r"[!-?A-~]+@[A-Za-z0-9.-]+")
HOST_NAME = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?")
PUBLIC_URL = re.compile(r"https?://([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?")
SECRET_VARIABLES = (
    "GAJI_SECRET_KEY",
    "GAJI_NEW_SECRET_KEY",
    "GAJI_DATABASE_URL",
    "GAJI_DATABASE_DIRECT_URL",
    "GAJI_REPLICA_URL",
    "GAJI_SMTP_URL",
    "GAJI_METRICS_TOKEN",
    "GAJI_DEMO_PASSWORD",
    "GAJI_KEY",
)
"""The variables that are or contain secrets. Other programs do not get them."""


class SettingsError(Exception):
    """A setting is not valid. The message names the variable."""


@dataclass(frozen=True)
class AllowedReceivers:
    """Receivers of requests that the operator allows although their addresses are not public."""

    networks: tuple[Network, ...] = ()
    hosts: frozenset[str] = frozenset()
    """Names in lower case."""


@dataclass(frozen=True)
class Settings:
    """The settings of a process. Without a database URL, PostgreSQL runs embedded in `data`."""

    data: Path
    database_url: str | None = None
    database_direct_url: str | None = None
    """The URL of the server itself, if `database_url` leads through PgBouncer in transaction mode."""
    replica_url: str | None = None
    """The URL of a replica that serves reads which allow it."""
    wal_archive: Path | None = None
    """The folder to which the embedded server archives its log, for point-in-time recovery."""
    database_cache_mib: int | None = None
    """The memory in which the embedded server keeps tables. If None, its default."""
    backup_recipient: str | None = None
    """The public key for which backups are encrypted. If None, the secret alone can decrypt them."""
    secret_key: str | None = None
    host: str = "127.0.0.1"
    port: int = 8000
    rate_limit: int = 600
    """Requests per minute for each API key, in all processes together. 0 means no limit."""
    connections: int = 20
    """The maximum number of database connections of each server process."""
    worker_connections: int = 16
    """The maximum number of database connections of each worker. A task may use several, and holds one while it waits
    for another."""
    report_queue: int = 10
    """The maximum number of queued and running reports of one client."""
    law: Path | None = None
    """A directory with statutory parameters that override ours."""
    trusted_proxies: tuple[Network, ...] = (ip_network("127.0.0.1"), ip_network("::1"))
    """The networks of proxies whose X-Forwarded-* headers are used."""
    public_url: str = ""
    """The scheme and host that callers use. If empty, links are relative references."""
    smtp_url: str = ""
    """The mail server. If empty, no mail is sent, and people hand over links."""
    mail_from: str = ""
    """The sender of mail."""
    mail_return_path: str = ""
    """The address to which mail servers return messages. If empty, they return them to the sender."""
    webhook_allow: AllowedReceivers = AllowedReceivers()
    """Receivers of webhooks, and providers of single sign-on, inside the operator's network."""
    log_level: LogLevel = LogLevel.INFO
    """Events below this level are not logged."""
    slow_statement_ms: int = 0
    """The time after which a statement is logged. 0 means never."""
    demo_password: str | None = None
    """The password of demo accounts. If None, it is random."""
    tls_cert: Path | None = None
    """The certificate chain, if the server itself terminates TLS."""
    tls_key: Path | None = None
    metrics_token: str | None = None
    """The token for `/metrics`. Without it, no metrics are recorded."""
    metrics_port: int | None = None
    """The port on which `gaji worker` serves its metrics."""
    run_as: str = SERVICE_USER
    """The user as whom servers and workers run that root starts. If empty, they run as root."""

    @property
    def recipient(self) -> X25519PublicKey | None:
        """The public key of `backup_recipient`."""
        return parse_recipient(self.backup_recipient) if self.backup_recipient else None

    @property
    def origin(self) -> str:
        """The scheme and host for absolute addresses: the public URL, or the address that the server listens on.

        >>> Settings(Path("data"), port=8123).origin, Settings(Path("data"), host="::1").origin
        ('http://127.0.0.1:8123', 'http://[::1]:8000')
        """
        host = "127.0.0.1" if self.host in EVERY_ADDRESS else self.host
        return self.public_url or f"{self.scheme}://{f'[{host}]' if ':' in host else host}:{self.port}"

    @property
    def scheme(self) -> str:
        """The scheme that the server speaks."""
        return "http" if self.tls_cert is None else "https"

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> "Settings":
        """Return the settings from the environment, with the documented defaults."""
        smtp_url, mail_from, mail_return_path = _parse_mail(environment)
        tls_cert, tls_key = _parse_tls(environment)
        database_url, direct_url, replica_url = _parse_database(environment)
        return cls(
            data=data_folder(environment),
            database_url=database_url,
            database_direct_url=direct_url,
            replica_url=replica_url,
            wal_archive=_parse_wal_archive(environment),
            database_cache_mib=_parse_database_cache(environment),
            backup_recipient=_parse_recipient(environment, "GAJI_BACKUP_RECIPIENT"),
            secret_key=environment.get("GAJI_SECRET_KEY") or None,
            host=environment.get("GAJI_HOST") or "127.0.0.1",
            port=_parse_integer(environment, "GAJI_PORT", default=8000, minimum=0, maximum=65535),
            rate_limit=_parse_integer(environment, "GAJI_RATE_LIMIT", default=600, minimum=0),
            connections=_parse_integer(environment, "GAJI_CONNECTIONS", default=20, minimum=2, maximum=1000),
            worker_connections=_parse_integer(
                environment, "GAJI_WORKER_CONNECTIONS", default=16, minimum=8, maximum=1000
            ),
            report_queue=_parse_integer(environment, "GAJI_REPORT_QUEUE", default=10, minimum=1),
            law=_parse_directory(environment, "GAJI_LAW"),
            trusted_proxies=_parse_networks(environment, "GAJI_TRUSTED_PROXIES", default=LOOPBACK),
            public_url=_parse_public_url(environment, "GAJI_PUBLIC_URL"),
            smtp_url=smtp_url,
            mail_from=mail_from,
            mail_return_path=mail_return_path,
            webhook_allow=_parse_receivers(environment, "GAJI_WEBHOOK_ALLOW"),
            log_level=_parse_log_level(environment, "GAJI_LOG_LEVEL"),
            slow_statement_ms=_parse_integer(environment, "GAJI_SLOW_STATEMENT_MS", default=0, minimum=0),
            demo_password=environment.get("GAJI_DEMO_PASSWORD") or None,
            tls_cert=tls_cert,
            tls_key=tls_key,
            metrics_token=_parse_token(environment, "GAJI_METRICS_TOKEN"),
            metrics_port=_parse_optional_port(environment, "GAJI_METRICS_PORT"),
            run_as=environment.get("GAJI_RUN_AS", SERVICE_USER).strip(),
        )


def data_folder(environment: Mapping[str, str]) -> Path:
    """Return the data folder, which has another default for root."""
    default = "/var/lib/gaji" if os.geteuid() == 0 else "var"
    return Path(environment.get("GAJI_DATA") or default).absolute()


def _parse_log_level(environment: Mapping[str, str], name: str) -> LogLevel:
    """Return the level with this name. Raises SettingsError."""
    text = environment.get(name) or LogLevel.INFO.name
    try:
        return LogLevel[text.upper()]
    except KeyError:
        levels = ", ".join(level.name.lower() for level in LogLevel)
        raise SettingsError(f"{name} must be one of {levels}") from None


def _parse_database(environment: Mapping[str, str]) -> tuple[str | None, str | None, str | None]:
    """Return the URL of the database, the one of the server itself if that is a pooler's, and the one of a replica."""
    url, direct_url = environment.get("GAJI_DATABASE_URL"), environment.get("GAJI_DATABASE_DIRECT_URL")
    if direct_url and not url:
        raise SettingsError("GAJI_DATABASE_DIRECT_URL needs GAJI_DATABASE_URL, the address of PgBouncer")
    replica_url = environment.get("GAJI_REPLICA_URL")
    if replica_url and not url:
        raise SettingsError("GAJI_REPLICA_URL needs GAJI_DATABASE_URL, the address of the primary")
    return url or None, direct_url or None, replica_url or None


def _parse_wal_archive(environment: Mapping[str, str]) -> Path | None:
    folder = environment.get("GAJI_WAL_ARCHIVE")
    if folder and environment.get("GAJI_DATABASE_URL"):
        raise SettingsError(
            "GAJI_WAL_ARCHIVE is for the embedded database; use the tools of your own PostgreSQL server instead"
        )
    return Path(folder).absolute() if folder else None


def _parse_database_cache(environment: Mapping[str, str]) -> int | None:
    name = "GAJI_DATABASE_CACHE_MIB"
    if not environment.get(name):
        return None
    if environment.get("GAJI_DATABASE_URL"):
        raise SettingsError(
            f"{name} is for the embedded database; set shared_buffers of your own PostgreSQL server instead"
        )
    return _parse_integer(environment, name, default=0, minimum=16, maximum=1_000_000)


def _parse_recipient(environment: Mapping[str, str], name: str) -> str | None:
    text = environment.get(name) or None
    try:
        if text is not None:
            parse_recipient(text)
    except InvalidKey as error:  # The text may be an identity, so the message does not quote it.
        raise SettingsError(f"the value of {name} {error}") from None
    return text


def _parse_tls(environment: Mapping[str, str]) -> tuple[Path | None, Path | None]:
    """Return the files of the certificate and its key: both, or neither."""
    cert, key = environment.get("GAJI_TLS_CERT"), environment.get("GAJI_TLS_KEY")
    if not cert and not key:
        return None, None
    if not cert or not key:
        raise SettingsError("GAJI_TLS_CERT and GAJI_TLS_KEY must be set together")
    try:
        with as_starter():
            ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(cert, key)
    except OSError as error:  # ssl.SSLError is one too
        raise SettingsError(
            f"the certificate in GAJI_TLS_CERT and the key in GAJI_TLS_KEY cannot be used: {error}"
        ) from error
    return Path(cert).absolute(), Path(key).absolute()


def _parse_token(environment: Mapping[str, str], name: str) -> str | None:
    token = environment.get(name) or None
    if token is not None and (len(token) < MIN_TOKEN_LENGTH or not TOKEN.fullmatch(token)):
        raise SettingsError(f"{name} must have at least {MIN_TOKEN_LENGTH} letters, digits or the characters -._~+/=")
    return token


def _parse_optional_port(environment: Mapping[str, str], name: str) -> int | None:
    if not environment.get(name):
        return None
    return _parse_integer(environment, name, default=0, minimum=1, maximum=65535)


def _parse_mail(environment: Mapping[str, str]) -> tuple[str, str, str]:
    """Return the mail server, the sender, and the address for returned messages, or empty texts."""
    url, sender = environment.get("GAJI_SMTP_URL", ""), environment.get("GAJI_MAIL_FROM", "")
    if not url:
        return "", "", ""
    match = SMTP_URL.fullmatch(url)
    if match is None or int(match["port"] or 1) not in range(1, MAX_PORT + 1):
        # The URL may contain a password, so the message does not quote it.
        raise SettingsError("GAJI_SMTP_URL must be a mail server, such as smtp://user:password@mail.example.com:587")
    if not MAIL_ADDRESS.fullmatch(sender):
        raise SettingsError(f"GAJI_MAIL_FROM is {sender!r}; it must be an email address if GAJI_SMTP_URL is set")
    if not environment.get("GAJI_PUBLIC_URL"):
        raise SettingsError("GAJI_PUBLIC_URL must be set if GAJI_SMTP_URL is set, because mail has links")
    return_path = environment.get("GAJI_MAIL_RETURN_PATH", "")
    if return_path and not MAIL_ADDRESS.fullmatch(return_path):
        raise SettingsError(f"GAJI_MAIL_RETURN_PATH is {return_path!r}; it must be an email address")
    return url, sender, return_path


def _parse_directory(environment: Mapping[str, str], name: str) -> Path | None:
    text = environment.get(name)
    if not text:
        return None
    if not Path(text).is_dir():
        raise SettingsError(f"{name} is {text!r}; it must be an existing directory")
    return Path(text).absolute()


def _parse_public_url(environment: Mapping[str, str], name: str) -> str:
    url = environment.get(name, "").removesuffix("/")
    if url and not PUBLIC_URL.fullmatch(url):
        raise SettingsError(f"{name} is {url!r}; it must be a scheme and a host, such as https://payroll.example.com")
    return url


def _parse_networks(environment: Mapping[str, str], name: str, *, default: str) -> tuple[Network, ...]:
    text = environment.get(name, default)
    try:
        return tuple(ip_network(part.strip()) for part in text.split(",") if part.strip())
    except ValueError as error:
        raise SettingsError(
            f"{name} is {text!r}; it must be a comma-separated list of addresses or networks: {error}"
        ) from None


def _parse_receivers(environment: Mapping[str, str], name: str) -> AllowedReceivers:
    networks: list[Network] = []
    hosts: set[str] = set()
    for part in environment.get(name, "").lower().split(","):
        text = part.strip()
        if re.search(r"[:/]|^[0-9.]+$", text):
            networks += _parse_networks({name: text}, name, default="")
        elif HOST_NAME.fullmatch(text):
            hosts.add(text)
        elif text:
            raise SettingsError(f"{name} has {text!r}; it must be a list of networks and host names")
    return AllowedReceivers(tuple(networks), frozenset(hosts))


def _parse_integer(
    environment: Mapping[str, str], name: str, *, default: int, minimum: int, maximum: int = 10**9
) -> int:
    text = environment.get(name) or str(default)
    if not text.isascii() or not text.isdigit() or not minimum <= int(text) <= maximum:
        raise SettingsError(f"{name} is {text!r}; it must be a whole number from {minimum} to {maximum}")
    return int(text)
