"""Client events."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ClientCreated:
    """A client was created."""

    client_id: int
