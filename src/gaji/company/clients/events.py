"""Client events."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ClientCreated:
    """A client was created."""

    client_id: int


@dataclass(frozen=True)
class PaySettingsChanged:
    """A setting or a feature of a client that determines payslips was changed."""

    client_id: int
