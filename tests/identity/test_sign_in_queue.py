"""A flood of sign-ins is refused before any work is done for it, and known devices still get their turn."""

import asyncio
from contextlib import AsyncExitStack

import httpx
import pytest

from gaji.core.errors import TooManyRequests
from gaji.identity import sign_in_limits, sign_in_queue
from gaji.identity.sign_in_queue import (
    KNOWN_DEVICES,
    MAX_DELAYED,
    MAX_OF_ADDRESS,
    MAX_OF_USER,
    MAX_STRANGERS,
    SignInQueue,
)
from tests.console.console_user import PASSWORD, TOKEN, with_password
from tests.support.event_loop import in_process_server
from tests.support.running import Member

SITE = "http://localhost"


@pytest.fixture(autouse=True)
def _no_delay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sign_in_queue, "REFUSAL_DELAY_S", 0)


class Flood:
    """Sign-ins of strangers that have their turn, or wait for it, until they are told to end."""

    def __init__(self, queue: SignInQueue, addresses: list[str]) -> None:
        self.queue = queue
        self.started: list[str] = []
        self._ending = [asyncio.Event() for _ in addresses]
        self._tasks = [
            asyncio.create_task(self._sign_in(address, ending))
            for address, ending in zip(addresses, self._ending, strict=True)
        ]

    async def _sign_in(self, address: str, ending: asyncio.Event) -> None:
        async with self.queue.turn(address, None):
            self.started.append(address)
            await ending.wait()

    async def end(self, count: int) -> None:
        """End the first sign-ins."""
        for ending in self._ending[:count]:
            ending.set()
        await asyncio.gather(*self._tasks[:count])

    async def stop(self) -> None:
        """End all."""
        await self.end(len(self._tasks))


def addresses(count: int) -> list[str]:
    return [f"203.0.113.{number}" for number in range(count)]


async def enter(queue: SignInQueue, address: str, user_id: int | None = None) -> None:
    async with queue.turn(address, user_id):
        pass


def test_more_strangers_than_there_are_places_are_refused_and_later_accepted() -> None:
    async def check() -> None:
        flood = Flood(SignInQueue(), addresses(MAX_STRANGERS))
        await asyncio.sleep(0)
        with pytest.raises(TooManyRequests) as refusal:
            await enter(flood.queue, "198.51.100.1")
        assert refusal.value.headers["Retry-After"] == str(sign_in_queue.RETRY_AFTER_S)
        await flood.stop()
        await enter(flood.queue, "198.51.100.1")

    asyncio.run(check())


def test_a_stranger_gets_a_place_that_becomes_free_before_the_refusal() -> None:
    async def check() -> None:
        flood = Flood(SignInQueue(), addresses(MAX_STRANGERS))
        await asyncio.sleep(0)
        waiting = asyncio.create_task(enter(flood.queue, "198.51.100.1"))
        await flood.end(1)
        await flood.stop()
        await waiting

    asyncio.run(check())


def test_the_number_of_refusals_that_wait_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sign_in_queue, "REFUSAL_DELAY_S", 3600)

    async def check() -> None:
        flood = Flood(SignInQueue(), addresses(MAX_STRANGERS))
        await asyncio.sleep(0)
        waiting = [asyncio.create_task(enter(flood.queue, "198.51.100.1")) for _ in range(MAX_DELAYED)]
        await asyncio.sleep(0)
        with pytest.raises(TooManyRequests):
            await enter(flood.queue, "198.51.100.1")
        for task in waiting:
            task.cancel()
        await asyncio.wait(waiting)
        await flood.stop()

    asyncio.run(check())


def test_an_address_has_only_a_share_of_the_places() -> None:
    async def check() -> None:
        flood = Flood(SignInQueue(), ["203.0.113.1"] * MAX_OF_ADDRESS)
        await asyncio.sleep(0)
        with pytest.raises(TooManyRequests):
            await enter(flood.queue, "203.0.113.1")
        other = asyncio.create_task(enter(flood.queue, "198.51.100.1"))
        await flood.stop()
        await other

    asyncio.run(check())


