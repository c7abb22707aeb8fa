"""The rate limit: a number of requests per minute for each API key."""

import time
from collections.abc import Iterator
from dataclasses import replace

import pytest

from gaji.core.errors import TooManyRequests
from gaji.core.settings import Settings
from gaji.web.rate_limit import RateLimiter
from tests.support.problems import assert_problem
from tests.support.running import Member, Service, running_service

LIMIT = 5


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


def test_a_limit_of_0_means_none() -> None:
    limiter = RateLimiter(0)
    assert all(limiter.count(1) == {} for _ in range(10_000))


def test_after_a_minute_the_key_works_again(monkeypatch: pytest.MonkeyPatch) -> None:
    limiter = RateLimiter(2)
    now = 1_000_000.0
    monkeypatch.setattr(time, "time", lambda: now)
    limiter.count(1)
    limiter.count(1)
    with pytest.raises(TooManyRequests) as caught:
        limiter.count(1)
    now += int(caught.value.headers["Retry-After"])
    assert limiter.count(1)["X-RateLimit-Remaining"] == "1"
