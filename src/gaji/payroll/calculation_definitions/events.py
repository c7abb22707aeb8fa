"""Events of custom pay items."""

from dataclasses import dataclass


@dataclass(frozen=True)
class TaxTreatmentChanged:
    """A custom item of a client goes to another tax box."""

    client_id: int
