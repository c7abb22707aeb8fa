"""Mail, with a real SMTP server, a server and its worker."""

import asyncio
import json
import re
import secrets
import subprocess
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from gaji.core.errors import Unavailable
from gaji.core.settings import Settings, SettingsError
from gaji.core.vault import Vault
from gaji.db.database import locate_database
from gaji.db.pool import Pool
from gaji.db.tenancy import open_pool
from gaji.mail import delivery, mail_tasks
from gaji.mail.attachments import PdfAttachment
from gaji.mail.config import MailConfig, mail_config
from gaji.mail.delivery import ATTEMPTS_WITH_ATTACHMENT, send_all
from gaji.tasks.worker import MAX_TASKS
from tests.approvals.second_person import two_people
from tests.console.console_user import (
    PASSWORD,
    ConsoleUser,
    page_text,
    signed_in_user,
    signed_out_user,
    with_password,
)
from tests.console.test_change_requests import ACCOUNT, ADDRESS, decide, request_change
from tests.console.test_passkeys import passkey_id, register
from tests.console.test_two_factor import code, turned_on
from tests.db.databases import gaji, hold_sweeps
from tests.documents.payslip_pdfs import pdf_text
from tests.payroll.payment_runs.runs import done, hired, opened, paid, payslips
from tests.payroll.payslips.slips import enter
from tests.support.authenticator import Authenticator
from tests.support.company import Company, of_status
from tests.support.mailbox import NEW_SIGN_IN, Mailbox, receiving
from tests.support.running import METRICS_TOKEN, Member, Service, created, running_service

SITE = "https://payroll.example.com"
SENDER = "payroll@example.com"
NEW = "seven green kettles sing"
TIMEOUT_S = 60
LINK = re.compile(r"https://payroll\.example\.com(/\S+)")


@pytest.fixture(scope="module")
def mailbox() -> Mailbox:
    return Mailbox()


@pytest.fixture(scope="module")
def smtp_port(mailbox: Mailbox) -> Iterator[int]:
    with receiving(mailbox) as port:
        yield port


@pytest.fixture(scope="module")
def mail_variables(smtp_port: int) -> dict[str, str]:
    return {"GAJI_SMTP_URL": f"smtp://127.0.0.1:{smtp_port}", "GAJI_MAIL_FROM": SENDER, "GAJI_PUBLIC_URL": SITE}


@pytest.fixture(scope="module")
def service(
    settings: Settings, mail_variables: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Service]:
    """A server and a worker that send mail, but not on the minute: some tests send it themselves."""
    hold_sweeps(locate_database(settings))
    with running_service(settings, tmp_path_factory.mktemp("mail"), mail_variables) as running:
        yield running


@pytest.fixture
def owner(company: Company) -> ConsoleUser:
    """The signed-in owner of the company."""
    return signed_in_user(company.member)


@pytest.fixture
def config(smtp_port: int) -> MailConfig:
    return MailConfig("127.0.0.1", smtp_port, "none", None, None, SENDER, SITE)


def text_of(message: EmailMessage) -> str:
    """The plain text of a message that has both forms."""
    assert message.get_content_type() == "multipart/alternative"
    plain, html = message.get_body(("plain",)), message.get_body(("html",))
    assert plain is not None
    assert html is not None
    link = LINK.search(plain.get_content())
    assert link
    assert link[0].replace("&", "&amp;") in html.get_content()
    return str(plain.get_content())


def link_in(message: EmailMessage) -> str:
    """The path of the link in a message."""
    match = LINK.search(text_of(message))
    assert match
    return match[1]


def states(service: Service, recipient: str) -> list[tuple[str, str | None]]:
    rows = service.as_owner("SELECT state, error FROM outgoing_mail WHERE recipient = $1 ORDER BY id", recipient)
    return [(row["state"], row["error"]) for row in rows]


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