def test_the_devices_of_a_user_have_only_a_share_of_the_places() -> None:
    async def check() -> None:
        queue = SignInQueue()
        async with AsyncExitStack() as stack:
            for _ in range(MAX_OF_USER):
                await stack.enter_async_context(queue.turn("203.0.113.1", 7))
            with pytest.raises(TooManyRequests):
                await enter(queue, "203.0.113.1", 7)

    asyncio.run(check())


def test_a_known_device_does_not_wait_for_all_strangers() -> None:
    async def check() -> None:
        flood = Flood(SignInQueue(), addresses(MAX_STRANGERS))
        await asyncio.sleep(0)
        in_progress = len(flood.started)
        known = asyncio.create_task(enter(flood.queue, "203.0.113.1", 7))
        await asyncio.sleep(0)
        await flood.end(2)
        await known
        assert len(flood.started) <= in_progress + 2 < MAX_STRANGERS
        await flood.stop()

    asyncio.run(check())


def test_a_caller_who_leaves_the_queue_gives_the_place_back() -> None:
    async def check() -> None:
        flood = Flood(SignInQueue(), addresses(MAX_STRANGERS - 1))
        await asyncio.sleep(0)
        leaving = asyncio.create_task(enter(flood.queue, "198.51.100.1"))
        await asyncio.sleep(0)
        leaving.cancel()
        await asyncio.wait([leaving])
        last = asyncio.create_task(enter(flood.queue, "198.51.100.2"))
        await flood.stop()
        await last

    asyncio.run(check())


def test_a_device_names_its_user_and_cannot_be_forged(account: Member) -> None:
    vault = account.service.vault
    device = sign_in_limits.new_device(vault, 7)
    assert sign_in_limits.find_device_user(vault, device) == 7
    old_device = device.partition(".")[2]
    assert sign_in_limits.is_known_device(vault, 7, device)
    assert sign_in_limits.is_known_device(vault, 7, old_device)  # as they were before devices named their user
    forged = f"8.{old_device}"
    for text in (forged, old_device, "", ".", "7", "7.x", "²." + old_device, "9" * 5000 + "." + old_device):
        assert sign_in_limits.find_device_user(vault, text) is None, text


async def sign_in(http: httpx.AsyncClient, email: str, device: str = "") -> httpx.Response:
    headers = {"Accept": "text/html", "Cookie": f"gaji_device={device}; gaji_visitor=visitor"}
    page = await http.get(f"{SITE}/sign-in", headers=headers)
    token = TOKEN.search(page.text)
    assert token
    form = {"email": email, "password": PASSWORD, "form_token": token[1]}
    return await http.post(f"{SITE}/sign-in", data=form, headers=headers)


async def sign_in_during_flood(account: Member, device: str = "") -> httpx.Response:
    """Sign in while all places of strangers are taken. Two of the strangers finish, if it takes a turn."""
    async with in_process_server(account) as server:
        flood = Flood(sign_in_queue.SIGN_INS, addresses(MAX_STRANGERS))
        try:
            await asyncio.sleep(0)
            signing_in = asyncio.create_task(sign_in(server.http, account.email, device))
            if device:
                while KNOWN_DEVICES not in flood.queue._turns._lines:  # noqa: ASYNC110
                    await asyncio.sleep(0.001)
                await flood.end(2)
            return await signing_in
        finally:
            await flood.stop()


def test_an_owner_signs_in_on_a_known_device_during_a_flood(account: Member) -> None:
    with_password(account)
    device = sign_in_limits.new_device(account.service.vault, account.user_id)
    response = asyncio.run(sign_in_during_flood(account, device))
    assert response.status_code == 303


def test_an_attempt_that_is_refused_in_a_flood_is_not_counted(account: Member) -> None:
    with_password(account)
    response = asyncio.run(sign_in_during_flood(account))
    assert response.status_code == 429
    assert "Too many people are signing in" in response.text
    assert response.headers["retry-after"] == str(sign_in_queue.RETRY_AFTER_S)
    subject = sign_in_limits.account_subject(account.service.vault, account.email)
    assert not account.service.as_owner("SELECT FROM sign_in_attempts WHERE subject_hash = $1", subject)
