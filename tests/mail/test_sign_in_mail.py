"""Mail about users and their sign-in: invitations, links, and notices of changes."""

import re
import secrets
import time

from tests.console.console_user import (
    PASSWORD,
    ConsoleUser,
    page_text,
    signed_in_user,
    signed_out_user,
    with_password,
)
from tests.console.test_passkeys import passkey_id, register
from tests.console.test_two_factor import code, turned_on
from tests.db.databases import gaji
from tests.mail.outbox import NEW, SENDER, SITE, TIMEOUT_S, link_in, states, text_of
from tests.support.authenticator import Authenticator
from tests.support.company import Company
from tests.support.mailbox import NEW_SIGN_IN, Mailbox
from tests.support.running import METRICS_TOKEN, Service


def test_an_invitation_goes_to_the_mailbox_and_nowhere_else(
    owner: ConsoleUser, company: Company, mailbox: Mailbox
) -> None:
    email, users = f"invited-{company.id}@example.com", f"/companies/{company.id}/settings/users"
    answer = owner.post(f"{users}/new", {"email": email, "role": "payroll"})
    assert answer.headers["location"] == users
    message = mailbox.wait_for(email)
    assert message["From"] == SENDER
    assert message["Subject"] == "Your invitation to Kopi Trading"
    assert "payroll officer" in text_of(message)
    user = signed_out_user(company.member.service)
    path = link_in(message)
    token = path.partition("=")[2]
    assert not any(token in row for rows in user.member.service.rows().values() for row in rows)
    data = {"token": token, "name": "Siti", "new": NEW, "again": NEW}
    assert user.post("/invitation", data, page=path).headers["location"] == "/"


def test_a_new_email_is_confirmed_from_its_mailbox_and_the_old_one_is_told(company: Company, mailbox: Mailbox) -> None:
    member = company.member.colleague(company.id, "payroll")
    user, new = signed_in_user(member), f"moved-{company.id}@example.com"
    assert user.post("/email", {"email": new}).headers["location"] == "/email"
    message = mailbox.wait_for(new)
    assert message["Subject"] == "Confirm your new email address"
    path = link_in(message)
    token = path.partition("=")[2]
    assert not any(token in row for rows in member.service.rows().values() for row in rows)
    owner = signed_in_user(company.member)
    code = owner.post(f"/companies/{company.id}/settings/users/{member.user_id}/email", page="/password")
    assert code.status_code == 409  # Only the mailbox confirms it.
    other_mailbox = signed_out_user(member.service)
    data = {"token": token, "password": "wrong"}
    assert other_mailbox.post("/email/confirm", data, page=path).status_code == 422
    assert user.post("/email/confirm", {"token": token}, page=path).headers["location"] == "/"
    assert mailbox.wait_for(member.email)["Subject"] == "Your email address has been changed"
    assert f"You sign in as {new}" in page_text(user.get("/email"))


def test_users_are_told_that_an_owner_turned_off_their_two_step_sign_in(
    owner: ConsoleUser, company: Company, mailbox: Mailbox
) -> None:
    member = company.member.colleague(company.id, "payroll")
    turned_on(member)
    path = f"/companies/{company.id}/settings/users/{member.user_id}"
    assert owner.post(f"{path}/two-steps-off", page=f"{path}/edit").status_code == 303
    message = mailbox.wait_for_subject(member.email, "Two-step sign-in has been turned off")
    assert "An owner of Kopi Trading" in text_of(message)
    assert link_in(message) == "/sign-in"


def test_users_are_told_of_a_sign_in_on_a_new_device_and_not_of_one_on_a_known_device(
    company: Company, mailbox: Mailbox
) -> None:
    member = company.member.colleague(company.id, "payroll")
    user = ConsoleUser(with_password(member))
    user.browser.headers["User-Agent"] = "Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko Firefox/132.0"
    assert user.sign_in().status_code == 303
    message = mailbox.wait_for_subject(member.email, NEW_SIGN_IN)
    assert "Firefox on Linux, IP address 127.0.0.1" in text_of(message)
    assert link_in(message) == "/sign-in/forgotten"
    user.post("/sign-out", page="/password")
    assert user.sign_in().status_code == 303
    assert len(states(member.service, member.email)) == 1


