"""While one kind of work is overloaded, monitoring and signing in still work."""

import asyncio
import gc
import os
import re
import sys
import threading
import weakref
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

import httpx
import pytest

from gaji.core import threads
from gaji.core.caller_connection import current_receive, run_while_connected
from gaji.core.error_codes import REQUIRED
from gaji.core.errors import TooLarge, TooManyRequests, Unavailable, invalid
from gaji.core.fair_queue import FairQueue
from gaji.core.threads import ThreadPool
from gaji.core.worker_process import WorkerLimits, WorkerProcess
from gaji.db.connect import MonitoredConnection
from gaji.db.pool import Pool
from gaji.db.tenancy import Transaction
from gaji.documents import pdf_client, pdf_protocol
from gaji.identity import passwords
from gaji.imports.employees import workbook_client, workbook_protocol
from gaji.reports import service as reports
from gaji.reports.registry import Report
from gaji.tabular import XLSX
from gaji.web.asgi import HTTPScope, Message, read_body
from gaji.web.byte_budget import MIB
from gaji.web.responses import HttpResponse
from tests.console.console_user import PASSWORD, with_password
from tests.support.event_loop import in_process_server
from tests.support.running import Member

SITE = "http://localhost"
ENDLESS = "endless"
QUICK_S = 60
"""Far more than a quick response takes on a busy machine."""
PROCESS_POOLS = {
    "documents": pdf_client._built_in,
    "own templates": pdf_client._custom,
    "workbooks": workbook_client._pool,
}
BLOCKED_THREADS = 250
"""More than any pool has threads and places."""


async def sign_in(http: httpx.AsyncClient, email: str) -> httpx.Response:
    page = await http.get(f"{SITE}/sign-in", headers={"Accept": "text/html"})
    [token] = set(re.findall(r'name="form_token" value="(\w+)"', page.text))
    form = {"email": email, "password": PASSWORD, "form_token": token}
    return await http.post(f"{SITE}/sign-in", data=form, headers={"Accept": "text/html"})


async def require_quick(http: httpx.AsyncClient, email: str, signed_in_status: int = 303) -> None:
    """Require that monitoring and signing in are answered while something else is full, which stays so for longer."""
    async with asyncio.timeout(QUICK_S):
        ready = await http.get(f"{SITE}/readyz")
        signed_in = await sign_in(http, email)
    assert (ready.status_code, signed_in.status_code) == (200, signed_in_status)


@pytest.mark.parametrize(
    ("kind", "status"),
    [("calculations", 303), ("PAGES", 303), ("COMPRESSION", 303), ("REPORTS", 303), ("PASSWORDS", 503)],
)
def test_a_full_pool_does_not_delay_monitoring_and_signing_in(account: Member, kind: str, status: int) -> None:
    with_password(account)
    released = threading.Event()

    async def check() -> None:
        run = asyncio.to_thread if kind == "calculations" else getattr(threads, kind).run
        async with in_process_server(account) as server:
            blocked = [asyncio.create_task(run(released.wait)) for _ in range(BLOCKED_THREADS)]
            await asyncio.sleep(0)
            try:
                await require_quick(server.http, account.email, status)
            finally:
                released.set()
                await asyncio.gather(*blocked, return_exceptions=True)

    asyncio.run(check())


