"""One person with roles in several accounts: a home user, and a linked user in each further account."""

import re
import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import asyncpg
import httpx
import pytest

from gaji.core.errors import Conflict
from gaji.identity import invitation_codes, service, user_administration
from gaji.identity.sessions import hash_token
from tests.console.console_user import PASSWORD, TOKEN, ConsoleUser, page_text, signed_in_user, signed_out_user
from tests.console.single_sign_on_user import is_signed_in, set_up, set_up_and_tried
from tests.console.test_access_log import events
from tests.console.test_passkeys import at_localhost, visitor, with_passkey
from tests.console.test_passkeys import sign_in as sign_in_with_passkey
from tests.console.test_settings_users import accepted, invited
from tests.console.test_two_factor import code, give, secret_on, turned_on
from tests.support.company import Company
from tests.support.identity_provider import IdentityProvider, Person, running_provider
from tests.support.races import while_changing
from tests.support.running import Member

SWITCH = "/account/switch"
LEAVE = "/account/leave"
NEW_PASSWORD = {"current": PASSWORD, "new": "kopi siew dai, peng", "again": "kopi siew dai, peng"}
OTHER = "taken over, or not"
SECOND_STEPS = (
    "INSERT INTO second_factors (id, account_id, last_step, recovery_codes_hash) "
    "SELECT id, account_id, 0, '{}' FROM users WHERE id = $1",
    "INSERT INTO passkeys (account_id, user_id, name, credential_id, public_key, sign_count, transports) "
    "SELECT account_id, id, 'Phone', 'x', 'x', 0, '{}' FROM users WHERE id = $1",
)


@dataclass
class SeveralAccounts:
    """A person with an account of their own, who has a role in the account of another company."""

    person: ConsoleUser
    """Acts in the home account."""
    home: Company
    owner: ConsoleUser
    """Of the other account, and its administrator."""
    company: Company
    """Of the other account."""

    @property
    def email(self) -> str:
        """Of the person."""
        return self.person.member.email

    @property
    def linked_id(self) -> int:
        """The person's user in the other account."""
        return self.user_id_in(self.company)

    def user_id_in(self, company: Company) -> int:
        """The person's user in the account of a company."""
        [row] = self.rows(
            "SELECT u.id FROM users u JOIN clients c ON c.account_id = u.account_id WHERE u.email = $1 AND c.id = $2",
            self.email,
            company.id,
        )
        return int(row["id"])

    def rows(self, query: str, *arguments: Any) -> list[Any]:
        """Run a statement past row-level security."""
        return self.company.member.service.as_owner(query, *arguments)

    def home_state(self) -> list[Any]:
        """What the database has about the person's home user, without times of use."""
        user_id = self.user_id_in(self.home)
        queries = (
            "SELECT to_jsonb(u) AS row FROM users u WHERE id = $1",
            "SELECT client_id, role, employee_id FROM memberships WHERE user_id = $1 ORDER BY 1",
            "SELECT id, revoked_at FROM api_keys WHERE user_id = $1 ORDER BY 1",
            "SELECT id FROM console_sessions WHERE user_id = $1 AND acting_user_id = $1 ORDER BY 1",
            "SELECT id, recovery_codes_hash FROM second_factors WHERE id = $1",
            "SELECT id FROM passkeys WHERE user_id = $1",
            "SELECT id FROM password_resets WHERE user_id = $1",
            "SELECT id FROM email_changes WHERE user_id = $1",
        )
        return [self.rows(query, user_id) for query in queries]

    def key(self, company: Company) -> Member:
        """The person with an API key of one account."""
        running = self.person.member.service
        return Member(running, self.email, running.create_key(self.email, account_id=account_of(company)))

    def switch(self, company: Company, user: ConsoleUser | None = None, **data: str) -> httpx.Response:
        """Act in the account of a company."""
        account = str(account_of(company))
        return (user or self.person).post(SWITCH, {"account": account, **data}, page="/devices")


def account_of(company: Company) -> int:
    """The ID of the account of a company."""
    [row] = company.member.service.as_owner("SELECT account_id FROM clients WHERE id = $1", company.id)
    return int(row["account_id"])


def users_page(company: Company) -> str:
    """Where owners manage users."""
    return f"/companies/{company.id}/settings/users"


def user_without_password(company: Company, email: str, client_id: int) -> int:
    """A payroll officer of a client of the company's account, who signs in with single sign-on only."""
    [row] = company.member.service.as_owner(
        "WITH made AS (INSERT INTO users (account_id, email, name, password_hash) VALUES ($1, $2, 'Officer', '') "
        "RETURNING id) SELECT id FROM made",
        account_of(company),
        email,
    )
    company.member.service.as_owner(
        "INSERT INTO memberships (client_id, user_id, role) VALUES ($1, $2, 'payroll')", client_id, row["id"]
    )
    return int(row["id"])


def accept_signed_in(user: ConsoleUser, token: str) -> httpx.Response:
    """Accept an invitation as the person who is signed in."""
    return user.post("/invitation", {"token": token, "as_signed_in": "yes"}, page=f"/invitation?token={token}")


