"""Hashes of earlier versions are replaced when a newer program opens the database."""

import asyncio
import hmac
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from gaji.core.settings import Settings
from gaji.core.vault import SealedCell, Vault
from gaji.db import bound_hashes
from gaji.db.database import Database, locate_database
from gaji.db.installation import open_installation
from gaji.db.presence import DatabaseInUse
from tests.db.databases import as_owner
from tests.support.running import SECRET, Cluster

VAULT = Vault(SECRET.encode())
DIGEST = sha256(b'{"name": "Kopi"}').digest()
NRIC = "S9812387C"
EMPLOYEES = "SELECT client_id, id, nric_sealed, nric_lookup, fin_lookup FROM employees ORDER BY id"


@pytest.fixture
def earlier(cluster: Cluster, template: str, tmp_path: Path) -> Iterator[Settings]:
    """A database of an earlier version: one NRIC in two clients, and a request with an Idempotency-Key."""
    with cluster.copy_of(template) as url:
        settings = Settings(data=tmp_path / "data", database_url=url, secret_key=SECRET)
        database = locate_database(settings)
        as_owner(database, "DELETE FROM secret_marks WHERE purpose = 'bound_hashes'")
        as_owner(database, "INSERT INTO accounts (id, name) VALUES (1, 'Kopi')")
        as_owner(
            database,
            "INSERT INTO users (id, account_id, email, password_hash, name) "
            "VALUES (1, 1, 'kopi@example.com', '', 'Kopi')",
        )
        for number in (1, 2):
            as_owner(database, "INSERT INTO clients (id, account_id, name) VALUES ($1, 1, 'Kopi')", number)
            _insert_employee(database, number)
        as_owner(
            database,
            "INSERT INTO idempotent_answers (id, user_id, method, path, idempotency_key, request_sealed, status, "
            "answer_sealed) VALUES (5, 1, 'POST', '/v1/clients', 'once', $1, 200, $2)",
            DIGEST,
            VAULT.seal(b"", SealedCell(0, "idempotent_answers", 5, "answer_sealed")),
        )
        yield settings


def _insert_employee(database: Database, number: int) -> None:
    as_owner(
        database,
        "INSERT INTO employees (client_id, id, number, first_name, name_format, payment_method, birthdate, "
        "legal_status, pr_cpf_rates, gender, race, religion, sdl_exempt, cpf_exempt, employment_act_group, "
        "nric_sealed, nric_lookup) VALUES ($1, $1, '1', 'Arun', 1, 'cash', '1990-01-01', 'CITIZEN', 'GG', 'M', "
        "'OTHER', 'NONE', false, false, 'non_workman', $2, $3)",
        number,
        VAULT.seal(NRIC, SealedCell(number, "employees", number, "nric_sealed")),
        _earlier_hash("nric", NRIC),
    )


def _earlier_hash(column: str, value: str) -> bytes:
    return hmac.digest(VAULT._lookup, f"{column}/{value}".encode(), sha256)


def _rows(settings: Settings) -> list[dict[str, Any]]:
    return as_owner(locate_database(settings), EMPLOYEES)


def test_identifiers_get_the_hash_of_their_client(earlier: Settings) -> None:
    log = as_owner(locate_database(earlier), "SELECT count(*) FROM audit_log")
    with open_installation(earlier):
        pass
    rows = _rows(earlier)
    assert [row["nric_lookup"] for row in rows] == [
        VAULT.identifier_hash(client_id, "nric", NRIC) for client_id in (1, 2)
    ]
    assert [row["fin_lookup"] for row in rows] == [None, None]
    assert VAULT.open(rows[0]["nric_sealed"], SealedCell(1, "employees", 1, "nric_sealed")) == NRIC
    assert as_owner(locate_database(earlier), "SELECT count(*) FROM audit_log") == log


def test_the_digest_of_a_request_is_encrypted_and_stays_the_same(earlier: Settings) -> None:
    with open_installation(earlier):
        pass
    [row] = as_owner(locate_database(earlier), "SELECT request_sealed FROM idempotent_answers")
    cell = SealedCell(0, "idempotent_answers", 5, "request_sealed")
    assert VAULT.open_bytes(row["request_sealed"], cell) == DIGEST


def test_it_happens_once(earlier: Settings) -> None:
    with open_installation(earlier):
        pass
    rows = _rows(earlier)
    with open_installation(earlier):
        pass
    assert _rows(earlier) == rows


def test_an_interrupted_replacement_changes_nothing_and_is_repeated(
    earlier: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        raise RuntimeError("interrupted")

    before = _rows(earlier)
    monkeypatch.setattr(bound_hashes, "_seal_requests", interrupt)
    with pytest.raises(RuntimeError, match="interrupted"), open_installation(earlier):
        pass
    assert _rows(earlier) == before
    monkeypatch.undo()
    with open_installation(earlier):
        pass
    assert _rows(earlier)[0]["nric_lookup"] == VAULT.identifier_hash(1, "nric", NRIC)


def test_rejected_while_a_server_of_the_earlier_version_runs(
    earlier: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gaji.db.presence.GRACE_S", 0.0)
    before = _rows(earlier)
    with asyncio.Runner() as runner:
        server = {"dsn": earlier.database_url, "server_settings": {"application_name": "gaji serve"}}
        connection = runner.run(asyncpg.connect(**server))
        with (
            pytest.raises(DatabaseInUse, match=r"this upgrade needs exclusive use .* in use by gaji serve"),
            open_installation(earlier),
        ):
            pass
        runner.run(connection.close())
    assert _rows(earlier) == before
