"""Started by root: servers and workers run as the user `gaji`, and commands of root keep working."""

import os
import pwd
import re
import shutil
import signal
import socket
import stat
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from gaji.cli import data_folder
from gaji.cli.data_folder import Obstacle, create_folder, hand_over
from gaji.cli.run_as import CREATE_USER, can_reach_database, is_privileged, prepare_archive
from gaji.core.settings import Settings
from gaji.db.embedded import lease
from gaji.db.secret_key import KEY_FILE, write_secret
from tests.db.databases import gaji, open_folder
from tests.support.certificates import new_certificate
from tests.support.running import STOP_WITHIN_S, Service, as_environment, http_client, running_service, wait_until_ready

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.geteuid() != 0, reason="only root can start servers as another user"),
]

COMMAND_TIMEOUT_S = 300
MISSING_USER = "gaji-without-entry"


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """A folder that all users can enter."""
    with open_folder() as opened:
        yield opened


@pytest.fixture(scope="module")
def python(folder: Path) -> Path:
    """A Python that all users can run, with our packages.

    The one of the tests may be in a folder of root. So it is copied, and packages that others cannot read as well.
    """
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    base, copy = Path(sys.base_prefix), folder / "python"
    python = copy / "bin" / version
    python.parent.mkdir(parents=True)
    shutil.copy2(os.path.realpath(sys.executable), python)
    # It looks for its library in the copied folder instead.
    old, new = f"{base}/lib".encode(), b"$ORIGIN/../lib"
    python.write_bytes(python.read_bytes().replace(old + b"\0", new.ljust(len(old), b"\0") + b"\0"))
    unused = shutil.ignore_patterns("site-packages", "dist-packages", "test", "config-*")
    shutil.copytree(sysconfig.get_path("stdlib"), copy / "lib" / version, ignore=unused)
    for library in base.glob("lib/libpython*.so*"):
        shutil.copy2(library, copy / "lib")
    packages = [_readable_by_all(Path(path), folder) for path in sys.path if path.endswith(("site-packages", "src"))]
    (copy / "lib" / version / "site-packages").mkdir()
    (copy / "lib" / version / "site-packages" / "packages.pth").write_text("\n".join(map(str, packages)))
    command = [str(python), "-c", "import gaji.core.settings"]
    subprocess.run(command, user="nobody", cwd="/", check=True, timeout=COMMAND_TIMEOUT_S)
    return python


def _readable_by_all(packages: Path, folder: Path) -> Path:
    """The folder, or a copy if others cannot enter it. The copy has the same files where that is possible."""
    if all(path.stat().st_mode & 0o005 == 0o005 for path in (packages, *packages.parents)):
        return packages
    copied = Path(tempfile.mkdtemp(dir=folder))
    copied.chmod(0o755)
    subprocess.run(["cp", "-r", "--link", f"{packages}/.", copied], check=False, timeout=COMMAND_TIMEOUT_S)
    subprocess.run(["cp", "-r", "--update", f"{packages}/.", copied], check=True, timeout=COMMAND_TIMEOUT_S)
    return copied


