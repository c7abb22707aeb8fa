"""Sending mail: once, with retries, and with the settings of the operator."""

from pathlib import Path

import pytest

from gaji.core.settings import Settings, SettingsError
from gaji.mail import delivery
from gaji.mail.config import MailConfig, mail_config
from tests.mail.outbox import SENDER, SITE, queue_leave_message, send_now, states
from tests.support.mailbox import Mailbox
from tests.support.running import Member


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

    def test_a_worker_that_dies_loses_only_the_message_that_it_sends(
        self, account: Member, mailbox: Mailbox, config: MailConfig, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        recipients = [f"batch-{number}-{account.user_id}@example.com" for number in range(3)]
        for recipient in recipients:
            queue_leave_message(account, recipient)

        class WorkerStoppedError(Exception):
            """Stands for a process that ends."""

        def stop_at_second(name: str) -> None:
            if name == "mail.before_send" and len(mailbox.sent_to(recipients[0])) == 1:
                raise WorkerStoppedError

        monkeypatch.setattr(delivery, "failpoint", stop_at_second)
        with pytest.raises(WorkerStoppedError):
            send_now(account.service, config)
        monkeypatch.undo()
        assert [states(account.service, recipient)[0][0] for recipient in recipients] == ["sent", "sending", "queued"]
        send_now(account.service, config)
        assert mailbox.sent_to(recipients[2]) == []  # still leased
        account.service.as_owner("UPDATE outgoing_mail SET due_at = now() WHERE recipient = ANY ($1)", recipients)
        send_now(account.service, config)
        assert [len(mailbox.sent_to(recipient)) for recipient in recipients] == [1, 0, 1]
        assert states(account.service, recipients[2]) == [("sent", None)]


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
