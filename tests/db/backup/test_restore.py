"""Restoring a backup: everything is as before, or nothing is written."""

import asyncio
import shutil
from dataclasses import replace
from pathlib import Path

import httpx
import msgspec
import pytest

from gaji.core.settings import Settings
from gaji.db import archive, backup, backup_check
from gaji.db.archive import BackupError
from gaji.db.backup import back_up, restore
from gaji.db.database import locate_database
from gaji.db.installation import open_installation
from gaji.db.migrate import migrate
from gaji.db.migration_files import latest_version
from gaji.db.presence import DatabaseInUse
from gaji.db.secret_key import KEY_FILE, SecretError, ensure_secret
from gaji.identity import service as accounts
from tests.db.backup.backup_files import (
    backed_up_rows,
    backup_file,
    is_untouched,
    rewritten,
)
from tests.db.databases import as_application, as_owner, empty_database, everything, gaji, open_folder
from tests.support.running import SECRET, Cluster, Service, running_service

pytestmark = pytest.mark.slow

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
    assert is_untouched(target)


def test_a_newer_file_format_is_rejected(file: Path, target: Settings, tmp_path: Path) -> None:
    newer = rewritten(file, tmp_path / "newer.backup", format=archive.FORMAT + 1)
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
    assert is_untouched(target)
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
    other = rewritten(file, tmp_path / "other.backup", entries={"tables/pay_points/000001": b""})
    with pytest.raises(BackupError, match="these tables differ: pay_points"):
        backup_check._require_same_rows(backup_file(file), backup_file(other))
