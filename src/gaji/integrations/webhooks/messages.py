"""The messages that are sent to endpoints."""

from dataclasses import dataclass
from datetime import datetime, timedelta, timezone

import msgspec

from gaji.core.vault import SealedCell, Vault
from gaji.integrations.webhooks.signatures import sign

TEST_TYPE = "webhook.test"
"""The type of test messages. It is not a type of events."""
SINGAPORE = timezone(timedelta(hours=8))


@dataclass(frozen=True)
class ClaimedDelivery:
    """A delivery that this worker has leased, with its endpoint."""

    client_id: int
    id: int
    endpoint_id: int
    event_id: int | None
    type: str
    resource_type: str
    resource_id: str
    occurred_at: datetime
    attempts: int
    url: str
    secret_sealed: bytes
    previous_secret_sealed: bytes | None

    @property
    def message_id(self) -> str:
        """The same for all attempts and replays, so that a receiver recognises what it already has."""
        return f"test_{self.id}" if self.event_id is None else f"evt_{self.event_id}"


def secret_cell(endpoint_id: int, column: str = "secret_sealed") -> SealedCell:
    """Return the cell of a secret. Endpoints can be those of an account, so they belong to no client."""
    return SealedCell(0, "webhook_endpoints", endpoint_id, column)


def build_message(delivery: ClaimedDelivery, vault: Vault, now: datetime) -> tuple[dict[str, str], bytes]:
    """Return the headers and the body of a message."""
    body = msgspec.json.encode(_content(delivery))
    secrets = [vault.open(delivery.secret_sealed, secret_cell(delivery.endpoint_id))]
    if delivery.previous_secret_sealed is not None:
        cell = secret_cell(delivery.endpoint_id, "previous_secret_sealed")
        secrets.append(vault.open(delivery.previous_secret_sealed, cell))
    timestamp = int(now.timestamp())
    headers = {
        "webhook-id": delivery.message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": sign(secrets, delivery.message_id, timestamp, body),
    }
    return headers, body


def _content(delivery: ClaimedDelivery) -> dict[str, object]:
    is_number = delivery.resource_id.isdigit()
    resource_id = int(delivery.resource_id) if is_number else delivery.resource_id
    return {
        "type": delivery.type,
        "timestamp": delivery.occurred_at.astimezone(SINGAPORE).isoformat(timespec="microseconds"),
        "data": {
            "event_id": delivery.event_id,
            "client_id": delivery.client_id,
            "resource": {"type": delivery.resource_type, "id": resource_id},
        },
    }
