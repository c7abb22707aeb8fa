"""The audit log: who changed what and when. It cannot be rewritten."""

import asyncio
import json
import os
import pwd
from datetime import UTC, datetime, timedelta
from typing import Any

import asyncpg
import pytest

from gaji.identity import service as accounts
from tests.support.company import Company
from tests.support.running import Member, Service

NUMBER = "0012345678"
BANK = {"bank_id": 7171, "account_number": NUMBER, "branch_code": "001"}


def entries(service: Service, action: str, row_id: int) -> list[dict[str, Any]]:
    """Return the entries about a row, oldest first."""
    rows = service.as_owner("SELECT * FROM audit_log WHERE action = $1 AND row_id = $2 ORDER BY id", action, row_id)
    return [{**row, **{side: row[side] and json.loads(row[side]) for side in ("before", "after")}} for row in rows]


def test_a_create_stores_who_when_and_what_after(account: Member) -> None:
    response = account.post("/clients", {"name": "Kopi", "uen": "202699999E"}, headers={"X-Request-Id": "creating-it"})
    [entry] = entries(account.service, "clients.insert", response.json()["id"])
    [key] = account.service.as_owner(
        "SELECT k.id, k.user_id, k.account_id FROM api_keys k JOIN users u ON u.id = k.user_id WHERE u.email = $1",
        account.email,
    )
    assert entry["client_id"] == response.json()["id"]
    assert (entry["user_id"], entry["key_id"], entry["account_id"]) == (key["user_id"], key["id"], key["account_id"])
    assert entry["request_id"] == "creating-it"
    assert entry["actor"] == "api"
    assert abs(datetime.now(UTC) - entry["at"]) < timedelta(seconds=30)
    assert entry["before"] is None
    assert (entry["after"]["name"], entry["after"]["uen"]) == ("Kopi", "202699999E")


def test_an_update_stores_only_what_changed_before_and_after(account: Member) -> None:
    client_id = account.new_client(name="Kopi", uen="202699999E", bank_account=BANK)
    account.patch(f"/clients/{client_id}", {"name": "Teh", "uen": "202699999E"})
    [entry] = entries(account.service, "clients.update", client_id)
    assert (entry["before"], entry["after"]) == ({"name": "Kopi"}, {"name": "Teh"})


def test_generated_columns_are_not_logged(account: Member) -> None:
    company = Company.of(account)
    employee_id = company.hire(first_name="Mei")
    company.patch(employee_id, first_name="May")
    [created] = entries(account.service, "employees.insert", employee_id)
    [changed] = entries(account.service, "employees.update", employee_id)
    assert "searched" not in created["after"]
    assert (changed["before"], changed["after"]) == ({"first_name": "Mei"}, {"first_name": "May"})


def test_an_update_that_changes_nothing_leaves_no_entry(account: Member) -> None:
    client_id = account.new_client(name="Kopi", bank_account=BANK)
    account.patch(f"/clients/{client_id}", {"name": "Kopi", "bank_account": BANK})
    assert entries(account.service, "clients.update", client_id) == []


def test_a_delete_stores_what_was_there(account: Member) -> None:
    client_id = account.new_client()
    pay_point_id = account.new_pay_point(client_id, name="Depot")
    account.delete(f"/pay_points/{pay_point_id}")
    [entry] = entries(account.service, "pay_points.delete", pay_point_id)
    assert entry["client_id"] == client_id
    assert entry["before"]["name"] == "Depot"
    assert entry["after"] is None


def test_identifiers_are_never_in_the_log_in_plain_text(account: Member) -> None:
    client_id = account.new_client(bank_account=BANK)
    account.patch(f"/clients/{client_id}", {"bank_account": {"account_number": "9988776655"}})
    [created] = entries(account.service, "clients.insert", client_id)
    [changed] = entries(account.service, "clients.update", client_id)
    assert created["after"]["account_number_sealed"] == "hidden"
    assert created["after"]["account_number_masked"] == "******5678"
    assert changed["before"] == {"account_number_sealed": "hidden", "account_number_masked": "******5678"}
    assert changed["after"] == {"account_number_sealed": "hidden", "account_number_masked": "******6655"}
    log = "\n".join(row["text"] for row in account.service.as_owner("SELECT l::text AS text FROM audit_log l"))
    [sealed] = account.service.as_owner("SELECT account_number_sealed AS value FROM clients WHERE id = $1", client_id)
    for secret in (NUMBER, "9988776655", sealed["value"].hex()):
        assert secret not in log


def test_keys_passwords_and_their_hashes_are_never_in_the_log(account: Member) -> None:
    service = account.service
    new_account = asyncio.run(accounts.create_account(service.database, "Kopi", f"audit.{account.email}"))
    [user] = entries(service, "users.insert", new_account.user_id)
    assert user["after"]["password_hash"] == "hidden"
    log = "\n".join(row["text"] for row in service.as_owner("SELECT l::text AS text FROM audit_log l"))
    for secret in (new_account.password, account.key, service.vault.api_key_hash(account.key).hex(), "argon2"):
        assert secret not in log


