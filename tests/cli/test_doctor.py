"""`gaji doctor`: findings and remedies. Nothing is changed."""

import asyncio
import re
import secrets
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from gaji.cli import doctor
from gaji.cli.doctor import Finding, examine
from gaji.core.settings import Settings
from gaji.db.connect import connect
from gaji.db.database import locate_database
from gaji.db.installation import open_installation
from gaji.db.migrate import migrate
from gaji.db.migration_files import latest_version
from gaji.db.secret_key import KEY_FILE, NEXT_KEY_FILE
from gaji.db.worker_heartbeats import MAX_AGE, RECORD_HEARTBEAT
from gaji.documents import fonts
from tests.db.databases import as_owner, empty_database, everything, gaji, open_folder
from tests.support.running import SECRET, Cluster, as_environment

pytestmark = pytest.mark.slow


@pytest.fixture
def installed(cluster: Cluster, template: str, tmp_path: Path) -> Iterator[Settings]:
    """An installation with its secret in GAJI_SECRET_KEY."""
    with cluster.copy_of(template) as url:
        yield Settings(data=tmp_path, database_url=url, secret_key=SECRET)


def _problems(settings: Settings) -> list[Finding]:
    return [finding for finding in examine(as_environment(settings)) if finding.is_problem]


def _only_problem(settings: Settings) -> Finding:
    problems = _problems(settings)
    assert len(problems) == 1, [str(problem) for problem in problems]
    return problems[0]


def test_it_works(installed: Settings) -> None:
    before = everything(installed)
    done = gaji(installed, "doctor")
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    notes = [line for line in lines if not line.startswith("ok ")]
    assert all(line.startswith(("note     user: ", "note     backup: ", "note     workers: ")) for line in notes), notes
    for subject in ("settings", "data folder", "disk", "secret", "fonts", "database", "role gaji_app", "schema"):
        assert any(subject in line for line in lines)
    for subject in ("row-level security: forced", "encryption: the secret matches", "job queue", "size: "):
        assert any(subject in line for line in lines)
    assert everything(installed) == before


def test_a_fresh_embedded_installation_is_well_and_a_missing_one_is_not_created() -> None:
    with open_folder() as folder:
        settings = Settings(data=folder / "data")
        missing = gaji(settings, "doctor")
        assert missing.returncode == 1
        assert "problem  database: not initialised yet. Run `gaji migrate`" in missing.stdout
        assert not settings.data.exists()
        assert gaji(settings, "migrate").returncode == 0
        done = gaji(settings, "doctor")
        assert done.returncode == 0, done.stdout


def test_an_invalid_setting_is_named() -> None:
    findings = list(examine({"GAJI_PORT": "eighty"}))
    assert [finding.subject for finding in findings] == ["settings"]
    assert "GAJI_PORT is 'eighty'" in str(findings[0])


def test_a_data_folder_that_others_may_write_in(installed: Settings) -> None:
    installed.data.chmod(0o777)
    assert "other users can write to it (mode 777). Run: chmod go-w" in str(_only_problem(installed))


def test_invalid_statutory_parameters(installed: Settings, tmp_path: Path) -> None:
    (tmp_path / "sdl.toml").write_text(
        '[least_levy]\nvalues = [{ from = 2027-01-01, value = -1, source = "Budget" }]\n'
    )
    settings = replace(installed, law=tmp_path)
    problem = _only_problem(settings)
    assert problem.subject == "law"
    assert "sdl.toml: least_levy from 2027-01-01" in problem.result
    result = gaji(settings, "serve", "--port", "0")
    assert result.returncode == 1
    assert "sdl.toml: least_levy from 2027-01-01" in result.stderr


def test_overridden_parameters_change_the_rules_version(installed: Settings, tmp_path: Path) -> None:
    (tmp_path / "sdl.toml").write_text('[least_levy]\nvalues = [{ from = 2027-01-01, value = 3, source = "Budget" }]\n')
    ours, theirs = (doctor.check_law(replace(installed, law=law)) for law in (None, tmp_path))
    assert not theirs.is_problem
    assert theirs.result.startswith("rules version ")
    assert theirs.result[:26] != ours.result[:26]


def test_a_full_disk(installed: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "MIN_FREE_BYTES", 2**80)
    assert "Free at least 1 GiB on the disk" in str(_only_problem(installed))


def test_a_task_that_has_waited_too_long(installed: Settings) -> None:
    as_owner(
        locate_database(installed),
        "INSERT INTO pgqueuer (priority, created, updated, heartbeat, execute_after, status, entrypoint) "
        "SELECT 0, t, t, t, t, 'queued', 'recalculate' FROM (SELECT now() - interval '3 hours' AS t) x",
    )
    problem = str(_only_problem(installed))
    assert "the oldest task has waited for 3:00:0" in problem
    assert "Start a worker: none is connected" in problem


