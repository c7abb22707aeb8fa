"""Shutdown: running requests are finished, then the process ends."""

import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from gaji.core.settings import Settings
from tests.support.running import STOP_WITHIN_S, Service, running_service

QUICKLY_S = 20
"""Less than a server that waits for a timeout takes, and more than a busy machine needs."""


@pytest.fixture
def service(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A server for one test, which stops it."""
    with running_service(settings, tmp_path_factory.mktemp("service")) as running:
        yield running


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_running_request_completes_when_the_server_is_stopped(service: Service, number: signal.Signals) -> None:
    account = service.new_account()
    client_id = account.new_client()
    with ThreadPoolExecutor() as threads:
        with service.holding("SELECT FROM clients WHERE id = $1 FOR UPDATE", client_id):
            running = threads.submit(account.patch, f"/clients/{client_id}", {"name": "Changed"})
            service.wait_until_blocked()
            service.process.send_signal(number)
            time.sleep(1)
            assert not running.done()
            assert service.process.poll() is None
        response = running.result(STOP_WITHIN_S)
    assert response.status_code == 200
    assert service.process.wait(STOP_WITHIN_S) == 0
    assert service.as_owner("SELECT name FROM clients WHERE id = $1", client_id) == [{"name": "Changed"}]


def test_a_request_beyond_the_time_limit_ends_and_saves_nothing(service: Service) -> None:
    account = service.new_account()
    client_id = account.new_client()
    lock = "SELECT name FROM clients WHERE id = $1 FOR UPDATE"
    with ThreadPoolExecutor() as threads, service.holding(lock, client_id):
        running = threads.submit(account.patch, f"/clients/{client_id}", {"name": "Changed"})
        service.wait_until_blocked()
        service.process.send_signal(signal.SIGTERM)
        service.process.wait(STOP_WITHIN_S)
        with pytest.raises(httpx.TransportError):
            running.result(STOP_WITHIN_S)
    assert service.as_owner(lock, client_id) == [{"name": "Kopi Trading"}]


def test_an_idle_server_stops_quickly_and_leaves_no_process(service: Service) -> None:
    account = service.new_account()
    account.get("/clients")
    service.process.send_signal(signal.SIGTERM)
    assert service.process.wait(QUICKLY_S) == 0
    with pytest.raises(httpx.TransportError):
        httpx.get(f"{service.url}/healthz")
    sessions = service.as_login(
        "SELECT application_name FROM pg_stat_activity "
        "WHERE datname = current_database() AND application_name IN ('gaji serve', 'gaji worker')"
    )
    assert sessions == []


def test_no_line_of_log_is_lost_when_the_server_stops(service: Service) -> None:
    account = service.new_account()
    for number in range(40):
        account.get("/clients", headers={"X-Request-Id": f"request-{number:03d}"})
    service.process.send_signal(signal.SIGTERM)
    assert service.process.wait(STOP_WITHIN_S) == 0
    log = service.log.read_text()
    assert [number for number in range(40) if f'"request-{number:03d}"' not in log] == []
