"""Delivery status notifications: what they change, and what a forged one cannot."""

import asyncio
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from gaji.cli.doctor import examine
from gaji.core.settings import Settings, SettingsError
from gaji.core.vault import Vault
from gaji.db.database import locate_database
from gaji.db.tenancy import open_pool
from gaji.mail.bounces import (
    MAX_BYTES,
    MAX_PARTS,
    MAX_REASON_LENGTH,
    NotANotification,
    parse_notification,
)
from gaji.mail.config import MailConfig, mail_config
from gaji.mail.delivery import send_all
from gaji.mail.message_ids import find_mail_id, new_message_id
from tests.db.databases import as_owner
from tests.mail.notifications import (
    AUTOMATIC_REPLY,
    EXCHANGE,
    EXIM,
    EXIM_REASON,
    POSTFIX,
    POSTFIX_DELAYED,
    POSTFIX_REASON,
    READ_RECEIPT,
    notification,
)
from tests.support.mailbox import Mailbox, receiving
from tests.support.running import SECRET, Cluster, as_environment

VAULT = Vault(SECRET.encode())
MESSAGE_ID = "<7.0123456789abcdef.abcdefghijklmnopqrstuvwxyz234567@example.com>"
RECIPIENT = "siti@example.net"
RETURN_PATH = "bounces@example.com"
MAX_PARSE_S = 5
"""Of processor time. It takes one second at most."""


@pytest.fixture
def installed(cluster: Cluster, template: str, tmp_path: Path) -> Iterator[Settings]:
    with cluster.copy_of(template) as url:
        yield Settings(data=tmp_path, database_url=url, secret_key=SECRET)


@pytest.fixture
def sent(installed: Settings) -> int:
    """A message that was sent. Return its ID."""
    return queue(installed, RECIPIENT, "sent")


def queue(settings: Settings, recipient: str, state: str = "queued") -> int:
    rows = as_owner(
        locate_database(settings),
        "WITH account AS (INSERT INTO accounts (name) VALUES ('Kopi') RETURNING id) "
        "INSERT INTO outgoing_mail (account_id, kind, recipient, parameters, state, due_at) "
        "SELECT id, 'payslip_ready', $1, $2, $3, now() - interval '1 minute' FROM account RETURNING id",
        recipient,
        '{"company": "Kopi Trading", "date": "2026-10-31", "path": "/"}',
        state,
    )
    mail_id: int = rows[0]["id"]
    return mail_id


def stored(settings: Settings) -> list[tuple[int, str, str | None]]:
    rows = as_owner(locate_database(settings), "SELECT id, state, error FROM outgoing_mail ORDER BY id")
    return [(row["id"], row["state"], row["error"]) for row in rows]


def record_bounce(settings: Settings, data: bytes) -> subprocess.CompletedProcess[bytes]:
    """Run the command as a mail server does."""
    variables = {name: value for name, value in os.environ.items() if not name.startswith("GAJI_")}
    command = [sys.executable, "-m", "gaji.cli.main", "mail", "record-bounce"]
    environment = {**variables, **as_environment(settings)}
    return subprocess.run(command, input=data, env=environment, capture_output=True, timeout=120, check=False)


@pytest.mark.parametrize(
    ("text", "reason"),
    [(POSTFIX, POSTFIX_REASON), (EXIM, EXIM_REASON), (EXCHANGE, "5.2.2")],
    ids=["postfix", "exim", "exchange"],
)
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_notifications_of_common_servers_name_the_message_and_the_reason(text: str, reason: str, line_end: str) -> None:
    parsed = parse_notification(notification(text, MESSAGE_ID).replace(b"\n", line_end.encode()))
    assert (parsed.message_id, parsed.action, parsed.reason) == (MESSAGE_ID, "failed", reason)


def test_the_end_of_a_large_notification_is_not_needed() -> None:
    start = notification(POSTFIX, MESSAGE_ID).partition(b"Your payslip is ready.")[0]
    assert parse_notification(start + b"x" * (MAX_BYTES - len(start))).message_id == MESSAGE_ID


def test_a_delayed_message_has_not_failed() -> None:
    assert parse_notification(notification(POSTFIX_DELAYED, MESSAGE_ID)).action == "delayed"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff\xfe\x00",
        notification(AUTOMATIC_REPLY, MESSAGE_ID),
        notification(READ_RECEIPT, MESSAGE_ID),
        notification(POSTFIX, MESSAGE_ID).replace(b"message/delivery-status", b"text/plain"),
        notification(POSTFIX, MESSAGE_ID).replace(b"Action: failed\n", b""),
        notification(POSTFIX, MESSAGE_ID).replace(b"multipart/report", b"multipart/mixed"),
    ],
)
def test_other_messages_are_rejected(data: bytes) -> None:
    with pytest.raises(NotANotification):
        parse_notification(data)


