"""Changes of a list, for programs that keep a copy of it."""

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import httpx

Element = TypeVar("Element")


@dataclass(frozen=True)
class Changes(Generic[Element]):
    """Records that changed, in the order of their changes. Deleted ones have only `id`, `deleted` and `deleted_at`."""

    elements: list[Element]
    cursor: str
    """The value of `updated_since` for the next request."""
    has_more: bool
    """Whether there are more changes already."""


def read_changes(response: httpx.Response) -> Changes[Any]:
    """Return the changes in a response."""
    return Changes(response.json(), response.headers["X-Next-Cursor"], "next" in response.links)
