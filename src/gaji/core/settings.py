"""What the operator sets, all of it from the environment, read once and checked."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path

Network = IPv4Network | IPv6Network
LOOPBACK = "127.0.0.1, ::1"


class SettingsError(Exception):
    """A setting has a value that makes no sense; the message names the variable."""


@dataclass(frozen=True)
class Settings:
    """The settings of one process. Without a database address, PostgreSQL runs embedded in `data`."""

    data: Path
    database_url: str | None = None
    secret_key: str | None = None
    host: str = "127.0.0.1"
    port: int = 8000
    rate_limit: int = 600
    """Requests a minute for each API key in each process; 0 means no limit."""
    report_queue: int = 10
    """How many reports of one client may be queued or running."""
    law: Path | None = None
    """A folder with figures of the law that are laid over ours."""
    trusted_proxies: tuple[Network, ...] = (ip_network("127.0.0.1"), ip_network("::1"))
    """Whose word for who came to them, and how, is believed."""

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> "Settings":
        """The settings in the environment, with the documented defaults."""
        default_data = "/var/lib/gaji" if os.geteuid() == 0 else "var"
        return cls(
            data=Path(environment.get("GAJI_DATA") or default_data).absolute(),
            database_url=environment.get("GAJI_DATABASE_URL") or None,
            secret_key=environment.get("GAJI_SECRET_KEY") or None,
            host=environment.get("GAJI_HOST") or "127.0.0.1",
            port=_whole_number(environment, "GAJI_PORT", default=8000, least=0, most=65535),
            rate_limit=_whole_number(environment, "GAJI_RATE_LIMIT", default=600, least=0),
            report_queue=_whole_number(environment, "GAJI_REPORT_QUEUE", default=10, least=1),
            law=_folder(environment, "GAJI_LAW"),
            trusted_proxies=_networks(environment, "GAJI_TRUSTED_PROXIES", default=LOOPBACK),
        )


def _folder(environment: Mapping[str, str], name: str) -> Path | None:
    text = environment.get(name)
    if not text:
        return None
    if not Path(text).is_dir():
        raise SettingsError(f"{name} is {text!r}; it must be a folder that is there")
    return Path(text).absolute()


def _networks(environment: Mapping[str, str], name: str, *, default: str) -> tuple[Network, ...]:
    text = environment.get(name, default)
    try:
        return tuple(ip_network(one.strip()) for one in text.split(",") if one.strip())
    except ValueError as error:
        raise SettingsError(
            f"{name} is {text!r}; it must be addresses or networks with commas between: {error}"
        ) from None


def _whole_number(environment: Mapping[str, str], name: str, *, default: int, least: int, most: int = 10**9) -> int:
    text = environment.get(name) or str(default)
    if not text.isascii() or not text.isdigit() or not least <= int(text) <= most:
        raise SettingsError(f"{name} is {text!r}; it must be a whole number from {least} to {most}")
    return int(text)