def link(person: ConsoleUser, owner: ConsoleUser, company: Company, role: str = "payroll") -> None:
    """Give a person a role in another account. Their session acts there."""
    answer = accept_signed_in(person, invited(owner, users_page(company), person.member.email, role))
    assert (answer.status_code, answer.headers.get("location")) == (303, "/"), page_text(answer)


@pytest.fixture
def home(company: Company) -> Company:
    """The company of another account, where the person has their sign-in."""
    return Company.of(company.member.service.new_account())


@pytest.fixture
def several(company: Company, owner: ConsoleUser, home: Company) -> SeveralAccounts:
    """An administrator of one account, who is a payroll officer in another one."""
    accounts = SeveralAccounts(signed_in_user(home.member), home, owner, company)
    link(accounts.person, owner, company)
    assert accounts.switch(home).status_code == 303
    return accounts


class TestAccept:
    def test_someone_with_an_account_signs_in_to_accept(
        self, company: Company, owner: ConsoleUser, home: Company
    ) -> None:
        signed_in_user(home.member)
        token = invited(owner, users_page(company), home.member.email.upper(), "payroll")
        person = ConsoleUser(home.member)
        page = person.get(f"/invitation?token={token}")
        [path] = re.findall(r'href="(/sign-in\?next=[^"]+)"', page.text)
        assert person.get(path).status_code == 200
        answer = person.sign_in(next=f"/invitation?token={token}")
        assert answer.headers["location"] == f"/invitation?token={token}"
        assert f"Accept as {home.member.email}" in page_text(person.get(answer.headers["location"]))
        before = person.browser.cookies["gaji_session"]
        assert accept_signed_in(person, token).headers["location"] == "/"
        assert person.browser.cookies["gaji_session"] != before
        assert person.get(f"/companies/{company.id}/employees/new").status_code == 200
        assert person.get(f"/companies/{home.id}").status_code == 404
        assert signed_out_user(company.member.service).get(f"/invitation?token={token}").status_code == 404
        assert home.member.email in page_text(owner.get(users_page(company)))

    def test_a_printed_code_is_accepted_as_the_signed_in_person(self, company: Company, home: Company) -> None:
        employee_id, token = company.hire(), invitation_codes.new_code()
        company.member.service.as_owner(
            "INSERT INTO invitations (client_id, role, employee_id, name, token_hash, invited_by, expires_at) "
            "VALUES ($1, 'employee', $2, 'Mei', $3, $4, now() + interval '1 day')",
            company.id,
            employee_id,
            hash_token(token),
            company.member.user_id,
        )
        person = signed_in_user(home.member)
        assert accept_signed_in(person, token).headers["location"] == "/"
        assert person.get("/").headers["location"] == "/own"
        assert person.get("/own").headers["location"] == f"/own/{employee_id}"
        assert SWITCH in person.get(f"/own/{employee_id}").text

    def test_nobody_becomes_a_user_of_single_sign_on_with_the_same_email(self, company: Company, home: Company) -> None:
        person = signed_in_user(home.member)
        second, token = company.member.new_client(), invitation_codes.new_code()
        officer = user_without_password(company, home.member.email, second)
        company.member.service.as_owner(
            "INSERT INTO invitations (client_id, role, employee_id, name, token_hash, invited_by, expires_at) "
            "VALUES ($1, 'employee', $2, 'Mei', $3, $4, now() + interval '1 day')",
            company.id,
            company.hire(),
            hash_token(token),
            company.member.user_id,
        )
        answer = accept_signed_in(person, token)
        assert answer.status_code == 409
        assert "another user with your email" in page_text(answer)
        rows = company.member.service.as_owner("SELECT home_user_id FROM user_links WHERE user_id = $1", officer)
        assert rows == []
        assert person.get(f"/companies/{second}").status_code == 404
        assert person.get(f"/companies/{home.id}").status_code == 200

    def test_other_sessions_of_the_person_end(self, company: Company, owner: ConsoleUser, home: Company) -> None:
        old, person = signed_in_user(home.member), signed_in_user(home.member)
        link(person, owner, company)
        assert not is_signed_in(old)
        assert is_signed_in(person)

    def test_another_signed_in_person_cannot_accept(self, company: Company, owner: ConsoleUser, home: Company) -> None:
        token = invited(owner, users_page(company), f"{secrets.token_hex(6)}@example.com")
        person = signed_in_user(home.member)
        assert "Accept as" not in page_text(person.get(f"/invitation?token={token}"))
        answer = accept_signed_in(person, token)
        assert answer.status_code == 409
        assert "for another email address" in page_text(answer)
        assert home.member.user_id  # there is one user with the email
        assert signed_out_user(company.member.service).get(f"/invitation?token={token}").status_code == 200

    @pytest.mark.parametrize("state", ["signed out", "half"])
    def test_nobody_accepts_without_a_complete_sign_in(
        self, company: Company, owner: ConsoleUser, home: Company, state: str
    ) -> None:
        turned_on(home.member)
        token = invited(owner, users_page(company), home.member.email)
        person = ConsoleUser(home.member)
        if state == "half":
            assert person.sign_in().headers["location"] == "/sign-in/code"
        assert accept_signed_in(person, token).status_code == 404
        assert accepted(person, token, new=OTHER, again=OTHER).status_code == 409
        assert home.member.user_id  # there is one user with the email
        assert ConsoleUser(home.member).sign_in(OTHER).status_code == 422

    def test_an_attempt_to_set_another_password_is_in_the_access_log_of_the_home_account(
        self, company: Company, owner: ConsoleUser, home: Company
    ) -> None:
        signed_in_user(home.member)
        token = invited(owner, users_page(company), home.member.email)
        assert accepted(signed_out_user(company.member.service), token).status_code == 409
        assert events(home.member, "sign_in_failed")
        assert company.member.get("/access_events", params={"kind": "sign_in_failed"}).json() == []

    def test_a_disabled_user_of_the_account_stays_disabled(self, several: SeveralAccounts) -> None:
        second = several.company.member.new_client()
        token = secrets.token_urlsafe()
        several.rows("UPDATE users SET disabled_at = now() WHERE id = $1", several.linked_id)
        several.rows(
            "INSERT INTO invitations (client_id, email, role, token_hash, invited_by, expires_at) "
            "VALUES ($1, $2, 'owner', $3, $4, now() + interval '1 day')",
            second,
            several.email,
            hash_token(token),
            several.owner.member.user_id,
        )
        assert accept_signed_in(several.person, token).status_code == 409
        assert several.switch(several.company).status_code == 404


