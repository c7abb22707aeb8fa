"""Erasure: nothing that identifies a former employee is left, and figures and the chains of the audit log stay."""

import asyncio
import secrets
import time
from dataclasses import dataclass
from typing import Any

import pytest

from gaji.audit.access_verification import verify_access_chains
from gaji.audit.tasks import add_access_links, add_links
from gaji.audit.verification import verify_chains
from gaji.db.tenancy import open_pool
from gaji.identity.second_factor import sealed_cell
from gaji.law import check_letter
from tests.console.console_user import signed_in_user
from tests.payroll.payment_runs.runs import done, paid
from tests.support.company import BANK_ACCOUNT, Company
from tests.support.problems import assert_problem
from tests.support.running import WAIT_S, Member, Service, created

END = "2019-01-31"
WAVE = {"frequency": "monthly", "last_day_of_month": 31, "first_end_date": "2018-12-31"}
PDF = b"%PDF-1.7\nZephyrine has the flu\n%%EOF\n"
ALL_ROWS = """
    SELECT c.relname::text AS name FROM pg_class c
    WHERE c.relnamespace = 'gaji'::regnamespace AND c.relkind = 'r' AND c.relname NOT LIKE 'pgqueuer%'"""


class Identity:
    """What identifies a person. Other tests leave people in the same database."""

    def __init__(self) -> None:
        token = secrets.token_hex(6)
        digits = f"{secrets.randbelow(10**7):07d}"
        self.first, self.last, self.street = f"Zephyrine{token}", f"Quokkason{token}", f"Jalan {token}"
        self.email = f"z.{token}@example.com"
        self.nric = f"S{digits}{check_letter.letter('S', digits)}"
        self.account_number = f"88{secrets.randbelow(10**10):010d}"


@dataclass(frozen=True)
class Leaver:
    """A former employee with a record of every kind."""

    company: Company
    id: int
    identity: "Identity"

    @property
    def member(self) -> Member:
        return self.company.member

    def erase(self) -> Any:
        return self.member.post(f"/employees/{self.id}/erasure")

    def traces(self) -> list[tuple[str, str]]:
        """Return the tables with a text that identifies the person, and the text."""
        service, needles = self.member.service, list(vars(self.identity).values())
        needles += [text.encode().hex() for text in needles]
        needles.append(service.vault.identifier_hash(self.company.id, "nric", self.identity.nric).hex())
        names = [row["name"] for row in service.as_owner(ALL_ROWS)]
        query = " UNION ALL ".join(
            f"SELECT '{name}' AS name, n FROM {name} t, unnest($1::text[]) AS n WHERE t::text ILIKE '%' || n || '%'"
            for name in names
        )
        return sorted({(row["name"], row["n"]) for row in service.as_owner(query, needles)})


@pytest.fixture
def leaver(account: Member) -> Leaver:
    """Someone who left on 31 January 2019, after two pay runs."""
    client_id = account.new_client(uen="202612345K", cpf_submission_number="202612345KPTE01")
    company = Company(account, client_id, created(account.post(f"/clients/{client_id}/waves", WAVE)))
    who = Identity()
    field_id = company.field(name="Nickname", type="text")
    person = {
        "first_name": who.first,
        "last_name": who.last,
        "email": who.email,
        "nric": who.nric,
        "appointment_date": "2018-12-01",
        "payment_method": "eft_manual",
        "bank_account": {**BANK_ACCOUNT, "account_number": who.account_number},
        "physical_address": {"type": "L", "st_name": who.street},
        "custom_fields": {str(field_id): who.first},
        "metadata": {"hr": who.email},
        "job_title": f"Assistant of {who.last}",
    }
    employee_id = company.hire(**person)
    path = f"/employees/{employee_id}"
    salary = {"calc_type": "basic_salary", "calculation_details": {"fixed_amount": "3100.00"}}
    for calculation in (
        salary,
        {"calc_type": "other_deduction", "calculation_details": {"amount": "5.00", "description": f"For {who.first}"}},
    ):
        account.post(f"{path}/calculations", calculation)
    account.post(
        f"{path}/children", {"name": f"{who.first} Junior", "birthdate": "2017-06-01", "citizenship": "CITIZEN"}
    )
    types = {name: int(type_id) for type_id, name in account.get(f"/clients/{client_id}/leave_types").json().items()}
    asked = {"dates": [{"date": "2019-01-08", "type_id": types["sick_leave"]}], "reason": f"{who.first} is ill"}
    request_id = created(account.post(f"{path}/leave_requests", asked))
    headers = {"Content-Type": "application/pdf"}
    account.call("POST", f"/leave_requests/{request_id}/medical_certificates", content=PDF, headers=headers)
    account.post(f"/leave_requests/{request_id}/approve", {"answer": f"Get well, {who.first}"})
    company.leave(employee_id, END)
    for end in ("2018-12-31", END):
        done(company, paid(company, end), "release")
    for year in (2018, 2019):
        account.post(f"/clients/{client_id}/tax_certificates", {"year": year})
        account.post(f"/clients/{client_id}/tax_certificates/release", {"year": year})
    account.get(f"/clients/{client_id}/filings/2019-01/cpf")
    return Leaver(company, employee_id, who)


