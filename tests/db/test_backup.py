"""`gaji backup` and `gaji restore`: every row is restored, or nothing changes."""

import asyncio
import gzip
import os
import random
import shutil
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from unittest.mock import Mock

import asyncpg
import httpx
import msgspec
import pytest

from gaji.core.settings import SECRET_VARIABLES, Settings
from gaji.core.vault import Vault
from gaji.db import archive, backup, backup_check, backup_schedule
from gaji.db.archive import ArchiveWriter, BackupError, BackupFile
from gaji.db.backup import back_up, back_up_to_command, back_up_to_stream, restore
from gaji.db.backup_schedule import back_up_regularly, parse_interval
from gaji.db.database import locate_database
from gaji.db.encrypted_file import (
    FRAME_BYTES,
    HEADER_BYTES,
    TAG_BYTES,
    ChangedFile,
    DecryptingFile,
    EncryptingFile,
)
from gaji.db.installation import open_installation
from gaji.db.migrate import migrate
from gaji.db.migration_files import latest_version
from gaji.db.presence import DatabaseInUse
from gaji.db.secret_key import KEY_FILE, SecretError, ensure_secret
from gaji.identity import service as accounts
from tests.db.databases import as_application, as_owner, empty_database, everything, gaji, open_folder
from tests.support.running import SECRET, WAIT_S, Cluster, Member, Service, as_environment, running_service

pytestmark = pytest.mark.slow

VAULT = Vault(SECRET.encode())

ACCOUNT_NUMBER = "8412390077"
ODD_TEXT = "tab\t line\n backslash \\ null \\N quote ' \" 陈 🙂"
FILLED = {
    "accounts",
    "users",
    "user_access",
    "clients",
    "memberships",
    "api_keys",
    "api_key_clients",
    "api_key_uses",
    "audit_log",
    "idempotent_answers",
    "passkeys",
    "pay_points",
    "second_factors",
    "secret_marks",
    "schema_migrations",
}