class TestEnumeration:
    """The inviting owner sees the same, whether or not the address has a sign-in elsewhere."""

    def test_the_pages_are_the_same(self, company: Company, owner: ConsoleUser, home: Company) -> None:
        users = users_page(company)

        def pages(email: str) -> list[str]:
            shown = owner.post(f"{users}/new", {"email": email, "role": "payroll"})
            token = re.findall(r"token=([\w-]+)", shown.text)[0]
            opened = signed_out_user(company.member.service).get(f"/invitation?token={token}")
            listed = owner.get(users)
            path = re.findall(rf'action="({users}/invitations/\d+/delete)"', listed.text)[0]
            owner.post(path, page=users)
            texts = [TOKEN.sub("", page.text).replace(email, "EMAIL") for page in (shown, opened, listed)]
            return [re.sub(r"invitations/\d+|\d\d:\d\d", "", text.replace(token, "TOKEN")) for text in texts]

        assert pages(home.member.email) == pages(f"{secrets.token_hex(6)}@example.com")

    def test_the_audit_log_and_the_access_log_are_the_same(
        self, company: Company, owner: ConsoleUser, home: Company
    ) -> None:
        def entries(email: str, *, known: bool) -> list[Any]:
            token = invited(owner, users_page(company), email, "payroll")
            [last] = company.member.service.as_owner("SELECT max(id) AS id FROM audit_log")
            if known:
                accept_signed_in(signed_in_user(home.member), token)
            else:
                accepted(signed_out_user(company.member.service), token, name="")
            return company.member.service.as_owner(
                "SELECT action, actor, user_id = row_id AS own, after ->> 'password_hash' AS password_hash, "
                "(SELECT array_agg(key ORDER BY key) FROM jsonb_each(after) WHERE value <> 'null') AS attributes "
                "FROM audit_log WHERE id > $1 AND account_id = $2 ORDER BY id",
                last["id"],
                account_of(company),
            )

        unknown = entries(f"{secrets.token_hex(6)}@example.com", known=False)
        assert entries(home.member.email, known=True) == unknown
        events = [row["access_event"] for row in company.member.get("/access_events").json()]
        assert {event["path"] for event in events if event["kind"] == "sign_in"} == {""}

    def test_the_export_of_personal_data_names_no_other_account(self, several: SeveralAccounts) -> None:
        several.switch(several.company)
        employee_id, statement = several.company.hire(), "UPDATE memberships SET role = 'employee', employee_id = $2 "
        several.rows(f"{statement} WHERE user_id = $1", several.linked_id, employee_id)
        records = several.rows(
            "SELECT p.source, p.record::text AS record FROM set_config('gaji.clients', $1, true), "
            "LATERAL personal_records($2, $3) p",
            f"{{{several.company.id}}}",
            several.company.id,
            employee_id,
        )
        assert {"users", "console_sessions"} <= {row["source"] for row in records}
        text = " ".join(row["record"] for row in records)
        assert "home" not in text
        assert "acting" not in text
        assert f'"user_id": {several.user_id_in(several.home)},' not in text