def test_users_are_told_that_their_password_was_changed(company: Company, mailbox: Mailbox) -> None:
    member = company.member.colleague(company.id, "payroll")
    form = {"current": PASSWORD, "new": NEW, "again": NEW}
    assert signed_in_user(member).post("/password", form).status_code == 303
    message = mailbox.wait_for(member.email)
    assert message["Subject"] == "Your password has been changed"
    assert NEW not in text_of(message)


def test_users_are_told_that_two_step_sign_in_was_turned_off(company: Company, mailbox: Mailbox) -> None:
    member = company.member.colleague(company.id, "payroll")
    user, secret, _ = turned_on(member)
    answer = user.post("/two-steps/off", {"code": code(secret), "password": PASSWORD}, page="/two-steps")
    assert answer.status_code == 303
    assert mailbox.wait_for_subject(member.email, "Two-step sign-in has been turned off")


def test_users_are_told_that_an_authenticator_app_was_added(company: Company, mailbox: Mailbox) -> None:
    member = company.member.colleague(company.id, "payroll")
    turned_on(member)
    message = mailbox.wait_for(member.email)
    assert message["Subject"] == "Authenticator app added"
    assert "An authenticator app has been added" in text_of(message)
    assert link_in(message) == "/sign-in/forgotten"


def test_users_are_told_of_passkeys_that_were_added_and_removed(company: Company, mailbox: Mailbox) -> None:
    member = company.member.colleague(company.id, "payroll")
    user, _, _ = turned_on(member)
    assert register(user, Authenticator(SITE, rp_id="payroll.example.com"), "Phone").status_code in (200, 303)
    assert "Phone" in text_of(mailbox.wait_for_subject(member.email, "A passkey has been added"))
    assert user.post(f"/passkeys/{passkey_id(user)}/delete", page="/passkeys").status_code == 303
    mailbox.wait_for_subject(member.email, "A passkey has been removed")


def test_users_are_told_what_the_operator_did(
    company: Company, mailbox: Mailbox, service: Service, mail_variables: dict[str, str]
) -> None:
    member, new = company.member.colleague(company.id, "payroll"), f"set-{company.id}@example.com"
    turned_on(member)
    commands = (
        ("two-steps-off", "Two-step sign-in has been turned off"),
        ("change-email", "Your email address has been changed"),
    )
    for command, subject in commands:
        arguments = ["--new", new] if command == "change-email" else []
        done = gaji(service.settings, "user", command, "--email", member.email, *arguments, environment=mail_variables)
        assert done.returncode == 0, done.stderr
        mailbox.wait_for_subject(member.email, subject)


def test_the_owner_of_a_taken_address_is_told_and_the_asker_sees_no_difference(
    company: Company, mailbox: Mailbox
) -> None:
    member, foreign = company.member.colleague(company.id, "viewer"), company.member.service.new_account()
    user, free = signed_in_user(member), f"free-{company.id}@example.com"
    pages = []
    for email in (free, foreign.email):
        assert user.post("/email", {"email": email}).headers["location"] == "/email"
        text = page_text(user.get("/email")).replace(email, "…")
        pages.append(re.sub(r"before .*?\. Until", "Until", text))
    assert pages[0] == pages[1]
    message = mailbox.wait_for(foreign.email)
    assert message["Subject"] == "You already have a sign-in"
    assert "token" not in text_of(message)


def test_employees_are_invited_by_mail_and_refusals_are_shown(
    owner: ConsoleUser, company: Company, mailbox: Mailbox
) -> None:
    good, refused = f"good-{company.id}@example.com", f"refused-{company.id}@example.com"
    mailbox.refusals[refused] = "550 No such mailbox"
    ids = [company.hire(email=good), company.hire(email=refused)]
    access = f"/companies/{company.id}/self-service"
    data = {"by": "mail", "employee_ids": ",".join(map(str, ids))}
    for _ in range(2):
        assert owner.post(access, data).headers["location"] == access
        path = link_in(mailbox.wait_for(good))
        wait_until_failed(company.member.service, refused)
    wait_until_measured(company.member.service, {"sent", "failed"})
    text = page_text(owner.get(f"{access}?group=problem"))
    assert "Email not delivered" in text
    assert "550 No such mailbox" in text
    user = signed_out_user(company.member.service)
    typed = {"token": path.partition("=")[2], "name": "Siti", "new": NEW, "again": NEW}
    assert user.post("/invitation", typed, page=path).headers["location"] == "/"
    assert user.get(f"/own/{ids[0]}").status_code == 200


