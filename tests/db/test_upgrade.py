"""Databases of earlier releases: after the migrations they have today's schema, and their data is served unchanged.

Each release has a dump in `upgrades`, made by `upgrades/create_dump.py`, and the responses that its API gave.
"""

import asyncio
import json
import lzma
import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import asyncpg
import msgspec
import pytest

from gaji.core.settings import Settings
from gaji.core.vault import SealedCell, Vault
from gaji.db.database import SCHEMA, locate_database
from gaji.db.migrate import migrate
from gaji.db.migration_files import latest_version
from gaji.db.schema_shape import SchemaObjects
from gaji.web.idempotency import StoredResponse
from tests.db.databases import as_application, as_owner, empty_database
from tests.db.schema_catalog import load_schema, schema_differences
from tests.db.upgrades.create_dump import TODAY
from tests.documents.payslip_pdfs import pdf_text
from tests.support.problems import field_errors
from tests.support.running import Cluster, Member, Service, running_service

FOLDER = Path(__file__).parent / "upgrades"
ROWS_BEFORE_MIGRATING = """
    SET search_path TO gaji;
    INSERT INTO payment_releases (client_id, payslip_id)
        SELECT client_id, id FROM payslips WHERE finalised ORDER BY nett_pay > 0 DESC, id LIMIT 1;
    INSERT INTO accounts (name) VALUES ('Left');
    INSERT INTO clients (account_id, name) SELECT max(id), 'Left' FROM accounts;
    INSERT INTO employees (client_id, number, first_name, name_format, payment_method, birthdate, legal_status,
            pr_cpf_rates, gender, race, religion, sdl_exempt, cpf_exempt, employment_act_group)
        SELECT max(id), '1', 'Arun', 1, 'cash', '1990-01-01', 'FOREIGNER', 'GG', 'M', 'OTHER', 'NONE', false, false,
            'non_workman' FROM clients;
    INSERT INTO service_periods (client_id, employee_id, start_date, end_date, termination_code, ir21)
        SELECT client_id, id, '2024-01-01', '2026-02-20', 1, true FROM employees ORDER BY id DESC LIMIT 1;
"""
"""Rows that no dump has, in the form of version 0.1.0."""
REPEATED = b'{"name":"Repeated"}'
"""The body of a request that was sent before the upgrade, and is sent again after it."""
RELEASES = sorted(path.name.removesuffix(".sql.xz") for path in FOLDER.glob("*.sql.xz"))
CHANGES = [
    "ALTER TABLE clients ADD COLUMN extra text",
    "ALTER TABLE clients ALTER COLUMN name DROP NOT NULL",
    "ALTER TABLE clients ALTER COLUMN name SET DEFAULT 'x'",
    "ALTER TABLE clients ADD CONSTRAINT extra CHECK (name <> '')",
    "ALTER TABLE clients NO FORCE ROW LEVEL SECURITY",
    "ALTER TABLE clients DISABLE TRIGGER ALL",
    "ALTER TABLE pay_points ALTER COLUMN name TYPE varchar(100)",
    "CREATE INDEX extra ON clients (name)",
    "CREATE TABLE extra (id bigint PRIMARY KEY)",
    "CREATE POLICY extra ON clients TO gaji_app USING (true)",
    "ALTER POLICY maintenance ON clients USING (true)",
    "CREATE OR REPLACE FUNCTION extra() RETURNS integer LANGUAGE sql AS 'SELECT 1'",
    "ALTER FUNCTION open_tenancy(bigint[]) SECURITY INVOKER",
    "ALTER SEQUENCE clients_id_seq INCREMENT BY 2",
    "GRANT UPDATE ON audit_log TO gaji_app",
    "REVOKE SELECT ON clients FROM gaji_app",
    "GRANT UPDATE (actor) ON audit_log TO gaji_app",
    "COMMENT ON TABLE clients IS 'extra'",
]


@dataclass(frozen=True)
class UpgradedDatabase:
    """A restored and migrated dump, with the accounts that its release recorded."""

    settings: Settings
    accounts: list[dict[str, Any]]