class TestSwitch:
    def test_roles_and_keys_belong_to_one_account(self, several: SeveralAccounts) -> None:
        here, there = several.key(several.home), several.key(several.company)
        assert [element["client"]["id"] for element in here.get("/clients").json()] == [several.home.id]
        assert [element["client"]["id"] for element in there.get("/clients").json()] == [several.company.id]
        me = there.get("/me").json()
        assert (me["user"]["email"], me["account"]["id"]) == (several.email, account_of(several.company))
        assert not me["user"]["administrator"]

    def test_switching_renews_the_token_and_ends_open_forms(self, several: SeveralAccounts) -> None:
        person = several.person
        old, form_token = person.browser.cookies["gaji_session"], person.token("/api-keys")
        assert several.switch(several.company, next="/devices").headers["location"] == "/devices"
        assert person.browser.cookies["gaji_session"] != old
        assert person.browser.post("/api-keys", data={"form_token": form_token, "name": "Late"}).status_code == 403
        stale = ConsoleUser(person.member)
        stale.browser.cookies.set("gaji_session", old)
        assert not is_signed_in(stale)
        events = [row["access_event"] for row in several.company.member.get("/access_events").json()]
        assert {event["kind"] for event in events if event["user_id"] == several.linked_id} == {"sign_in"}

    def test_a_form_of_an_ended_session_comes_back_only_in_its_account(self, several: SeveralAccounts) -> None:
        person = several.person
        assert several.switch(several.company).status_code == 303
        form = {"form_token": person.token("/api-keys"), "name": "Late"}
        several.rows("DELETE FROM console_sessions WHERE acting_user_id = $1", several.linked_id)
        assert person.browser.post("/api-keys", data=form).headers["location"] == "/sign-in?next=/unsent-form"
        kept = person.browser.cookies["gaji_unsent_form"]
        assert person.sign_in(next="/unsent-form").status_code == 303
        assert person.get(f"/companies/{several.home.id}").status_code == 200  # acts in the other account
        assert person.get("/unsent-form").headers["location"] == "/"
        assert several.switch(several.company).status_code == 303
        person.browser.cookies.set("gaji_unsent_form", kept)
        assert "Late" in person.get("/unsent-form").text

    def test_a_session_from_before_the_owner_signed_the_person_out_does_not_switch_back(
        self, several: SeveralAccounts
    ) -> None:
        assert several.switch(several.company).status_code == 303
        assert several.switch(several.home).status_code == 303
        assert act(several, "access/sign-out").status_code == 303
        assert several.person.get("/companies").status_code == 200
        assert several.switch(several.company).status_code == 404
        again = signed_in_user(several.person.member)
        assert several.switch(several.company, again).status_code == 303

    def test_other_accounts_are_not_found(self, several: SeveralAccounts) -> None:
        stranger = str(account_of(Company.of(several.owner.member.service.new_account())))
        for account in (stranger, "", "x", "0", "99999999", str(10**30)):
            assert several.person.post(SWITCH, {"account": account}, page="/devices").status_code == 404, account
        assert several.person.get(f"/companies/{several.home.id}").status_code == 200

    def test_the_next_page_is_on_this_site(self, several: SeveralAccounts) -> None:
        for path in ("//evil.example", "https://evil.example", "/\\evil.example"):
            assert several.switch(several.company, next=path).headers["location"] == "/"

    def test_a_form_token_is_needed(self, several: SeveralAccounts) -> None:
        data = {"account": str(account_of(several.company))}
        assert several.person.browser.post(SWITCH, data=data).status_code == 403

    def test_people_with_one_account_see_no_switcher(self, several: SeveralAccounts) -> None:
        assert SWITCH not in several.owner.get("/companies").text
        assert several.person.get("/companies").text.count(SWITCH) == 1

    def test_a_page_of_another_account_offers_to_switch(self, several: SeveralAccounts) -> None:
        page = several.person.get(f"/companies/{several.company.id}/employees")
        assert page.status_code == 404
        assert f'name="next" value="/companies/{several.company.id}/employees"' in page.text

    def test_the_session_acts_in_the_same_account_after_a_new_password(self, several: SeveralAccounts) -> None:
        several.switch(several.company)
        assert several.person.post("/password", NEW_PASSWORD).status_code == 303
        assert several.person.get(f"/companies/{several.company.id}").status_code == 200
        assert ConsoleUser(several.person.member).sign_in().status_code == 422

    def test_two_step_sign_in_that_an_account_requires_counts_there(self, several: SeveralAccounts) -> None:
        require = "UPDATE accounts SET two_step_required = true WHERE id = $1"
        several.rows(require, account_of(several.company))
        assert several.person.get("/companies").status_code == 200
        several.switch(several.company)
        assert several.person.get("/companies").headers["location"] == "/two-steps"
        back = {"account": str(account_of(several.home))}
        assert several.person.post(SWITCH, back, page="/two-steps").status_code == 303
        assert several.person.get("/companies").status_code == 200

    def test_a_changed_email_is_that_of_all_users(self, several: SeveralAccounts) -> None:
        linked_id, email = several.linked_id, f"{secrets.token_hex(6)}@example.com"
        several.rows("UPDATE users SET email = $2 WHERE id = $1", several.user_id_in(several.home), email)
        assert several.rows("SELECT email FROM users WHERE id = $1", linked_id) == [{"email": email}]
        [entry] = several.rows(
            "SELECT account_id, user_id FROM audit_log WHERE action = 'users.update' AND row_id = $1", linked_id
        )
        assert entry == {"account_id": account_of(several.company), "user_id": linked_id}


Lever = Callable[[SeveralAccounts], object]


def act(several: SeveralAccounts, name: str) -> httpx.Response:
    """What the owner does on the page of the linked user."""
    path = f"{users_page(several.company)}/{several.linked_id}"
    return several.owner.post(f"{path}/{name}", {"role": "viewer"}, page=f"{path}/edit")


def operate(name: str, *, with_vault: bool = False) -> Lever:
    """What an operator does with the person in the other account."""

    def run(several: SeveralAccounts) -> object:
        running, action = several.company.member.service, getattr(user_administration, name)
        vault = (running.vault,) if with_vault else ()
        return running.runner.run(action(running.database, *vault, several.email, account_of(several.company)))

    return run


