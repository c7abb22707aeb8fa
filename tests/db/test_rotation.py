"""`gaji rotate-encryption`: a new secret, the same data, the same API keys."""

import asyncio
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import asyncpg
import httpx
import pytest

from gaji.core.settings import Settings
from gaji.core.vault import SealedCell, Vault
from gaji.db import schema, sealed_columns, secret_rotation
from gaji.db.database import Database, locate_database
from gaji.db.installation import Installation, open_installation
from gaji.db.presence import DatabaseInUse
from gaji.db.sealed_columns import SealedColumns
from gaji.db.secret_key import KEY_FILE, NEXT_KEY_FILE, SecretError, open_vault
from gaji.db.secret_rotation import RotationError, rotate_secret
from gaji.identity import second_factor
from gaji.identity import service as accounts
from gaji.identity.single_sign_on import service as single_sign_on
from tests.db.databases import (
    as_owner,
    cluster_without_roles,
    empty_database,
    everything,
    gaji,
    signed_in_as,
)
from tests.support.running import SECRET, Cluster, running_service

NEW_SECRET = "the next secret of the tests, also long enough"
EMAIL = "kopi@example.com"
CLIENT_ID = 7
ACCOUNT_NUMBER = "8412390077"


@pytest.fixture(scope="module")
def template_with_file(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    """An installation whose secret is in its file, to be copied."""
    with empty_database(cluster) as url:
        settings = Settings(data=tmp_path_factory.mktemp("template") / "data", database_url=url)
        with open_installation(settings):
            pass
        yield settings


@pytest.fixture
def with_file(cluster: Cluster, template_with_file: Settings, tmp_path: Path) -> Iterator[Settings]:
    """An installation whose secret is in its file."""
    name = str(template_with_file.database_url).partition("?")[0].rpartition("/")[2]
    shutil.copytree(template_with_file.data, tmp_path / "data")
    with cluster.copy_of(name) as url:
        yield Settings(data=tmp_path / "data", database_url=url, rate_limit=0)


@pytest.fixture
def with_variable(cluster: Cluster, template: str, tmp_path: Path) -> Iterator[Settings]:
    """An installation whose secret is in GAJI_SECRET_KEY."""
    with cluster.copy_of(template) as url:
        yield Settings(data=tmp_path / "data", database_url=url, secret_key=SECRET, rate_limit=0)


def _use(settings: Settings) -> str:
    """Create an account with a client that has a bank account. Return an API key."""

    async def use(installation: Installation) -> str:
        database, vault = installation.database, installation.vault
        account = await accounts.create_account(database, "Kopi", EMAIL, "correct horse battery")
        async with database.maintenance("test") as connection:
            cell = SealedCell(CLIENT_ID, "clients", CLIENT_ID, "account_number_sealed")
            await connection.execute(
                "INSERT INTO clients (id, account_id, name, bank_id, account_number_sealed) "
                "VALUES ($1, $2, 'Kopi Trading', 7171, $3)",
                CLIENT_ID,
                account.account_id,
                vault.seal(ACCOUNT_NUMBER, cell),
            )
        return await accounts.create_key(database, vault, EMAIL)

    with open_installation(settings) as installation:
        return asyncio.run(use(installation))


def _rotate(settings: Settings, new_secret_key: str | None = None) -> secret_rotation.RotationResult:
    with open_installation(settings) as installation:
        return asyncio.run(rotate_secret(installation, new_secret_key))


def _account_number(settings: Settings) -> str:
    database = locate_database(settings)
    row = as_owner(database, "SELECT id, account_number_sealed AS sealed FROM clients")[0]
    vault = asyncio.run(open_vault(database, settings))
    return vault.open(row["sealed"], SealedCell(row["id"], "clients", row["id"], "account_number_sealed"))


@contextmanager
def _identifiers(installation: Installation, values: list[str | None]) -> Iterator[None]:
    """Create a table like those with NRICs: encrypted, with a lookup hash, by client and row."""
    database, vault = installation.database, installation.vault

    async def make() -> None:
        async with database.maintenance("test") as connection:
            await connection.execute(
                "CREATE TABLE tried (client_id bigint, id bigint, nric_sealed bytea, nric_lookup bytea, "
                "PRIMARY KEY (client_id, id), UNIQUE (client_id, nric_lookup)); CALL protect_client_rows('tried')"
            )
            for number, value in enumerate(values):
                cell = SealedCell(number % 3, "tried", number, "nric_sealed")
                await connection.execute(
                    "INSERT INTO tried VALUES ($1, $2, $3, $4)",
                    number % 3,
                    number,
                    None if value is None else vault.seal(value, cell),
                    None if value is None else vault.identifier_hash(number % 3, "nric", value),
                )

    asyncio.run(make())
    yield


def test_it_works(with_file: Settings) -> None:
    key = _use(with_file)
    old = (with_file.data / KEY_FILE).read_text()
    before = everything(with_file)

    done = _rotate(with_file)

    assert done.values == 1
    assert (with_file.data / KEY_FILE).read_text() != old
    assert stat.S_IMODE((with_file.data / KEY_FILE).stat().st_mode) == 0o600
    assert not (with_file.data / NEXT_KEY_FILE).exists()
    assert done.old_secret is not None
    assert done.old_secret.read_text() == old
    assert stat.S_IMODE(done.old_secret.stat().st_mode) == 0o600
    assert _account_number(with_file) == ACCOUNT_NUMBER

    after = everything(with_file)
    assert after["audit_log"] == before["audit_log"]
    changed = {name for name in after if after[name] != before[name]}
    assert changed == {"clients", "secret_marks", "next of secret_marks_id_seq"}
    with running_service(with_file, with_file.data, arguments=["--no-worker"]) as service:
        response = httpx.get(f"{service.url}/v1/clients", headers={"Authorization": key})
    assert response.status_code == 200
    assert response.json()[0]["client"]["bank_account"]["account_number"] == ACCOUNT_NUMBER


def test_copies_in_snapshots_are_encrypted_again_and_no_record_counts_as_changed(with_variable: Settings) -> None:
    result = gaji(with_variable, "demo", "--employees", "6", "--months", "1")
    assert result.returncode == 0, result.stderr
    before, changes = _snapshot_numbers(with_variable), _last_changes(with_variable)
    assert {table for table, _ in before} == {"clients", "employees"}
    _rotate(with_variable, NEW_SECRET)
    assert _snapshot_numbers(replace(with_variable, secret_key=NEW_SECRET)) == before
    assert _last_changes(with_variable) == changes


def _last_changes(settings: Settings) -> list[tuple[object, ...]]:
    """Return which transaction changed each record last. Copies that follow changes read these records again."""
    query = "SELECT client_id, resource, id, transaction FROM last_changes ORDER BY client_id, resource, id"
    return [tuple(row) for row in as_owner(locate_database(settings), query)]


def _snapshot_numbers(settings: Settings) -> list[tuple[str, str]]:
    """Return the account numbers in snapshots, with the table that they were copied from."""
    database = locate_database(settings)
    rows = as_owner(
        database,
        "SELECT client_id, 'clients' AS source, client_id AS id, account_number_sealed AS sealed "
        "FROM payment_run_snapshots WHERE account_number_sealed IS NOT NULL UNION ALL "
        "SELECT client_id, 'employees', employee_id, account_number_sealed FROM payslip_snapshots "
        "WHERE account_number_sealed IS NOT NULL",
    )
    vault = asyncio.run(open_vault(database, settings))
    cells = [SealedCell(row["client_id"], row["source"], row["id"], "account_number_sealed") for row in rows]
    return sorted((cell.table, vault.open(row["sealed"], cell)) for row, cell in zip(rows, cells, strict=True))


def test_the_old_secret_opens_nothing(with_file: Settings) -> None:
    _use(with_file)
    old = (with_file.data / KEY_FILE).read_text().strip()
    _rotate(with_file)
    with pytest.raises(SecretError, match="does not match"):
        _account_number(replace(with_file, secret_key=old))


def test_api_keys_survive_more_than_one_rotation(with_file: Settings) -> None:
    _use(with_file)
    database = locate_database(with_file)
    first = asyncio.run(open_vault(database, with_file)).api_key_hashing
    _rotate(with_file)
    _rotate(with_file)
    assert asyncio.run(open_vault(database, with_file)).api_key_hashing == first
    assert _account_number(with_file) == ACCOUNT_NUMBER


def test_every_row_and_lookup_hash_is_updated(with_file: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sealed_columns, "BATCH_ROWS", 7)
    values = [None if number % 10 == 0 else f"S{number:07d}A" if number != 5 else "" for number in range(50)]
    with open_installation(with_file) as installation, _identifiers(installation, values):
        done = asyncio.run(rotate_secret(installation, None))
    assert done.values == 45
    vault = asyncio.run(open_vault(locate_database(with_file), with_file))
    rows = as_owner(locate_database(with_file), "SELECT * FROM tried ORDER BY id")
    assert len(rows) == 50
    for row, value in zip(rows, values, strict=True):
        if value is None:
            assert row["nric_sealed"] is row["nric_lookup"] is None
        else:
            assert (
                vault.open(row["nric_sealed"], SealedCell(row["client_id"], "tried", row["id"], "nric_sealed")) == value
            )
            assert row["nric_lookup"] == vault.identifier_hash(row["client_id"], "nric", value)


KEYED_COLUMNS = {
    "api_keys.key_hash": "the key of these hashes is kept",
    "access_links.hash": "the keys of the chains are kept",
    "access_heads.hash": "the keys of the chains are kept",
    "access_chain_state.heads_hash": "the keys of the chains are kept",
    "access_erasures.hash": "the keys of the chains are kept",
    "audit_links.hash": "the keys of the chains are kept",
    "audit_heads.hash": "the keys of the chains are kept",
    "audit_chain_state.heads_hash": "the keys of the chains are kept",
    "audit_redactions.hash": "the keys of the chains are kept",
    "sign_in_attempts.subject_hash": "counters of failed sign-ins begin again",
    "sign_in_attempts.account_hash": "counters of failed sign-ins begin again",
}
"""Columns with keyed hashes that a rotation need not change, and why. All others are `_sealed` or `_lookup`."""
UNKEYED_COLUMNS = {
    "access_links.digest",
    "audit_redactions.original_digest",
    "audit_redactions.redacted_digest",
    "email_changes.token_hash",
    "invitations.token_hash",
    "passkey_challenges.challenge",
    "passkey_challenges.holder_hash",
    "passkeys.credential_id",
    "passkeys.public_key",
    "password_resets.token_hash",
    "second_factors.recovery_codes_hash",
    "console_sessions.token_hash",
    "used_sign_in_states.state_hash",
}
"""Columns with bytes that no key of the secret was used for."""


def test_every_column_with_bytes_is_rotated_or_listed(with_variable: Settings) -> None:
    columns = _byte_columns(with_variable)
    rotated = {name for name in columns if name.endswith(("_sealed", "_lookup"))}
    assert len(rotated) > 20
    assert set(columns) - rotated == set(KEYED_COLUMNS) | UNKEYED_COLUMNS


def test_a_rotation_changes_every_encrypted_column_and_every_lookup_hash(with_variable: Settings) -> None:
    database, old = locate_database(with_variable), Vault(SECRET.encode())
    tables = [columns for columns in _sealed_tables(database) if columns.table != sealed_columns.MARKS]
    for columns in tables:
        _insert_values(with_variable, columns, old)
    before = {columns.table: _sealed_row(database, columns) for columns in tables}
    assert _rotate(with_variable, NEW_SECRET).values == sum(len(columns.sealed) for columns in tables)
    new = asyncio.run(open_vault(database, replace(with_variable, secret_key=NEW_SECRET)))
    for columns in tables:
        row = _sealed_row(database, columns)
        for column in columns.sealed:
            assert row[column] != before[columns.table][column]
            assert new.open(row[column], columns.cell(row, column)) == column
        for column in columns.lookups:
            name = column.removesuffix("_lookup")
            assert row[column] == new.identifier_hash(columns.client_id(row), name, f"{name}_sealed")


def _byte_columns(settings: Settings) -> list[str]:
    rows = as_owner(
        locate_database(settings),
        "SELECT table_name || '.' || column_name AS name FROM information_schema.columns "
        "JOIN information_schema.tables USING (table_schema, table_name) "
        "WHERE table_schema = 'gaji' AND table_type = 'BASE TABLE' "
        "AND udt_name IN ('bytea', '_bytea') AND table_name NOT LIKE 'pgqueuer%'",
    )
    return [row["name"] for row in rows]


def _sealed_tables(database: Database) -> list[SealedColumns]:
    async def load() -> list[SealedColumns]:
        async with database.maintenance("test") as connection:
            tables = await schema.load_tables(connection)
        return [columns for table in tables if (columns := sealed_columns.sealed_columns(table)).sealed]

    return asyncio.run(load())


def _insert_values(settings: Settings, columns: SealedColumns, vault: Vault) -> None:
    """Insert a row with a value in each encrypted column, and nothing else. The copy loses its constraints for this."""
    keys = dict.fromkeys((*columns.keys, columns.source_id), 3)
    values = {column: vault.seal(column, columns.cell(keys, column)) for column in columns.sealed}
    names = ", ".join((*keys, *values))
    places = ", ".join(f"${number}" for number in range(1, len(keys) + len(values) + 1))

    async def insert() -> None:
        connection = await asyncpg.connect(settings.database_url)
        try:
            await connection.execute("SET search_path TO gaji; SET session_replication_role TO replica")
            await connection.execute(WITHOUT_CONSTRAINTS.replace("TABLE_NAME", columns.table))
            await connection.execute(
                f"INSERT INTO {columns.table} ({names}) VALUES ({places})", *keys.values(), *values.values()
            )
        finally:
            await connection.close()

    asyncio.run(insert())


WITHOUT_CONSTRAINTS = """
    DO $$ DECLARE name text; BEGIN
        FOR name IN SELECT conname FROM pg_constraint WHERE conrelid = 'TABLE_NAME'::regclass AND contype IN ('c', 'f')
        LOOP EXECUTE format('ALTER TABLE TABLE_NAME DROP CONSTRAINT %I CASCADE', name); END LOOP;
        FOR name IN SELECT a.attname FROM pg_attribute a WHERE a.attrelid = 'TABLE_NAME'::regclass AND a.attnum > 0
            AND a.attnotnull AND a.attidentity = '' AND NOT a.attisdropped AND NOT EXISTS (SELECT FROM pg_index i
                WHERE i.indrelid = a.attrelid AND i.indisprimary AND a.attnum = ANY (i.indkey))
        LOOP EXECUTE format('ALTER TABLE TABLE_NAME ALTER %I DROP NOT NULL', name); END LOOP;
    END $$"""


def _sealed_row(database: Database, columns: SealedColumns) -> dict[str, Any]:
    [row] = as_owner(database, f"SELECT * FROM {columns.table}")
    return row


def test_authenticator_apps_keep_working_after_a_rotation(with_file: Settings) -> None:
    _use(with_file)
    database, secret, recovery = locate_database(with_file), b"12345678901234567890", b"a hash"
    [user] = as_owner(database, "SELECT id FROM users")
    sealed = asyncio.run(open_vault(database, with_file)).seal(secret, second_factor.sealed_cell(user["id"]))
    as_owner(
        database,
        "INSERT INTO second_factors (id, account_id, secret_sealed, last_step, recovery_codes_hash) "
        "SELECT id, account_id, $1, 7, ARRAY[$2::bytea] FROM users",
        sealed,
        recovery,
    )
    before = everything(with_file)["audit_log"]
    assert _rotate(with_file).values == 2
    [row] = as_owner(database, "SELECT * FROM second_factors")
    assert row["secret_sealed"] != sealed
    assert (row["last_step"], row["recovery_codes_hash"]) == (7, [recovery])
    vault = asyncio.run(open_vault(database, with_file))
    assert vault.open_bytes(row["secret_sealed"], second_factor.sealed_cell(user["id"])) == secret
    assert everything(with_file)["audit_log"] == before


def test_single_sign_on_keeps_working_after_a_rotation(with_file: Settings) -> None:
    _use(with_file)
    database, secret = locate_database(with_file), "a secret of the provider"
    [account] = as_owner(database, "SELECT id FROM accounts")
    cell = single_sign_on.secret_cell(account["id"])
    as_owner(
        database,
        "INSERT INTO single_sign_on (id, account_id, sign_in_key, issuer, oauth_client, client_secret_sealed, enabled) "
        "SELECT id, id, 'key', 'https://login.example.com', 'gaji', $1, true FROM accounts",
        asyncio.run(open_vault(database, with_file)).seal(secret, cell),
    )
    assert _rotate(with_file).values == 2
    [row] = as_owner(database, "SELECT client_secret_sealed FROM single_sign_on")
    assert asyncio.run(open_vault(database, with_file)).open(row["client_secret_sealed"], cell) == secret


def test_one_value_that_does_not_open_stops_the_rotation(with_file: Settings) -> None:
    _use(with_file)
    with open_installation(with_file) as installation, _identifiers(installation, ["S1234567D"]):
        as_owner(installation.database, "UPDATE tried SET nric_sealed = nric_sealed || '\\x00'")
        before, files = everything(with_file), _files(with_file.data)
        with pytest.raises(
            RotationError, match=r"tried\.nric_sealed of row 0 cannot be decrypted .* nothing was changed"
        ):
            asyncio.run(rotate_secret(installation, None))
    assert everything(with_file) == before
    assert _files(with_file.data) == files


def _files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_rejected_while_a_server_runs(with_file: Settings) -> None:
    _use(with_file)
    files = _files(with_file.data)
    with (
        running_service(with_file, with_file.data.parent, arguments=["--no-worker"]),
        pytest.raises(DatabaseInUse, match=r"in use by .*gaji serve"),
    ):
        _rotate(with_file)
    assert _files(with_file.data) == files
    _rotate(with_file)


def test_rejected_while_a_worker_runs_also_for_a_login_that_is_no_superuser(tmp_path: Path) -> None:
    with cluster_without_roles() as cluster:
        cluster.execute("CREATE ROLE hoster LOGIN CREATEROLE")
        with empty_database(cluster, owner="hoster") as url:
            settings = Settings(data=tmp_path, database_url=signed_in_as("hoster", url))
            with open_installation(settings) as installation:
                with asyncio.Runner() as runner:
                    another = {"dsn": url, "server_settings": {"application_name": "gaji worker"}}
                    connection = runner.run(asyncpg.connect(**another))
                    with pytest.raises(DatabaseInUse, match="in use by gaji worker"):
                        asyncio.run(rotate_secret(installation, None))
                    runner.run(connection.close())
                asyncio.run(rotate_secret(installation, None))


class _Killed(BaseException):
    """Simulates the end of the process."""


def test_interrupted_before_the_commit_the_old_secret_still_matches(
    with_file: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    _use(with_file)

    def cut_short(data: Path, secret: str) -> Path:
        write_files(data, secret)
        raise _Killed

    write_files = secret_rotation._write_files
    monkeypatch.setattr(secret_rotation, "_write_files", cut_short)
    with pytest.raises(_Killed):
        _rotate(with_file)
    assert (with_file.data / NEXT_KEY_FILE).exists()
    assert _account_number(with_file) == ACCOUNT_NUMBER
    monkeypatch.undo()
    _rotate(with_file)
    assert _account_number(with_file) == ACCOUNT_NUMBER


def test_interrupted_after_the_commit_it_is_finished_by_the_next_command(
    with_file: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    _use(with_file)
    old = (with_file.data / KEY_FILE).read_text()

    def cut_short(*_: object) -> None:
        raise _Killed

    monkeypatch.setattr(os, "replace", cut_short)
    with pytest.raises(_Killed):
        _rotate(with_file)
    monkeypatch.undo()
    assert (with_file.data / KEY_FILE).read_text() == old
    new = (with_file.data / NEXT_KEY_FILE).read_text()
    assert _account_number(with_file) == ACCOUNT_NUMBER
    assert (with_file.data / KEY_FILE).read_text() == new
    assert not (with_file.data / NEXT_KEY_FILE).exists()


def test_a_secret_in_a_variable_is_changed_to_the_new_one(with_variable: Settings) -> None:
    _use(with_variable)
    done = gaji(with_variable, "rotate-encryption", environment={"GAJI_NEW_SECRET_KEY": NEW_SECRET})
    assert done.returncode == 0, done.stderr
    assert "Now set GAJI_SECRET_KEY to the value of GAJI_NEW_SECRET_KEY" in done.stdout
    assert NEW_SECRET not in done.stdout + done.stderr
    assert _account_number(replace(with_variable, secret_key=NEW_SECRET)) == ACCOUNT_NUMBER
    with pytest.raises(SecretError):
        _account_number(with_variable)
    assert not with_variable.data.exists()


@pytest.mark.parametrize(
    ("new_secret_key", "message"),
    [
        (None, "set the new one as GAJI_NEW_SECRET_KEY"),
        ("short", "GAJI_NEW_SECRET_KEY has 5 characters; it must have at least 32"),
        (SECRET, "is the same as GAJI_SECRET_KEY"),
    ],
)
def test_an_invalid_new_secret_is_an_error(with_variable: Settings, new_secret_key: str | None, message: str) -> None:
    with pytest.raises(RotationError, match=message):
        _rotate(with_variable, new_secret_key)


def test_a_variable_that_would_be_ignored_is_rejected(with_file: Settings) -> None:
    with pytest.raises(RotationError, match="unset GAJI_NEW_SECRET_KEY"):
        _rotate(with_file, NEW_SECRET)
