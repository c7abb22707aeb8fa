"""Delivering webhooks to receivers that work, fail, hang and disappear."""

import asyncio
import secrets
from collections.abc import Iterator
from dataclasses import replace

import msgspec
import pytest

from gaji.core.resource_events import EventType
from gaji.core.settings import AllowedReceivers, Settings
from gaji.db.installation import Installation, open_installation
from gaji.db.pool import Pool
from gaji.db.tenancy import open_pool, pooled_connection
from gaji.integrations.webhooks import dispatcher, repository, service
from gaji.integrations.webhooks.dispatcher import RETRY_DELAYS_S
from gaji.integrations.webhooks.signatures import new_secret
from gaji.mail import outbox
from gaji.mail.config import MailConfig
from gaji.mail.messages import build_message
from tests.integrations.webhooks.flaky_receivers import check_flaky_receivers
from tests.integrations.webhooks.receiver import Receiver, receiving
from tests.integrations.webhooks.tenants import QUICK, EventSource, accepted_ids, dispatching, wait_until

MAIL = MailConfig("mail.example.com", 587, "starttls", None, None, "payroll@example.com", "https://payroll.example.com")
THREE_DAYS_S = 3 * 24 * 3600


@pytest.fixture(scope="module")
def installation(settings: Settings) -> Iterator[Installation]:
    """An installation without a server and without a worker."""
    with open_installation(settings) as opened:
        yield opened


@pytest.fixture(scope="module")
def runner() -> Iterator[asyncio.Runner]:
    """The event loop of this module."""
    with asyncio.Runner() as opened:
        yield opened


@pytest.fixture(scope="module")
def pool(installation: Installation, runner: asyncio.Runner) -> Iterator[Pool]:
    """Connections of a worker."""
    opened = runner.run(open_pool(installation.database.as_application("test"), 8))
    yield opened
    runner.run(opened.close())


@pytest.fixture
def source(installation: Installation, pool: Pool, runner: asyncio.Runner) -> EventSource:
    """A fresh account with a client."""
    return runner.run(EventSource.create(installation, pool))


def test_the_retries_last_three_days() -> None:
    assert THREE_DAYS_S <= sum(RETRY_DELAYS_S) <= 1.1 * THREE_DAYS_S


def test_a_message_is_signed_and_names_only_the_record(
    installation: Installation, pool: Pool, runner: asyncio.Runner, source: EventSource
) -> None:
    async def run() -> None:
        async with receiving(Receiver(new_secret())) as receiver, dispatching(pool, installation):
            await source.add_endpoint(receiver.url, receiver.secret)
            await source.emit(7)
            await wait_until(lambda: receiver.messages)
            await wait_until(lambda: source.count_deliveries("delivered"))
            event_id, occurred_at = await source.read("SELECT (id, shown(occurred_at)) FROM events")
            [message] = receiver.messages
            assert message.id == f"evt_{event_id}"
            assert message.headers["content-type"] == "application/json"
            assert message.headers["host"] == f"127.0.0.1:{receiver.port}"
            assert message.content == {
                "type": "employee.updated",
                "timestamp": occurred_at[:-6] + "+08:00",
                "data": {
                    "event_id": event_id,
                    "client_id": source.client_id,
                    "resource": {"type": "employee", "id": 7},
                },
            }

    runner.run(run())


def test_after_a_rotation_both_secrets_verify_for_a_day(
    installation: Installation, pool: Pool, runner: asyncio.Runner, source: EventSource
) -> None:
    async def run() -> None:
        old = Receiver(new_secret())
        async with receiving(old), dispatching(pool, installation):
            endpoint_id = await source.add_endpoint(old.url, old.secret)
            new_key = (await service.rotate_secret(source.tenant, endpoint_id)).secret
            await source.emit(1)
            await wait_until(lambda: len(old.messages) == 1)
            old.secret = new_key
            await source.emit(2)
            await wait_until(lambda: len(old.messages) == 2)
            assert [len(message.headers["webhook-signature"].split()) for message in old.messages] == [2, 2]
            async with source.tenant.transaction() as tx:
                await tx.execute("UPDATE webhook_endpoints SET previous_secret_expires_at = now()")
            await source.emit(3)
            await wait_until(lambda: len(old.messages) == 3)
            assert len(old.messages[-1].headers["webhook-signature"].split()) == 1

    runner.run(run())


def test_flaky_receivers_get_each_event_and_none_of_another_tenant(
    installation: Installation, pool: Pool, runner: asyncio.Runner
) -> None:
    runner.run(check_flaky_receivers(installation, pool, events=120, seed=7))


def test_a_dead_receiver_delays_nobody_else(
    installation: Installation, pool: Pool, runner: asyncio.Runner, source: EventSource
) -> None:
    async def run() -> None:
        dead, alive = Receiver(new_secret(), lambda _: "hang"), Receiver(new_secret())
        patient = replace(QUICK, limits=replace(QUICK.limits, read_s=30, total_s=30), concurrent=8)
        async with receiving(dead), receiving(alive), dispatching(pool, installation, patient):
            await source.add_endpoint(dead.url, dead.secret)
            await source.add_endpoint(alive.url, alive.secret)
            await source.emit(*range(100))
            await wait_until(lambda: len(alive.accepted) == 100, timeout_s=25)
            assert dead.requests <= patient.concurrent_per_endpoint

    runner.run(run())