def problems(service: Service, *tampering: str) -> list[str]:
    """Return the problems of the chains, after all entries got links, and after statements that are rolled back."""

    async def run() -> list[str]:
        pool = await open_pool(service.database.as_application("test"), 1)
        try:
            await add_links(pool, service.vault)
        finally:
            await pool.close()
        async with service.database.owner_connection() as connection:
            transaction = connection.transaction(isolation="repeatable_read")
            await transaction.start()
            await connection.execute("SELECT begin_maintenance()")
            for statement in tampering:
                await connection.execute(statement)
            report = await verify_chains(connection, service.vault)
            await transaction.rollback()
            return report.problems

    return asyncio.run(run())


def test_nothing_that_identifies_the_person_is_left(leaver: Leaver, service: Service) -> None:
    member, client_id = leaver.member, leaver.company.id
    user = member.colleague(client_id, "employee", leaver.id)
    service.as_owner(
        "INSERT INTO outgoing_mail (account_id, kind, recipient, parameters) SELECT account_id, 'payslips_ready', $2, "
        "'{}' FROM clients WHERE id = $1",
        client_id,
        leaver.identity.email,
    )
    _add_sign_in(service, user.user_id, leaver.identity)
    period = {"start_date": "2018-01-01", "end_date": "2019-12-31"}
    report = f"/clients/{client_id}/reports/transaction_history"
    before = member.post(report, period).json()
    runs = member.get(f"/clients/{client_id}/payment_runs").json()
    cursor = member.get(f"{leaver.company.people}?updated_since=2020-01-01T00:00:00Z").headers["X-Next-Cursor"]
    assert problems(service) == []
    found = {table for table, _ in leaver.traces()}
    assert {"employees", "payslip_snapshots", "children", "audit_log", "tax_certificate_versions"} <= found

    answer = leaver.erase()
    assert answer.status_code == 200, answer.text
    assert leaver.traces() == []

    employee = leaver.company.employee(leaver.id)
    assert (employee["first_name"], employee["last_name"]) == ("Erased employee", str(leaver.id))
    assert service.as_owner("SELECT FROM users WHERE email = $1", user.email) == []
    after = member.post(report, period).json()
    assert [{**row, "employee": None} for row in after] == [{**row, "employee": None} for row in before]
    assert member.get(f"/clients/{client_id}/payment_runs").json() == runs
    changed = member.get(f"{leaver.company.people}?updated_since={cursor}").json()
    assert [row["employee"]["id"] for row in changed] == [leaver.id]
    assert member.get(f"/employees/{leaver.id}/erasure").json()["erasure"]["erased_at"]
    assert problems(service) == []


def _missing_events(service: Service, account_id: int) -> list[str]:
    """Return the problems of the chain of access events of an account, after all events got links."""

    async def run() -> list[str]:
        pool = await open_pool(service.database.as_application("test"), 1)
        try:
            await add_access_links(pool, service.vault)
        finally:
            await pool.close()
        async with (
            service.database.owner_connection() as connection,
            connection.transaction(isolation="repeatable_read", readonly=True),
        ):
            report = await verify_access_chains(connection, service.vault)
            return [problem for problem in report.problems if problem.startswith(f"account {account_id}: ")]

    return asyncio.run(run())


