"""Companies pay their employees month after month, while processes are killed with SIGKILL 1,000 times.

Employees are hired one at a time and in bulk. Runs are opened, finalised, marked as paid and released. A receiver gets
all events as webhooks, and a mail server gets a message for each released payslip of an employee who can sign in.
Afterwards

- every acknowledged employee and run exists,
- every run was finalised, paid and released exactly once,
- every event arrived at the receiver at least once,
- no message was sent twice, and each that was not sent is recorded.

TORTURE_KILLS sets another number of kills.
"""

import asyncio
import os
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import date
from email.message import EmailMessage
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import Random
from typing import Any

from aiosmtpd.controller import Controller

from gaji.core.settings import Settings
from gaji.db.database import locate_database
from gaji.engine.periods import PaySchedule
from tests.mail.test_mail import SENDER
from tests.support.company import attributes
from tests.support.mailbox import Mailbox
from tests.support.running import free_port
from torture.installation import ServedInstallation, served_installation, wait_for
from torture.kills import EMAIL, create_key, kill_database, kill_server, kill_workers
from torture.mirror import Requests
from torture.pay_run import kill_process

KILLS = 1000
WRITERS = 3
MONTHS = 24
"""After which a company is complete, and its writer goes on with a new one."""
HIRED_TOGETHER = 2
MAX_PAUSE_S = 2.0
COMMAND_WITHIN_S = 300
REPORT_EVERY = 25
CALCULATED_WITHIN_S = 300
DELIVERED_WITHIN_S = 900
"""Interrupted deliveries are repeated after a minute at first."""
SCHEDULE = PaySchedule("monthly", last_day=31)
FIRST_END = date(2023, 1, 31)
WAVE = {"frequency": "monthly", "last_day_of_month": 31, "first_end_date": str(FIRST_END)}
STEPS = ("finalised", "paid", "released")
MAIL_STATES = "SELECT state, count(*) AS messages FROM outgoing_mail GROUP BY state"


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


class PaidCompany:
    """A company that pays one month after another."""

    def __init__(self, requests: Requests) -> None:
        self._requests = requests
        self.client_id = self._send("POST", "/clients", {"name": "Paid by the month"})["id"]
        self._wave_id = self._send("POST", f"/clients/{self.client_id}/waves", WAVE)["id"]
        self.employee_ids: list[int] = []
        self.run_ids: list[int] = []

    def hire(self, **details: str) -> int:
        """Hire one employee."""
        body = attributes(wave_id=self._wave_id, appointment_date="2023-01-01", **details)
        employee_id: int = self._send("POST", f"/clients/{self.client_id}/employees", body)["id"]
        self.employee_ids.append(employee_id)
        return employee_id

    def pay_next_month(self) -> None:
        """Hire employees, and complete the next run."""
        body = [attributes(wave_id=self._wave_id, appointment_date="2023-01-01") for _ in range(HIRED_TOGETHER)]
        results = self._send("POST", f"/clients/{self.client_id}/employees/bulk", {"employees": body})["results"]
        self.employee_ids += [result["id"] for result in results]
        self.hire()
        end = SCHEDULE.end(SCHEDULE.offset(FIRST_END) + len(self.run_ids))
        run_body = {"wave_id": self._wave_id, "period_end_date": str(end)}
        run_id = self._send("POST", f"/clients/{self.client_id}/payment_runs", run_body)["id"]
        self.run_ids.append(run_id)
        wait_for("the run is calculated", lambda: self.read(run_id)["state"] != "calculating", CALCULATED_WITHIN_S)
        for step in ("finalise", "mark_paid", "release"):
            self._send("POST", f"/payment_runs/{run_id}/{step}", None)

    def read(self, run_id: int) -> Any:
        """Return a run."""
        return self._send("GET", f"/payment_runs/{run_id}", None)["payment_run"]

    def check(self) -> None:
        """Check that all that was acknowledged exists."""
        listed = self._send("GET", f"/clients/{self.client_id}/employees", None)
        assert sorted(element["employee"]["id"] for element in listed) == sorted(self.employee_ids)
        runs = self._send("GET", f"/clients/{self.client_id}/payment_runs", None)
        assert sorted(element["payment_run"]["id"] for element in runs) == sorted(self.run_ids)

    def _send(self, method: str, path: str, body: Any) -> Any:
        response = self._requests.call(method, path, body)
        assert response.status_code == 200, f"{method} {path}: {response.status_code} {response.text}"
        return response.json()


def run(random: Random, kills: int | None = None) -> None:
    """Run the scenario on a new installation. Raises AssertionError if anything is lost or repeated."""
    kills = kills or int(os.environ.get("TORTURE_KILLS") or KILLS)
    with served_installation() as served, webhook_receiver() as receiver, _mail_server(served) as mailbox:
        served.start()
        key = create_key(served)
        requests = [Requests(served, key, Random(random.random())) for _ in range(WRITERS + 1)]
        reader = requests.pop()
        response = reader.call("POST", "/webhook_endpoints", {"url": receiver.url})
        assert response.status_code == 200, response.text
        companies: list[PaidCompany] = []
        killed = _pay_and_kill(served, requests, companies, random, kills)
        check_results(companies, reader, receiver)
        sent = _check_mail(served, mailbox)
        _print_table(killed, companies, receiver, sent, sum(request.repeated for request in requests))
        assert served.interrupt() == 0


