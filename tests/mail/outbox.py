"""What tests of mail share: the messages that are queued, and those that arrive."""

import re
from email.message import EmailMessage

from gaji.db.tenancy import open_pool
from gaji.mail import mail_tasks
from gaji.mail.config import MailConfig
from gaji.mail.delivery import send_all
from tests.support.running import Member, Service

SITE = "https://payroll.example.com"
SENDER = "payroll@example.com"
NEW = "seven green kettles sing"
TIMEOUT_S = 60
LINK = re.compile(r"https://payroll\.example\.com(/\S+)")


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