def test_employees_with_a_sign_in_get_a_message_when_a_run_is_released(company: Company, mailbox: Mailbox) -> None:
    employee_id = hired(company)
    hired(company)
    employee = company.member.colleague(company.id, "employee", employee_id)
    run_id = opened(company)
    done(company, run_id, "finalise")
    assert employee.service.as_owner("SELECT id FROM outgoing_mail WHERE recipient = $1", employee.email) == []
    for _ in range(2):
        assert company.member.post(f"/payment_runs/{run_id}/release", {}).status_code == 200
    message = mailbox.wait_for(employee.email)
    assert message["Subject"] == "Your payslip from Kopi Trading is ready"
    path = link_in(message)
    assert path.startswith(f"/own/{employee_id}/payslips/")
    assert signed_in_user(employee).get(path).status_code == 200


def test_approvers_get_a_message_about_a_leave_request(company: Company, mailbox: Mailbox) -> None:
    employee_id = company.hire()
    employee = company.member.colleague(company.id, "employee", employee_id)
    approver, viewer = (company.member.colleague(company.id, role) for role in ("payroll", "viewer"))
    type_id = next(
        key for key, name in company.member.get(f"/clients/{company.id}/leave_types").json().items() if "unpaid" in name
    )
    dates = [{"date": "2026-03-02", "type_id": int(type_id)}, {"date": "2026-03-03", "type_id": int(type_id)}]
    answer = employee.post(f"/employees/{employee_id}/leave_requests", {"dates": dates})
    assert answer.status_code == 200, answer.text
    message = mailbox.wait_for(approver.email)
    assert "from 2 March 2026 to 3 March 2026" in text_of(message)
    assert link_in(message) == f"/companies/{company.id}/leave"
    assert mailbox.sent_to(viewer.email) == []
    assert mailbox.sent_to(employee.email) == []
    path = f"/leave_requests/{answer.json()['id']}/decline"
    assert company.member.post(path, {"answer": "Stocktaking"}).status_code == 200
    message = mailbox.wait_for(employee.email)
    assert message["Subject"] == "Your leave request: declined"
    text = text_of(message)
    assert "from 2 March 2026 to 3 March 2026: declined." in text
    assert "Comment: Stocktaking" in text
    assert link_in(message) == f"/own/{employee_id}/leave"


def test_employees_are_told_of_changes_of_their_details_and_approvers_once(account: Member, mailbox: Mailbox) -> None:
    people = two_people(account)
    member = account.colleague(people.company.id, "employee", people.employee_id)
    employee = signed_in_user(member)
    answer = request_change(employee, people.employee_id, ADDRESS)
    assert answer.status_code == 303, answer.text
    message = mailbox.wait_for_subject(member.email, "Change of your details requested")
    assert "requested a change of your address or payment details" in text_of(message)
    assert link_in(message) == "/sign-in/forgotten"
    request_change(employee, people.employee_id, ACCOUNT)
    assert decide(people, "reject", "0119988776 is not yours").status_code == 303
    message = mailbox.wait_for_subject(member.email, "Your requested change of details: declined")
    assert link_in(message) == f"/own/{people.employee_id}/details"
    assert mailbox.wait_for_subject(people.officer.email, "Approval needed for Kopi Trading")
    request_change(employee, people.employee_id, ACCOUNT)
    assert decide(people, "approve").status_code == 303
    assert mailbox.wait_for_subject(member.email, "Your requested change of details: approved")
    assert not [item for item in mailbox.sent_to(member.email) if "0119988776" in text_of(item)]
    kinds = account.service.as_owner("SELECT kind FROM outgoing_mail WHERE recipient = $1", people.officer.email)
    assert [row["kind"] for row in kinds].count("approval_request") == 2