@pytest.fixture(scope="module", params=RELEASES)
def upgraded(
    request: pytest.FixtureRequest, cluster: Cluster, template: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[UpgradedDatabase]:
    """A database of an earlier release after today's migrations. `template` has created the roles."""
    release: str = request.param
    secret = (FOLDER / "secret.key").read_text().strip()
    with empty_database(cluster) as url:
        _restore(url, lzma.decompress((FOLDER / f"{release}.sql.xz").read_bytes()).decode())
        _restore(url, ROWS_BEFORE_MIGRATING)
        _store_request(url, Vault(secret.encode()))
        data = tmp_path_factory.mktemp("upgraded")
        settings = Settings(data=data, database_url=url, secret_key=secret, rate_limit=0)
        asyncio.run(migrate(locate_database(settings)))
        recorded = json.loads(lzma.decompress((FOLDER / f"{release}.json.xz").read_bytes()))
        yield UpgradedDatabase(settings, recorded["accounts"])


@pytest.fixture(scope="module")
def fresh_schema(cluster: Cluster, template: str) -> SchemaObjects:
    """The schema of a new database."""
    return asyncio.run(_load_schema(cluster.database_url(template)))


@pytest.fixture(scope="module")
def service(upgraded: UpgradedDatabase, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A server on the upgraded database, on the day that the dump was made."""
    folder, today = tmp_path_factory.mktemp("service"), {"GAJI_TODAY": TODAY}
    with running_service(upgraded.settings, folder, today, ["--no-worker"]) as running:
        yield running


def test_every_release_has_a_dump_and_its_responses() -> None:
    assert RELEASES
    assert sorted(path.name.removesuffix(".json.xz") for path in FOLDER.glob("*.json.xz")) == RELEASES


def test_the_schema_is_that_of_a_new_database(upgraded: UpgradedDatabase, fresh_schema: SchemaObjects) -> None:
    assert len(fresh_schema) > 1000
    assert schema_differences(asyncio.run(_load_schema(upgraded.settings.database_url)), fresh_schema) == {}


REGISTER_TOTALS = """SELECT count(*) AS payslips, count(*) FILTER (WHERE gross - nett_pay <> (
        SELECT sum((line ->> 1)::numeric) * 100 FROM json_array_elements(lines -> 'deduction') line
        WHERE line ->> 0 = 'total')) AS wrong_gross,
    count(*) FILTER (WHERE employer_contributions <> cpf_employer + sdl + levy) AS wrong_contributions
    FROM payslips WHERE finalised"""


def test_payslips_have_the_totals_of_the_register(upgraded: UpgradedDatabase) -> None:
    [row] = as_owner(locate_database(upgraded.settings), REGISTER_TOTALS)
    assert row["payslips"] > 0
    assert (row["wrong_gross"], row["wrong_contributions"]) == (0, 0)


RUN_VERSIONS = """SELECT count(*) FILTER (WHERE r.finalised) AS finalised, count(*) FILTER (
        WHERE r.rules_versions IS DISTINCT FROM CASE WHEN r.finalised THEN ARRAY(
            SELECT DISTINCT p.rules_version FROM payslips p WHERE p.payment_run_id = r.id ORDER BY 1) END) AS wrong,
    count(*) FILTER (WHERE cardinality(r.rules_versions) = 0) AS empty, max(l.transaction) AS changed
    FROM payment_runs r JOIN last_changes l ON l.resource = 'payment_run' AND l.id = r.id"""


def test_finalised_runs_have_the_rules_versions_of_their_payslips(upgraded: UpgradedDatabase) -> None:
    [row] = as_owner(locate_database(upgraded.settings), RUN_VERSIONS)
    assert row["finalised"] > 0
    assert (row["wrong"], row["empty"]) == (0, 0)
    assert row["changed"] == 0, "the runs have not changed for those who follow them"


def test_migrating_again_changes_nothing(upgraded: UpgradedDatabase) -> None:
    database = locate_database(upgraded.settings)
    assert asyncio.run(migrate(database)) == []
    [row] = as_owner(database, "SELECT max(number) AS version FROM schema_migrations")
    assert row["version"] == latest_version()


def test_the_application_sees_no_row_without_a_tenancy(upgraded: UpgradedDatabase) -> None:
    database = locate_database(upgraded.settings)
    for table in ("clients", "employees", "payslips", "users"):
        assert as_owner(database, f"SELECT FROM {table} LIMIT 1") == [{}]
        assert as_application(database, f"SELECT FROM {table} LIMIT 1") == []


def test_the_records_are_served_as_the_release_served_them(upgraded: UpgradedDatabase, service: Service) -> None:
    for account in upgraded.accounts:
        member = Member(service, account["email"], service.create_key(account["email"]))
        for path, recorded in account["responses"].items():
            response = member.get(path)
            assert response.status_code == 200, response.text
            expected, served = recorded, response.json()
            if path.endswith("/explanation"):
                expected = _without_prose(expected)
            elif path.endswith("/calculations"):
                expected, served = _calculations_by_type(expected), _calculations_by_type(served)
            elif path.endswith("/accounts"):
                served = _accounts_of_items(served, recorded)
            assert list(_missing_values(expected, served)) == [], path


def test_the_api_keys_of_the_release_still_work(upgraded: UpgradedDatabase, service: Service) -> None:
    for account in upgraded.accounts:
        clients = [entry["client"]["id"] for entry in account["responses"]["/clients"]]
        for key in account["api_keys"]:
            response = Member(service, account["email"], key).get("/clients")
            assert [entry["client"]["id"] for entry in response.json()] == clients


def test_the_accounts_of_the_release_stay_separate(upgraded: UpgradedDatabase, service: Service) -> None:
    paths = {
        account["email"]: [path for path in account["responses"] if path != "/clients"] for account in upgraded.accounts
    }
    for account in upgraded.accounts:
        member = Member(service, account["email"], service.create_key(account["email"]))
        for path in (path for email, others in paths.items() if email != account["email"] for path in others):
            assert member.get(path).status_code == 404, path


def test_a_record_of_the_release_can_be_changed(upgraded: UpgradedDatabase, service: Service) -> None:
    account = upgraded.accounts[0]
    member = Member(service, account["email"], service.create_key(account["email"]))
    [path] = [path for path in account["responses"] if path.startswith("/clients/1/employees")]
    employee = account["responses"][path][0]["employee"]
    assert member.patch(f"/employees/{employee['id']}", {"job_title": "Upgraded"}).status_code == 200
    changed = member.get(f"/employees/{employee['id']}").json()["employee"]
    assert (changed["job_title"], changed["nric"]) == ("Upgraded", employee["nric"])


def test_employees_of_the_release_are_found_by_identifier_which_stays_unique(
    upgraded: UpgradedDatabase, service: Service
) -> None:
    account = upgraded.accounts[0]
    member = Member(service, account["email"], service.create_key(account["email"]))
    [path] = [path for path in account["responses"] if path.startswith("/clients/1/employees")]
    employees = [element["employee"] for element in account["responses"][path]]
    first, other = [employee for employee in employees if employee["nric"]][:2]
    listed = member.get(f"/clients/1/employees?nric={first['nric']}").json()
    assert [element["employee"]["id"] for element in listed] == [first["id"]]
    response = member.patch(f"/employees/{other['id']}", {"nric": first["nric"]})
    assert field_errors(response) == {"nric": "is the NRIC of another employee of this client"}


def test_a_request_from_before_the_upgrade_is_repeated_and_not_done_again(
    upgraded: UpgradedDatabase, service: Service
) -> None:
    [user] = as_owner(service.database, "SELECT email FROM users ORDER BY id LIMIT 1")
    member = Member(service, user["email"], service.create_key(user["email"]))
    headers = {"Authorization": member.key, "Content-Type": "application/json", "Idempotency-Key": "repeated"}
    count = len(member.get("/clients").json())
    response = service.http.post(f"{service.url}/v1/clients", content=REPEATED, headers=headers)
    assert (response.json(), response.headers["idempotent-replayed"]) == ({"message": "stored"}, "true")
    other = service.http.post(f"{service.url}/v1/clients", content=b'{"name":"Other"}', headers=headers)
    assert field_errors(other) == {"Idempotency-Key": "was already used with a different request"}
    assert len(member.get("/clients").json()) == count


def test_finalised_payslips_of_the_release_have_snapshots(upgraded: UpgradedDatabase) -> None:
    database = locate_database(upgraded.settings)
    [row] = as_owner(
        database,
        "SELECT (SELECT array_agg(id ORDER BY id) FROM payslips WHERE finalised) AS payslips, "
        "(SELECT array_agg(payslip_id ORDER BY payslip_id) FROM payslip_snapshots) AS payslip_snapshots, "
        "(SELECT array_agg(id ORDER BY id) FROM payment_runs WHERE finalised) AS runs, "
        "(SELECT array_agg(payment_run_id ORDER BY payment_run_id) FROM payment_run_snapshots) AS run_snapshots",
    )
    assert row["payslips"]
    assert (row["payslip_snapshots"], row["run_snapshots"]) == (row["payslips"], row["runs"])


def test_finalised_payslips_of_the_release_no_longer_change(upgraded: UpgradedDatabase, service: Service) -> None:
    account = upgraded.accounts[0]
    member = Member(service, account["email"], service.create_key(account["email"]))
    paths = [path for path in account["responses"] if path.startswith(("/payslips/", "/payment_runs/"))]
    payslip_ids = sorted({int(path.split("/")[2]) for path in paths if path.startswith("/payslips/")})
    run_ids = sorted({int(path.split("/")[2]) for path in paths if path.startswith("/payment_runs/")})

    def read() -> dict[str, Any]:
        files = [f"/payment_runs/{run_id}/files" for run_id in run_ids]
        names = [f"{path}/{element['file']['name']}" for path in files for element in member.get(path).json()]
        pdfs = {payslip_id: pdf_text(member.get(f"/payslips/{payslip_id}.pdf").content) for payslip_id in payslip_ids}
        return {path: _without_downloads(member.get(path).json()) for path in (*paths, *files)} | {
            **{path: _without_request_id(member.get(path).content) for path in names},
            **{f"/payslips/{payslip_id}.pdf": text for payslip_id, text in pdfs.items()},
        }

    before = read()
    employee_ids = [row["id"] for row in as_owner(service.database, "SELECT id FROM employees WHERE client_id = 1")]
    requests: list[tuple[str, str, Any]] = [
        ("PATCH", "/clients/1", {"name": "Renamed", "physical_address": {"st_name": "1 New Road"}}),
        ("PUT", "/clients/1/accounts", []),
        ("PUT", "/clients/1/accounting_splits", {"mode": "none"}),
        ("POST", "/clients/1/calculations", {"calc_type": "insurance", "calculation_details": {"amount": "9.00"}}),
        *(
            ("PATCH", f"/employees/{employee_id}", {"first_name": "Renamed", "job_title": "Changed"})
            for employee_id in employee_ids
        ),
        *(
            (
                "POST",
                f"/employees/{employee_id}/calculations",
                {"calc_type": "transport_allowance", "calculation_details": {"amount": "1.00"}},
            )
            for employee_id in employee_ids
        ),
    ]
    for method, path, body in requests:
        answer = member.call(method, path, json=body)
        assert answer.status_code == 200, f"{path}: {answer.text}"
    after = read()
    assert [path for path in before if after[path] != before[path]] == []


def test_terminations_and_released_payments_keep_their_meaning(upgraded: UpgradedDatabase) -> None:
    database = locate_database(upgraded.settings)
    ended = as_owner(database, "SELECT notice_date FROM service_periods WHERE end_date IS NOT NULL")
    assert [row["notice_date"] for row in ended] == [None]
    [release] = as_owner(
        database,
        "SELECT r.amount = p.nett_pay AS complete, r.recipient FROM payment_releases r "
        "JOIN payslips p ON p.client_id = r.client_id AND p.id = r.payslip_id",
    )
    assert (release["complete"], release["recipient"]) == (True, "employee")


@pytest.mark.parametrize("statement", CHANGES)
def test_a_change_of_the_schema_is_found(
    cluster: Cluster, template: str, fresh_schema: SchemaObjects, statement: str
) -> None:
    changed = asyncio.run(_load_schema(cluster.database_url(template), statement))
    assert schema_differences(changed, fresh_schema) != {}


def _without_downloads(response: Any) -> Any:
    """Leave out who downloaded a payment file, which reading the files changes."""
    if isinstance(response, list):
        for file in (element["file"] for element in response if "file" in element):
            del file["downloads"]
    return response


def _without_request_id(content: bytes) -> bytes:
    return re.sub(rb'"request_id":"[0-9a-f]+"', b"", content)


def _store_request(url: str, vault: Vault) -> None:
    """Store the response to a request with an Idempotency-Key, as version 0.1.0 did."""
    stored = StoredResponse(200, {}, "application/json", b'{"message": "stored"}')
    sealed = vault.seal(msgspec.msgpack.encode(stored), SealedCell(0, "idempotent_answers", 1000, "answer_sealed"))
    _restore(
        url,
        "INSERT INTO gaji.idempotent_answers (id, user_id, method, path, idempotency_key, request_hash, status, "
        f"answer_sealed) SELECT 1000, min(id), 'POST', '/v1/clients', 'repeated', '\\x{sha256(REPEATED).hexdigest()}', "
        f"200, '\\x{sealed.hex()}' FROM gaji.users",
    )


def _restore(url: str, sql: str) -> None:
    async def restore() -> None:
        connection = await asyncpg.connect(url)
        try:
            await connection.execute(sql)
        finally:
            await connection.close()

    asyncio.run(restore())


async def _load_schema(url: str | None, change: str = "") -> SchemaObjects:
    """Return the schema, optionally after a statement that is then rolled back."""
    connection = await asyncpg.connect(url)
    transaction = connection.transaction()
    await transaction.start()
    try:
        await connection.execute(f"SET LOCAL search_path TO {SCHEMA}; {change}")
        return await load_schema(connection)
    finally:
        await transaction.rollback()
        await connection.close()


REDEFINED = {".payment_run.state", "[0].id"}
"""Values that a later release redefined. Since 0.2, a run is `open`, `calculating` or `finalised`, and an inherited
calculation whose ID a calculation had too (`[0].id` of the only list with bare elements) has another ID."""


def _without_prose(explanation: dict[str, Any]) -> dict[str, Any]:
    """Return items and amounts only: the wording of an explanation may change between releases."""
    lines = [{"item": line["item"], "amount": line["amount"]} for line in explanation["explanation"]]
    return {"explanation": lines}


def _calculations_by_type(calculations: list[dict[str, Any]]) -> dict[str, Any]:
    """Return calculations by type. Since 0.2, every employee has regular hours, so only their inputs are compared."""
    by_type = {str(row.get("system_type", row["calculation_def_id"])): row for row in calculations}
    return {name: {"inputs": row["inputs"]} if name == "week_hours" else row for name, row in by_type.items()}


def _accounts_of_items(accounts: list[dict[str, Any]], recorded: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the accounts without those of items that a later release added."""
    items = {element["account"]["item"] for element in recorded}
    return [element for element in accounts if element["account"]["item"] in items]


def _missing_values(recorded: Any, response: Any, path: str = "") -> Iterator[str]:
    """Yield the paths of recorded values that a response lacks or changed. A response may have more fields."""
    if isinstance(recorded, dict) and isinstance(response, dict):
        for name, value in recorded.items():
            yield from _missing_values(value, response.get(name, "absent"), f"{path}.{name}")
    elif isinstance(recorded, list) and isinstance(response, list) and len(recorded) == len(response):
        for index, value in enumerate(recorded):
            yield from _missing_values(value, response[index], f"{path}[{index}]")
    elif isinstance(recorded, bool) and response == str(recorded).lower():
        return  # Since 0.2, booleans among the inputs of calculations are strings.
    elif recorded != response and path not in REDEFINED:
        yield f"{path}: {recorded!r} became {response!r}"