def test_changes_by_the_command_line_name_the_operating_system_user(
    account: Member, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = account.service
    monkeypatch.setenv("SUDO_USER", "siti\n")
    [key] = service.as_owner("SELECT id FROM api_keys WHERE key_hash = $1", service.vault.api_key_hash(account.key))
    asyncio.run(accounts.revoke_key(service.database, key["id"]))
    [entry] = entries(service, "api_keys.update", key["id"])
    assert entry["actor"] == f"command line: siti as {pwd.getpwuid(os.getuid()).pw_name}"
    assert set(entry["after"]) == {"revoked_at"}
    assert entry["before"] == {"revoked_at": None}


def test_a_request_that_fails_leaves_no_entry(account: Member) -> None:
    client_id = account.new_client()
    account.patch(f"/clients/{client_id}", {"name": 5})
    account.post(f"/clients/{client_id}/pay_points", {"name": ""})
    assert entries(account.service, "clients.update", client_id) == []


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE audit_log SET actor = 'nobody'",
        "DELETE FROM audit_log",
        "INSERT INTO audit_log (actor, action) VALUES ('nobody', 'nothing')",
        "TRUNCATE audit_log",
        "ALTER TABLE clients DISABLE TRIGGER record_change",
        "DROP TABLE audit_log",
    ],
)
def test_the_application_can_only_read_the_log(service: Service, statement: str) -> None:
    async def run() -> None:
        connection = await asyncpg.connect(**service.database.as_application("test"))
        try:
            await connection.execute(statement)
        finally:
            await connection.close()

    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        asyncio.run(run())


def test_the_application_cannot_switch_the_log_off(account: Member) -> None:
    service = account.service
    client_id = account.new_client()

    async def run() -> None:
        connection = await asyncpg.connect(**service.database.as_application("test"))
        try:
            caller = await accounts.find_user(service.database, account.email)
            async with connection.transaction():
                await connection.execute(
                    f"SELECT enter({caller.user_id}, {caller.access_version}, NULL, 'quiet', 'api'), "
                    "set_config('gaji.audit', 'off', true)"
                )
                await connection.execute("UPDATE clients SET name = 'Quietly' WHERE id = $1", client_id)
        finally:
            await connection.close()

    asyncio.run(run())
    [entry] = entries(service, "clients.update", client_id)
    assert entry["request_id"] == "quiet"


def test_every_table_that_people_edit_is_audited(service: Service) -> None:
    # Kept by the service itself, changed by nobody's edit.
    not_edited = {
        "access_chain_state",
        "access_erasures",
        "access_events",
        "access_heads",
        "access_links",
        "announced_law",
        "api_key_uses",
        "audit_chain_state",
        "audit_heads",
        "audit_links",
        "audit_log",
        "audit_redactions",
        "calculation_catalogues",
        "console_sessions",
        "cpf_submissions",  # says itself who downloaded and discarded it
        "deleted_events",
        "downloaded_payment_files",
        "employee_import_progress",
        "employee_imports",
        "employee_numbers",
        "erased_employees",  # an erasure has an entry of its own
        "events",
        "idempotent_answers",
        "outgoing_mail",
        "passkey_challenges",
        "payment_run_snapshots",
        "payslip_bundle_pieces",
        "payslip_bundle_progress",
        "payslip_bundles",
        "payslip_snapshots",
        "payslips",
        "queued_calculations",
        "reopened_payslips",
        "report_pieces",
        "report_progress",
        "report_runs",
        "run_step_progress",
        "run_steps",
        "rule_books",
        "last_backup",
        "rate_limit_windows",
        "last_changes",  # written by triggers
        "schema_migrations",
        "used_sign_in_states",
        "secret_marks",
        "sign_in_attempts",
        "tax_certificate_changes",
        "tax_certificate_files",  # written by a release, which is audited
        "tax_certificate_versions",  # written by a release, which is audited
        "tax_certificates",  # but for their release
        "user_access",
        "user_links",  # an audited row of users is made with it
        "webhook_deliveries",
        "webhook_progress",
        "worker_heartbeats",
    }
    rows = service.as_owner(
        "SELECT c.relname FROM pg_class c WHERE c.relnamespace = 'gaji'::regnamespace AND c.relkind = 'r' "
        "AND c.relname NOT LIKE 'pgqueuer%' "
        "AND NOT EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = c.oid AND t.tgname = 'record_change' "
        "AND t.tgenabled = 'O')"
    )
    assert {row["relname"] for row in rows} <= not_edited


def test_records_without_an_id_are_logged_by_their_owner(account: Member) -> None:
    company = Company.of(account)
    employee_id = company.hire()
    for wages in (1, 5):
        account.call("PUT", f"/employees/{employee_id}/take_on_balances", json={"year": 2026, "ordinary_wages": wages})
    rows = account.service.as_owner(
        "SELECT row_id FROM audit_log WHERE action = 'take_on_balances.update' AND client_id = $1", company.id
    )
    assert [row["row_id"] for row in rows] == [employee_id]