def require_two_steps(several: SeveralAccounts) -> httpx.Response:
    """Require two-step sign-in in the other account."""
    user, _, _ = turned_on(several.company.member)
    return user.post("/two-steps/required", {"required": "yes"}, page="/two-steps")


def erase(several: SeveralAccounts) -> None:
    """Erase the employee who the linked user is."""
    employee_id, client_id = several.company.hire(), several.company.id
    several.rows(
        "UPDATE memberships SET role = 'employee', employee_id = $2 WHERE user_id = $1", several.linked_id, employee_id
    )
    several.rows("INSERT INTO erased_employees (client_id, employee_id) VALUES ($1, $2)", client_id, employee_id)
    several.rows(
        "SELECT erase_account_records($2, $3) FROM set_config('gaji.clients', $1, true)",
        f"{{{client_id}}}",
        client_id,
        employee_id,
    )
    assert several.person.member.user_id  # there is one user with the email


LEVERS: dict[str, tuple[Lever, int | None]] = {
    "change the role": (lambda several: act(several, "edit"), 303),
    "remove the role": (lambda several: act(several, "delete"), 303),
    "password link": (lambda several: act(several, "reset"), 403),
    "email code": (lambda several: act(several, "email"), 409),
    "two-step sign-in off": (lambda several: act(several, "two-steps-off"), 403),
    "disabled by the owner": (lambda several: act(several, "access/disable"), 303),
    "signed out by the owner": (lambda several: act(several, "access/sign-out"), 303),
    "keys revoked by the owner": (lambda several: act(several, "access/revoke-keys"), 303),
    "require two-step sign-in": (require_two_steps, 303),
    "erase the employee": (erase, None),
    "disable": (operate("disable_user"), None),
    "delete": (operate("delete_user", with_vault=True), None),
    "end sessions": (operate("end_sessions"), None),
    "revoke keys": (operate("revoke_keys"), None),
}


@pytest.mark.parametrize("name", LEVERS)
def test_levers_of_another_account_leave_the_home_account_alone(several: SeveralAccounts, name: str) -> None:
    lever, status = LEVERS[name]
    here, there = several.key(several.home), several.key(several.company)
    elsewhere = ConsoleUser(several.person.member)
    assert elsewhere.sign_in().status_code == 303
    acting = ConsoleUser(several.person.member)
    assert acting.sign_in().status_code == 303
    several.switch(several.company, acting)
    before = several.home_state()
    answer = lever(several)
    assert status is None or (isinstance(answer, httpx.Response) and answer.status_code == status), answer
    assert several.home_state() == before
    for user in (several.person, elsewhere):
        assert user.get(f"/companies/{several.home.id}").status_code == 200
    assert here.get(f"/clients/{several.home.id}").status_code == 200
    assert ConsoleUser(several.person.member).sign_in().status_code == 303
    if name in ("disable", "delete", "erase the employee", "disabled by the owner"):
        assert not is_signed_in(acting)
        assert there.get("/clients").status_code == 401


