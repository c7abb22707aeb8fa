"""A receiver of webhooks and a mail server, on the loopback interface."""

import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.mail.outbox import SENDER
from tests.support.mailbox import Mailbox, receiving


class WebhookReceiver:
    """Accepts all webhooks and keeps the IDs of their events."""

    def __init__(self) -> None:
        self.event_ids: Counter[int] = Counter()
        event_ids = self.event_ids

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["Content-Length"]))
                event_ids[int(self.headers["webhook-id"].rpartition("_")[2])] += 1
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Print nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/"


@contextmanager
def webhook_receiver() -> Iterator[WebhookReceiver]:
    """Run a receiver of webhooks."""
    receiver = WebhookReceiver()
    threading.Thread(target=receiver.server.serve_forever, daemon=True).start()
    try:
        yield receiver
    finally:
        receiver.server.shutdown()
        receiver.server.server_close()


@contextmanager
def mail_server() -> Iterator[tuple[Mailbox, Mapping[str, str]]]:
    """Run a mail server. Yields its mailbox and the settings of servers that send mail to it."""
    mailbox = Mailbox()
    with receiving(mailbox) as port:
        yield mailbox, {"GAJI_SMTP_URL": f"smtp://127.0.0.1:{port}", "GAJI_MAIL_FROM": SENDER}