def test_requests_of_an_employee_mail_the_approvers_at_most_three_times_an_hour(account: Member) -> None:
    people = two_people(account)
    employee = signed_in_user(account.colleague(people.company.id, "employee", people.employee_id))

    def request(change: dict[str, str] = ADDRESS) -> None:
        assert request_change(employee, people.employee_id, change).status_code == 303

    def cancel() -> None:
        path = f"/own/{people.employee_id}/details"
        assert employee.post(f"{path}/cancel", page=path).status_code == 303

    def count_messages() -> int:
        query = "SELECT kind FROM outgoing_mail WHERE recipient = $1"
        rows = account.service.as_owner(query, people.officer.email)
        return [row["kind"] for row in rows].count("approval_request")

    counts = []
    for _ in range(5):
        request()
        counts.append(count_messages())
        cancel()
    assert counts == [1, 2, 3, 3, 3]
    move = "UPDATE outgoing_mail SET created_at = created_at - interval '1 hour' WHERE parameters ->> 'path' = $1"
    account.service.as_owner(move, f"/companies/{people.company.id}/approvals")
    request()
    request(ACCOUNT)  # replaces the pending one
    assert count_messages() == 4
    cancel()
    request()
    assert count_messages() == 5


def set_attachments(company: Company, *, enabled: bool = True) -> None:
    answer = company.member.patch(f"/clients/{company.id}", {"features": {"payslip_attachments": enabled}})
    assert answer.status_code == 200, answer.text


def released_run(company: Company) -> int:
    """A run that is finalised and released."""
    run_id = paid(company)
    done(company, run_id, "release")
    return run_id


def attachments_of(message: EmailMessage) -> list[tuple[str | None, bytes]]:
    """The name and content of each attachment."""
    return [(part.get_filename(), part.get_content()) for part in message.iter_attachments()]


def opens_with(pdf: bytes, password: str) -> bool:
    """Whether another program opens a PDF with a password."""
    command = ["pdftotext", "-upw", password, "-", "-"]
    return subprocess.run(command, input=pdf, capture_output=True, check=False).returncode == 0


