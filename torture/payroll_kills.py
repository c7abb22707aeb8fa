"""Companies pay their employees month after month, while processes of two servers are killed with SIGKILL 1,000 times.

Employees are hired one at a time, in bulk and with workbooks. Runs are opened, finalised, marked as paid and released;
some are reopened and finalised again, and some are corrected after a late change of a salary. A receiver gets all
events as webhooks, and a mail server gets a message for each released payslip of an employee who can sign in.

Both servers use one database. Processes are killed at random, alone, with all others of their machine, or on both
machines; or when they reach a failpoint. Afterwards

- every acknowledged employee, run and payslip exists,
- every run was opened, paid and released once, and finalised once more than it was reopened,
- every event arrived at the receiver at least once,
- a message was queued for each payslip that has a recipient, none was sent twice, and each that was not sent is
  recorded,
- the audit log is complete.

TORTURE_KILLS sets another number of kills.
"""

import asyncio
import os
import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from email.message import EmailMessage
from random import Random
from typing import Any

from gaji.core.settings import Settings
from gaji.db.database import locate_database
from tests.support.mailbox import Mailbox
from torture.armed_failpoints import ArmedFailpoints
from torture.installation import ServedInstallation, wait_for
from torture.kills import EMAIL, create_key
from torture.mirror import Requests
from torture.paid_company import CorrectedCompany, PaidCompany
from torture.receivers import WebhookReceiver, mail_server, webhook_receiver
from torture.server_pair import PairRequests, ServerPair, server_pair

KILLS = 1000
WRITERS = 3
STAFF = 110
"""Employees with whom some companies start, so that workers calculate their runs."""
MAX_PAUSE_S = 1.0
ACKNOWLEDGED_WITHIN_S = 300
COMMAND_WITHIN_S = 300
REPORT_EVERY = 25
DELIVERED_WITHIN_S = 900
"""Interrupted deliveries are repeated after a minute at first."""
MAIL_STATES = "SELECT state, count(*) AS messages FROM outgoing_mail GROUP BY state"


def run(random: Random, kills: int | None = None) -> None:
    """Run the scenario on a new installation. Raises AssertionError if anything is lost or repeated."""
    kills = kills or int(os.environ.get("TORTURE_KILLS") or KILLS)
    with server_pair() as pair, webhook_receiver() as receiver, mail_server() as (mailbox, mail_settings):
        failpoints = ArmedFailpoints(pair.first.data.parent / "failpoints", Random(random.random()))
        pair.start({**mail_settings, **failpoints.variables, "GAJI_WEBHOOK_ALLOW": "127.0.0.0/8"})
        key = create_key(pair.first)
        requests = [PairRequests(pair, key, Random(random.random())) for _ in range(WRITERS + 1)]
        reader = requests.pop()
        response = reader.call("POST", "/webhook_endpoints", {"url": receiver.url})
        assert response.status_code == 200, response.text
        companies: list[CorrectedCompany] = []
        killed = _pay_and_kill(pair, failpoints, requests, companies, random, kills)
        check_results(companies, reader, receiver)
        messages = sum(len(company.run_ids) for company in companies)
        sent = _check_mail(pair.first, mailbox, messages)
        pair.first.command("audit", "verify")
        _print_table(killed, requests, companies, receiver, sent)
        assert [served.interrupt() for served in reversed(pair.servers)] == [0, 0]


def _pay_and_kill(
    pair: ServerPair,
    failpoints: ArmedFailpoints,
    requests: Sequence[PairRequests],
    companies: list[CorrectedCompany],
    random: Random,
    kills: int,
) -> Counter[str]:
    """Let each writer pay one company after another, and kill processes meanwhile."""
    ended = threading.Event()

    def pay(writer: Requests, staff: int) -> None:
        while not ended.is_set():
            company = CorrectedCompany(writer)
            companies.append(company)
            _create_sign_in(pair.first, company)
            if staff:
                company.import_employees(staff)
            while not company.is_complete and not ended.is_set():
                company.pay_next_month()

    killed: Counter[str] = Counter()
    started = time.monotonic()
    with ThreadPoolExecutor(len(requests)) as pool:
        paying = [pool.submit(pay, writer, 0 if number else STAFF) for number, writer in enumerate(requests)]
        try:
            reported = 0
            while killed.total() < kills and not any(future.done() for future in paying):
                failpoints.arm()
                time.sleep(random.uniform(0, MAX_PAUSE_S))
                killed[pair.kill(random)] += 1
                killed.update(f"at {name}" for name in failpoints.take_reached())
                _wait_for_writes(requests)
                if killed.total() >= reported + REPORT_EVERY:
                    reported = killed.total()
                    print(f"  {reported} of {kills} kills, {_progress(companies, started)}", flush=True)
        finally:
            failpoints.disarm()
            ended.set()
        for future in paying:
            future.result()
    return killed