def test_events_of_a_record_arrive_in_order(
    installation: Installation, pool: Pool, runner: asyncio.Runner, source: EventSource
) -> None:
    async def run() -> None:
        receiver = Receiver(new_secret(), lambda number: "error" if number % 3 == 0 else "ok")
        strict = replace(QUICK, ordered_attempts=100, retry_delays_s=(0.02,) * 100)
        async with receiving(receiver), dispatching(pool, installation, strict):
            await source.add_endpoint(receiver.url, receiver.secret)
            for _ in range(10):
                await source.emit(1, 2)
            await wait_until(lambda: len(receiver.accepted) == 20)
            for employee_id in (1, 2):
                ids = [m.content["data"]["event_id"] for m in receiver.accepted if m.resource[1] == employee_id]
                assert ids == sorted(ids)

    runner.run(run())


@pytest.mark.parametrize(
    ("answer", "status", "reason"),
    [
        ("error", 500, "The receiver answered 500"),
        ("redirect", 307, "The receiver answered 307; redirects are not followed"),
        ("hang", None, "The receiver did not answer in time"),
        ("close", None, "The connection to the receiver failed"),
        ("garbage", None, "The connection to the receiver failed"),
    ],
)
def test_each_failed_attempt_has_a_reason_and_the_last_one_disables_the_endpoint(
    installation: Installation,
    pool: Pool,
    runner: asyncio.Runner,
    source: EventSource,
    answer: str,
    status: int | None,
    reason: str,
) -> None:
    async def run() -> None:
        receiver = Receiver(new_secret(), lambda _: answer)
        policy = replace(QUICK, retry_delays_s=(0.01, 0.01))
        async with receiving(receiver), dispatching(pool, installation, policy):
            await source.add_endpoint(receiver.url, receiver.secret)
            await source.emit(1)
            await wait_until(lambda: source.count_deliveries("failed"))
            assert receiver.requests == 3
            log = await source.read("SELECT attempt_log FROM webhook_deliveries")
            expected = "null" if status is None else str(status)
            assert log.count(f'"status": {expected}') == log.count(f'"reason": "{reason}"') == 3
            disabled = await source.read("SELECT disabled_reason FROM webhook_endpoints WHERE NOT enabled")
            assert disabled == f"All attempts at a delivery failed. The last one: {reason}"

    runner.run(run())


async def add_colleague(source: EventSource, installation: Installation, role: str) -> str:
    """Add a user with a role for the client, and return the email."""
    email = f"{secrets.token_hex(6)}@example.com"
    async with installation.database.maintenance() as connection:
        await connection.execute(
            "WITH added AS (INSERT INTO users (account_id, email, password_hash) VALUES ($1, $2, '') RETURNING id) "
            "INSERT INTO memberships (client_id, user_id, role) SELECT $3, id, $4 FROM added",
            source.tenant.caller.account_id,
            email,
            source.client_id,
            role,
        )
    return email


@pytest.mark.parametrize("for_client", [False, True])
def test_owners_are_told_once_by_mail_that_an_endpoint_is_disabled(
    installation: Installation,
    pool: Pool,
    runner: asyncio.Runner,
    source: EventSource,
    monkeypatch: pytest.MonkeyPatch,
    for_client: bool,
) -> None:
    monkeypatch.setattr(outbox, "is_mail_set_up", lambda: True)

    async def run() -> None:
        owner = await add_colleague(source, installation, "owner")
        await add_colleague(source, installation, "viewer")
        receiver = Receiver(new_secret(), lambda _: "close")
        async with receiving(receiver), dispatching(pool, installation):
            client_id = source.client_id if for_client else None
            endpoint_id = await source.add_endpoint(f"{receiver.url}?token=secret", receiver.secret, client_id)
            await source.emit(1, 2, 3)
            await wait_until(lambda: source.read("SELECT count(*) FROM webhook_endpoints WHERE NOT enabled"))
            await asyncio.sleep(0.2)
        async with installation.database.maintenance() as connection:
            mail = await connection.fetch(
                "SELECT recipient, parameters FROM outgoing_mail WHERE kind = 'webhook_disabled' AND account_id = $1",
                source.tenant.caller.account_id,
            )
        assert sorted(row["recipient"] for row in mail) == sorted([source.email, *([owner] if for_client else [])])
        parameters = msgspec.json.decode(mail[0]["parameters"])
        message = build_message(MAIL, installation.vault, 1, "webhook_disabled", source.email, parameters)
        text = "".join(part.get_content() for part in message.iter_parts())
        assert "All attempts at a delivery failed." in text
        assert f"/companies/{source.client_id}/settings/webhooks/{endpoint_id}/edit" in text
        assert "token=secret" not in text

    runner.run(run())


