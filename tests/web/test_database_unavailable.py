"""While the database is unreachable, responses are 503. Afterwards everything works again."""

import asyncio
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import httpx
import pytest

from gaji.cli import doctor
from tests.support.problems import assert_problem
from tests.support.running import WAIT_S, Cluster, Member, Service


@pytest.fixture(scope="module")
def service(own_service: Service) -> Service:
    """A server whose database becomes unreachable."""
    return own_service


@contextmanager
def away(cluster: Cluster, service: Service) -> Iterator[None]:
    """Make the database reject new connections and end existing ones."""
    name = service.as_login("SELECT current_database() AS name")[0]["name"]
    cluster.execute(f"ALTER DATABASE {name} WITH ALLOW_CONNECTIONS false")
    cluster.execute(f"SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '{name}'")
    try:
        yield
    finally:
        cluster.execute(f"ALTER DATABASE {name} WITH ALLOW_CONNECTIONS true")


def page(service: Service, path: str) -> httpx.Response:
    return service.http.get(service.url + path)


def test_requests_are_503_with_retry_after_until_the_database_is_back(cluster: Cluster, account: Member) -> None:
    service = account.service
    client_id = account.new_client()
    before = dict(service.fingerprint())  # read now, because all connections end
    with away(cluster, service):
        for _ in range(3):
            response = account.get(f"/clients/{client_id}")
            assert "try again" in assert_problem(response, 503)["message"]
            assert int(response.headers["retry-after"]) >= 1
        assert_problem(account.post("/clients", {"name": "Kopi"}), 503)
        assert_problem(account.post("/clients", {"name": "Kopi"}, headers={"Idempotency-Key": "away"}), 503)
    assert account.get(f"/clients/{client_id}").status_code == 200
    assert service.fingerprint() == before
    assert account.post("/clients", {"name": "Kopi"}, headers={"Idempotency-Key": "away"}).status_code == 200


def test_an_unknown_key_is_503_and_not_401_meanwhile(cluster: Cluster, account: Member) -> None:
    unseen = account.with_another_key()
    with away(cluster, account.service):
        assert_problem(unseen.get("/clients"), 503)
    assert unseen.get("/clients").status_code == 200


def test_the_process_is_up_but_not_ready_meanwhile(cluster: Cluster, service: Service) -> None:
    assert page(service, "/readyz").status_code == 200
    with away(cluster, service):
        response = page(service, "/readyz")
        assert_problem(response, 503)
        assert int(response.headers["retry-after"]) >= 1
        assert page(service, "/healthz").status_code == 200
        assert page(service, "/openapi.json").status_code == 200
    assert page(service, "/readyz").status_code == 200


def test_a_read_only_database_is_503_for_changes_until_it_is_writable_again(cluster: Cluster, account: Member) -> None:
    service = account.service
    client_id = account.new_client()
    with read_only(cluster, service):
        deadline = time.monotonic() + WAIT_S
        while "read-only" not in assert_problem(account.post("/clients", {"name": "Kopi"}), 503)["message"]:
            assert time.monotonic() < deadline  # the ends of the sessions are noticed one after the other
        assert account.get(f"/clients/{client_id}").status_code == 200
        while "read-only" not in assert_problem(page(service, "/readyz"), 503)["message"]:
            assert time.monotonic() < deadline
    while account.post("/clients", {"name": "Kopi"}).status_code == 503:
        assert time.monotonic() < deadline
    while page(service, "/readyz").status_code == 503:
        assert time.monotonic() < deadline


@contextmanager
def read_only(cluster: Cluster, service: Service) -> Iterator[None]:
    """Make the database reject changes in new sessions, and end existing ones, as a switchover does."""
    name = service.as_login("SELECT current_database() AS name")[0]["name"]
    cluster.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
    cluster.execute(f"SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '{name}'")
    try:
        yield
    finally:
        cluster.execute(f"ALTER DATABASE {name} RESET default_transaction_read_only")