def test_the_reason_is_one_line_of_limited_length_without_control_characters() -> None:
    text = POSTFIX.replace("User unknown in", "User\x1b[2Junknown\x07\u202e \x00in " + "very " * 200)
    parsed = parse_notification(notification(text, MESSAGE_ID))
    assert parsed.reason.isprintable()
    assert len(parsed.reason) == MAX_REASON_LENGTH
    assert parsed.reason.startswith("5.1.1 550 5.1.1 <siti@example.net>")


REPORT = b"Content-Type: multipart/report; "
STATUS = b"Content-Type: message/delivery-status"


def nested(parameter: bytes, count: int) -> bytes:
    """Return parts within parts."""
    return b"".join(REPORT + parameter % n + b"\n\n--b%d\n" % n for n in range(count))


@pytest.mark.parametrize(
    ("start", "rest"),
    [
        (nested(b"boundary=b%d", MAX_PARTS - 1), b"-" * 13 + b"\n"),
        (nested(b"boundary=b%d", 3000), b"\n"),
        (nested(b"boundary=b%d", 1000), b"-" * 13 + b"\n"),
        (nested(b"boundary*0=b%d", 1000), b"-" * 13 + b"\n"),
        (nested(b"boundary*=us-ascii''b%d", 1000), b"-" * 13 + b"\n"),
        (nested(b"boundary=b%d", 1) + STATUS + b"\n\n", b"\n"),
        (nested(b"boundary=b%d", 1) + STATUS + b"\n\n", b"Reporting-MTA: dns\n\n"),
        (REPORT + b'boundary=b; a="', b";"),
    ],
    ids=["parts", "many parts", "more lines", "continuation", "charset", "empty blocks", "blocks", "parameters"],
)
def test_forged_notifications_take_no_time(start: bytes, rest: bytes) -> None:
    started = time.process_time()
    with pytest.raises(NotANotification):
        parse_notification((start + rest * MAX_BYTES)[:MAX_BYTES])
    assert time.process_time() - started < MAX_PARSE_S


def test_damaged_notifications_raise_nothing_else() -> None:
    rng = random.Random(24)
    texts = [notification(text, MESSAGE_ID) for text in (POSTFIX, EXIM, EXCHANGE, READ_RECEIPT)]
    for _ in range(2000):
        data = bytearray(rng.choice(texts))
        for _ in range(rng.randrange(1, 8)):
            start = rng.randrange(len(data))
            data[start : start + rng.randrange(0, 40)] = rng.randbytes(rng.randrange(0, 6))
        try:
            parsed = parse_notification(bytes(data))
        except NotANotification:
            continue
        assert all(text.isprintable() for text in (parsed.message_id, parsed.action, parsed.reason))
        assert len(parsed.reason) <= MAX_REASON_LENGTH


def test_a_message_id_cannot_be_guessed() -> None:
    message_ids = {new_message_id(VAULT, 7, "example.com") for _ in range(100)}
    assert len(message_ids) == 100
    message_id = message_ids.pop()
    assert find_mail_id(VAULT, message_id) == 7
    assert find_mail_id(Vault(b"another secret of enough characters"), message_id) is None
    assert find_mail_id(VAULT, message_id.replace("<7.", "<8.")) is None
    for index in range(1, message_id.index("@")):
        changed = message_id[:index] + ("3" if message_id[index] != "3" else "4") + message_id[index + 1 :]
        assert find_mail_id(VAULT, changed) is None


