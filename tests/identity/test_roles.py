"""Accounts, users and their role for each client."""

import asyncio
import secrets

import pytest
from argon2 import PasswordHasher
from typer.testing import CliRunner

from gaji.cli.main import app
from gaji.core.errors import Conflict, ValidationError
from gaji.identity import service as accounts
from tests.console.console_user import signed_in_user
from tests.support.company import Company
from tests.support.problems import assert_problem
from tests.support.running import Member, Service


@pytest.mark.parametrize("role", ["owner", "payroll"])
def test_owners_and_payroll_officers_read_and_write(account: Member, role: str) -> None:
    client_id = account.new_client()
    colleague = account.colleague(client_id, role)
    assert colleague.get(f"/clients/{client_id}").status_code == 200
    assert colleague.patch(f"/clients/{client_id}", {"name": "Changed"}).status_code == 200
    pay_point_id = colleague.new_pay_point(client_id)
    assert colleague.delete(f"/pay_points/{pay_point_id}").status_code == 200


def test_a_viewer_reads_and_is_403_when_writing(account: Member) -> None:
    client_id = account.new_client()
    pay_point_id = account.new_pay_point(client_id)
    viewer = account.colleague(client_id, "viewer")
    assert viewer.get(f"/clients/{client_id}").status_code == 200
    assert len(viewer.get(f"/clients/{client_id}/pay_points").json()) == 1
    before = account.service.fingerprint()
    for response in (
        viewer.patch(f"/clients/{client_id}", {"name": "Changed"}),
        viewer.patch(f"/clients/{client_id}", {"name": 5}),
        viewer.post(f"/clients/{client_id}/pay_points", {"name": "Depot"}),
        viewer.patch(f"/pay_points/{pay_point_id}", {"name": "Depot"}),
        viewer.delete(f"/pay_points/{pay_point_id}"),
    ):
        assert "viewer" in assert_problem(response, 403)["message"]
    assert account.service.fingerprint() == before


def test_an_employee_sees_no_client_through_the_api(account: Member) -> None:
    company = Company.of(account)
    client_id, pay_point_id = company.id, account.new_pay_point(company.id)
    employee = account.colleague(client_id, "employee", company.hire())
    assert employee.get("/clients").json() == []
    assert_problem(employee.get(f"/clients/{client_id}"), 404)
    assert_problem(employee.patch(f"/clients/{client_id}", {"name": "Changed"}), 404)
    assert_problem(employee.delete(f"/pay_points/{pay_point_id}"), 404)


def test_a_role_is_for_one_client(account: Member) -> None:
    mine, other = account.new_client(), account.new_client()
    colleague = account.colleague(mine, "payroll")
    assert [element["client"]["id"] for element in colleague.get("/clients").json()] == [mine]
    assert_problem(colleague.get(f"/clients/{other}"), 404)


def test_only_an_administrator_of_the_account_creates_clients(account: Member) -> None:
    owner = account.colleague(account.new_client(), "owner")
    before = account.service.fingerprint()
    assert "administrator" in assert_problem(owner.post("/clients", {"name": "Kopi"}), 403)["message"]
    assert account.service.fingerprint() == before


def test_the_administrator_owns_the_clients_that_are_created(account: Member) -> None:
    client_id = account.new_client()
    roles = account.service.as_owner(
        "SELECT u.email, m.role FROM memberships m JOIN users u ON u.id = m.user_id WHERE m.client_id = $1", client_id
    )
    assert roles == [{"email": account.email, "role": "owner"}]


@pytest.mark.parametrize(
    ("change", "read", "write"),
    [
        ("UPDATE memberships SET role = 'viewer' WHERE client_id = $1 AND role = 'payroll'", 200, 403),
        ("DELETE FROM memberships WHERE client_id = $1 AND role = 'payroll'", 401, 401),
    ],
)
def test_a_changed_or_removed_role_applies_from_the_next_request(
    account: Member, change: str, read: int, write: int
) -> None:
    client_id = account.new_client()
    colleague = account.colleague(client_id, "payroll")
    assert colleague.get(f"/clients/{client_id}").status_code == 200
    account.service.as_owner(change, client_id)
    assert colleague.get(f"/clients/{client_id}").status_code == read
    assert_problem(colleague.patch(f"/clients/{client_id}", {"name": "Changed"}), write)