class TestLeave:
    """A person gives up the roles in one account."""

    def leave(self, several: SeveralAccounts) -> httpx.Response:
        return several.person.post(LEAVE, {}, page="/devices")

    def test_the_person_acts_in_the_other_account_and_has_no_role_in_this_one(self, several: SeveralAccounts) -> None:
        here, there = several.key(several.home), several.key(several.company)
        several.switch(several.company)
        before = several.home_state()
        answer = self.leave(several)
        assert (answer.status_code, answer.headers["location"]) == (303, "/")
        assert several.person.get(f"/companies/{several.home.id}").status_code == 200
        assert several.person.get(f"/companies/{several.company.id}").status_code == 404
        assert several.switch(several.company).status_code == 404
        assert LEAVE not in several.person.get("/devices").text
        assert here.get("/clients").status_code == 200
        assert there.get("/clients").status_code == 401
        assert several.home_state()[:3] == before[:3]
        assert several.email not in several.owner.get(users_page(several.company)).text
        assert ConsoleUser(several.person.member).sign_in().status_code == 303

    def test_the_audit_log_of_the_account_says_who_left(self, several: SeveralAccounts) -> None:
        linked_id = several.linked_id
        several.switch(several.company)
        assert self.leave(several).status_code == 303
        rows = several.rows(
            "SELECT user_id, action FROM audit_log WHERE account_id = $1 AND user_id = $2 ORDER BY id",
            account_of(several.company),
            linked_id,
        )
        assert "memberships.delete" in [row["action"] for row in rows]

    def test_it_asks_first(self, several: SeveralAccounts) -> None:
        several.switch(several.company)
        page = several.person.get("/devices")
        [token] = set(TOKEN.findall(page.text))
        answer = several.person.browser.post(LEAVE, data={"form_token": token, "subject": "The other one"})
        assert answer.status_code == 200
        assert "Leave this account?" in page_text(answer)
        assert "The other one" in page_text(answer)
        assert several.person.get(f"/companies/{several.company.id}").status_code == 200

    def test_the_only_administrator_stays(self, several: SeveralAccounts) -> None:
        answer = self.leave(several)
        assert answer.status_code == 409
        assert "You are the only administrator of this account" in page_text(answer)
        assert several.person.get(f"/companies/{several.home.id}").status_code == 200

    def test_of_two_owners_who_leave_together_the_second_stays(self, several: SeveralAccounts) -> None:
        running = several.company.member.service
        other = Company.of(running.new_account())
        link(signed_in_user(other.member), several.owner, several.company, "owner")
        [first] = several.rows(
            "SELECT id FROM users WHERE email = $1 AND account_id = $2", other.member.email, account_of(several.company)
        )
        several.rows("UPDATE memberships SET role = 'owner' WHERE user_id = $1", several.linked_id)
        several.rows("UPDATE users SET disabled_at = now() WHERE id = $1", several.owner.member.user_id)
        several.switch(several.company)
        answer = while_changing(
            running,
            "SELECT leave_account() FROM set_config('gaji.user', $1, true)",
            str(first["id"]),
            request=lambda: self.leave(several),
        )
        assert answer.status_code == 409
        assert "You are the only owner of Kopi Trading" in page_text(answer)
        owners = several.rows(
            "SELECT m.user_id FROM memberships m JOIN users u ON u.id = m.user_id "
            "WHERE m.client_id = $1 AND m.role = 'owner' AND u.disabled_at IS NULL",
            several.company.id,
        )
        assert owners == [{"user_id": several.linked_id}]

    def test_who_leaves_the_home_account_still_signs_in_to_the_others(
        self, company: Company, owner: ConsoleUser, home: Company
    ) -> None:
        member = home.member.colleague(home.id, "viewer")
        several = SeveralAccounts(signed_in_user(member), home, owner, company)
        link(several.person, owner, company)
        several.switch(home)
        assert self.leave(several).status_code == 303
        again = ConsoleUser(member)
        assert again.sign_in().status_code == 303
        for user in (several.person, again):
            assert user.get(f"/companies/{company.id}").status_code == 200
            assert user.get(f"/companies/{home.id}").status_code == 404

    def test_an_only_owner_stays_until_there_is_another(self, several: SeveralAccounts) -> None:
        several.rows("UPDATE memberships SET role = 'owner' WHERE user_id = $1", several.linked_id)
        several.rows("UPDATE users SET disabled_at = now() WHERE id = $1", several.owner.member.user_id)
        several.switch(several.company)
        answer = self.leave(several)
        assert answer.status_code == 409
        assert "You are the only owner of Kopi Trading" in page_text(answer)
        several.rows("UPDATE users SET disabled_at = NULL WHERE id = $1", several.owner.member.user_id)
        assert self.leave(several).status_code == 303

    def test_someone_with_one_account_cannot_leave_it(self, owner: ConsoleUser) -> None:
        assert LEAVE not in owner.get("/devices").text
        answer = owner.post(LEAVE, {}, page="/devices")
        assert answer.status_code == 409
        assert "This is your only account" in page_text(answer)


class TestLeversOfTheHomeAccount:
    """Owners of the home account do not get into the other one, and do not lock the person out of it."""

    @pytest.fixture
    def employee(self, company: Company, owner: ConsoleUser, home: Company) -> SeveralAccounts:
        """A viewer of one account who is an owner of another one."""
        person = signed_in_user(home.member.colleague(home.id, "viewer"))
        link(person, owner, company, "owner")
        return SeveralAccounts(person, home, owner, company)

    def test_no_password_link_and_no_code(self, employee: SeveralAccounts) -> None:
        administrator = signed_in_user(employee.home.member)
        path = f"{users_page(employee.home)}/{employee.user_id_in(employee.home)}"
        answer = administrator.post(f"{path}/reset", page=f"{path}/edit")
        assert answer.status_code == 403
        assert "person who runs this server" in page_text(answer)
        assert administrator.post(f"{path}/email", page=f"{path}/edit").status_code == 409
        assert administrator.post(f"{path}/two-steps-off", page=f"{path}/edit").status_code == 403
        assert employee.person.post("/email", {"email": "other@example.com"}).status_code == 409
        assert employee.rows("SELECT id FROM email_changes WHERE new_email = 'other@example.com'") == []

    def test_a_link_that_was_made_before_no_longer_works(
        self, company: Company, owner: ConsoleUser, home: Company
    ) -> None:
        member = home.member.colleague(home.id, "viewer")
        path = f"{users_page(home)}/{member.user_id}"
        answer = signed_in_user(home.member).post(f"{path}/reset", page=f"{path}/edit")
        token = re.findall(r"/reset-password\?token=([\w-]+)", answer.text)[0]
        reader = signed_out_user(company.member.service)
        assert reader.get(f"/reset-password?token={token}").status_code == 200
        link(signed_in_user(member), owner, company)
        assert reader.get(f"/reset-password?token={token}").status_code == 404

    def test_someone_without_a_role_or_disabled_there_signs_in_here(self, employee: SeveralAccounts) -> None:
        path = f"{users_page(employee.home)}/{employee.user_id_in(employee.home)}"
        assert signed_in_user(employee.home.member).post(f"{path}/delete", page=f"{path}/edit").status_code == 303
        again = ConsoleUser(employee.person.member)
        assert again.sign_in().status_code == 303
        assert again.get(f"/companies/{employee.company.id}").status_code == 200
        running = employee.company.member.service
        arguments = running.database, employee.email, account_of(employee.home)
        running.runner.run(user_administration.disable_user(*arguments))
        assert again.get(f"/companies/{employee.company.id}").status_code == 200
        assert ConsoleUser(employee.person.member).sign_in().status_code == 303
        running.runner.run(user_administration.disable_user(running.database, employee.email))
        assert ConsoleUser(employee.person.member).sign_in().status_code == 422
        assert not is_signed_in(again)

    def test_the_sign_in_moves_when_the_home_user_is_deleted(
        self, company: Company, owner: ConsoleUser, home: Company
    ) -> None:
        member, running = home.member.colleague(home.id, "viewer"), company.member.service
        person, passkey, _ = with_passkey(member)
        secret = secret_on(person.get("/two-steps"))
        entered = {"code": code(secret), "password": PASSWORD}
        assert person.post("/two-steps/on", entered, page="/two-steps").status_code == 200
        link(person, owner, company, "owner")
        arguments = running.database, running.vault, member.email, account_of(home)
        running.runner.run(user_administration.delete_user(*arguments))
        assert person.get(f"/companies/{company.id}").status_code == 200
        [row] = running.as_owner("SELECT id, account_id FROM users WHERE email = $1", member.email)
        assert row["account_id"] == account_of(company)
        assert sign_in_with_passkey(visitor(member), passkey).status_code == 303
        again = ConsoleUser(member)
        assert again.sign_in().headers["location"] == "/sign-in/code"
        running.as_owner("UPDATE second_factors SET last_step = 0 WHERE id = $1", row["id"])
        assert give(again, code(secret)).status_code == 303
        assert again.get(f"/companies/{company.id}").status_code == 200
        moved = company.member.get("/audit_log?record_type=passkeys&action=create").json()
        attributes = {change["attribute"] for row in moved for change in row["audit_entry"]["changes"]}
        assert attributes == {"name", "transports"}
        page = page_text(owner.get("/account/changes"))
        assert "added the passkey" in page
        assert not [word for word in ("Handle", "Credential", "Public key", "Sign count", "Last used") if word in page]


