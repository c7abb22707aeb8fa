"""A real SMTP server that keeps the messages it gets."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email import message_from_bytes, policy
from email.message import EmailMessage

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session

from tests.support.running import free_port

NEW_SIGN_IN = "New sign-in to Gaji"
TIMEOUT_S = 60


class Mailbox:
    """An SMTP server's handler that keeps messages, and refuses some recipients."""

    def __init__(self) -> None:
        self.messages: list[EmailMessage] = []
        self.refusals: dict[str, str] = {}
        """The answers to recipients that are refused."""
        self.return_paths: dict[str, str | None] = {}
        """The envelope sender of the last message to each recipient."""

    async def handle_RCPT(  # noqa: N802 - the name of the hook
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if address in self.refusals:
            return self.refusals[address]
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        content = envelope.original_content
        assert content is not None
        self.return_paths |= dict.fromkeys(envelope.rcpt_tos, envelope.mail_from)
        self.messages.append(message_from_bytes(content, EmailMessage, policy=policy.default))
        return "250 OK"

    def sent_to(self, address: str) -> list[EmailMessage]:
        """The messages to an address, except those about sign-ins on new devices, which most tests cause."""
        return [item for item in self.messages if item["To"] == address and item["Subject"] != NEW_SIGN_IN]

    def wait_for(self, address: str) -> EmailMessage:
        """Wait for the one message to an address."""
        [message] = self._wait(lambda: self.sent_to(address), address)
        return message

    def wait_for_subject(self, address: str, subject: str) -> EmailMessage:
        """Wait for the one message to an address with a subject."""
        [message] = self._wait(
            lambda: [item for item in self.messages if item["To"] == address and item["Subject"] == subject],
            f"{address}: {subject}",
        )
        return message

    def _wait(self, find: Callable[[], list[EmailMessage]], description: str) -> list[EmailMessage]:
        deadline = time.monotonic() + TIMEOUT_S
        while not (messages := find()):
            assert time.monotonic() < deadline, f"no message to {description}"
            time.sleep(0.1)
        return messages


@contextmanager
def receiving(mailbox: Mailbox) -> Iterator[int]:
    """Run the SMTP server of a mailbox. Yields its port."""
    port = free_port()
    controller = Controller(mailbox, hostname="127.0.0.1", port=port)
    controller.start()
    try:
        yield port
    finally:
        controller.stop()