class TestPayslipAttachments:
    """Payslips that are attached to the message, for clients that want it."""

    def test_the_payslip_is_attached_with_a_password_that_is_not_in_the_message(
        self, company: Company, mailbox: Mailbox
    ) -> None:
        employee_id = hired(company, nric="S1234567D", birthdate="1990-04-12")
        employee = company.member.colleague(company.id, "employee", employee_id)
        set_attachments(company)
        released_run(company)
        message = mailbox.wait_for(employee.email)
        [(file_name, pdf)] = attachments_of(message)
        assert re.fullmatch(r"payslip-2026-01-31-\w+-\d+\.pdf", str(file_name))
        assert not opens_with(pdf, "")
        assert not opens_with(pdf, "S1234567D")
        assert "Nett pay SGD 3,358.50" in pdf_text(pdf, password="567D12041990")
        body = message.get_body(("plain",))
        html = message.get_body(("html",))
        assert body
        assert html
        for text in (body.get_content(), html.get_content()):
            assert "last four characters of your NRIC" in text
            assert f"{SITE}/own/{employee_id}/payslips/" in text
            assert not re.search(r"\d[.,]\d\d\b", text)
        assert states(employee.service, employee.email) == [("sent", None)]

    def test_nothing_is_attached_unless_the_company_wants_it(self, company: Company, mailbox: Mailbox) -> None:
        employee = company.member.colleague(company.id, "employee", hired(company, nric="S1234567D"))
        assert company.member.get(f"/clients/{company.id}").json()["client"]["features"]["payslip_attachments"] is False
        released_run(company)
        message = mailbox.wait_for(employee.email)
        assert attachments_of(message) == []
        assert "attached" not in text_of(message)

    def test_without_a_long_enough_identity_number_the_message_has_the_link_only(
        self, company: Company, mailbox: Mailbox
    ) -> None:
        employee_id = created(
            company.post(of_status("FD_OTHER", passport_number="E123", appointment_date="2026-01-01"))
        )
        enter(company, f"employees/{employee_id}", "basic_salary", fixed_amount="4200.00")
        employee = company.member.colleague(company.id, "employee", employee_id)
        set_attachments(company)
        released_run(company)
        message = mailbox.wait_for(employee.email)
        assert attachments_of(message) == []
        assert "attached" not in text_of(message)

    def test_a_template_that_fails_does_not_delay_the_message(self, company: Company, mailbox: Mailbox) -> None:
        employees = [
            company.member.colleague(company.id, "employee", hired(company, nric=nric))
            for nric in ("S1234567D", "S7654321F")
        ]
        set_attachments(company)
        run_id = paid(company)
        company.member.service.as_owner(
            "INSERT INTO payslip_templates (client_id, source) VALUES ($1, '#panic()')", company.id
        )
        done(company, run_id, "release")
        for employee in employees:
            assert attachments_of(mailbox.wait_for(employee.email)) == []

    def test_a_payslip_that_is_not_released_any_more_is_not_attached(
        self, company: Company, service: Service, config: MailConfig, mailbox: Mailbox
    ) -> None:
        employee_id = hired(company, nric="S1234567D")
        set_attachments(company)
        run_id = paid(company)
        [payslip] = payslips(company, run_id)
        employee = company.member.colleague(company.id, "employee", employee_id)
        queue_payslip(employee, company, payslip)
        send_now(service, config)
        assert attachments_of(mailbox.wait_for(employee.email)) == []

    def test_the_message_names_the_document_of_the_password(self, company: Company, mailbox: Mailbox) -> None:
        employee_id = created(
            company.post(of_status("FD_OTHER", passport_number="E1234567", appointment_date="2026-01-01"))
        )
        enter(company, f"employees/{employee_id}", "basic_salary", fixed_amount="4200.00")
        employee = company.member.colleague(company.id, "employee", employee_id)
        set_attachments(company)
        released_run(company)
        message = mailbox.wait_for(employee.email)
        assert len(attachments_of(message)) == 1
        for kind in ("plain", "html"):
            body = message.get_body((kind,))
            assert body
            assert "last four characters of your passport number, in capitals" in body.get_content()

    def test_a_deleted_payslip_does_not_remove_the_attachments_of_others(
        self, company: Company, service: Service, config: MailConfig, mailbox: Mailbox
    ) -> None:
        employee = company.member.colleague(company.id, "employee", hired(company, nric="S1234567D"))
        run_id = released_run(company)
        [payslip] = payslips(company, run_id)
        assert attachments_of(mailbox.wait_for(employee.email)) == []
        set_attachments(company)
        queue_payslip(employee, company, {**payslip, "id": 0}, recipient=f"deleted-{company.id}@example.com")
        queue_payslip(employee, company, payslip)
        send_now(service, config)
        assert attachments_of(mailbox.wait_for(f"deleted-{company.id}@example.com")) == []
        assert len(attachments_of(mailbox.sent_to(employee.email)[-1])) == 1

    @pytest.mark.parametrize(
        "change", ["email = 'moved-' || id || '@example.com'", "disabled_at = now()"], ids=["moved", "disabled"]
    )
    def test_nothing_is_attached_if_the_address_is_no_longer_that_of_the_user(
        self, company: Company, service: Service, config: MailConfig, mailbox: Mailbox, change: str
    ) -> None:
        employee = company.member.colleague(company.id, "employee", hired(company, nric="S1234567D"))
        run_id = released_run(company)
        [payslip] = payslips(company, run_id)
        mailbox.wait_for(employee.email)
        set_attachments(company)
        queue_payslip(employee, company, payslip)
        service.as_owner(f"UPDATE users SET {change} WHERE id = $1", employee.user_id)
        send_now(service, config)
        assert len(mailbox.sent_to(employee.email)) == 2
        assert attachments_of(mailbox.sent_to(employee.email)[-1]) == []


