"""Deliver webhooks: create deliveries for new events, send those that are due, and record the results.

Everything is in the database: any number of workers can do this, and one that dies loses nothing. A delivery that a
dead worker had leased is sent again when the lease ends, so each arrives at least once.
"""

import asyncio
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

import msgspec

from gaji.core.failpoints import failpoint
from gaji.core.logs import LogLevel, log
from gaji.core.metrics import record_webhook
from gaji.core.settings import AllowedReceivers, Settings
from gaji.core.vault import Vault
from gaji.db.pool import Pool
from gaji.db.tenancy import pooled_connection
from gaji.integrations.webhooks import repository
from gaji.integrations.webhooks.messages import ClaimedDelivery, build_message
from gaji.integrations.webhooks.sender import SendLimits, SendResult, WebhookSender, open_sender
from gaji.mail.outbox import queue_webhook_disabled

MINUTE_S, HOUR_S = 60, 3600
RETRY_DELAYS_S = (5, 5 * MINUTE_S, 30 * MINUTE_S, *(hours * HOUR_S for hours in (2, 5, 10, 14, 20, 24)))
"""The delays after each failed attempt: ten attempts over three days."""
JITTER = 0.2
"""Each delay is longer or shorter by up to this share, so that receivers do not get everything at once."""


@dataclass(frozen=True)
class DeliveryPolicy:
    """How deliveries are sent."""

    retry_delays_s: Sequence[float] = RETRY_DELAYS_S
    limits: SendLimits = field(default_factory=SendLimits)
    concurrent: int = 64
    """Deliveries that one worker sends at once."""
    concurrent_per_endpoint: int = 4
    failing_after: int = 3
    """After so many failures in a row, an endpoint gets one delivery at a time."""
    ordered_attempts: int = 4
    """Later events of a record wait until so many attempts at an earlier one have failed."""
    lease_s: float = 60
    """Longer than an attempt can take."""
    batch: int = 1000
    longest_backlog: int = 10_000
    poll_s: float = 1.0
    longest_pause_s: float = 0.02
    """After a delivery has ended, the next claim waits for others to end: as long as the last claim took, at most this.

    A claim takes long when many deliveries are pending.
    """


class WebhookDispatcher:
    """Delivers webhooks until it is cancelled."""

    def __init__(self, pool: Pool, vault: Vault, allowed: AllowedReceivers, policy: DeliveryPolicy) -> None:
        self._pool = pool
        self._vault = vault
        self._allowed = allowed
        self._policy = policy
        self._sending: set[asyncio.Task[None]] = set()
        self._claim_s = 0.0

    async def run(self) -> None:
        """Deliver what is due, and wait for more."""
        async with open_sender(self._allowed, self._policy.limits) as sender:
            try:
                while True:
                    await self._begin_due(sender)
                    await self._wait()
            finally:
                for task in self._sending:
                    task.cancel()
                await asyncio.gather(*self._sending, return_exceptions=True)

    async def _begin_due(self, sender: WebhookSender) -> None:
        """Begin to send the deliveries that are due, as far as there are places."""
        async with pooled_connection(self._pool) as connection:
            policy = self._policy
            while await repository.create_deliveries(connection, policy.batch, policy.longest_backlog):
                pass
            places = policy.concurrent - len(self._sending)
            started = time.monotonic()
            claimed = await repository.claim_deliveries(connection, places, policy) if places > 0 else []
            self._claim_s = time.monotonic() - started
        for delivery in claimed:
            task = asyncio.create_task(self._deliver(sender, delivery))
            self._sending.add(task)
            task.add_done_callback(self._end_delivery)

    def _end_delivery(self, task: asyncio.Task[None]) -> None:
        """Log the failure of a delivery itself. It is repeated when its lease ends."""
        self._sending.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log(LogLevel.WARNING, "webhook interrupted", error=type(error).__name__)

    async def _wait(self) -> None:
        """Wait until a delivery ends, or until it is time to look for new ones."""
        if self._sending:
            ended, _ = await asyncio.wait(
                self._sending, timeout=self._policy.poll_s, return_when=asyncio.FIRST_COMPLETED
            )
            if ended:
                await asyncio.sleep(min(self._claim_s, self._policy.longest_pause_s))
        else:
            await asyncio.sleep(self._policy.poll_s)

    async def _deliver(self, sender: WebhookSender, delivery: ClaimedDelivery) -> None:
        headers, body = build_message(delivery, self._vault, datetime.now(UTC))
        result = await sender.send(delivery.url, headers, body)
        failpoint("webhook.after_send")
        delay_s = self._next_delay_s(delivery, result)
        reason = None if result.succeeded or delay_s is not None else _reason_to_disable(result)
        async with pooled_connection(self._pool) as connection, connection.transaction():
            is_disabled = await repository.finish_delivery(
                connection,
                delivery,
                result.succeeded,
                msgspec.json.encode(_log_entry(result)).decode(),
                None if delay_s is None else timedelta(seconds=delay_s),
                reason,
            )
            if is_disabled and reason:
                host = urlsplit(delivery.url).hostname or ""
                await queue_webhook_disabled(connection, delivery.client_id, delivery.endpoint_id, host, reason)
        record_webhook("delivered" if result.succeeded else "failed" if delay_s is None else "retried")

    def _next_delay_s(self, delivery: ClaimedDelivery, result: SendResult) -> float | None:
        """Return how long to wait for the next attempt. None if there is none."""
        delays_s = self._policy.retry_delays_s
        if result.succeeded or result.is_gone or delivery.attempts >= len(delays_s):
            return None
        return delays_s[delivery.attempts] * random.uniform(1 - JITTER, 1 + JITTER)  # noqa: S311 - no secret


async def dispatch_webhooks(pool: Pool, vault: Vault) -> None:
    """Deliver webhooks of all clients until cancelled."""
    allowed = Settings.from_environment().webhook_allow
    await WebhookDispatcher(pool, vault, allowed, DeliveryPolicy()).run()


async def delete_old_deliveries(pool: Pool, vault: Vault) -> None:
    """Delete deliveries whose retention has ended."""
    async with pooled_connection(pool) as connection:
        await connection.execute("SELECT forget_old_webhook_deliveries()")


def _log_entry(result: SendResult) -> list[dict[str, object]]:
    entry: dict[str, object] = {
        "at": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "status": result.status,
        "reason": result.reason,
        "duration_ms": result.duration_ms,
    }
    return [entry]


def _reason_to_disable(result: SendResult) -> str:
    if result.is_gone:
        return "The receiver answered 410: it wants no more events"
    return f"All attempts at a delivery failed. The last one: {result.reason}"