def test_workers_and_their_heartbeats(installed: Settings) -> None:
    def finding() -> str:
        [workers] = [str(finding) for finding in examine(as_environment(installed)) if finding.subject == "workers"]
        return workers

    async def check() -> None:
        database = locate_database(installed)
        worker = await connect(database.as_application("gaji worker"))
        try:
            await worker.execute(RECORD_HEARTBEAT, "office:7", MAX_AGE)
            assert (await asyncio.to_thread(finding)).startswith("ok       workers: 1 connected, last heartbeat ")
            late = "UPDATE worker_heartbeats SET beat_at = beat_at - interval '90 seconds'"
            await asyncio.to_thread(as_owner, database, late)
            hanging = await asyncio.to_thread(finding)
            assert hanging.startswith("problem  workers: no heartbeat for more than 30 s: office:7 (last one 9")
        finally:
            await worker.close()

    asyncio.run(check())
    assert finding() == "note     workers: none is connected"


def test_the_last_backup(installed: Settings, tmp_path: Path) -> None:
    assert gaji(installed, "backup", str(tmp_path / "file")).returncode == 0
    database = locate_database(installed)
    [recent] = [str(finding) for finding in examine(as_environment(installed)) if finding.subject == "backup"]
    assert recent.startswith("ok       backup: last completed at")
    as_owner(database, "UPDATE last_backup SET completed_at = completed_at - interval '3 days'")
    [old] = [str(finding) for finding in examine(as_environment(installed)) if finding.subject == "backup"]
    assert old.startswith("note     backup: last completed at")


def test_a_secret_that_others_may_read(cluster: Cluster, tmp_path: Path) -> None:
    with empty_database(cluster) as url:
        settings = Settings(data=tmp_path / "data", database_url=url)
        with open_installation(settings):
            pass
        assert _problems(settings) == []
        (settings.data / KEY_FILE).chmod(0o644)
        assert f"Run: chmod 600 {settings.data / KEY_FILE}" in str(_only_problem(settings))


def test_an_interrupted_rotation_is_not_a_problem_and_is_left_alone(cluster: Cluster, tmp_path: Path) -> None:
    with empty_database(cluster) as url:
        settings = Settings(data=tmp_path / "data", database_url=url)
        with open_installation(settings):
            pass
        (settings.data / KEY_FILE).rename(settings.data / NEXT_KEY_FILE)
        (settings.data / KEY_FILE).write_text("the secret of before, which fits no more")
        (settings.data / KEY_FILE).chmod(0o600)
        assert _problems(settings) == []
        assert (settings.data / NEXT_KEY_FILE).exists()


def test_a_missing_secret_is_not_replaced(installed: Settings) -> None:
    problems = _problems(replace(installed, secret_key=None))
    assert [problem.subject for problem in problems] == ["secret", "encryption"]
    assert not (installed.data / KEY_FILE).exists()


@pytest.mark.parametrize(
    ("secret", "says"),
    [("short", "GAJI_SECRET_KEY has 5 characters"), ("x" * 40, "does not match this database")],
)
def test_an_invalid_secret(installed: Settings, secret: str, says: str) -> None:
    assert says in " ".join(map(str, _problems(replace(installed, secret_key=secret))))


def test_an_unreachable_database(installed: Settings) -> None:
    away = replace(installed, database_url="postgresql://someone:hidden-password@127.0.0.1:1/gaji")
    problem = _only_problem(away)
    assert "Check GAJI_DATABASE_URL" in str(problem)
    assert "hidden-password" not in str(problem)


def test_a_database_that_was_never_set_up(cluster: Cluster, tmp_path: Path) -> None:
    with empty_database(cluster) as url:
        settings = Settings(data=tmp_path, database_url=url, secret_key=SECRET)
        assert f"version 0, but this program needs {latest_version()}. Run `gaji migrate`" in str(
            _only_problem(settings)
        )
        asyncio.run(migrate(locate_database(settings), up_to=2))
        assert "version 2, but" in str(_only_problem(settings))
        database = locate_database(settings)
        as_owner(database, "ALTER TABLE schema_migrations ADD COLUMN stops_older_servers boolean DEFAULT true")
        as_owner(database, f"INSERT INTO schema_migrations VALUES ({latest_version() + 1}, 'of_the_future')")
        assert "Upgrade the program" in str(_only_problem(settings))