@pytest.mark.parametrize("kind", PROCESS_POOLS)
def test_full_worker_processes_do_not_delay_monitoring_and_signing_in(
    account: Member, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    with_password(account)

    async def check() -> None:
        released = asyncio.Event()

        async def call(_: WorkerProcess, message: bytes) -> None:
            await released.wait()

        monkeypatch.setattr(WorkerProcess, "call", call)
        async with in_process_server(account) as server:
            blocked = [asyncio.create_task(PROCESS_POOLS[kind].call(owner, b"")) for owner in range(1, 21)]
            await asyncio.sleep(0)
            try:
                await require_quick(server.http, account.email)
                assert not any(task.done() for task in blocked)
            finally:
                released.set()
                await asyncio.gather(*blocked)

    asyncio.run(check())


def test_a_full_pool_rejects_more_work_and_accepts_it_again_later() -> None:
    async def check() -> None:
        pool, released = ThreadPool("test", threads=1, max_waiting=1), threading.Event()
        blocked = [asyncio.create_task(pool.run(released.wait)) for _ in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(Unavailable):
            await pool.run(released.wait)
        released.set()
        await asyncio.gather(*blocked)
        assert await pool.run(released.is_set)

    asyncio.run(check())


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has priorities for threads")
def test_threads_of_a_pool_can_have_a_lower_priority() -> None:
    def priority() -> int:
        return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    pool = ThreadPool("test", threads=1, max_waiting=1, niceness=1)
    assert asyncio.run(pool.run(priority)) == min(priority() + 1, 19)


def test_the_hash_for_unknown_emails_is_computed_like_any_other(monkeypatch: pytest.MonkeyPatch) -> None:
    async def check() -> None:
        pool, released = ThreadPool("test", threads=1, max_waiting=0), threading.Event()
        monkeypatch.setattr(passwords, "PASSWORDS", pool)
        monkeypatch.setattr(passwords, "_dummy_hashes", [])
        blocked = asyncio.create_task(pool.run(released.wait))
        await asyncio.sleep(0)
        with pytest.raises(Unavailable):
            await passwords.dummy_hash()
        released.set()
        await blocked
        assert await passwords.dummy_hash() == await passwords.dummy_hash()

    asyncio.run(check())


async def send_template(http: httpx.AsyncClient, member: Member, client_id: int, text: str) -> httpx.Response:
    path = f"{SITE}/v1/clients/{client_id}/payslip_template"
    return await http.put(path, json={"template": text}, headers={"Authorization": member.key})


async def send_workbook(http: httpx.AsyncClient, member: Member, client_id: int, text: str) -> httpx.Response:
    path = f"{SITE}/v1/clients/{client_id}/employees/import"
    headers = {"Authorization": member.key, "Content-Type": XLSX}
    return await http.post(path, content=text.encode(), headers=headers)


async def send_report(http: httpx.AsyncClient, member: Member, client_id: int, text: str) -> httpx.Response:
    path = f"{SITE}/v1/clients/{client_id}/reports/tracked_balances"
    return await http.post(path, json={"date": text}, headers={"Authorization": member.key})


@pytest.mark.parametrize("send", [send_template, send_workbook, send_report])
def test_endless_work_of_two_clients_of_an_account_leaves_room_for_other_accounts(
    account: Member, monkeypatch: pytest.MonkeyPatch, send: Callable[..., Coroutine[Any, Any, httpx.Response]]
) -> None:
    other = account.service.new_account()
    clients, other_client = [account.new_client(), account.new_client()], other.new_client()
    arrived, acquire = asyncio.Semaphore(0), FairQueue.acquire

    async def count_arrival(queue: FairQueue, owner: int) -> None:
        if queue._noun in ("documents", "workbooks", "reports"):
            arrived.release()
        await acquire(queue, owner)

    async def wait_if_endless(text: str) -> None:
        if ENDLESS in text:
            await asyncio.Event().wait()

    async def call(_: WorkerProcess, message: bytes) -> None:
        await wait_if_endless(message.decode(errors="ignore"))

    async def build(tx: Transaction, client_id: int, report: Report, body: Mapping[str, Any]) -> None:
        await wait_if_endless(body["date"])
        raise invalid("date", REQUIRED)

    monkeypatch.setattr(FairQueue, "acquire", count_arrival)
    monkeypatch.setattr(WorkerProcess, "call", call)
    monkeypatch.setattr(reports, "build_report", build)

    async def check() -> None:
        async with in_process_server(account) as server:
            endless = [asyncio.create_task(send(server.http, account, each, ENDLESS)) for each in clients * 2]
            for _ in endless:
                await arrived.acquire()
            try:
                async with asyncio.timeout(QUICK_S):
                    answer = await send(server.http, other, other_client, "quick")
            finally:
                for task in endless:
                    task.cancel()
                await asyncio.gather(*endless, return_exceptions=True)
        assert answer.status_code == 422

    asyncio.run(check())


@pytest.mark.parametrize("key", ["", "first"])
@pytest.mark.parametrize("send", [send_template, send_workbook])
def test_no_database_connection_is_held_while_documents_and_workbooks_wait(
    account: Member,
    monkeypatch: pytest.MonkeyPatch,
    send: Callable[..., Coroutine[Any, Any, httpx.Response]],
    key: str,
) -> None:
    client_id, held, lent = account.new_client(), set[int](), [0]
    lend, release = Pool._lend, Pool.release

    def note_lent(pool: Pool, connection: MonitoredConnection, account_id: int) -> MonitoredConnection:
        held.add(id(connection))
        lent[0] += 1
        return lend(pool, connection, account_id)

    def note_released(pool: Pool, connection: MonitoredConnection) -> None:
        held.discard(id(connection))
        release(pool, connection)

    monkeypatch.setattr(Pool, "_lend", note_lent)
    monkeypatch.setattr(Pool, "release", note_released)

    async def check() -> None:
        started, released = asyncio.Event(), asyncio.Event()

        async def call(_: WorkerProcess, message: bytes) -> None:
            started.set()
            await released.wait()

        monkeypatch.setattr(WorkerProcess, "call", call)
        async with in_process_server(account) as server:
            if key:
                server.http.headers["Idempotency-Key"] = key
            sending = asyncio.create_task(send(server.http, account, client_id, "text"))
            await started.wait()
            assert held == set()
            assert lent[0] > 0
            released.set()
            assert (await sending).status_code == 422

    asyncio.run(check())


def test_an_account_builds_at_most_half_of_the_reports_at_a_time() -> None:
    owners = [1, 1, 1, 2, 2, 2]
    started = [owner for owner in owners if reports.SLOTS.try_acquire(owner)]
    for owner in started:
        reports.SLOTS.release(owner)
    assert started == [1, 1, 2, 2]


@pytest.mark.parametrize("limits", [pdf_protocol.LIMITS, workbook_protocol.LIMITS], ids=["documents", "workbooks"])
def test_worker_processes_take_at_most_600_mib(limits: WorkerLimits) -> None:
    assert limits.memory_bytes <= 600 * MIB


def test_the_body_of_a_sign_in_is_small(account: Member) -> None:
    for path in ("/sign-in", "/sign-in/code", "/sign-in/sso", "/invitation", "/reset-password", "/email/confirm"):
        response = account.service.http.post(account.service.url + path, data={"email": "x" * 70_000})
        assert response.status_code == 413, path


class SlowBody:
    """A request whose body arrives in parts and never ends."""

    def __init__(self, part: bytes) -> None:
        self._parts = [part]
        self.received = asyncio.Event()

    async def receive(self) -> Message:
        if not self._parts:
            self.received.set()
            await asyncio.Event().wait()
        return {"type": "http.request", "body": self._parts.pop(), "more_body": True}


async def complete_body() -> Message:
    return {"type": "http.request", "body": b"x" * MIB, "more_body": False}


def test_unfinished_bodies_of_an_account_are_limited_and_those_of_others_still_arrive() -> None:
    async def check() -> None:
        slow = [SlowBody(bytes(8 * MIB)) for _ in range(5)]
        reading = [asyncio.create_task(read_body(body.receive, 1)) for body in slow]
        await asyncio.gather(*(body.received.wait() for body in slow))
        with pytest.raises(Unavailable):
            await read_body(SlowBody(bytes(8 * MIB)).receive, 1)
        assert len(await read_body(complete_body, 1)) == MIB
        assert len(await read_body(complete_body, 2)) == MIB
        for task in reading:
            task.cancel()
        await asyncio.wait(reading)
        with pytest.raises(TooLarge):  # the budget is free again, and the limit of one body remains
            await read_body(SlowBody(bytes(11 * MIB)).receive, 1)

    asyncio.run(check())


def test_a_body_that_takes_too_long_is_incomplete(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gaji.web.asgi.BODY_TIMEOUT_S", 0.01)
    with pytest.raises(Exception, match="incomplete"):
        asyncio.run(read_body(SlowBody(b"x").receive, 1))


class Workbook:
    """A body whose end can be observed."""


def test_the_body_of_rejected_work_is_freed_without_garbage_collection() -> None:
    async def reject(_: Workbook) -> None:
        raise TooManyRequests("5 workbooks are waiting")

    async def call() -> weakref.ref[Workbook]:
        current_receive.set(SlowBody(b"x").receive)
        workbook = Workbook()
        with pytest.raises(TooManyRequests):
            await run_while_connected(reject(workbook))
        return weakref.ref(workbook)

    gc.disable()
    try:
        assert asyncio.run(call())() is None
    finally:
        gc.enable()


def request_of(account_id: int) -> HTTPScope:
    context = {"account_id": account_id}
    return HTTPScope(
        type="http",
        method="GET",
        scheme="http",
        path="/",
        query_string=b"",
        headers=[],
        client=None,
        gaji=context,
    )


async def never_read(message: Message) -> None:
    if message["type"] == "http.response.body":
        await asyncio.Event().wait()


async def read_at_once(message: Message) -> None:
    pass


def test_responses_that_an_account_does_not_read_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    large = HttpResponse(200, [], bytes(32 * MIB))

    async def check() -> None:
        sending = [asyncio.create_task(large(request_of(1), complete_body, never_read)) for _ in range(3)]
        await asyncio.sleep(0)
        with pytest.raises(Unavailable):
            await large(request_of(1), complete_body, read_at_once)
        await HttpResponse(200, [], bytes(MIB))(request_of(1), complete_body, read_at_once)
        await large(request_of(2), complete_body, read_at_once)
        for task in sending:
            task.cancel()
        await asyncio.wait(sending)
        await large(request_of(1), complete_body, read_at_once)
        monkeypatch.setattr("gaji.web.responses.CHUNK_TIMEOUT_S", 0.01)
        with pytest.raises(TimeoutError):
            await large(request_of(1), complete_body, never_read)

    asyncio.run(check())
