"""Wave events."""

from dataclasses import dataclass


@dataclass(frozen=True)
class PayDatesChanged:
    """The pay dates of a wave changed. They are part of its drafts."""

    client_id: int