def queue_payslip(employee: Member, company: Company, payslip: Mapping[str, Any], recipient: str | None = None) -> None:
    """Queue a message with a payslip as its attachment, without telling the worker."""
    attachment = {"client_id": company.id, "payslip_id": payslip["id"], "user_id": employee.user_id}
    parameters = {"company": "Kopi", "date": "2026-01-31", "path": "/", "attachment": attachment}
    company.member.service.as_owner(
        "INSERT INTO outgoing_mail (account_id, kind, recipient, parameters, due_at) SELECT account_id, "
        "'payslip_ready', $2, $3, now() - interval '1 second' FROM clients WHERE id = $1",
        company.id,
        recipient or employee.email,
        json.dumps(parameters),
    )


class SlowAttachments:
    """Makes attachments when it is told to."""

    def __init__(self) -> None:
        self.started, self.allowed = asyncio.Event(), asyncio.Event()
        self.error: Exception | None = None

    async def load(self, pool: Pool, vault: Vault, client_id: int, payslip_id: int) -> PdfAttachment:
        self.started.set()
        await self.allowed.wait()
        if self.error:
            raise self.error
        return PdfAttachment("payslip.pdf", b"%PDF-1.7", "NRIC")


class TestSlowAttachments:
    """What happens while attachments are made. The tests call what the worker calls."""

    @pytest.fixture
    def employee(self, company: Company) -> Member:
        """An employee with a message that has an attachment and is due."""
        employee = company.member.colleague(company.id, "employee", hired(company, nric="S1234567D"))
        [payslip] = payslips(company, paid(company))
        queue_payslip(employee, company, payslip)
        return employee

    def make_due(self, employee: Member) -> None:
        query = "UPDATE outgoing_mail SET due_at = now() - interval '2 hours' WHERE recipient = $1"
        employee.service.as_owner(query, employee.email)

    def test_a_worker_that_stops_while_it_makes_them_loses_no_message(
        self, employee: Member, mailbox: Mailbox, config: MailConfig, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async def stop_while_rendering(pool: Pool, slow: SlowAttachments) -> None:
            task = asyncio.create_task(send_all(pool, employee.service.vault, config))
            await slow.started.wait()
            # A worker that is killed leaves this.
            assert await asyncio.to_thread(states, employee.service, employee.email) == [("queued", None)]
            await send_all(pool, employee.service.vault, config)  # the lease lasts
            task.cancel()
            await asyncio.wait([task])

        self.run(employee, monkeypatch, stop_while_rendering)
        self.make_due(employee)

        async def forget(pool: Pool, _: SlowAttachments) -> None:
            await mail_tasks.forget_old(pool, employee.service.vault)

        self.run(employee, monkeypatch, forget)
        assert states(employee.service, employee.email) == [("queued", None)]
        self.run(employee, monkeypatch, self.send_at_once(employee, config))
        assert len(attachments_of(mailbox.wait_for(employee.email))) == 1
        assert states(employee.service, employee.email) == [("sent", None)]

    def test_other_mail_is_sent_and_other_tasks_run_meanwhile(
        self, employee: Member, mailbox: Mailbox, config: MailConfig, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        other = employee.service.new_account()
        plain = f"plain-{other.user_id}@example.com"

        async def send_during_rendering(pool: Pool, slow: SlowAttachments) -> None:
            task = asyncio.create_task(send_all(pool, employee.service.vault, config))
            await slow.started.wait()
            await asyncio.to_thread(queue_leave_message, other, plain)
            await asyncio.to_thread(self.make_due, employee)  # as if another message with an attachment were due
            async with asyncio.timeout(TIMEOUT_S):
                for _ in range(MAX_TASKS - 1):
                    await send_all(pool, employee.service.vault, config)
            assert await asyncio.to_thread(states, other.service, plain) == [("sent", None)]
            assert not task.done()
            slow.allowed.set()
            await task

        self.run(employee, monkeypatch, send_during_rendering)
        assert len(attachments_of(mailbox.wait_for(employee.email))) == 1

    @pytest.mark.parametrize("error", [Unavailable("busy"), asyncpg.AdminShutdownError("restarting")])
    def test_they_are_made_later_if_the_database_or_the_renderer_is_not_available(
        self,
        employee: Member,
        mailbox: Mailbox,
        config: MailConfig,
        monkeypatch: pytest.MonkeyPatch,
        error: Exception,
    ) -> None:
        self.run(employee, monkeypatch, self.send_at_once(employee, config, error))
        assert states(employee.service, employee.email) == [("queued", None)]
        self.make_due(employee)
        self.run(employee, monkeypatch, self.send_at_once(employee, config))
        assert len(attachments_of(mailbox.wait_for(employee.email))) == 1

    def test_later_attempts_are_without_them(
        self, employee: Member, mailbox: Mailbox, config: MailConfig, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        query = "UPDATE outgoing_mail SET attempts = $2 - 1 WHERE recipient = $1"
        employee.service.as_owner(query, employee.email, ATTEMPTS_WITH_ATTACHMENT + 1)
        self.run(employee, monkeypatch, self.send_at_once(employee, config, Unavailable("busy")))
        assert attachments_of(mailbox.wait_for(employee.email)) == []

    def send_at_once(
        self, employee: Member, config: MailConfig, error: Exception | None = None
    ) -> Callable[[Pool, SlowAttachments], Coroutine[Any, Any, None]]:
        async def send(pool: Pool, slow: SlowAttachments) -> None:
            slow.error = error
            slow.allowed.set()
            await send_all(pool, employee.service.vault, config)

        return send

    def run(
        self,
        employee: Member,
        monkeypatch: pytest.MonkeyPatch,
        use: Callable[[Pool, SlowAttachments], Coroutine[Any, Any, None]],
    ) -> None:
        async def run() -> None:
            slow = SlowAttachments()
            monkeypatch.setattr(delivery, "load_payslip_attachment", slow.load)
            pool = await open_pool(employee.service.database.as_application("test"), 2)
            try:
                await use(pool, slow)
            finally:
                await pool.close()

        asyncio.run(run())


def queue_leave_message(member: Member, recipient: str) -> None:
    """Queue a message without an attachment, without telling the worker."""
    member.service.as_owner(
        "INSERT INTO outgoing_mail (account_id, kind, recipient, parameters, due_at) SELECT account_id, "
        "'leave_request', $2, $3, now() - interval '1 second' FROM users WHERE email = $1",
        member.email,
        recipient,
        '{"employee": "Tan\\r\\nBcc: all@example.com", "company": "<b>Kopi</b>", "first_day": "2026-03-02", '
        '"last_day": "2026-03-02", "path": "/"}',
    )


def send_now(service: Service, config: MailConfig) -> None:
    """Send what is due, as a worker does."""

    async def send() -> None:
        pool = await open_pool(service.database.as_application("test"), 2)
        try:
            await send_all(pool, service.vault, config)
            await mail_tasks.forget_old(pool, service.vault)
        finally:
            await pool.close()

    service.runner.run(send())


class TestDelivery:
    """Without the worker: the tests call what it calls."""

    def test_a_message_is_sent_once_and_names_are_not_code(
        self, account: Member, mailbox: Mailbox, config: MailConfig
    ) -> None:
        recipient = f"once-{account.user_id}@example.com"
        queue_leave_message(account, recipient)
        for _ in range(2):
            send_now(account.service, config)
        message = mailbox.wait_for(recipient)
        assert message["Subject"] == "Leave request of Tan Bcc: all@example.com"
        assert message["Bcc"] is None
        html = message.get_body(("html",))
        assert html is not None
        assert "&lt;b&gt;Kopi&lt;/b&gt;" in html.get_content()
        assert states(account.service, recipient) == [("sent", None)]

    def test_refusals_are_recorded_and_only_temporary_ones_are_tried_again(
        self, account: Member, mailbox: Mailbox, config: MailConfig
    ) -> None:
        gone, full = f"gone-{account.user_id}@example.com", f"full-{account.user_id}@example.com"
        mailbox.refusals |= {gone: "550 No such mailbox", full: "452 Mailbox full"}
        for recipient in (gone, full):
            queue_leave_message(account, recipient)
        send_now(account.service, config)
        [(state, error)] = states(account.service, gone)
        assert state == "failed"
        assert "550 No such mailbox" in str(error)
        [(state, error)] = states(account.service, full)
        assert state == "queued"
        assert "452 Mailbox full" in str(error)
        mailbox.refusals.clear()
        account.service.as_owner("UPDATE outgoing_mail SET due_at = now() WHERE recipient = $1", full)
        send_now(account.service, config)
        assert states(account.service, full) == [("sent", None)]

    def test_an_unreachable_server_loses_nothing(self, account: Member, config: MailConfig) -> None:
        recipient = f"later-{account.user_id}@example.com"
        queue_leave_message(account, recipient)
        unreachable = MailConfig("127.0.0.1", 1, "none", None, None, SENDER, SITE)
        send_now(account.service, unreachable)
        [(state, error)] = states(account.service, recipient)
        assert state == "queued"
        assert "cannot be reached" in str(error)

    def test_a_message_of_a_worker_that_died_is_not_sent_again(
        self, account: Member, mailbox: Mailbox, config: MailConfig
    ) -> None:
        recipient = f"died-{account.user_id}@example.com"
        queue_leave_message(account, recipient)
        account.service.as_owner(
            "UPDATE outgoing_mail SET state = 'sending', due_at = now() - interval '2 hours' WHERE recipient = $1",
            recipient,
        )
        send_now(account.service, config)
        assert mailbox.sent_to(recipient) == []
        [(state, error)] = states(account.service, recipient)
        assert state == "failed"
        assert "worker stopped" in str(error)


MAIL = {"GAJI_MAIL_FROM": SENDER, "GAJI_PUBLIC_URL": SITE}


@pytest.mark.parametrize(
    ("url", "host", "port", "encryption", "username"),
    [
        ("smtp://mail.example.com", "mail.example.com", 587, "starttls", None),
        ("smtps://me%40example.com:p%3Aw@mail.example.com", "mail.example.com", 465, "tls", "me@example.com"),
        ("smtp://127.0.0.1:2525", "127.0.0.1", 2525, "none", None),
    ],
)
def test_the_settings_name_the_server(url: str, host: str, port: int, encryption: str, username: str | None) -> None:
    config = mail_config(Settings.from_environment({"GAJI_SMTP_URL": url, **MAIL}))
    assert config is not None
    assert (config.host, config.port, config.encryption, config.username) == (host, port, encryption, username)


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"GAJI_SMTP_URL": "mail.example.com"}, "GAJI_SMTP_URL"),
        ({"GAJI_SMTP_URL": "smtp://host:99999"}, "GAJI_SMTP_URL"),
        ({"GAJI_MAIL_FROM": ""}, "GAJI_MAIL_FROM"),
        ({"GAJI_MAIL_FROM": "a@b.example\r\nBcc: c@d.example"}, "GAJI_MAIL_FROM"),
        ({"GAJI_PUBLIC_URL": ""}, "GAJI_PUBLIC_URL"),
    ],
)
def test_incomplete_settings_are_rejected(changes: dict[str, str], name: str, tmp_path: Path) -> None:
    environment = {"GAJI_SMTP_URL": "smtp://u:secret@h.example", **MAIL, **changes}
    with pytest.raises(SettingsError, match=name) as error:
        Settings.from_environment(environment)
    assert "secret" not in str(error.value)


def test_the_page_for_forgotten_passwords_asks_for_the_email(company: Company) -> None:
    assert "You will get a link" in page_text(signed_out_user(company.member.service).get("/sign-in/forgotten"))