@pytest.fixture(scope="module")
def service(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A server whose database has only the records of this module. A worker would change rows between comparisons."""
    with running_service(settings, tmp_path_factory.mktemp("service"), arguments=["--no-worker"]) as running:
        yield running


@pytest.fixture(scope="module")
def file(service: Service, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A backup that was made while the service runs."""
    _use(service.new_account())
    as_owner(service.database, "UPDATE clients SET complex = $1", ODD_TEXT)
    path = tmp_path_factory.mktemp("backup") / "gaji.backup"
    back_up(service.settings, path)
    return path


@pytest.fixture
def target(cluster: Cluster, tmp_path: Path) -> Iterator[Settings]:
    """The settings of an empty database, with the right secret."""
    with empty_database(cluster) as url:
        yield Settings(data=tmp_path / "data", database_url=url, secret_key=SECRET)


def _use(member: Member) -> None:
    bank_account = {
        "bank_id": 7171,
        "account_number": ACCOUNT_NUMBER,
        "branch_code": "005",
        "account_name": "Kopi",
        "company_id": "KOPI01",
    }
    with member.http as http:
        details = {"name": "Kopi Trading", "bank_account": bank_account}
        created = http.post("/clients", json=details, headers={"Idempotency-Key": "first"})
        assert created.status_code == 200, created.text
        client_id = created.json()["id"]
        assert http.post(f"/clients/{client_id}/pay_points", json={"name": "Head office"}).status_code == 200
    member.service.as_owner(
        "INSERT INTO second_factors (id, account_id, secret_sealed, last_step, recovery_codes_hash) "
        "SELECT id, account_id, 'sealed', 1, ARRAY['one'::bytea, 'two'] FROM users WHERE email = $1",
        member.email,
    )
    member.service.as_owner(
        "INSERT INTO passkeys (account_id, user_id, name, credential_id, public_key, sign_count, transports) "
        "SELECT account_id, id, 'Phone', 'credential', 'key', 7, ARRAY['internal'] FROM users WHERE email = $1",
        member.email,
    )
    limited = member.another_key(client_ids=[client_id], read_only=True)
    httpx.get(f"{member.service.url}/v1/clients", headers={"Authorization": limited}).raise_for_status()


def _is_untouched(settings: Settings) -> bool:
    """Return whether the database has no schema of Gaji."""

    async def look() -> bool:
        connection = await asyncpg.connect(settings.database_url)
        try:
            return await connection.fetchval("SELECT to_regnamespace('gaji')") is None
        finally:
            await connection.close()

    return asyncio.run(look())


def backup_file(path: Path) -> BackupFile:
    """Return a backup of the tests' installation, to be read."""
    return BackupFile(path, [VAULT])


def decrypted(path: Path) -> bytes:
    """Return the compressed tar file in a backup."""
    with path.open("rb") as file:
        return DecryptingFile(file, [VAULT]).readall()


def _rewritten(path: Path, target: Path, *, entries: dict[str, bytes] | None = None, **changes: object) -> Path:
    """Write a valid copy of a backup with other rows or another manifest."""
    manifest = msgspec.structs.replace(archive.read_manifest(backup_file(path)), **changes)
    contents: dict[str, bytearray] = {}
    for name, block in archive.read_entries(backup_file(path)):
        contents.setdefault(name, bytearray()).extend(block)
    with target.open("wb") as output, archive.open_archive(output, manifest, VAULT) as writer:
        for name, data in {**contents, **(entries or {})}.items():
            if name != archive.MANIFEST:
                writer.add(name, bytes(data))
    return target


def backed_up_rows(settings: Settings) -> dict[str, list[str]]:
    """Return every row, except when the last backup was completed, which that backup itself does not have."""
    return {name: rows for name, rows in everything(settings).items() if name != "last_backup"}


def test_every_table_is_equal_after_a_restore(service: Service, file: Path, target: Settings) -> None:
    before = backed_up_rows(service.settings)
    assert {name for name, rows in before.items() if rows} >= FILLED
    restored = restore(target, file)
    assert backed_up_rows(target) == before
    assert restored.rows == sum(len(rows) for name, rows in before.items() if not name.startswith("next of "))


def test_row_level_security_and_triggers_are_back_after_a_restore(file: Path, target: Settings) -> None:
    restore(target, file)
    database = locate_database(target)
    assert as_application(database, "SELECT FROM clients") == []
    unforced = as_owner(
        database,
        "SELECT relname FROM pg_class WHERE relnamespace = 'gaji'::regnamespace "
        "AND relrowsecurity AND NOT relforcerowsecurity",
    )
    assert unforced == []
    seen = "SELECT count(*) AS rows FROM audit_log"
    before = as_owner(database, seen)[0]["rows"]
    asyncio.run(accounts.create_account(database, "Another", "another@example.com", "correct horse battery"))
    assert as_owner(database, seen)[0]["rows"] == before + 2


def test_a_backup_goes_into_an_installation_that_was_started_and_never_used(
    service: Service, file: Path, target: Settings
) -> None:
    with open_installation(target):
        pass
    restore(target, file)
    assert backed_up_rows(target) == backed_up_rows(service.settings)


def test_a_backup_of_an_older_program_is_brought_up_to_date(target: Settings, tmp_path: Path) -> None:
    async def make_old() -> None:
        database = locate_database(target)
        await migrate(database, up_to=3)
        async with database.owner_connection() as connection:
            await ensure_secret(connection, target)
        await accounts.create_account(database, "Of old", "old@example.com", "correct horse battery")

    asyncio.run(make_old())
    path = tmp_path / "old.backup"
    assert back_up(target, path).schema_version == 3
    # Emptied but not gone: what a newer program has made of it since is no obstacle.
    as_owner(locate_database(target), "TRUNCATE accounts CASCADE")
    asyncio.run(migrate(locate_database(target)))
    restore(target, path)
    assert as_owner(locate_database(target), "SELECT name FROM accounts") == [{"name": "Of old"}]
    assert as_owner(locate_database(target), "SELECT max(number) AS at FROM schema_migrations") == [
        {"at": latest_version()}
    ]


def test_a_backup_of_a_newer_program_is_rejected(file: Path, target: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backup, "latest_version", lambda: 1)
    with pytest.raises(BackupError, match=r"this program supports up to 1\. Upgrade the program"):
        restore(target, file)
    assert _is_untouched(target)


def test_a_newer_file_format_is_rejected(file: Path, target: Settings, tmp_path: Path) -> None:
    newer = _rewritten(file, tmp_path / "newer.backup", format=archive.FORMAT + 1)
    with pytest.raises(BackupError, match="newer version of Gaji"):
        restore(target, newer)


@pytest.mark.parametrize(
    ("secret", "says"),
    [(None, "the secret is missing: restore it as"), ("another secret, just as long as it must be", "does not match")],
)
def test_without_the_right_secret_nothing_is_written(
    file: Path, target: Settings, secret: str | None, says: str
) -> None:
    with pytest.raises(SecretError, match=says):
        restore(replace(target, secret_key=secret), file)
    assert _is_untouched(target)
    assert not target.data.exists()


def test_a_database_that_is_in_use_is_left_alone(cluster: Cluster, template: str, file: Path, tmp_path: Path) -> None:
    with cluster.copy_of(template) as url:
        settings = Settings(data=tmp_path, database_url=url, secret_key=SECRET)
        asyncio.run(
            accounts.create_account(locate_database(settings), "Kopi", "kopi@example.com", "correct horse battery")
        )
        before = everything(settings)
        with pytest.raises(BackupError, match="already has accounts"):
            restore(settings, file)
        assert everything(settings) == before


def test_a_database_with_a_server_on_it_is_left_alone(
    cluster: Cluster, template: str, file: Path, tmp_path: Path
) -> None:
    with cluster.copy_of(template) as url:
        settings = Settings(data=tmp_path, database_url=url, secret_key=SECRET)
        with (
            running_service(settings, tmp_path, arguments=["--no-worker"]),
            pytest.raises(DatabaseInUse, match="gaji serve"),
        ):
            restore(settings, file)


def test_a_truncated_or_changed_file_is_rejected(file: Path, tmp_path: Path) -> None:
    data, broken, chance = file.read_bytes(), tmp_path / "broken.backup", random.Random(1)
    archive.verify(backup_file(file))
    for _ in range(60):
        broken.write_bytes(data[: chance.randrange(len(data))])
        with pytest.raises(BackupError, match="not a valid backup"):
            archive.verify(backup_file(broken))
    for _ in range(60):
        broken.write_bytes(_flipped(data, chance.randrange(HEADER_BYTES, len(data))))
        with pytest.raises(BackupError, match="changed or truncated"):
            archive.verify(backup_file(broken))


def test_frames_cannot_be_moved_dropped_or_repeated(tmp_path: Path) -> None:
    path = tmp_path / "frames"
    with path.open("wb") as output:
        encrypting = EncryptingFile(output, VAULT)
        encrypting.write(bytes(range(256)) * (3 * FRAME_BYTES // 256))
        encrypting.finish()
    data = path.read_bytes()
    assert decrypted(path) == bytes(range(256)) * (3 * FRAME_BYTES // 256)
    header, frames = data[:HEADER_BYTES], data[HEADER_BYTES:]
    size = FRAME_BYTES + TAG_BYTES
    first, second, third = frames[:size], frames[size : 2 * size], frames[2 * size :]
    for changed in ([first, second], [second, first, third], [first, third], [first, second, third, third], []):
        path.write_bytes(header + b"".join(changed))
        with pytest.raises(ChangedFile):
            decrypted(path)


def test_backups_of_format_1_are_restored(file: Path, target: Settings, tmp_path: Path) -> None:
    older = tmp_path / "older.backup"
    older.write_bytes(decrypted(file))
    with pytest.raises(SecretError, match="the secret is missing: restore it as"):
        restore(replace(target, secret_key=None), older)
    assert restore(target, older).rows == archive.read_manifest(backup_file(file)).rows


def test_a_changed_file_of_format_1_is_rejected(file: Path, tmp_path: Path) -> None:
    compressed = decrypted(file)
    plain = gzip.decompress(compressed)
    broken = tmp_path / "broken.backup"
    chance = random.Random(1)
    for data in (compressed, plain):
        broken.write_bytes(data)
        archive.verify(backup_file(broken))
        # A plain tar ends in two empty blocks and padding, which are not read.
        meant = len(data) if data is compressed else plain.rindex(b"sha256\0") + 512 + 64
        for _ in range(30):
            position = chance.randrange(meant)
            broken.write_bytes(data[:position])
            with pytest.raises(BackupError, match="not a valid backup"):
                archive.verify(backup_file(broken))
        for _ in range(30):
            broken.write_bytes(_flipped(data, chance.randrange(10 if data is compressed else 0, meant)))
            _refused_or_the_same(broken, file)


def _flipped(data: bytes, position: int) -> bytes:
    return data[:position] + bytes([data[position] ^ 0x10]) + data[position + 1 :]


def _refused_or_the_same(changed: Path, original: Path) -> None:
    """Check that a changed file is refused or has the same rows: some bytes, such as timestamps, do not matter."""
    try:
        contents = list(archive.read_entries(backup_file(changed)))
    except BackupError:
        return
    assert contents == list(archive.read_entries(backup_file(original)))


@pytest.mark.parametrize("content", [b"", b"hello", b"\x1f\x8b\x08\x00", bytes(10240)])
def test_a_file_that_is_not_a_backup_is_rejected(target: Settings, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "no.backup"
    path.write_bytes(content)
    with pytest.raises(BackupError, match="not a valid backup"):
        restore(target, path)
    assert _is_untouched(target)


def test_a_corrupt_file_leaves_nothing(file: Path, target: Settings, tmp_path: Path) -> None:
    path = tmp_path / "short.backup"
    path.write_bytes(file.read_bytes()[:-20])
    with pytest.raises(BackupError, match="not a valid backup"):
        restore(target, path)
    assert _is_untouched(target)


def test_rows_that_do_not_fit_leave_nothing(file: Path, target: Settings, tmp_path: Path) -> None:
    rows = b"".join(
        block for name, block in archive.read_entries(backup_file(file)) if name == "tables/memberships/000001"
    )
    entries = {"tables/memberships/000001": rows.replace(rows.split(b"\t")[0], b"987654", 1)}
    path = _rewritten(file, tmp_path / "odd.backup", entries=entries)
    with pytest.raises(BackupError, match=r"the rows of memberships in .* cannot be loaded"):
        restore(target, path)
    filled = {name for name, rows in everything(target).items() if rows and not name.startswith("next of ")}
    assert filled == {"schema_migrations", "access_chain_state", "audit_chain_state"}  # from the migrations
    assert as_owner(
        locate_database(target), "SELECT FROM pg_class WHERE relname = 'clients' AND relforcerowsecurity"
    ) == [{}]
    restore(target, file)


def test_missing_rows_are_noticed(file: Path, target: Settings, tmp_path: Path) -> None:
    path = _rewritten(file, tmp_path / "odd.backup", entries={"tables/pay_points/000001": b""})
    with pytest.raises(BackupError, match="pay_points should have"):
        restore(target, path)


def test_the_file_is_encrypted_and_has_neither_the_secret_nor_an_identifier(service: Service, file: Path) -> None:
    assert b"Kopi" not in file.read_bytes()
    contents = gzip.decompress(decrypted(file))
    assert b"Kopi Trading" in contents
    assert SECRET.encode() not in contents
    assert ACCOUNT_NUMBER.encode() not in contents


def test_the_file_is_for_its_owner_only_and_never_overwritten(service: Service, file: Path) -> None:
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    content = file.read_bytes()
    with pytest.raises(BackupError, match="already exists; choose another file name"):
        back_up(service.settings, file)
    assert file.read_bytes() == content
    assert [path.name for path in file.parent.iterdir()] == [file.name]


def test_a_backup_that_fails_leaves_no_file(service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: ArchiveWriter) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(ArchiveWriter, "add_checksum", full)
    with pytest.raises(OSError, match="No space left"):
        back_up(service.settings, tmp_path / "gaji.backup")
    assert list(tmp_path.iterdir()) == []


def test_a_backup_is_streamed_to_a_command(service: Service, target: Settings, tmp_path: Path) -> None:
    progress: list[tuple[int, int]] = []
    path = tmp_path / "streamed"
    manifest = back_up_to_command(service.settings, f"tee {path}", lambda *counts: progress.append(counts))
    assert progress[-1] == (manifest.rows, manifest.rows)
    assert restore(target, path).rows == manifest.rows
    assert backed_up_rows(target) == backed_up_rows(service.settings)


def test_a_backup_is_streamed_to_standard_output(service: Service, file: Path, tmp_path: Path) -> None:
    path = tmp_path / "streamed"
    with path.open("wb") as output:
        manifest = back_up_to_stream(service.settings, output)
    vaults = [Vault(SECRET.encode())]
    archive.verify(BackupFile(path, vaults))
    assert archive.read_manifest(BackupFile(path, vaults)).tables == manifest.tables


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("false", "status 1"),
        ("true", "status 0, and the backup is not complete"),
        ("no-such-command", "cannot be started"),
        ("", "cannot be started"),
    ],
)
def test_a_command_that_fails_fails_the_backup(service: Service, command: str, message: str) -> None:
    before = as_owner(locate_database(service.settings), "SELECT completed_at FROM last_backup")
    with pytest.raises(BackupError, match=message):
        back_up_to_command(service.settings, command)
    assert as_owner(locate_database(service.settings), "SELECT completed_at FROM last_backup") == before


def test_the_command_is_killed_if_the_backup_fails(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "completed"
    monkeypatch.setattr(backup, "_check_count", Mock(side_effect=BackupError("too few rows")))
    with pytest.raises(BackupError, match="too few rows"):
        back_up_to_command(service.settings, f"sh -c 'cat > /dev/null; touch {path}'")
    assert not path.exists()


def test_programs_that_the_command_started_are_killed_too(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "completed"
    monkeypatch.setattr(backup, "_check_count", Mock(side_effect=BackupError("too few rows")))
    with pytest.raises(BackupError, match="too few rows"):
        back_up_to_command(service.settings, f"sh -c 'cat | (cat > /dev/null; touch {path})'")
    time.sleep(0.5)  # programs that are still running would end with their input
    assert not path.exists()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_ends_the_backup_and_its_command(service: Service, tmp_path: Path, number: signal.Signals) -> None:
    started, completed = tmp_path / "started", tmp_path / "completed"
    command = f"sh -c 'touch {started}; sleep 300; touch {completed}'"
    before = signal.signal(number, signal.SIG_DFL)  # the tests may have been started with signals that are ignored
    try:
        process = subprocess.Popen(
            [sys.executable, "-m", "gaji.cli.main", "backup", "--to-command", command],
            env={**os.environ, **as_environment(service.settings)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
    finally:
        signal.signal(number, before)
    deadline = time.monotonic() + WAIT_S
    while not started.exists():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.05)
    process.send_signal(number)
    output, _ = process.communicate(timeout=60)  # It ends when everything that the command started has.
    assert process.returncode == -number, output
    assert not completed.exists()


def test_the_command_gets_no_secrets(service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GAJI_SECRET_KEY", SECRET)
    monkeypatch.setenv("GAJI_DATABASE_URL", "postgresql://gaji:password@db.example/gaji")
    monkeypatch.setenv("RCLONE_CONFIG", "/etc/rclone.conf")
    back_up_to_command(service.settings, f"sh -c 'cat > /dev/null; env > {tmp_path}/environment'")
    names = {line.partition("=")[0] for line in (tmp_path / "environment").read_text().splitlines()}
    assert not names & set(SECRET_VARIABLES)
    assert "RCLONE_CONFIG" in names


def test_only_a_hyphen_means_standard_output(service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = gaji(service.settings, "backup", "./-")
    assert done.returncode == 0, done.stderr
    archive.verify(BackupFile(tmp_path / "-", [VAULT]))


def test_the_target_of_a_backup_is_a_file_or_a_command(service: Service) -> None:
    for arguments in ([], ["file", "--to-command", "cat"], ["-", "--every", "1h"]):
        done = gaji(service.settings, "backup", *arguments)
        assert done.returncode != 0
        assert "Traceback" not in done.stderr


def test_an_unfinished_backup_is_not_written_over(service: Service, tmp_path: Path) -> None:
    (tmp_path / "gaji.backup.part").write_text("another one at work")
    with pytest.raises(BackupError, match="another backup is running, or one was interrupted"):
        back_up(service.settings, tmp_path / "gaji.backup")
    assert (tmp_path / "gaji.backup.part").read_text() == "another one at work"


def test_a_table_larger_than_one_part_is_restored_completely(
    cluster: Cluster, file: Path, target: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    restore(target, file)
    more = "INSERT INTO audit_log (actor, action, row_id) SELECT 'test', 'clients.update', generate_series(1, 5000)"
    as_owner(locate_database(target), more)
    monkeypatch.setattr(archive, "PART_BYTES", 10_000)
    path = tmp_path / "pieces.backup"
    back_up(target, path)
    assert (
        len({name for name, _ in archive.read_entries(backup_file(path)) if archive.table_name(name) == "audit_log"})
        > 1
    )
    with empty_database(cluster) as url:
        restore(replace(target, database_url=url), path)
        assert backed_up_rows(replace(target, database_url=url)) == backed_up_rows(target)


def test_an_empty_database_has_nothing_to_back_up(target: Settings, tmp_path: Path) -> None:
    asyncio.run(migrate(locate_database(target), up_to=0))
    with pytest.raises(BackupError, match="nothing to back up"):
        back_up(target, tmp_path / "gaji.backup")


def test_backup_and_restore_with_the_embedded_server() -> None:
    with open_folder() as folder:
        settings = Settings(data=folder / "data", rate_limit=0)
        demo = gaji(settings, "demo", "--employees", "6", "--months", "1", "--json")
        key = msgspec.json.decode(demo.stdout)["api_key"]
        path, stored = folder / "gaji.backup", folder / "kept.key"
        backup = gaji(settings, "backup", str(path))
        assert backup.returncode == 0, backup.stderr
        assert "The secret is NOT included" in backup.stdout
        assert f"keep a copy of {settings.data / KEY_FILE} elsewhere" in backup.stdout
        assert (settings.data / KEY_FILE).read_bytes().strip() not in path.read_bytes()
        verified = gaji(settings, "verify-backup", str(path))
        assert verified.returncode == 0, verified.stderr

        shutil.copy(settings.data / KEY_FILE, stored)
        shutil.rmtree(settings.data)
        result = gaji(settings, "restore", str(path))
        assert result.returncode == 1
        assert "the secret is missing: restore it as" in result.stderr
        assert not settings.data.exists()

        settings.data.mkdir(mode=0o755)
        shutil.copy(stored, settings.data / KEY_FILE)
        restored = gaji(settings, "restore", str(path))
        assert restored.returncode == 0, restored.stderr
        with running_service(settings, folder, arguments=["--no-worker"]) as service:
            response = httpx.get(f"{service.url}/v1/clients", headers={"Authorization": key})
        assert response.status_code == 200
        assert response.json()[0]["client"]["bank_account"]["account_number"].isdigit()


def test_a_backup_is_verified_in_a_temporary_database(service: Service, file: Path) -> None:
    manifest = archive.read_manifest(backup_file(file))
    result = gaji(service.settings, "verify-backup", str(file))
    assert result.returncode == 0, result.stderr
    assert f"can be restored: {manifest.rows} rows of {len(manifest.tables)} tables" in result.stdout


def test_rows_that_differ_are_noticed(file: Path, tmp_path: Path) -> None:
    other = _rewritten(file, tmp_path / "other.backup", entries={"tables/pay_points/000001": b""})
    with pytest.raises(BackupError, match="these tables differ: pay_points"):
        backup_check._require_same_rows(backup_file(file), backup_file(other))


def test_scheduled_backups_are_made_when_due_and_the_latest_are_kept(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gaji-20250101T000000Z.backup").touch()
    (tmp_path / "gaji-20250102T000000Z.backup").touch()
    (tmp_path / "another.backup").touch()
    leftover = tmp_path / "gaji-20250101T000000Z.backup.part"
    leftover.touch()
    os.utime(leftover, (0, 0))
    pauses: list[float] = []

    def wait(seconds: float) -> None:
        pauses.append(seconds)
        raise InterruptedError

    with pytest.raises(InterruptedError):
        back_up_regularly(service.settings, tmp_path, timedelta(hours=24), 2, wait)
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names[:2] == ["another.backup", "gaji-20250102T000000Z.backup"]
    assert len(names) == 3
    archive.verify(backup_file(tmp_path / names[2]))
    assert 23 * 3600 < pauses[0] <= 24 * 3600
    monkeypatch.setattr(backup_schedule, "back_up", Mock(side_effect=BackupError("no space")))
    with pytest.raises(InterruptedError):
        back_up_regularly(service.settings, tmp_path / "new", timedelta(hours=24), 2, wait)
    assert pauses[1] == 600


@pytest.mark.parametrize("text", ["", "24", "0h", "1.5h", "-1d", "24 h", "99999d"])
def test_an_interval_has_a_number_and_a_unit(text: str) -> None:
    with pytest.raises(BackupError, match="is not an interval"):
        parse_interval(text)