@contextmanager
def full_disk(service: Service) -> Iterator[None]:
    """Let changes of clients, and new tables, fail as they do when the disk of the database is full."""
    for statement in (
        "CREATE FUNCTION refuse_row() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE 'No space left on device' USING ERRCODE = 'disk_full'; END $$",
        "CREATE FUNCTION refuse_table() RETURNS event_trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE 'No space left on device' USING ERRCODE = 'disk_full'; END $$",
        "CREATE TRIGGER full_disk BEFORE INSERT ON gaji.clients FOR EACH ROW EXECUTE FUNCTION refuse_row()",
        "CREATE EVENT TRIGGER full_disk ON ddl_command_end WHEN TAG IN ('CREATE TABLE AS') "
        "EXECUTE FUNCTION refuse_table()",
    ):
        service.as_login(statement)
    try:
        yield
    finally:
        service.as_login("DROP EVENT TRIGGER full_disk")
        service.as_login("DROP TRIGGER full_disk ON gaji.clients")
        service.as_login("DROP FUNCTION refuse_row, refuse_table")


def test_a_full_disk_is_503_for_changes_and_not_ready_until_there_is_space(account: Member) -> None:
    service = account.service
    client_id = account.new_client()
    with full_disk(service):
        assert (
            "disk of the database is full" in assert_problem(account.post("/clients", {"name": "Kopi"}), 503)["message"]
        )
        assert "disk of the database is full" in assert_problem(page(service, "/readyz"), 503)["message"]
        assert account.get(f"/clients/{client_id}").status_code == 200
        assert page(service, "/healthz").status_code == 200
        database_disk = asyncio.run(doctor.check_database_disk(service.database))
        assert str(database_disk).startswith("problem  database disk: full")
    assert page(service, "/readyz").status_code == 200
    assert account.post("/clients", {"name": "Kopi"}).status_code == 200
    assert not asyncio.run(doctor.check_database_disk(service.database)).is_problem


def test_readiness_tells_whether_a_worker_is_running(service: Service) -> None:
    deadline = time.monotonic() + WAIT_S
    while (answer := page(service, "/readyz").json()).get("worker") != "running":  # it may be about to reconnect
        assert time.monotonic() < deadline
    assert answer["status"] == "ready"
    assert answer["queue_age_s"] >= 0


def test_a_session_that_is_ended_in_the_middle_of_a_request_is_503_and_saves_nothing(account: Member) -> None:
    service = account.service
    client_id = account.new_client()
    before = service.fingerprint()
    with (
        ThreadPoolExecutor() as threads,
        service.holding("SELECT FROM clients WHERE id = $1 FOR UPDATE", client_id),
    ):
        waiting = threads.submit(account.patch, f"/clients/{client_id}", {"name": "Changed"})
        service.wait_until_blocked()
        service.as_login(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND wait_event_type = 'Lock'"
        )
        response = waiting.result(WAIT_S)
    assert_problem(response, 503)
    assert service.fingerprint() == before


def test_under_load_a_lost_connection_is_always_503(account: Member) -> None:
    service = account.service
    client_id = account.new_client()
    statuses: list[int] = []
    stopping = threading.Event()

    def use(number: int) -> None:
        while not stopping.is_set():
            if number % 2:
                response = account.get(f"/clients/{client_id}")
            else:
                once = {"Idempotency-Key": f"{number}-{len(statuses)}"}
                response = account.patch(f"/clients/{client_id}", {"name": once["Idempotency-Key"]}, headers=once)
            statuses.append(response.status_code)

    with ThreadPoolExecutor() as threads:
        users = [threads.submit(use, number) for number in range(4)]
        deadline = time.monotonic() + WAIT_S
        rounds = 0
        while (rounds < 20 or len(set(statuses)) < 2) and time.monotonic() < deadline:
            rounds += 1
            service.as_login(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE datname = current_database() AND application_name = 'gaji serve'"
            )
            time.sleep(0.05)
        stopping.set()
        for user in users:
            user.result()
    assert set(statuses) == {200, 503}
    assert account.get(f"/clients/{client_id}").status_code == 200


def test_the_server_reports_it_quickly(cluster: Cluster, account: Member) -> None:
    account.get("/clients")
    with away(cluster, account.service):
        started = time.monotonic()
        assert_problem(account.get("/clients"), 503)
        assert time.monotonic() - started < 5