def _wait_for_writes(requests: Sequence[PairRequests]) -> None:
    """Wait until a write is acknowledged, so that work continues however long processes take to start."""
    before = sum(request.acknowledged for request in requests)
    wait_for("a write", lambda: sum(request.acknowledged for request in requests) > before, ACKNOWLEDGED_WITHIN_S)


def _progress(companies: Sequence[PaidCompany], started: float) -> str:
    runs = sum(len(company.run_ids) for company in companies)
    employees = sum(len(company.employee_ids) for company in companies)
    return f"{runs} runs, {employees} employees, {(time.monotonic() - started) / 60:.1f} minutes"


def _create_sign_in(served: ServedInstallation, company: CorrectedCompany) -> None:
    """Let an employee of the company sign in, so that their payslips are announced by mail."""
    email = f"employee{company.client_id}@example.com"
    role = ("--role", "employee", "--employee", str(company.raised_id))
    client = ("--client", str(company.client_id))
    wait_for("a user", lambda: _succeeds(served, "user", "create", "--email", email, "--by", EMAIL), COMMAND_WITHIN_S)
    wait_for("a role", lambda: _succeeds(served, "user", "role", "--email", email, *client, *role), COMMAND_WITHIN_S)


def _succeeds(served: ServedInstallation, *command: str) -> bool:
    """Run a command that may be repeated because the database was killed meanwhile."""
    result = served.run_command(*command)
    return result.returncode == 0 or "already" in result.stderr


def check_results(companies: Sequence[PaidCompany], reader: Requests, receiver: WebhookReceiver) -> None:
    """Check that all acknowledged records exist, steps were done as often as acknowledged, and events arrived."""
    for company in companies:
        company.check()
    events = _read_events(reader)
    counts = Counter((event["type"], event["resource"]["id"]) for event in events)
    for company in companies:
        for employee_id in company.employee_ids:
            assert counts["employee.created", employee_id] == 1, f"employee {employee_id} was created not once"
        for run_id in company.run_ids:
            finalisations = company.finalisations(run_id)
            expected = {
                "opened": 1,
                "finalised": finalisations,
                "reopened": finalisations - 1,
                "paid": 1,
                "released": 1,
            }
            actual = {step: counts[f"payment_run.{step}", run_id] for step in expected}
            assert actual == expected, f"run {run_id}: {actual} instead of {expected}"
    ids = {event["id"] for event in events}
    wait_for("all events are delivered", lambda: ids <= receiver.event_ids.keys(), DELIVERED_WITHIN_S)


def _read_events(reader: Requests) -> list[Any]:
    events: list[Any] = []
    while page := reader.get(f"/events?after={events[-1]['id'] if events else 0}").json():
        events += [element["event"] for element in page]
    return events


def _check_mail(served: ServedInstallation, mailbox: Mailbox, messages: int) -> Mapping[str, int]:
    """Check that no message is missing and none was sent twice. Return the number of messages by state."""

    async def read_states() -> dict[str, int]:
        async with locate_database(Settings(data=served.data)).maintenance("torture") as connection:
            return {row["state"]: row["messages"] for row in await connection.fetch(MAIL_STATES)}

    wait_for("all mail is sent", lambda: not asyncio.run(read_states()).get("queued"), DELIVERED_WITHIN_S)
    states = asyncio.run(read_states())
    # The text has the address of the payslip.
    received = [(message["To"], _text(message)) for message in mailbox.messages]
    assert len(received) == len(set(received)), "a message was sent twice"
    assert sum(states.values()) == messages, f"{states} instead of {messages} messages"
    assert states.get("sent", 0) <= len(received) <= messages, (states, len(received))
    return states


def _text(message: EmailMessage) -> str:
    body = message.get_body(("plain",))
    assert body is not None
    return str(body.get_content())


def _print_table(
    killed: Counter[str],
    requests: Sequence[PairRequests],
    companies: Sequence[CorrectedCompany],
    receiver: WebhookReceiver,
    sent: Mapping[str, int],
) -> None:
    rows: dict[str, int] = {f"killed: {name}": number for name, number in sorted(killed.items())}
    rows |= {
        "kills": killed.total(),
        "companies": len(companies),
        "employees": sum(len(company.employee_ids) for company in companies),
        "payslips": sum(sum(company.payslips.values()) for company in companies),
        "runs": sum(len(company.run_ids) for company in companies),
        "runs finalised again": sum(len(company.reopened_ids) for company in companies),
        "correction runs": sum(len(company.correction_ids) for company in companies),
        "imports repeated": sum(company.abandoned for company in companies),
        "events": len(receiver.event_ids),
        "deliveries": receiver.event_ids.total(),
        "acknowledged writes": sum(request.acknowledged for request in requests),
        "requests repeated": sum(request.repeated for request in requests),
    }
    rows |= {f"mail: {state}": number for state, number in sorted(sent.items())}
    for name, value in rows.items():
        print(f"  {name:<40} {value:>8,}", flush=True)