def test_the_access_events_of_the_person_are_deleted_and_their_chain_stays_intact(
    leaver: Leaver, service: Service
) -> None:
    user = leaver.member.colleague(leaver.company.id, "employee", leaver.id)
    [row] = service.as_owner("SELECT account_id, id FROM users WHERE id = $1", user.user_id)
    events = "SELECT id FROM access_events WHERE user_id = $1 ORDER BY id"
    links = "SELECT FROM access_links WHERE event_id = ANY ($1)"
    for path in ("/payslips/1", "/payslips/2"):
        service.as_owner("SELECT record_access($1, NULL, NULL, 'download', $2, '192.0.2.1', '')", row["id"], path)
    ids = [event["id"] for event in service.as_owner(events, row["id"])]
    deadline = time.monotonic() + WAIT_S
    while len(service.as_owner(links, ids)) < len(ids):
        assert _missing_events(service, row["account_id"]) == []
        assert time.monotonic() < deadline
    assert leaver.erase().status_code == 200
    assert service.as_owner(events, row["id"]) == []
    assert _missing_events(service, row["account_id"]) == []
    service.as_owner("DELETE FROM access_erasures WHERE event_id = $1", ids[0])
    assert _missing_events(service, row["account_id"]) == [
        f"account {row['account_id']}: access event {ids[0]} is missing"
    ]


def _add_sign_in(service: Service, user_id: int, who: Identity) -> None:
    """Give a user a passkey, which is renamed, a person of an identity provider, and a change of email."""
    for statement, value in (
        ("UPDATE users SET password_hash = $2 WHERE id = $1", "a hash"),
        (
            "INSERT INTO second_factors (id, account_id, last_step, recovery_codes_hash) "
            "SELECT id, account_id, 0, ARRAY[$2::text::bytea] FROM users WHERE id = $1",
            "hash",
        ),
        (
            "INSERT INTO passkeys (account_id, user_id, name, credential_id, public_key, sign_count, transports) "
            "SELECT account_id, id, $2, $2::text::bytea, '', 0, '{}' FROM users WHERE id = $1",
            who.email,
        ),
        ("UPDATE passkeys SET name = $2 WHERE user_id = $1", f"Phone of {who.first}"),
        (
            "INSERT INTO single_sign_on_identities (account_id, user_id, issuer, subject) "
            "SELECT account_id, id, 'https://login.example.com', $2 FROM users WHERE id = $1",
            who.email,
        ),
        (
            "INSERT INTO email_changes (account_id, user_id, new_email, mailed, expires_at) "
            "SELECT account_id, id, $2, false, now() FROM users WHERE id = $1",
            who.email,
        ),
    ):
        service.as_owner(statement, user_id, value)


def test_the_sign_in_moves_to_another_account_of_the_person(leaver: Leaver, service: Service) -> None:
    user = leaver.member.colleague(leaver.company.id, "employee", leaver.id)
    home_id, account = user.user_id, "(SELECT account_id FROM users WHERE email = $2)"
    [linked] = service.as_owner(f"SELECT link_user($1, {account}) AS id", home_id, service.new_account().email)
    service.as_owner("UPDATE users SET password_hash = 'a hash' WHERE id = $1", home_id)
    service.as_owner(
        "INSERT INTO second_factors (id, account_id, secret_sealed, last_step, recovery_codes_hash) "
        "SELECT id, account_id, $2, 0, '{}' FROM users WHERE id = $1",
        home_id,
        service.vault.seal(b"a secret", sealed_cell(home_id)),
    )
    assert leaver.erase().status_code == 200
    users = service.as_owner("SELECT id, password_hash FROM users WHERE email = $1", user.email)
    assert users == [{"id": linked["id"], "password_hash": "a hash"}]
    [factor] = service.as_owner("SELECT secret_sealed FROM second_factors WHERE id = $1", linked["id"])
    assert service.vault.open_bytes(factor["secret_sealed"], sealed_cell(linked["id"])) == b"a secret"
    assert service.as_owner("SELECT FROM user_links WHERE $1 IN (user_id, home_user_id)", linked["id"]) == []
    own = "SELECT FROM audit_log WHERE account_id = (SELECT account_id FROM clients WHERE id = $1) AND row_id = $2"
    assert service.as_owner(f"{own} AND action LIKE 'second_factors.%'", leaver.company.id, linked["id"]) == []