def set_role(member: Member, client_id: int, role: str) -> None:
    member.service.runner.run(accounts.set_role(member.service.database, member.email, client_id, role))


def test_keys_end_with_the_last_role_and_stay_revoked(account: Member) -> None:
    first, second = account.new_client(), account.new_client()
    colleague = account.colleague(first, "payroll")
    set_role(colleague, second, "viewer")
    another = colleague.with_another_key()
    set_role(colleague, first, "none")
    assert [key.get("/me").status_code for key in (colleague, another)] == [200, 200]
    set_role(colleague, second, "none")
    assert [key.get("/me").status_code for key in (colleague, another)] == [401, 401]
    entries = account.service.as_owner(
        "SELECT FROM audit_log a JOIN api_keys k ON k.id = a.row_id "
        "WHERE a.action = 'api_keys.update' AND a.after ? 'revoked_at' AND k.user_id = $1",
        colleague.user_id,
    )
    assert len(entries) == 2
    set_role(colleague, second, "viewer")
    assert colleague.get("/me").status_code == 401
    assert colleague.with_another_key().get("/me").status_code == 200


def test_an_owner_who_removes_the_last_role_ends_the_keys(account: Member) -> None:
    client_id = account.new_client()
    colleague = account.colleague(client_id, "viewer")
    path = f"/companies/{client_id}/settings/users/{colleague.user_id}"
    response = signed_in_user(account).post(f"{path}/delete", page=f"{path}/edit")
    assert response.status_code == 303, response.text
    assert colleague.get("/me").status_code == 401


def test_an_administrator_keeps_the_keys_without_a_client(account: Member) -> None:
    client_id = account.new_client()
    account.service.as_owner("DELETE FROM memberships WHERE client_id = $1", client_id)
    assert account.get("/me").status_code == 200


def test_a_new_role_applies_from_the_next_request(account: Member) -> None:
    first, second = account.new_client(), account.new_client()
    colleague = account.colleague(first, "viewer")
    assert len(colleague.get("/clients").json()) == 1
    account.service.as_owner(
        "INSERT INTO memberships (client_id, user_id, role) SELECT $1, id, 'payroll' FROM users WHERE email = $2",
        second,
        colleague.email,
    )
    assert len(colleague.get("/clients").json()) == 2
    assert colleague.patch(f"/clients/{second}", {"name": "Changed"}).status_code == 200


def test_an_account_is_created_with_its_first_user_as_administrator(service: Service) -> None:
    email = f"{secrets.token_hex(6)}@example.com"
    new_account = asyncio.run(accounts.create_account(service.database, "Kopi", email))
    [user] = service.as_owner("SELECT * FROM users WHERE id = $1", new_account.user_id)
    assert user["account_id"] == new_account.account_id
    assert user["administrator"]
    assert new_account.password not in user["password_hash"]
    assert PasswordHasher().verify(user["password_hash"], new_account.password)
    Member(service, email, service.create_key(email)).new_client()


def test_an_email_belongs_to_one_user_whatever_its_capitals(service: Service) -> None:
    email = f"{secrets.token_hex(6)}@example.com"
    asyncio.run(accounts.create_account(service.database, "Kopi", email))
    before = service.fingerprint()
    with pytest.raises(Conflict, match="already"):
        asyncio.run(accounts.create_account(service.database, "Teh", email.upper()))
    assert service.fingerprint() == before


def test_all_errors_of_a_new_account_are_reported_at_once(service: Service) -> None:
    before = service.fingerprint()
    with pytest.raises(ValidationError) as caught:
        asyncio.run(accounts.create_account(service.database, " ", "no address", "short"))
    assert set(caught.value.errors) == {"name", "email", "password"}
    assert service.fingerprint() == before


@pytest.mark.parametrize("email", ["siti@bücher.sg", "sitі@example.com", "siti@example.com\u2028", f"a@{'b' * 253}"])
def test_an_email_that_cannot_be_used_to_sign_in_is_rejected(account: Member, email: str) -> None:
    database, before = account.service.database, account.service.fingerprint()
    for work in (
        accounts.create_account(database, "Kopi", email),
        accounts.create_user(database, account.email, email),
    ):
        with pytest.raises(ValidationError) as caught:
            asyncio.run(work)
        assert list(caught.value.errors) == ["email"]
    assert account.service.fingerprint() == before


