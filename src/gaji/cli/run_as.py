"""Servers and workers that root starts: they run as the user `gaji`, or the one in GAJI_RUN_AS.

Before a process gives up the rights of root, it checks as that user that it could do its work, and gives it what Gaji
keeps in the data folder. If anything is in the way, it logs why, and continues as root.
"""

import asyncio
import os
import pwd
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import gaji
from gaji.cli.data_folder import (
    Obstacle,
    configuration_owner,
    create_folder,
    hand_over,
    is_given,
    require_folders_of_root,
    require_own_folder,
)
from gaji.core.logs import LogLevel, log
from gaji.core.settings import SERVICE_USER, Settings, SettingsError, data_folder
from gaji.core.system_rights import ROOT, act_as, become, is_root
from gaji.db.connect import ConnectArguments, connect
from gaji.db.database import locate_database
from gaji.db.embedded import EmbeddedServerError
from gaji.db.embedded.folders import private_folder
from gaji.db.embedded.system_user import server_user
from gaji.db.errors import is_connection_error

DESCRIPTORS = Path("/proc/self/fd")
UNPRIVILEGED_PORTS = Path("/proc/sys/net/ipv4/ip_unprivileged_port_start")
FIRST_UNPRIVILEGED_PORT = 1024
RETRY_S = 1.0
UNREADABLE, UNREACHABLE = "certificate", "database"
"""Results of the check as the user: the certificate cannot be read, or the database cannot be reached yet."""
CREATE_USER = "useradd --system --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin"


def run_as_service_user(settings: Settings) -> Settings:
    """Give up the rights of root if this process has them. Return the settings for what follows."""
    if not is_root():
        return settings
    try:
        user = _find_user(settings)
        prepared = _prepare(replace(settings, data=settings.data.resolve()), user)
    except Obstacle as obstacle:
        _require_folder_of_root(settings, obstacle)
        if settings.run_as:
            log(LogLevel.WARNING, "running as root", reason=str(obstacle))
        return settings
    become(user)
    return prepared


def describe_service_user(settings: Settings) -> str | None:
    """Return why servers and workers that root starts would run as root, or None. Changes nothing."""
    try:
        user = _find_user(settings, create=False)
        settings = replace(settings, data=settings.data.resolve())
        _check_as(user, settings)
        if settings.data.is_dir() and not is_given(settings.data, user):
            require_own_folder(settings.data, user)
    except Obstacle as obstacle:
        return str(obstacle)
    return None


def is_privileged(port: int) -> bool:
    """Return whether only root can listen on a port."""
    try:
        return port < int(UNPRIVILEGED_PORTS.read_text())
    except (OSError, ValueError):
        return port < FIRST_UNPRIVILEGED_PORT


def certificate_descriptors(settings: Settings) -> list[int]:
    """Return the descriptors of the certificate and its key, if they are kept in memory."""
    files = (settings.tls_cert, settings.tls_key)
    return [int(file.name) for file in files if file is not None and file.parent == DESCRIPTORS]


def act_as_folder_owner(environment: Mapping[str, str]) -> None:
    """As root, act as the user to whom the embedded database of this data folder was given. Raises SettingsError."""
    data = data_folder(environment)
    if not is_root() or environment.get("GAJI_DATABASE_URL"):
        return
    owner = configuration_owner(data)
    if owner is None or owner == ROOT:
        return
    try:
        user = pwd.getpwuid(owner)
        _check_program_as(user)
    except (KeyError, Obstacle) as error:
        raise SettingsError(f"the data folder {data} belongs to user ID {owner}: {error}") from error
    archive = environment.get("GAJI_WAL_ARCHIVE")
    with suppress(Obstacle):  # a command that needs the archive reports it
        prepare_archive(Path(archive).absolute() if archive else None, user)
    os.environ["GAJI_DATA"] = str(data)
    act_as(user)