def _pay_and_kill(
    served: ServedInstallation, requests: list[Requests], companies: list[PaidCompany], random: Random, kills: int
) -> Counter[str]:
    """Let each writer pay one company after another, and kill processes meanwhile."""
    ended = threading.Event()

    def pay(writer: Requests) -> None:
        while not ended.is_set():
            company = PaidCompany(writer)
            companies.append(company)
            _create_sign_in(served, company)
            while len(company.run_ids) < MONTHS and not ended.is_set():
                company.pay_next_month()

    killed: Counter[str] = Counter()
    with ThreadPoolExecutor(len(requests)) as pool:
        paying = [pool.submit(pay, writer) for writer in requests]
        try:
            while killed.total() < kills and not any(future.done() for future in paying):
                time.sleep(random.uniform(0, MAX_PAUSE_S))
                killed[_kill(served, random)] += 1
                if killed.total() % REPORT_EVERY == 0:
                    runs = sum(len(company.run_ids) for company in companies)
                    print(f"  {killed.total()} kills, {runs} runs", flush=True)
        finally:
            ended.set()
        for future in paying:
            future.result()
    return killed


def _kill(served: ServedInstallation, random: Random) -> str:
    """Kill one process, or several together. Return what was killed."""
    kill = random.choice((None, None, None, None, kill_server, kill_database, kill_workers))
    if kill is None:
        return kill_process(served, random)
    kill(served, random)
    return kill.__name__.removeprefix("kill_") + " and more"


def _create_sign_in(served: ServedInstallation, company: PaidCompany) -> None:
    """Let an employee of the company sign in, so that their payslips are announced by mail."""
    email = f"employee{company.client_id}@example.com"
    employee_id = company.hire()
    role = ("--role", "employee", "--employee", str(employee_id))
    client = ("--client", str(company.client_id))
    wait_for("a user", lambda: _succeeds(served, "user", "create", "--email", email, "--by", EMAIL), COMMAND_WITHIN_S)
    wait_for("a role", lambda: _succeeds(served, "user", "role", "--email", email, *client, *role), COMMAND_WITHIN_S)


def _succeeds(served: ServedInstallation, *command: str) -> bool:
    """Run a command that may be repeated because the database was killed meanwhile."""
    result = served.run_command(*command)
    return result.returncode == 0 or "already" in result.stderr


def check_results(companies: list[PaidCompany], reader: Requests, receiver: WebhookReceiver) -> None:
    """Check that all acknowledged records exist, each run went through each step once, and all events arrived."""
    for company in companies:
        company.check()
    events = _read_events(reader)
    steps = Counter((event["type"], event["resource"]["id"]) for event in events)
    for company in companies:
        for run_id in company.run_ids:
            for step in STEPS:
                assert steps[f"payment_run.{step}", run_id] == 1, f"run {run_id} was {step} not once"
    ids = {event["id"] for event in events}
    wait_for("all events are delivered", lambda: ids <= receiver.event_ids.keys(), DELIVERED_WITHIN_S)


def _read_events(reader: Requests) -> list[Any]:
    events: list[Any] = []
    while page := reader.get(f"/events?after={events[-1]['id'] if events else 0}").json():
        events += [element["event"] for element in page]
    return events


def _check_mail(served: ServedInstallation, mailbox: Mailbox) -> Mapping[str, int]:
    """Check that no message was sent twice. Return the number of messages by state."""

    async def read_states() -> dict[str, int]:
        async with locate_database(Settings(data=served.data)).maintenance("torture") as connection:
            return {row["state"]: row["messages"] for row in await connection.fetch(MAIL_STATES)}

    wait_for("all mail is sent", lambda: not asyncio.run(read_states()).get("queued"), DELIVERED_WITHIN_S)
    states = asyncio.run(read_states())
    # The text names the company and the month.
    received = [(message["To"], _text(message)) for message in mailbox.messages]
    assert len(received) == len(set(received)), "a message was sent twice"
    assert states.get("sent", 0) <= len(received) <= sum(states.values()), (states, len(received))
    return states


def _text(message: EmailMessage) -> str:
    body = message.get_body(("plain",))
    assert body is not None
    return str(body.get_content())


def _print_table(
    killed: Counter[str],
    companies: list[PaidCompany],
    receiver: WebhookReceiver,
    sent: Mapping[str, int],
    repeated: int,
) -> None:
    rows: dict[str, object] = {f"killed: {name}": number for name, number in sorted(killed.items())}
    rows |= {
        "kills": killed.total(),
        "employees": sum(len(company.employee_ids) for company in companies),
        "runs": sum(len(company.run_ids) for company in companies),
        "events": len(receiver.event_ids),
        "deliveries": receiver.event_ids.total(),
        "requests repeated": repeated,
    }
    rows |= {f"mail: {state}": number for state, number in sorted(sent.items())}
    for name, value in rows.items():
        print(f"  {name:<28} {value:>8}", flush=True)


@contextmanager
def webhook_receiver() -> Iterator[WebhookReceiver]:
    """Run a receiver on the loopback interface."""
    receiver = WebhookReceiver()
    threading.Thread(target=receiver.server.serve_forever, daemon=True).start()
    try:
        yield receiver
    finally:
        receiver.server.shutdown()
        receiver.server.server_close()


@contextmanager
def _mail_server(served: ServedInstallation) -> Iterator[Mailbox]:
    """Start a mail server, and set up the installation to use it and to deliver webhooks to this machine."""
    mailbox, port = Mailbox(), free_port()
    controller = Controller(mailbox, "127.0.0.1", port)
    served.variables |= {
        "GAJI_SMTP_URL": f"smtp://127.0.0.1:{port}",
        "GAJI_MAIL_FROM": SENDER,
        "GAJI_PUBLIC_URL": served.url,
        "GAJI_WEBHOOK_ALLOW": "127.0.0.0/8",
    }
    controller.start()
    try:
        yield mailbox
    finally:
        controller.stop()