def test_what_remains_can_be_read_and_not_changed(leaver: Leaver) -> None:
    assert leaver.erase().status_code == 200
    member, client_id = leaver.member, leaver.company.id
    for payslip in member.get(f"/employees/{leaver.id}/payslips").json():
        payslip_id = payslip["payslip"]["id"]
        assert member.get(f"/payslips/{payslip_id}").status_code == 200
        assert_problem(member.get(f"/payslips/{payslip_id}/explanation"), 409)
        assert member.get(f"/payslips/{payslip_id}.pdf").content.startswith(b"%PDF-")
    for certificate in member.get(f"/employees/{leaver.id}/tax_certificates").json():
        assert member.get(f"/tax_certificates/{certificate['id']}").content.startswith(b"%PDF-")
    assert (
        member.get(f"/clients/{client_id}/audit_log?employee_id={leaver.id}").json()[0]["audit_entry"]["action"]
        == "erase"
    )
    assert member.get(f"/employees/{leaver.id}/personal_data").status_code == 200
    owner = signed_in_user(member)
    for page in (
        f"/employees/{leaver.id}",
        f"/employees/{leaver.id}?tab=history",
        f"/companies/{client_id}/settings/changes",
    ):
        assert owner.get(page).status_code == 200, page
    assert_problem(leaver.company.patch(leaver.id, first_name="Back"), 409)
    assert_problem(leaver.company.act(leaver.id, "reinstate", appointment_date="2026-01-01"), 409)
    assert_problem(leaver.erase(), 409)


@pytest.mark.parametrize(
    "tampering",
    [
        "UPDATE audit_log SET after = jsonb_set(after, '{first_name}', '\"Someone\"') WHERE id = {entry}",
        "UPDATE audit_log SET actor = 'nobody' WHERE id = {entry}",
        "DELETE FROM audit_redactions WHERE entry_id = {entry}",
        "UPDATE audit_redactions SET redacted_digest = original_digest WHERE entry_id = {entry}",
        "DELETE FROM audit_log WHERE id = {entry}",
    ],
)
def test_tampering_with_an_erased_entry_is_found(leaver: Leaver, service: Service, tampering: str) -> None:
    leaver.erase()
    query = "SELECT min(id) AS id FROM audit_log WHERE action = 'employees.insert' AND client_id = $1"
    [entry] = service.as_owner(query, leaver.company.id)
    [problem] = problems(service, tampering.replace("{entry}", str(entry["id"])))
    assert f"entry {entry['id']}" in problem


def test_another_value_cannot_be_passed_off_as_erased(leaver: Leaver, service: Service) -> None:
    """Someone with access to the database, but not to the secret, makes up a redaction."""
    query = "SELECT min(id) AS id FROM audit_log WHERE action = 'employees.insert' AND client_id = $1"
    [entry] = service.as_owner(query, leaver.company.id)
    problems(service)
    [problem] = problems(
        service,
        "INSERT INTO audit_redactions SELECT id, account_id, audit_entry_digest(l), '', 0, '\\x00' FROM audit_log l "
        f"WHERE id = {entry['id']}",
        f"UPDATE audit_log SET after = '{{}}' WHERE id = {entry['id']}",
        "UPDATE audit_redactions SET redacted_digest = audit_entry_digest(l) FROM audit_log l WHERE l.id = entry_id",
    )
    assert f"entry {entry['id']}" in problem


def test_it_is_refused_before_the_periods_have_ended(company: Company) -> None:
    employee_id = company.hire()
    path = f"/employees/{employee_id}/erasure"
    assert "in service" in assert_problem(company.member.post(path), 409)["message"]
    assert company.member.get(path).json() == {"erasure": {"erased_at": None, "possible_from": None, "possible": False}}
    company.leave(employee_id, "2025-06-30")
    assert "from 2032-01-01" in assert_problem(company.member.post(path), 409)["message"]
    assert company.member.get(path).json()["erasure"]["possible_from"] == "2032-01-01"


def test_a_number_that_someone_else_has_is_no_obstacle(leaver: Leaver) -> None:
    leaver.company.hire(number=f"erased-{leaver.id}")
    assert leaver.erase().status_code == 200
    assert leaver.company.employee(leaver.id)["number"].startswith(f"erased-{leaver.id}-")


def test_only_owners_erase(leaver: Leaver) -> None:
    officer = leaver.member.colleague(leaver.company.id, "payroll")
    assert_problem(officer.post(f"/employees/{leaver.id}/erasure"), 403)


def test_the_console_asks_first(leaver: Leaver) -> None:
    owner, page = signed_in_user(leaver.member), f"/employees/{leaver.id}"
    assert f'action="{page}/erase"' in owner.get(page).text
    question = owner.browser.post(f"{page}/erase", data={"form_token": owner.token(page), "subject": "Zephyrine"})
    assert "Erase this employee" in question.text
    assert leaver.company.employee(leaver.id)["first_name"] == leaver.identity.first
    owner.post(f"{page}/erase", page=page)
    assert leaver.company.employee(leaver.id)["first_name"] == "Erased employee"
    assert "Erased on" in owner.get(page).text