class TestCommand:
    """`gaji mail record-bounce`, as a mail server runs it."""

    pytestmark = pytest.mark.slow

    def test_a_returned_message_has_failed_and_others_are_as_before(self, installed: Settings, sent: int) -> None:
        other = queue(installed, "wei@example.net", "sent")
        bounce = notification(POSTFIX, new_message_id(VAULT, sent, "example.com"))
        done = record_bounce(installed, bounce)
        assert (done.returncode, done.stderr) == (0, b"")
        assert done.stdout.decode() == f"Recorded that message {sent} was returned.\n"
        after = [(sent, "failed", f"The message was returned: {POSTFIX_REASON}"), (other, "sent", None)]
        assert stored(installed) == after
        mail = next(finding for finding in examine(as_environment(installed)) if finding.subject == "mail")
        assert mail.result == f"1 messages failed in the last week, such as: {after[0][2]}"

        again = record_bounce(installed, bounce.replace(b"User unknown", b"Something else"))
        assert again.returncode == 0
        assert again.stdout.startswith(b"Nothing changed: ")
        assert stored(installed) == after

    def test_delayed_unknown_and_forged_notifications_change_nothing(self, installed: Settings, sent: int) -> None:
        message_id = new_message_id(VAULT, sent, "example.com")
        forged = new_message_id(Vault(b"another secret of enough characters"), sent, "example.com")
        for text, name in ((POSTFIX_DELAYED, message_id), (POSTFIX, "<x@example.com>"), (EXIM, forged), (EXIM, "")):
            done = record_bounce(installed, notification(text, name))
            assert (done.returncode, done.stderr) == (0, b"")
            assert done.stdout.startswith(b"Nothing changed: ")
        assert stored(installed) == [(sent, "sent", None)]

    def test_something_else_is_a_data_error(self, installed: Settings) -> None:
        done = record_bounce(installed, notification(AUTOMATIC_REPLY, MESSAGE_ID) + b"x" * 3 * MAX_BYTES)
        assert (done.returncode, done.stdout) == (os.EX_DATAERR, b"")
        assert done.stderr == b"gaji: this message is not a delivery status notification (RFC 3464)\n"

    def test_the_mail_server_tries_again_if_there_is_no_database(self, tmp_path: Path) -> None:
        missing = Settings(data=tmp_path, database_url="postgresql://127.0.0.1:1/gaji", secret_key=SECRET)
        done = record_bounce(missing, notification(POSTFIX, MESSAGE_ID))
        assert (done.returncode, done.stdout) == (os.EX_TEMPFAIL, b"")
        assert done.stderr.startswith(b"gaji: ")
        assert b"Traceback" not in done.stderr

    def test_a_missing_data_folder_is_not_created(self, tmp_path: Path) -> None:
        done = record_bounce(Settings(data=tmp_path / "data"), notification(POSTFIX, MESSAGE_ID))
        assert (done.returncode, done.stdout) == (os.EX_TEMPFAIL, b"")
        assert f"there is no database in {tmp_path / 'data'}" in done.stderr.decode()
        assert list(tmp_path.iterdir()) == []

    def test_a_message_that_was_really_sent_comes_back(self, installed: Settings) -> None:
        mailbox = Mailbox()
        mail_id = queue(installed, RECIPIENT)
        with receiving(mailbox) as port:
            config = MailConfig("127.0.0.1", port, "none", None, None, "payroll@example.com", "https://pay.example.com")
            asyncio.run(send_now(installed, replace(config, return_path=RETURN_PATH)))
        message = mailbox.wait_for(RECIPIENT)
        assert message["From"] == "payroll@example.com"
        assert mailbox.return_paths[RECIPIENT] == RETURN_PATH
        assert stored(installed) == [(mail_id, "sent", None)]
        assert record_bounce(installed, notification(EXIM, message["Message-ID"])).returncode == 0
        assert stored(installed) == [(mail_id, "failed", f"The message was returned: {EXIM_REASON}")]


async def send_now(settings: Settings, config: MailConfig) -> None:
    pool = await open_pool(locate_database(settings).as_application("test"), 2)
    try:
        await send_all(pool, VAULT, config)
    finally:
        await pool.close()


MAIL = {
    "GAJI_SMTP_URL": "smtp://mail.example.com",
    "GAJI_MAIL_FROM": "payroll@example.com",
    "GAJI_PUBLIC_URL": "https://pay.example.com",
}


@pytest.mark.parametrize(("value", "return_path"), [("", None), (RETURN_PATH, RETURN_PATH)])
def test_an_operator_can_set_the_return_path(value: str, return_path: str | None) -> None:
    config = mail_config(Settings.from_environment({**MAIL, "GAJI_MAIL_RETURN_PATH": value}))
    assert config is not None
    assert config.return_path == return_path


def test_an_invalid_return_path_is_rejected() -> None:
    with pytest.raises(SettingsError, match="GAJI_MAIL_RETURN_PATH"):
        Settings.from_environment({**MAIL, "GAJI_MAIL_RETURN_PATH": "a@b.example>\r\nBcc: c@d.example"})
