"""A caller can read the response to a request whose body is not wanted."""

import asyncio

import pytest

from gaji.web import request_body
from gaji.web.asgi import HTTPScope, Message
from gaji.web.request_body import IncomingBody
from tests.support.running import Member


def request_with(*headers: tuple[bytes, bytes]) -> HTTPScope:
    return HTTPScope(
        type="http", method="POST", scheme="http", path="/", query_string=b"", headers=headers, client=None
    )


def body_of(parts: list[bytes]) -> IncomingBody:
    remaining = list(parts)

    async def receive() -> Message:
        if not remaining:
            await asyncio.Event().wait()
        part = remaining.pop(0)
        return {"type": "http.request", "body": part, "more_body": part != parts[-1]}

    return IncomingBody(request_with((b"transfer-encoding", b"chunked")), receive)


@pytest.mark.parametrize(
    ("headers", "complete"),
    [
        ((), True),
        (((b"content-length", b"0"),), True),
        (((b"content-length", b"5"),), False),
        (((b"transfer-encoding", b"chunked"),), False),
    ],
)
def test_a_request_without_a_body_is_complete(headers: tuple[tuple[bytes, bytes], ...], complete: bool) -> None:
    async def receive() -> Message:
        raise AssertionError

    assert IncomingBody(request_with(*headers), receive).complete is complete


def test_the_rest_of_a_body_is_discarded() -> None:
    body = body_of([b"1", b"2", b"3"])
    asyncio.run(body.discard())
    assert body.complete


def test_discarding_a_large_body_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_body, "MAX_DISCARDED_BYTES", 3)
    body = body_of([b"12", b"34", b"56"])
    asyncio.run(body.discard())
    assert not body.complete


def test_discarding_a_slow_body_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_body, "DISCARD_TIMEOUT_S", 0.01)
    body = body_of([])
    asyncio.run(body.discard())
    assert not body.complete


def test_unwanted_bodies_do_not_break_the_connection(account: Member) -> None:
    headers = {"Authorization": "Bearer wrong", "Content-Type": "application/json"}
    for _ in range(20):
        response = account.service.http.post(
            f"{account.service.url}/v1/clients", content=bytes(11 * 1024 * 1024), headers=headers
        )
        assert response.status_code == 401