@pytest.mark.parametrize(
    "damage",
    [
        "ALTER TABLE pay_points NO FORCE ROW LEVEL SECURITY",
        "ALTER TABLE pay_points DISABLE ROW LEVEL SECURITY",
        "DROP POLICY tenancy ON pay_points",
        "DROP POLICY maintenance ON pay_points",
    ],
)
def test_a_table_that_is_not_closed_to_other_tenants(installed: Settings, damage: str) -> None:
    as_owner(locate_database(installed), damage)
    schema_objects, row_level_security = _problems(installed)
    assert "not forced, or without its policies, on pay_points" in str(row_level_security)
    assert "pay_points" in schema_objects.result


def test_an_index_a_function_and_a_policy_that_were_changed_by_hand(installed: Settings) -> None:
    database = locate_database(installed)
    as_owner(database, "CREATE INDEX extra ON clients (name)")
    [note] = [str(finding) for finding in examine(as_environment(installed)) if finding.subject == "schema objects"]
    assert note == "note     schema objects: not as in a new installation: index extra (additional)"
    as_owner(database, "DROP INDEX extra")
    as_owner(database, "DROP INDEX employees_email")
    as_owner(database, "CREATE INDEX employees_email ON employees (email)")
    as_owner(database, "ALTER FUNCTION forget_old_answers() SECURITY INVOKER")
    as_owner(database, "ALTER POLICY tenancy ON pay_points USING (true)")
    assert str(_only_problem(installed)) == (
        "problem  schema objects: not as in a new installation: function forget_old_answers() (different definition), "
        "index employees_email (different definition), policy pay_points.tenancy (different definition). "
        "Undo changes that were made by hand, or restore a backup into a new database"
    )


def test_of_many_changed_objects_a_few_are_named(installed: Settings) -> None:
    as_owner(locate_database(installed), "DROP TABLE pay_points CASCADE")
    problem = _only_problem(installed)
    assert problem.result.startswith("not as in a new installation: column pay_points.")
    assert problem.result.count("(missing)") == doctor.MAX_NAMED_DIFFERENCES
    assert re.search(r" and \d+ more$", problem.result)


def test_missing_queue_tables_which_migrating_makes_again(installed: Settings) -> None:
    as_owner(locate_database(installed), "DROP TABLE pgqueuer CASCADE")
    assert "job queue: its tables are missing" in str(_only_problem(installed))
    asyncio.run(migrate(locate_database(installed)))
    assert _problems(installed) == []


@pytest.mark.parametrize(
    ("attribute", "says"),
    [
        ("SUPERUSER", "is a superuser, which bypasses row-level security"),
        ("BYPASSRLS", "bypasses row-level security"),
        ("IN ROLE gaji_owner", "can assume gaji_owner"),
    ],
)
def test_an_application_role_that_bypasses_policies(
    cluster: Cluster, installed: Settings, monkeypatch: pytest.MonkeyPatch, attribute: str, says: str
) -> None:
    # A role of its own: the real one is shared by every database of the cluster.
    name = f"tried_{secrets.token_hex(4)}"
    cluster.execute(f"CREATE ROLE {name} {attribute}")
    monkeypatch.setattr(doctor, "APPLICATION", name)
    try:
        assert says in str(_only_problem(installed))
    finally:
        cluster.execute(f"DROP ROLE {name}")


def test_roles_that_are_not_there(installed: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "APPLICATION", "nobody_of_this_name")
    assert str(_only_problem(installed)) == "problem  role nobody_of_this_name: missing. Run `gaji migrate`"


def test_scripts_that_no_font_has_are_a_problem_with_the_packages_that_help(monkeypatch: pytest.MonkeyPatch) -> None:
    no_glyph = "\u0378"  # not a character of Unicode
    monkeypatch.setattr(fonts, "SCRIPTS", {"Latin": "Tan", "Chinese": no_glyph, "Tamil": no_glyph})
    finding = doctor.check_fonts()
    assert finding.is_problem
    assert "Chinese and Tamil names, which are printed as boxes" in finding.result
    assert "apt-get install fonts-wqy-microhei fonts-lohit-taml" in str(finding.remedy)


def test_mail_that_failed(installed: Settings) -> None:
    as_owner(
        locate_database(installed),
        "WITH account AS (INSERT INTO accounts (name) VALUES ('Kopi') RETURNING id) "
        "INSERT INTO outgoing_mail (account_id, kind, recipient, parameters, state, error, finished_at) "
        "SELECT id, 'payslip_ready', 'siti@example.com', '{}', 'failed', '550 No such mailbox', now() FROM account",
    )
    assert "mail: 1 messages failed in the last week, such as: 550 No such mailbox" in str(_only_problem(installed))
