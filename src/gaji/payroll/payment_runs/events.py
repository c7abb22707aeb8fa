"""Events of payment runs."""

from dataclasses import dataclass


@dataclass(frozen=True)
class FinalisedRunChanged:
    """A run was finalised or unfinalised."""

    client_id: int
    payment_run_id: int