def test_a_receiver_that_is_gone_gets_nothing_more_until_it_is_enabled_again(
    installation: Installation,
    pool: Pool,
    runner: asyncio.Runner,
    source: EventSource,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    outcomes: set[str] = set()
    monkeypatch.setattr(dispatcher, "record_webhook", outcomes.add)

    async def run() -> None:
        receiver = Receiver(new_secret(), lambda number: "ok" if number else "gone")
        async with receiving(receiver), dispatching(pool, installation):
            endpoint_id = await source.add_endpoint(receiver.url, receiver.secret)
            await source.emit(1)
            await wait_until(lambda: source.read("SELECT count(*) FROM webhook_endpoints WHERE NOT enabled"))
            await source.emit(2, 3)
            await asyncio.sleep(0.2)
            assert receiver.requests == 1
            await service.update_endpoint(source.tenant, endpoint_id, {"url": "https://8.8.8.8/", "enabled": True})
            async with source.tenant.transaction() as tx:
                await tx.execute("UPDATE webhook_endpoints SET url = $1", receiver.url)
            await wait_until(lambda: len(receiver.accepted) >= 2)
            assert {message.resource[1] for message in receiver.accepted} >= {2, 3}
            await wait_until(lambda: outcomes >= {"failed", "delivered"})

    runner.run(run())


def test_a_private_address_is_refused_at_the_delivery(
    installation: Installation, pool: Pool, runner: asyncio.Runner, source: EventSource
) -> None:
    async def run() -> None:
        receiver = Receiver(new_secret())
        async with receiving(receiver), dispatching(pool, installation, allowed=AllowedReceivers()):
            await source.add_endpoint(receiver.url, receiver.secret)
            await source.emit(1)
            await wait_until(lambda: source.count_deliveries("failed"))
            assert receiver.requests == 0
            log = await source.read("SELECT attempt_log FROM webhook_deliveries")
            assert "127.0.0.1 is not a public address" in log

    runner.run(run())


def test_types_and_clients_are_selected(
    installation: Installation, pool: Pool, runner: asyncio.Runner, source: EventSource
) -> None:
    async def run() -> None:
        other = await EventSource.of_new_client(installation, pool, source.email)
        receiver = Receiver(new_secret())
        async with receiving(receiver), dispatching(pool, installation):
            await other.add_endpoint(receiver.url, receiver.secret, other.client_id, ["employee.created"])
            created = EventType.EMPLOYEE_CREATED
            await EventSource(other.tenant, source.client_id, source.email).emit(1, event_type=created)
            await other.emit(2)
            await other.emit(3, event_type=created)
            await wait_until(lambda: other.count_deliveries("delivered"))
            assert [message.resource for message in receiver.messages] == [("employee", 3)]

    runner.run(run())


def test_what_a_dead_worker_had_begun_is_sent_again(
    installation: Installation, pool: Pool, runner: asyncio.Runner, source: EventSource
) -> None:
    async def run() -> None:
        receiver = Receiver(new_secret())
        dying = replace(QUICK, lease_s=2)
        async with receiving(receiver):
            await source.add_endpoint(receiver.url, receiver.secret)
            await source.emit(1, 2)
            async with pooled_connection(pool) as connection:
                await repository.create_deliveries(connection, dying.batch, dying.longest_backlog)
                claimed = await repository.claim_deliveries(connection, 100, dying)
                claimed_again = await repository.claim_deliveries(connection, 100, dying)
            async with dispatching(pool, installation):
                await wait_until(lambda: len(receiver.accepted) == 2)
            own = {delivery.message_id for delivery in claimed if delivery.client_id == source.client_id}
            assert accepted_ids(receiver) == own
            assert not [delivery for delivery in claimed_again if delivery.client_id == source.client_id]

    runner.run(run())


def test_deliveries_and_events_are_replayed(
    installation: Installation, pool: Pool, runner: asyncio.Runner, source: EventSource
) -> None:
    async def run() -> None:
        receiver = Receiver(new_secret())
        async with receiving(receiver), dispatching(pool, installation):
            endpoint_id = await source.add_endpoint(receiver.url, receiver.secret)
            await source.emit(1, 2)
            await wait_until(lambda: source.count_deliveries("delivered"))
            await wait_until(lambda: len(receiver.accepted) == 2)
            first_id = await source.read("SELECT min(id) FROM webhook_deliveries")
            await wait_until(lambda: _no_pending(source))
            await service.replay_delivery(source.tenant, first_id)
            await wait_until(lambda: len(receiver.accepted) == 3)
            await wait_until(lambda: _no_pending(source))
            await service.replay_events(source.tenant, endpoint_id, {"after": 0})
            await wait_until(lambda: len(receiver.accepted) >= 5)
            assert len(accepted_ids(receiver)) == 2

    runner.run(run())


async def _no_pending(source: EventSource) -> bool:
    return await source.count_deliveries("pending") == 0
