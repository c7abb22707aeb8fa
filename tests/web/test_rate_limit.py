"""The rate limit: a number of requests per minute for each API key, counted for all server processes together."""

import asyncio
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import asyncpg
import pytest

from gaji.core.errors import TooManyRequests
from gaji.core.settings import Settings
from gaji.db.tenancy import Caller
from gaji.web.rate_limit import RateLimiter, Reservation
from tests.support.problems import assert_problem
from tests.support.running import Member, Service, running_service

LIMIT = 5
POOL: Any = None
"""The budgets below need no database."""


class SharedBudget:
    """What the database does, for one key: requests that several processes reserve."""

    def __init__(self, limit: int) -> None:
        self.unreserved = limit
        self.reservations = 0

    async def reserve(self, pool: Any, caller: Caller, wanted: int, limit: int) -> Reservation:
        await asyncio.sleep(0)
        self.reservations += 1
        granted = min(wanted, self.unreserved, max(1, self.unreserved // 8))
        self.unreserved -= granted
        return Reservation(granted, self.unreserved, 60)


def caller(key_id: int = 1) -> Caller:
    return Caller(user_id=1, account_id=1, access_version=1, administrator=False, key_id=key_id)


async def is_allowed(limiter: RateLimiter) -> bool:
    try:
        await limiter.count(POOL, caller())
    except TooManyRequests:
        return False
    return True


@pytest.fixture(scope="module")
def service(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A server with a low rate limit."""
    limited, folder = replace(settings, rate_limit=LIMIT), tmp_path_factory.mktemp("service")
    with running_service(limited, folder, arguments=["--no-worker"]) as running:
        yield running


def test_every_response_has_the_rate_limit_headers(account: Member) -> None:
    responses = [
        account.get("/clients"),
        account.get("/clients/0"),
        account.post("/clients", {}),
        account.get("/clients"),
    ]
    assert [response.status_code for response in responses] == [200, 404, 422, 200]
    assert [response.headers["x-ratelimit-limit"] for response in responses] == ["5"] * 4
    assert [response.headers["x-ratelimit-remaining"] for response in responses] == ["4", "3", "2", "1"]
    for response in responses:
        assert 0 < int(response.headers["x-ratelimit-reset"]) - time.time() <= 62


def test_the_request_over_the_limit_is_429_with_retry_after_and_a_message_that_names_the_limit(
    account: Member,
) -> None:
    for _ in range(LIMIT):
        assert account.get("/clients").status_code == 200
    response = account.get("/clients")
    message = assert_problem(response, 429)["message"]
    assert "5 requests per minute" in message
    assert 1 <= int(response.headers["retry-after"]) <= 61
    assert response.headers["retry-after"] in message
    assert response.headers["x-ratelimit-remaining"] == "0"
    assert response.headers["x-ratelimit-limit"] == "5"


def test_a_rejected_write_is_not_stored_for_its_idempotency_key(account: Member) -> None:
    other = account.with_another_key()
    once = {"Idempotency-Key": "limited"}
    for _ in range(LIMIT):
        account.get("/clients")
    assert_problem(account.post("/clients", {"name": "Kopi"}, headers=once), 429)
    response = other.post("/clients", {"name": "Kopi"}, headers=once)
    assert response.status_code == 200
    assert "idempotent-replayed" not in response.headers


def test_the_limit_is_for_each_key(account: Member) -> None:
    other = account.with_another_key()
    for _ in range(LIMIT + 1):
        account.get("/clients")
    assert other.get("/clients").headers["x-ratelimit-remaining"] == "4"


@pytest.mark.parametrize("page", ["/healthz", "/readyz", "/openapi.json"])
def test_pages_outside_the_api_are_not_limited(account: Member, page: str) -> None:
    for _ in range(LIMIT * 2):
        response = account.service.http.get(account.service.url + page, headers={"Authorization": account.key})
        assert response.status_code == 200
        assert "x-ratelimit-limit" not in response.headers


def test_the_limit_is_600_unless_gaji_rate_limit_says_otherwise() -> None:
    assert Settings.from_environment({}).rate_limit == 600
    assert Settings.from_environment({"GAJI_RATE_LIMIT": "7"}).rate_limit == 7
    assert Settings.from_environment({"GAJI_RATE_LIMIT": "0"}).rate_limit == 0


def test_two_servers_count_the_requests_of_a_key_together(
    service: Service, account: Member, settings: Settings, tmp_path_factory: pytest.TempPathFactory
) -> None:
    limited, folder = replace(settings, rate_limit=40), tmp_path_factory.mktemp("servers")
    with (
        running_service(limited, folder, arguments=["--no-worker", "--workers", "2"]) as first,
        running_service(limited, tmp_path_factory.mktemp("second"), arguments=["--no-worker"]) as second,
    ):
        # A new connection for each request, so that both processes of the first server take some.
        headers = {"Authorization": account.key, "Connection": "close"}
        statuses = [
            server.http.get(f"{server.url}/v1/clients", headers=headers).status_code
            for _ in range(30)
            for server in (first, second)
        ]
        # A process may have reserved a request or two that it did not use.
        assert 38 <= statuses.count(200) <= 40
        assert set(statuses[-10:]) == {429}


def test_windows_that_ended_are_deleted(service: Service, account: Member) -> None:
    account.get("/clients")
    service.as_owner("UPDATE rate_limit_windows SET ends_at = now() - interval '1 second'")
    service.as_owner("SELECT delete_ended_rate_limit_windows()")
    assert service.as_owner("SELECT * FROM rate_limit_windows") == []
    assert account.get("/clients").headers["x-ratelimit-remaining"] == "4"


def allowed_requests(limiter: RateLimiter, count: int) -> int:
    """Return how many of a number of requests, one after the other, are allowed."""

    async def send() -> int:
        return [await is_allowed(limiter) for _ in range(count)].count(True)

    return asyncio.run(send())


def test_a_limit_of_0_means_none() -> None:
    assert allowed_requests(RateLimiter(0), 1000) == 1000
    assert asyncio.run(RateLimiter(0).count(POOL, caller())) == {}


def test_after_a_minute_the_key_works_again(monkeypatch: pytest.MonkeyPatch) -> None:
    budget = SharedBudget(2)
    limiter = RateLimiter(2, budget.reserve)
    now = 1_000_000.0
    monkeypatch.setattr(time, "time", lambda: now)
    assert allowed_requests(limiter, 2) == 2
    with pytest.raises(TooManyRequests) as caught:
        asyncio.run(limiter.count(POOL, caller()))
    now += int(caught.value.headers["Retry-After"])
    budget.unreserved = 2
    assert asyncio.run(limiter.count(POOL, caller()))["X-RateLimit-Remaining"] == "1"


def test_few_requests_ask_the_database() -> None:
    budget = SharedBudget(600)
    limiter = RateLimiter(600, budget.reserve)

    async def send() -> list[str]:
        return [(await limiter.count(POOL, caller()))["X-RateLimit-Remaining"] for _ in range(600)]

    assert asyncio.run(send()) == [str(600 - number) for number in range(1, 601)]
    assert budget.reservations <= 50
    assert allowed_requests(limiter, 1) == 0


def test_above_the_limit_the_database_is_not_asked_again() -> None:
    budget = SharedBudget(5)
    assert allowed_requests(RateLimiter(5, budget.reserve), 100) == 5
    assert budget.reservations == 5


def test_concurrent_requests_of_two_processes_stay_within_the_limit() -> None:
    budget = SharedBudget(100)
    limiters = RateLimiter(100, budget.reserve), RateLimiter(100, budget.reserve)

    async def send() -> list[bool]:
        return await asyncio.gather(*(is_allowed(limiter) for _ in range(200) for limiter in limiters))

    assert asyncio.run(send()).count(True) == 100


def test_a_process_with_one_request_reserves_only_that_one() -> None:
    budget = SharedBudget(600)
    assert allowed_requests(RateLimiter(600, budget.reserve), 1) == 1
    assert allowed_requests(RateLimiter(600, budget.reserve), 700) == 599


def test_while_the_database_accepts_no_changes_a_process_counts_alone_and_asks_once_a_minute(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now, reservations = 1_000_000.0, 0
    monkeypatch.setattr(time, "time", lambda: now)

    async def fail(pool: Any, caller: Caller, wanted: int, limit: int) -> Reservation:
        nonlocal reservations
        reservations += 1
        raise asyncpg.ReadOnlySQLTransactionError("cannot execute INSERT in a read-only transaction")

    limiter = RateLimiter(20, fail)
    assert allowed_requests(limiter, 50) == 20
    assert reservations == 1
    now += 60
    assert allowed_requests(limiter, 50) == 20
    assert reservations == 2


def test_requests_of_the_last_minute_do_not_count_if_the_database_began_the_next_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(time, "time", lambda: 1_000_000.0)
    reservations = [Reservation(4, 1, 0.5), Reservation(1, 4, 60)]

    async def reserve(pool: Any, caller: Caller, wanted: int, limit: int) -> Reservation:
        if not reservations:
            raise asyncpg.DiskFullError("no space left")
        return reservations.pop(0)

    async def remaining(count: int) -> list[str]:
        return [(await limiter.count(POOL, caller()))["X-RateLimit-Remaining"] for _ in range(count)]

    limiter = RateLimiter(5, reserve)
    assert asyncio.run(remaining(4)) == ["4", "3", "2", "1"]
    assert asyncio.run(remaining(5)) == ["4", "3", "2", "1", "0"]
    assert allowed_requests(limiter, 1) == 0
