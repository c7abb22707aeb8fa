"""Configuration of the embedded server: settings, logins and the socket.

The files are rewritten at each start, so a newer Gaji applies its settings to an older cluster. They are outside
PostgreSQL's data directory, where PostgreSQL's user could replace them by links while root writes them.
"""

import os
from collections.abc import Mapping
from pathlib import Path

from gaji.db.embedded.errors import EmbeddedServerError
from gaji.db.embedded.folders import private_folder
from gaji.db.embedded.names import ROLES, SUPERUSER
from gaji.db.embedded.system_user import SystemUser

_MAP = "gaji"

# Set on the command line, which takes precedence over files and ALTER SYSTEM.
_FIXED = frozenset(
    {"listen_addresses", "port", "unix_socket_directories", "unix_socket_permissions"}
    | {"config_file", "hba_file", "ident_file", "data_directory"}
)

_SETTINGS = {
    "max_connections": "200",
    "shared_buffers": "256MB",
    "huge_pages": "try",
    "jit": "off",  # compilation takes longer than our statements
    "timezone": "UTC",
    "lc_messages": "C",
    # One file for each weekday, overwritten a week later.
    "logging_collector": "on",
    "log_filename": "postgres-%a.log",
    "log_rotation_age": "1d",
    "log_rotation_size": "0",
    "log_truncate_on_rotation": "on",
    "log_timezone": "UTC",
    "log_file_mode": "0600",
    # Statements, parameters and error details contain wages and identity numbers, so they are not logged.
    "log_statement": "none",
    "log_min_error_statement": "panic",
    "log_parameter_max_length": "0",
    "log_parameter_max_length_on_error": "0",
    "log_error_verbosity": "terse",
}


def reject_fixed_settings(settings: Mapping[str, str]) -> None:
    """Raise an error for settings that would expose the server or move its files."""
    for name in sorted(_FIXED & {name.lower() for name in settings}):
        raise EmbeddedServerError(f"The setting {name} of the embedded PostgreSQL cannot be changed")


def write_configuration(folder: Path, log: Path, user: SystemUser, settings: Mapping[str, str]) -> None:
    """Write the three configuration files."""
    private_folder(folder, os.geteuid(), user.gid, 0o750 if user.is_dedicated else 0o700)
    effective = _SETTINGS | {"log_directory": str(log)} | dict(settings)
    lines = [f"{name} = {_quoted(value)}" for name, value in effective.items()]
    _write(folder / "gaji.conf", lines, user)
    _write(folder / "pg_hba.conf", _hba_lines(), user)
    _write(folder / "pg_ident.conf", _ident_lines(user), user)


def command_line(folder: Path, sockets: Path, port: int) -> list[str]:
    """Return the options of the server that cannot be overridden."""
    options = {
        "config_file": str(folder / "gaji.conf"),
        "hba_file": str(folder / "pg_hba.conf"),
        "ident_file": str(folder / "pg_ident.conf"),
        "listen_addresses": "",
        "port": str(port),
        "unix_socket_directories": '"{}"'.format(str(sockets).replace('"', '""')),
        "unix_socket_permissions": "0700",
    }
    return [part for name, value in options.items() for part in ("-c", f"{name}={value}")]


def _hba_lines() -> list[str]:
    return [
        f"local all {','.join(ROLES)} peer map={_MAP}",
        "local all all reject",
        f"local replication {SUPERUSER} peer map={_MAP}",  # for base backups
        "local replication all reject",
    ]


def _ident_lines(user: SystemUser) -> list[str]:
    names = ['"{}"'.format(name.replace('"', '""')) for name in user.may_log_in]
    return [f"{_MAP} {name} {role}" for name in names for role in ROLES]


def _quoted(value: str) -> str:
    return "'{}'".format(value.replace("\\", "\\\\").replace("'", "''"))


def _write(path: Path, lines: list[str], user: SystemUser) -> None:
    unfinished = path.with_name(path.name + ".new")
    unfinished.unlink(missing_ok=True)
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(descriptor, "wb") as file:
        if user.is_dedicated:
            os.fchown(descriptor, -1, user.gid)
            os.fchmod(descriptor, 0o640)
        file.write(os.fsencode("\n".join(["# Written by Gaji at each start; changes are lost.", *lines, ""])))
    unfinished.replace(path)