def wait_until_failed(service: Service, recipient: str) -> None:
    """Wait until every message to an address was given up."""
    deadline = time.monotonic() + TIMEOUT_S
    while any(state != "failed" for state, _ in states(service, recipient)):
        assert time.monotonic() < deadline
        time.sleep(0.1)


def wait_until_measured(service: Service, outcomes: set[str]) -> None:
    """Wait until the metrics have messages with these outcomes."""
    deadline = time.monotonic() + TIMEOUT_S
    measured = re.compile(r'^gaji_mail_messages_total\{outcome="([a-z]+)"\}', re.MULTILINE)
    headers = {"Authorization": f"Bearer {METRICS_TOKEN}"}
    while not outcomes <= set(measured.findall(service.http.get(f"{service.url}/metrics", headers=headers).text)):
        assert time.monotonic() < deadline
        time.sleep(0.1)


def test_a_forgotten_password_is_reset_by_mail(company: Company, mailbox: Mailbox) -> None:
    member = company.member.colleague(company.id, "viewer")
    session = signed_in_user(member)
    user = signed_out_user(member.service)
    answers = [user.post("/sign-in/forgotten", {"email": email}) for email in (member.email, "nobody@example.com")]
    assert [(answer.status_code, answer.headers["location"]) for answer in answers] == [(303, "/sign-in")] * 2
    assert answers[0].headers["set-cookie"] == answers[1].headers["set-cookie"]
    path = link_in(mailbox.wait_for(member.email))
    token = path.partition("=")[2]
    reset = user.post("/reset-password", {"token": token, "new": NEW, "again": NEW}, page=path)
    assert reset.headers["location"] == "/"
    assert session.get("/companies").status_code == 303
    assert ConsoleUser(member).sign_in(NEW).status_code == 303
    mailbox.wait_for_subject(member.email, "Your password has been changed")
    assert mailbox.sent_to("nobody@example.com") == []


def test_requests_for_links_are_limited_whether_or_not_there_is_such_a_user(company: Company) -> None:
    user = signed_out_user(company.member.service)
    for email in (company.member.email, "no-one@example.com"):
        codes = [user.post("/sign-in/forgotten", {"email": email}).status_code for _ in range(4)]
        assert codes == [303, 303, 303, 429]


def test_the_address_for_single_sign_on_is_sent_by_mail(company: Company, mailbox: Mailbox) -> None:
    member = company.member.colleague(company.id, "viewer")
    key = secrets.token_urlsafe(16)
    member.service.as_owner(
        "INSERT INTO single_sign_on (id, account_id, sign_in_key, issuer, oauth_client, client_secret_sealed, enabled, "
        "required_of) SELECT account_id, account_id, $2, 'https://login.example.com', 'gaji', 'sealed', true, "
        "'everyone' FROM users WHERE email = $1",
        member.email,
        key,
    )
    user = signed_out_user(member.service)
    stranger = f"{secrets.token_hex(6)}@example.com"
    answers = [user.post("/sign-in/sso", {"email": email}) for email in (member.email, stranger)]
    assert [(answer.status_code, answer.headers["location"]) for answer in answers] == [(303, "/sign-in")] * 2
    assert answers[0].headers["set-cookie"] == answers[1].headers["set-cookie"]
    assert link_in(mailbox.wait_for(member.email)) == f"/sso/{key}"
    assert mailbox.sent_to(stranger) == []
    other = company.member.colleague(company.id, "viewer")
    user.post("/sign-in/forgotten", {"email": other.email})
    assert link_in(mailbox.wait_for(other.email)) == f"/sso/{key}"


def test_the_page_for_forgotten_passwords_asks_for_the_email(company: Company) -> None:
    assert "You will get a link" in page_text(signed_out_user(company.member.service).get("/sign-in/forgotten"))