@pytest.fixture
def provider() -> Iterator[IdentityProvider]:
    """A provider on the loopback."""
    with running_provider() as running:
        yield running


class TestSingleSignOn:
    def test_an_account_that_requires_it_needs_a_session_of_its_provider(
        self, several: SeveralAccounts, provider: IdentityProvider
    ) -> None:
        several.switch(several.company)
        sso = set_up_and_tried(several.company.member, provider)
        assert sso.require("everyone").status_code == 303
        assert not is_signed_in(several.person)
        assert several.person.sign_in().status_code == 303
        assert several.person.get(f"/companies/{several.home.id}").status_code == 200
        answer = several.switch(several.company, next="/devices")
        assert answer.headers["location"] == f"{sso.path}?next=/devices"
        assert several.person.get(f"/companies/{several.company.id}").status_code == 404
        assert several.person.get(f"/companies/{several.home.id}").status_code == 200

    def test_a_session_of_a_provider_stays_in_its_account(
        self, several: SeveralAccounts, provider: IdentityProvider
    ) -> None:
        before = several.home_state()
        user, answer = set_up(several.company.member, provider).sign_in(Person(several.email))
        assert answer.status_code == 303
        assert user.get(f"/companies/{several.company.id}").status_code == 200
        assert user.get(f"/companies/{several.home.id}").status_code == 404
        assert SWITCH not in user.get("/companies").text
        assert several.switch(several.home, user).status_code == 404
        refused = user.post(LEAVE, {}, page="/devices")
        assert refused.status_code == 409
        assert "in a session that began with single sign-on" in page_text(refused)
        assert refused_changes(user) == {409}
        assert user.post("/devices/sign-out", page="/devices").status_code == 303
        assert is_signed_in(several.person)
        assert several.home_state() == before

    def test_the_provider_of_the_home_account_does_not_open_the_other_one(
        self, several: SeveralAccounts, provider: IdentityProvider
    ) -> None:
        several.switch(several.company)
        sso = set_up_and_tried(several.home.member, provider)
        assert several.switch(several.company, sso.administrator).status_code == 404
        assert refused_changes(sso.administrator) == {409}
        assert sso.administrator.post("/devices/sign-out", page="/devices").status_code == 303
        assert is_signed_in(several.person)
        assert sso.require("everyone").status_code == 303
        assert is_signed_in(several.person)
        again = ConsoleUser(several.person.member)
        assert again.sign_in().status_code == 303
        assert again.get(f"/companies/{several.company.id}").status_code == 200
        assert again.get(f"/companies/{several.home.id}").status_code == 404

    def test_a_session_of_the_home_provider_confirms_only_at_the_provider(
        self, company: Company, owner: ConsoleUser, home: Company, provider: IdentityProvider
    ) -> None:
        member = home.member.colleague(home.id, "viewer")
        person, secret, _ = turned_on(member)
        link(person, owner, company)
        user, _ = set_up(home.member, provider).sign_in(Person(member.email))
        page = user.get("/confirm-identity?next=/devices").text
        assert 'name="password"' not in page
        assert 'name="code"' not in page
        assert "/sso/" in page
        at_localhost(user)
        for proof in ({"code": "123456"}, {"password": "wrong"}, {"credential": "{}"}):
            assert user.post("/confirm-identity", proof, page="/devices").status_code == 409
        again = ConsoleUser(member)
        assert again.sign_in().headers["location"] == "/sign-in/code"
        assert give(again, code(secret)).status_code == 303

    def test_a_session_of_the_home_provider_does_not_show_the_sign_in(
        self, company: Company, owner: ConsoleUser, home: Company, provider: IdentityProvider
    ) -> None:
        member = home.member.colleague(home.id, "viewer")
        person, _, _ = with_passkey(member)
        assert person.post("/email", {"email": f"new.{member.email}"}).status_code == 303
        link(person, owner, company)
        user, _ = set_up(home.member, provider).sign_in(Person(member.email))
        for path, shown in (("/passkeys", "/rename"), ("/two-steps", "recovery code"), ("/email", "new.")):
            assert shown in person.get(path).text
            page = user.get(path)
            assert page.status_code == 200
            assert shown not in page.text
            assert "sign in with your password" in page_text(page)

    def test_a_user_without_a_password_has_no_second_step(
        self, company: Company, owner: ConsoleUser, provider: IdentityProvider
    ) -> None:
        email = f"{secrets.token_hex(6)}@example.com"
        user_id, running = user_without_password(company, email, company.id), company.member.service
        user, answer = set_up(company.member, provider).sign_in(Person(email))
        assert answer.status_code == 303
        at_localhost(user)
        headers = {"Accept": "application/json", "X-Form-Token": user.token("/devices")}
        assert user.browser.post("/passkeys/options", headers=headers).status_code == 409
        forms = {"/passkeys": {"name": "Phone", "credential": "{}"}, "/two-steps/on": {"code": "1", "password": "x"}}
        for path, form in forms.items():
            answer = user.post(path, form, page="/devices")
            assert answer.status_code == 409
            assert "have no password here" in page_text(answer)
            page = user.get(path.removesuffix("/on"))
            assert "have no password here" in page_text(page)
            assert f'action="{path}"' not in page.text
        for statement in SECOND_STEPS:
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                running.as_owner(statement, user_id)

    def test_a_session_of_a_provider_accepts_no_invitation_of_another_account(
        self, several: SeveralAccounts, provider: IdentityProvider
    ) -> None:
        user, _ = set_up(several.company.member, provider).sign_in(Person(several.email))
        third = Company.of(several.owner.member.service.new_account())
        token = invited(signed_in_user(third.member), users_page(third), several.email)
        assert "Accept as" not in page_text(user.get(f"/invitation?token={token}"))
        assert accept_signed_in(user, token).status_code == 404