def act_as_new_owner(environment: Mapping[str, str]) -> None:
    """As root, give a new data folder to the user as whom servers run, and act as that user. Raises SettingsError.

    Otherwise a server that starts at the same time finds files of root in the folder. If that is not possible, the
    command continues as root, as the server does.
    """
    settings = Settings.from_environment(environment)
    if settings.database_url is None and configuration_owner(settings.data) is None:
        try:
            settings = replace(settings, data=settings.data.resolve())
            user = _find_user(settings)
            _check_as(user, settings)
            prepare_archive(settings.wal_archive, user)
            if settings.data.is_dir():
                hand_over(settings.data, user)
            else:
                create_folder(settings.data, user)
        except Obstacle:
            return
        os.environ["GAJI_DATA"] = str(settings.data)
        act_as(user)
    else:
        act_as_folder_owner(environment)


def _find_user(settings: Settings, *, create: bool = True) -> pwd.struct_passwd:
    name = settings.run_as
    if not name:
        raise Obstacle("GAJI_RUN_AS is empty")
    if create and name == SERVICE_USER and settings.database_url is None:
        server_user()  # the embedded database needs this user as well, and creates it
    try:
        user = pwd.getpwnam(name)
    except KeyError:
        raise Obstacle(f"there is no user {name}; create it with: {CREATE_USER} {name}") from None
    if user.pw_uid == ROOT:
        raise Obstacle(f"the user {name} has the ID of root; choose another one with GAJI_RUN_AS")
    return user


def _prepare(settings: Settings, user: pwd.struct_passwd) -> Settings:
    """Check that the user can run the server, and give it the data folder. Return the settings that it can use."""
    findings = _check_as(user, settings)
    if UNREACHABLE in findings:
        log(LogLevel.WARNING, "waiting for the database")
    while UNREACHABLE in findings:  # only its answer tells whether the user can log in
        time.sleep(RETRY_S)
        findings = _check_as(user, settings)
    prepare_archive(settings.wal_archive, user)
    if settings.data.is_dir():
        hand_over(settings.data, user)
    elif settings.database_url is None or settings.secret_key is None:
        create_folder(settings.data, user)
    os.environ["GAJI_DATA"] = str(settings.data)
    return _with_open_certificate(settings) if UNREADABLE in findings else settings


def prepare_archive(folder: Path | None, user: pwd.struct_passwd) -> None:
    """Create the folder of the archived log if only root can create it. Raises Obstacle."""
    if folder is None or not folder.parent.is_dir():
        return
    owner = (folder if os.path.lexists(folder) else folder.parent).lstat().st_uid
    if owner == user.pw_uid:
        return  # the user creates what is missing
    if os.path.lexists(folder):
        raise Obstacle(f"cannot use {folder} of GAJI_WAL_ARCHIVE, which belongs to user ID {owner}")
    require_folders_of_root(folder)
    try:
        private_folder(folder, user.pw_uid, user.pw_gid, 0o700)
    except (EmbeddedServerError, OSError) as error:
        raise Obstacle(f"cannot get {folder} of GAJI_WAL_ARCHIVE: {error}") from error


def _check_as(user: pwd.struct_passwd, settings: Settings) -> set[str]:
    """Check that the user can run the server. Return which of UNREADABLE and UNREACHABLE hold. Raises Obstacle."""
    program = list(_program_files())

    def check() -> str:
        _require_program(program)
        _require_folders(settings)
        is_reachable = can_reach_database(settings)
        files = filter(None, (settings.tls_cert, settings.tls_key))
        is_readable = all(os.access(file, os.R_OK) for file in files)
        return " ".join(([] if is_reachable else [UNREACHABLE]) + ([] if is_readable else [UNREADABLE]))

    return set(_run_as(user, check).split())


def _check_program_as(user: pwd.struct_passwd) -> None:
    program = list(_program_files())

    def check() -> str:
        _require_program(program)
        return ""

    _run_as(user, check)


