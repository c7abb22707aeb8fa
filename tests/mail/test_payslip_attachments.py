"""Payslips that are attached to mail."""

import asyncio
import json
import re
import subprocess
from collections.abc import Callable, Coroutine, Mapping
from email.message import EmailMessage
from typing import Any

import asyncpg
import pytest

from gaji.core.errors import Unavailable
from gaji.core.vault import Vault
from gaji.db.pool import Pool
from gaji.db.tenancy import open_pool
from gaji.mail import delivery, mail_tasks
from gaji.mail.attachments import PdfAttachment
from gaji.mail.config import MailConfig
from gaji.mail.delivery import ATTEMPTS_WITH_ATTACHMENT, send_all
from gaji.tasks.worker import MAX_TASKS
from tests.documents.payslip_pdfs import pdf_text
from tests.mail.outbox import (
    SITE,
    TIMEOUT_S,
    queue_leave_message,
    send_now,
    states,
    text_of,
)
from tests.payroll.payment_runs.runs import done, hired, paid, payslips
from tests.payroll.payslips.slips import enter
from tests.support.company import Company, of_status
from tests.support.mailbox import Mailbox
from tests.support.running import Member, Service, created


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