def operate(python: Path, settings: Settings, *arguments: str | Path, **variables: str) -> str:
    """Run a command as root, and return what it printed."""
    done = subprocess.run(
        [python, "-m", "gaji.cli.main", *arguments],
        env=_environment(settings, variables),
        capture_output=True,
        text=True,
        check=False,
        timeout=COMMAND_TIMEOUT_S,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def _environment(settings: Settings, variables: Mapping[str, str]) -> dict[str, str]:
    """As that of a new shell: GAJI_RUN_AS is not set."""
    values = {**os.environ, **as_environment(settings)}
    del values["GAJI_RUN_AS"]
    return {**values, **variables}


@contextmanager
def serving(python: Path, settings: Settings, port: int, log: Path, variables: Mapping[str, str]) -> Iterator[int]:
    """`gaji serve` as root. Yields its process ID."""
    command = [str(python), "-m", "gaji.cli.main", "serve", "--port", str(port)]
    environment = _environment(settings, variables)
    with log.open("wb") as output:
        process = subprocess.Popen(command, env=environment, stdout=output, stderr=output)
    try:
        wait_until_ready(f"https://127.0.0.1:{port}", process, log)
        yield process.pid
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(STOP_WITHIN_S)


@contextmanager
def worker_of_root(python: Path, settings: Settings, port: int) -> Iterator[tuple[int, str]]:
    """`gaji worker` as root, with metrics on a port. Yields its process ID and the address of the metrics."""
    variables = {"GAJI_METRICS_PORT": str(port), "GAJI_HOST": "127.0.0.1"}
    process = subprocess.Popen([python, "-m", "gaji.cli.main", "worker"], env=_environment(settings, variables))
    try:
        yield process.pid, f"http://127.0.0.1:{port}/metrics"
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(STOP_WITHIN_S)


def metrics_of(http: httpx.Client, url: str) -> str:
    """The metrics, as soon as they are served."""
    deadline = time.monotonic() + COMMAND_TIMEOUT_S
    while True:
        try:
            return http.get(url).text
        except httpx.TransportError:
            assert time.monotonic() < deadline, "no metrics"
            time.sleep(0.2)


def free_privileged_port() -> int:
    """A port that only root can open."""
    for port in range(1023, 600, -1):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            assert is_privileged(port)
            return port
    raise AssertionError("no port is free")


def identities(text: str) -> dict[str, set[str]]:
    """The user and group IDs in a file /proc/*/status."""
    return {
        name: set(values.split())
        for name, values in re.findall(r"^(Uid|Gid|Groups|CapPrm):[ \t]*(.*)$", text, re.MULTILINE)
    }


def processes_of(data: Path, parent: int) -> dict[int, str]:
    """The names of the process, its descendants, and of PostgreSQL in this data folder."""
    entries = {}
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            text, folder = status.read_text(), os.readlink(status.with_name("cwd"))
        except OSError:
            continue
        number, name = int(status.parent.name), text.split("\n", 1)[0].split()[1]
        entries[number] = (int(re.findall(r"^PPid:\s*([0-9]+)", text, re.MULTILINE)[0]), name, folder)
    known = {parent}
    while found := {number for number, entry in entries.items() if entry[0] in known} - known:
        known |= found
    servers = {number for number, entry in entries.items() if Path(entry[2]) == data / "postgres"}
    return {number: entries[number][1] for number in known | servers if number in entries}


def test_a_folder_of_root_is_given_to_the_user_and_everything_runs_as_them(python: Path, folder: Path) -> None:
    settings = Settings(data=folder / "data")
    private = folder / "private"
    private.mkdir(mode=0o700)
    operate(python, settings, "migrate", GAJI_RUN_AS="")
    assert {path.stat().st_uid for path in (settings.data, settings.data / KEY_FILE)} == {0}
    user = pwd.getpwnam("gaji")
    port = free_privileged_port()
    files = new_certificate(private)
    with serving(python, settings, port, folder / "serve.log", files) as parent, http_client() as http:
        page = http.get(f"https://127.0.0.1:{port}/sign-in", headers={"Accept": "text/html"})
        assert page.status_code == 200
        processes = processes_of(settings.data, parent)
        assert sum(name.startswith("postgres") for name in processes.values()) > 1
        assert sum(name.startswith("python") for name in processes.values()) >= 3  # also a server process and a worker
        for number, name in processes.items():
            identity = identities(Path(f"/proc/{number}/status").read_text())
            assert identity["Uid"] == {str(user.pw_uid)}, name
            assert identity["Gid"] == {str(user.pw_gid)}, name
            assert identity["Groups"] <= {str(user.pw_gid)}, name
            assert identity["CapPrm"] == {"0" * 16}, name

        with worker_of_root(python, settings, free_privileged_port()) as (worker, metrics_url):
            assert "gaji_process_memory_bytes" in metrics_of(http, metrics_url)
            assert identities(Path(f"/proc/{worker}/status").read_text())["Uid"] == {str(user.pw_uid)}

        findings = operate(python, settings, "doctor", **files)
        assert "ok       user: servers and workers that root starts run as gaji" in findings
        operate(python, settings, "backup", private / "first.backup")
        assert (private / "first.backup").stat().st_uid == 0
    assert "running as root" not in (folder / "serve.log").read_text()

    # The database is stopped now, and the command starts it.
    operate(python, settings, "rotate-encryption")
    owners = {path.name: path.lstat().st_uid for path in (settings.data, *settings.data.rglob("*"))}
    assert {name for name, owner in owners.items() if owner != user.pw_uid} == set()
    assert stat.S_IMODE((settings.data / KEY_FILE).stat().st_mode) == 0o600


@pytest.mark.parametrize("delay_s", [0, 0.3])
def test_a_command_of_root_and_the_first_server_share_a_new_folder(python: Path, delay_s: float) -> None:
    with open_folder() as folder:
        settings, archive = Settings(data=folder / "data"), {"GAJI_WAL_ARCHIVE": str(folder / "archive")}
        port, log, files = free_privileged_port(), folder / "serve.log", new_certificate(folder) | archive
        environment = _environment(settings, archive)
        create = [
            str(python),
            "-m",
            "gaji.cli.main",
            "account",
            "create",
            "--name",
            "Kopi",
            "--email",
            "kopi@example.com",
        ]
        command = subprocess.Popen(create, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        time.sleep(delay_s)
        with serving(python, settings, port, log, files):
            output, _ = command.communicate(timeout=COMMAND_TIMEOUT_S)
            assert command.returncode == 0, output
        assert "running as root" not in log.read_text()
        owners = {path.name: path.lstat().st_uid for data in ("data", "archive") for path in (folder / data).rglob("*")}
        assert {name for name, owner in owners.items() if owner != pwd.getpwnam("gaji").pw_uid} == set()
        assert {(folder / name).stat().st_uid for name in ("data", "archive")} == {pwd.getpwnam("gaji").pw_uid}


def test_a_folder_that_another_process_gave_away_meanwhile_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nobody = pwd.getpwnam("nobody")
    hand_over(tmp_path, nobody)
    held = lease.take_lease(tmp_path / "lease.lock")
    os.chown(tmp_path / "lease.lock", nobody.pw_uid, nobody.pw_gid)
    answers = iter([False, True])
    monkeypatch.setattr(data_folder, "is_given", lambda *_: next(answers))
    hand_over(tmp_path, nobody)
    held.release()


def test_without_the_user_the_server_stays_root_and_says_what_to_do(service: Service, tmp_path: Path) -> None:
    variables = {"GAJI_RUN_AS": MISSING_USER}
    with running_service(service.settings, tmp_path, variables, ["--no-worker"]) as started:
        assert started.http.get(f"{started.url}/readyz").status_code == 200
        assert identities(Path(f"/proc/{started.process.pid}/status").read_text())["Uid"] == {"0"}
        warnings = [line for line in started.log.read_text().splitlines() if "running as root" in line]
        assert len(warnings) == 1
        assert f"there is no user {MISSING_USER}; create it with: {CREATE_USER} {MISSING_USER}" in warnings[0]
    findings = gaji(service.settings, "doctor", environment=variables)
    assert f"run as root: there is no user {MISSING_USER}" in findings.stdout


def test_without_rights_on_the_program_the_server_stays_root(service: Service, tmp_path: Path) -> None:
    with tempfile.TemporaryDirectory() as private:  # mode 700
        law = Path(private) / "law"
        law.mkdir()
        settings = replace(service.settings, law=law)
        with running_service(settings, tmp_path, {"GAJI_RUN_AS": "nobody"}, ["--no-worker"]) as started:
            assert identities(Path(f"/proc/{started.process.pid}/status").read_text())["Uid"] == {"0"}
            assert re.search(r"running as root.*the user nobody cannot", started.log.read_text())


def test_a_folder_that_was_given_away_is_not_used_by_root(folder: Path) -> None:
    data = folder / "given"
    (data / "configuration").mkdir(parents=True)
    os.chown(data / "configuration", pwd.getpwnam("nobody").pw_uid, -1)
    refused = gaji(Settings(data=data), "serve", "--port", "0")
    assert refused.returncode == 1
    assert "belongs to user ID" in refused.stderr
    assert "GAJI_RUN_AS is empty" in refused.stderr


OBSTACLES = ["symbolic link", "hard link", "other file", "writable by others", "writable parent", "parent of another"]


@pytest.mark.parametrize("obstacle", OBSTACLES)
def test_nothing_is_given_if_the_folder_has_something_else(tmp_path: Path, obstacle: str) -> None:
    data, outside = tmp_path / "parent" / "data", tmp_path / "outside"
    data.mkdir(mode=0o755, parents=True)
    outside.write_text("of root")
    (data / "startup.log").touch()
    if obstacle == "symbolic link":
        (data / KEY_FILE).symlink_to(outside)
    elif obstacle == "hard link":
        (data / KEY_FILE).hardlink_to(outside)
    elif obstacle == "other file":
        (data / "shadow").touch()
    elif obstacle == "writable by others":
        data.chmod(0o777)
    elif obstacle == "writable parent":
        data.parent.chmod(0o777)
    else:
        os.chown(data.parent, pwd.getpwnam("nobody").pw_uid, -1)
    with pytest.raises(Obstacle):
        hand_over(data, pwd.getpwnam("nobody"))
    assert {path.lstat().st_uid for path in (data, outside, *data.iterdir())} == {0}


def test_an_empty_folder_of_somebody_else_stays_theirs(tmp_path: Path) -> None:
    """The other user could not write in it, so the server stays root, which can."""
    os.chown(tmp_path, pwd.getpwnam("daemon").pw_uid, -1)
    with pytest.raises(Obstacle, match="belongs to user ID"):
        hand_over(tmp_path, pwd.getpwnam("nobody"))
    assert tmp_path.stat().st_uid == pwd.getpwnam("daemon").pw_uid


def test_a_file_system_without_owners_keeps_the_server_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fchown", lambda *_: None)
    with pytest.raises(Obstacle, match="does not keep owners"):
        hand_over(tmp_path, pwd.getpwnam("nobody"))


def test_a_new_folder_that_somebody_else_created_first_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def create_as_attacker(data: Path, _user: object) -> None:
        data.mkdir(mode=0o777)
        os.chown(data, pwd.getpwnam("daemon").pw_uid, -1)

    monkeypatch.setattr(data_folder, "prepare_data_folder", create_as_attacker)
    with pytest.raises(Obstacle, match="belongs to user ID"):
        create_folder(tmp_path / "data", pwd.getpwnam("nobody"))


def test_the_archive_of_the_log_is_created_for_the_user(tmp_path: Path) -> None:
    """Its folder is usually in one of root's, in which the user cannot create it."""
    nobody = pwd.getpwnam("nobody")
    with open_folder() as opened:
        prepare_archive(opened / "archive", nobody)
        status = (opened / "archive").stat()
        assert (status.st_uid, stat.S_IMODE(status.st_mode)) == (nobody.pw_uid, 0o700)
        with pytest.raises(Obstacle, match="GAJI_WAL_ARCHIVE"):
            prepare_archive(opened / "archive", pwd.getpwnam("daemon"))


def test_a_database_that_does_not_run_yet_decides_nothing(tmp_path: Path) -> None:
    """The server waits: only the answer of the database tells whether the user can log in."""
    assert not can_reach_database(Settings(data=tmp_path, database_url="postgresql://gaji@127.0.0.1:1/gaji"))


def test_a_folder_of_the_user_with_files_of_root_is_completed(tmp_path: Path) -> None:
    nobody = pwd.getpwnam("nobody")
    (tmp_path / "configuration").mkdir(mode=0o750)
    for name in (KEY_FILE, "secret.key.until-20260101T000000Z", "lease.lock", "programs-1"):
        (tmp_path / name).touch(mode=0o600)
    os.chown(tmp_path, nobody.pw_uid, nobody.pw_gid)
    hand_over(tmp_path, nobody)
    assert [path.name for path in tmp_path.iterdir() if path.stat().st_uid == 0] == ["programs-1"]
    assert stat.S_IMODE((tmp_path / "configuration").stat().st_mode) == 0o700


def test_a_folder_that_commands_of_root_use_is_not_given(tmp_path: Path) -> None:
    held = lease.take_lease(tmp_path / "lease.lock")
    with pytest.raises(Obstacle, match="stop them first"):
        hand_over(tmp_path, pwd.getpwnam("nobody"))
    held.release()
    assert tmp_path.stat().st_uid == 0


RUN_COMMAND = """
import pwd, sys
from gaji.core.system_rights import act_as
from gaji.db import backup
act_as(pwd.getpwnam("nobody"))
with backup._command_input(sys.argv[1]) as stream:
    stream.write(b"rows")
"""


def test_the_command_of_a_backup_runs_as_root_who_started_it(tmp_path: Path) -> None:
    command = f"sh -c 'cat > {tmp_path}/rows; cat /proc/self/status > {tmp_path}/status; env > {tmp_path}/environment'"
    environment = {**os.environ, "HOME": "/root", "USER": "root", "GAJI_SECRET_KEY": "a secret"}
    subprocess.run([sys.executable, "-c", RUN_COMMAND, command], env=environment, check=True, timeout=COMMAND_TIMEOUT_S)
    assert (tmp_path / "rows").read_text() == "rows"
    identity = identities((tmp_path / "status").read_text())
    assert (identity["Uid"], identity["Gid"]) == ({"0"}, {str(os.getgid())})
    assert identity["Groups"] == {str(group) for group in os.getgroups()}
    variables = dict(line.split("=", 1) for line in (tmp_path / "environment").read_text().splitlines() if "=" in line)
    assert (variables["HOME"], variables["USER"]) == ("/root", "root")
    assert "GAJI_SECRET_KEY" not in variables


CREATE_FILES = """
import pwd, sys, threading
from pathlib import Path
from gaji.core.system_rights import act_as, as_starter
from gaji.db.embedded.system_user import SystemUser
from gaji.db.wal_segments import new_file
nobody = pwd.getpwnam("nobody")
act_as(nobody)
user = SystemUser("nobody", nobody.pw_uid, nobody.pw_gid, is_dedicated=False)
done = threading.Event()

def switch():
    while not done.is_set():
        with as_starter():
            pass

thread = threading.Thread(target=switch)
thread.start()
for number in range(300):
    with new_file(Path(sys.argv[1]) / str(number), user) as file:
        file.write(b"wages")
done.set()
thread.join()
"""


def test_files_of_the_archive_belong_to_the_user_while_another_thread_acts_as_root() -> None:
    nobody = pwd.getpwnam("nobody")
    with open_folder() as folder:
        archive = folder / "archive"
        archive.mkdir(mode=0o700)
        os.chown(archive, nobody.pw_uid, nobody.pw_gid)
        subprocess.run([sys.executable, "-c", CREATE_FILES, archive], check=True, timeout=COMMAND_TIMEOUT_S)
        owners = [path.stat().st_uid for path in archive.iterdir()]
    assert owners == [nobody.pw_uid] * 300


def test_root_can_write_a_secret_for_the_user_of_the_server(tmp_path: Path) -> None:
    nobody = pwd.getpwnam("nobody")
    write_secret(tmp_path / KEY_FILE, "a secret", nobody.pw_uid)
    status = (tmp_path / KEY_FILE).stat()
    assert (status.st_uid, stat.S_IMODE(status.st_mode)) == (nobody.pw_uid, 0o600)