def _run_as(user: pwd.struct_passwd, check: Callable[[], str]) -> str:
    """Return the result of a function that a child process runs as this user. Raises its Obstacle."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        _report_as(user, check, writer)
    os.close(writer)
    with open(reader, encoding="utf-8") as pipe:
        kind, _, text = pipe.read().partition(" ")
    with suppress(ChildProcessError):  # reaped by the system, if the caller ignores SIGCHLD
        os.waitpid(child, 0)
    if kind != "ok":
        raise Obstacle(f"the user {user.pw_name} {text or 'could not be checked'}")
    return text


def _report_as(user: pwd.struct_passwd, check: Callable[[], str], writer: int) -> NoReturn:
    try:
        become(user)
        report = f"ok {check()}"
    except Obstacle as obstacle:
        report = f"obstacle {obstacle}"
    except BaseException as error:
        report = f"error could not be checked ({type(error).__name__}: {error})"
    with suppress(OSError):
        os.write(writer, report.encode())
    os._exit(0)


def _require_program(files: Iterable[str]) -> None:
    """Raise an Obstacle if this process cannot start Python, or cannot read one of these files."""
    if not os.access(sys.executable, os.X_OK):
        raise Obstacle(
            f"cannot run {os.path.realpath(sys.executable)}; install Gaji where all users can read it, such as /opt"
        )
    for path in files:
        if not os.access(path, os.R_OK):
            raise Obstacle(f"cannot read {path}; install Gaji where all users can read it, such as /opt")


def _program_files() -> Iterator[str]:
    """Return the folders in which Python looks for modules, the modules that it has loaded, and all of Gaji."""
    yield from (path for path in sys.path if os.path.lexists(path) and path != os.getcwd())
    yield from (file for module in list(sys.modules.values()) if (file := getattr(module, "__file__", None)))
    for folder, _, names in os.walk(gaji.__path__[0]):
        yield folder
        yield from (os.path.join(folder, name) for name in names)


def _require_folders(settings: Settings) -> None:
    for folder in (*reversed(settings.data.parents), settings.data):
        if not os.path.exists(folder):
            break
        is_given = folder == settings.data and folder.stat().st_uid == ROOT
        if not is_given and not os.access(folder, os.X_OK):
            raise Obstacle(f"cannot enter {folder}, which leads to the data folder; run: chmod o+x {folder}")
    for path in settings.law.iterdir() if settings.law and os.access(settings.law, os.R_OK) else [settings.law]:
        if path is not None and not os.access(path, os.R_OK):
            raise Obstacle(f"cannot read {path} of GAJI_LAW; run: chmod -R o+rX {settings.law}")


def can_reach_database(settings: Settings) -> bool:
    """Return whether your own PostgreSQL server can be reached.

    Raises Obstacle if the login depends on the user, for example by peer authentication or a password file.
    """
    if settings.database_url is None:
        return True
    database = locate_database(settings)
    is_reachable = _can_log_in(database.login)
    _can_log_in(database.pooled)
    return is_reachable


def _can_log_in(arguments: ConnectArguments | None) -> bool:
    async def log_in(arguments: ConnectArguments) -> None:
        connection = await connect(arguments)
        await connection.close()

    try:
        if arguments is not None:
            asyncio.run(log_in(arguments))
    except Exception as error:
        if isinstance(error, PermissionError) or not (is_connection_error(error) or isinstance(error, OSError)):
            raise Obstacle(f"cannot log in to the database ({error}); put the password in GAJI_DATABASE_URL") from error
        return False
    return True


def _require_folder_of_root(settings: Settings, obstacle: Obstacle) -> None:
    """Raise SettingsError if the embedded database cannot be used by root."""
    owner = configuration_owner(settings.data)
    if settings.database_url is None and owner not in (None, ROOT):
        raise SettingsError(
            f"the data folder {settings.data} belongs to user ID {owner}, and {obstacle}. "
            "Root in docs/operating.md says how to give the folder back to root"
        )


def _with_open_certificate(settings: Settings) -> Settings:
    """Keep the certificate and its key in memory, in files that this process and its children can open."""
    paths = {}
    for name, path in (("GAJI_TLS_CERT", settings.tls_cert), ("GAJI_TLS_KEY", settings.tls_key)):
        if path is not None:
            descriptor = os.memfd_create(name)
            os.write(descriptor, path.read_bytes())
            paths[name] = DESCRIPTORS / str(descriptor)
    os.environ |= {name: str(path) for name, path in paths.items()}
    return replace(settings, tls_cert=paths.get("GAJI_TLS_CERT"), tls_key=paths.get("GAJI_TLS_KEY"))