@pytest.mark.parametrize("role", ["payroll", "viewer", "none"])
def test_an_operator_cannot_remove_the_last_owner(account: Member, role: str) -> None:
    client_id, database = account.new_client(), account.service.database
    other = account.colleague(client_id, "owner")
    asyncio.run(accounts.set_role(database, account.email, client_id, role))
    before = account.service.fingerprint()
    with pytest.raises(Conflict, match=f"{other.email} is the only owner of this company; make someone else"):
        asyncio.run(accounts.set_role(database, other.email, client_id, role))
    assert account.service.fingerprint() == before
    asyncio.run(accounts.set_role(database, other.email, client_id, "owner"))


def test_a_disabled_owner_does_not_count(account: Member) -> None:
    client_id, database = account.new_client(), account.service.database
    other = account.colleague(client_id, "owner")
    account.service.as_owner("UPDATE users SET disabled_at = now() WHERE email = $1", other.email)
    with pytest.raises(Conflict, match="is the only owner"):
        asyncio.run(accounts.set_role(database, account.email, client_id, "viewer"))


def test_an_operator_adds_users_and_gives_and_takes_roles(account: Member) -> None:
    client_id, database = account.new_client(), account.service.database
    email = f"{secrets.token_hex(6)}@example.com"
    asyncio.run(accounts.create_user(database, account.email, email, "Siti"))
    colleague = Member(account.service, email, account.service.create_key(email))
    assert colleague.get("/clients").json() == []
    for role, reads, writes in (("viewer", 200, 403), ("payroll", 200, 200), ("none", 401, 401)):
        asyncio.run(accounts.set_role(database, email, client_id, role))
        assert colleague.get(f"/clients/{client_id}").status_code == reads
        assert colleague.patch(f"/clients/{client_id}", {"name": "Changed"}).status_code == writes


def test_an_operator_gives_an_employee_their_own_record(account: Member) -> None:
    company, database = Company.of(account), account.service.database
    employee_id, other_id = company.hire(), company.hire()
    email = f"{secrets.token_hex(6)}@example.com"
    asyncio.run(accounts.create_user(database, account.email, email, "Siti"))
    asyncio.run(accounts.set_role(database, email, company.id, "employee", employee_id))
    employee = Member(account.service, email, account.service.create_key(email))
    assert employee.get(f"/employees/{employee_id}").status_code == 200
    assert employee.get(f"/employees/{other_id}").status_code == 404
    for role, wrong_id in (("employee", None), ("viewer", employee_id), ("employee", 10**9)):
        with pytest.raises(ValidationError) as caught:
            asyncio.run(accounts.set_role(database, email, company.id, role, wrong_id))
        assert list(caught.value.errors) == ["employee"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("user", "role", "--email", "a@b.sg", "--role", "viewer", "--client", str(2**63)),
        ("user", "role", "--email", "a@b.sg", "--role", "employee", "--client", "1", "--employee", "0"),
        ("key", "create", "--email", "a@b.sg", "--client", str(2**63)),
        ("key", "revoke", str(2**63)),
    ],
)
def test_a_command_rejects_an_argument_that_cannot_be_an_id(arguments: tuple[str, ...]) -> None:
    nowhere = {"GAJI_DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none"}
    assert CliRunner(env=nowhere).invoke(app, arguments).exit_code == 2


def test_a_role_is_for_a_client_of_the_same_account(account: Member, service: Service) -> None:
    foreign = service.new_account().new_client()
    with pytest.raises(ValidationError) as caught:
        asyncio.run(accounts.set_role(service.database, account.email, foreign, "viewer"))
    assert list(caught.value.errors) == ["client"]
    with pytest.raises(ValidationError):
        asyncio.run(accounts.set_role(service.database, account.email, account.new_client(), "king"))
    with pytest.raises(Conflict):
        asyncio.run(accounts.create_user(service.database, account.email, account.email))
