"""Events of custom pay items."""

from dataclasses import dataclass


@dataclass(frozen=True)
class TaxTreatmentChanged:
    """The tax treatment of a custom item has changed."""

    client_id: int