def refused_changes(user: ConsoleUser) -> set[int]:
    """The answers to attempts to change how a person signs in."""
    at_localhost(user)
    forms = {
        "/passkeys": {"name": "Phone", "credential": "{}"},
        "/password": NEW_PASSWORD,
        "/email": {"email": "attacker@example.com"},
        "/email/keep": {},
        "/two-steps/on": {"code": "123456", "password": PASSWORD},
        "/two-steps/off": {"code": "123456", "password": PASSWORD},
    }
    headers = {"Accept": "application/json", "X-Form-Token": user.token("/devices")}
    options = user.browser.post("/passkeys/options", headers=headers)
    return {options.status_code, *(user.post(path, form, page="/devices").status_code for path, form in forms.items())}


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE users SET password_hash = 'x' WHERE id = $1",
        *SECOND_STEPS,
        "INSERT INTO password_resets (account_id, user_id, origin, token_hash, expires_at) "
        "SELECT account_id, id, 'mail', 'x', now() FROM users WHERE id = $1",
        "INSERT INTO email_changes (account_id, user_id, new_email, mailed, expires_at) "
        "SELECT account_id, id, 'x', false, now() FROM users WHERE id = $1",
        "UPDATE user_links SET home_user_id = user_id WHERE user_id = $1",
        "DELETE FROM users WHERE id = (SELECT home_user_id FROM user_links WHERE user_id = $1)",
    ],
)
def test_the_database_keeps_sign_ins_with_the_home_user(several: SeveralAccounts, statement: str) -> None:
    with pytest.raises(asyncpg.PostgresError):
        several.rows(statement, several.linked_id)


def test_operators_name_the_account(several: SeveralAccounts) -> None:
    running = several.company.member.service
    with pytest.raises(Conflict, match="--account") as error:
        running.runner.run(service.find_user(running.database, several.email))
    assert str(account_of(several.home)) in str(error.value)
    names = running.runner.run(user_administration.list_accounts(running.database, several.email))
    assert len(names) == 2


def test_operators_add_an_existing_user(company: Company, home: Company) -> None:
    person, running, email = signed_in_user(home.member), company.member.service, home.member.email
    running.runner.run(service.link_person(running.database, company.member.email, email))
    with pytest.raises(Conflict):
        running.runner.run(service.link_person(running.database, company.member.email, email))
    running.runner.run(service.set_role(running.database, email, company.id, "viewer"))
    account_id = running.runner.run(service.create_account_for_person(running.database, "A third", email))
    assert person.get("/companies").text.count('name="account"') == 3
    assert person.post(SWITCH, {"account": str(account_id)}, page="/devices").status_code == 303
    assert person.get("/companies/new").status_code == 200
