"""Events of waves."""

from dataclasses import dataclass


@dataclass(frozen=True)
class PayDatesChanged:
    """The pay dates of a wave changed, so drafts of the client have other pay dates."""

    client_id: int
