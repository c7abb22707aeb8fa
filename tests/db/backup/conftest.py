"""A server with some records, a backup of it, and an empty database to restore it into."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from gaji.core.settings import Settings
from gaji.db.backup import back_up
from tests.db.backup.backup_files import ACCOUNT_NUMBER
from tests.db.databases import as_owner, empty_database
from tests.support.running import SECRET, Cluster, Member, Service, running_service

ODD_TEXT = "tab\t line\n backslash \\ null \\N quote ' \" 陈 🙂"


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
