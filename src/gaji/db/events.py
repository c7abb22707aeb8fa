"""In-transaction events.

A service records that something changed with `tx.emit(event)`. Handlers of higher layers, subscribed by the composition
root (`gaji.wiring`), run in the same transaction before it commits. If a handler fails, the transaction rolls back.
"""

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

Event = TypeVar("Event")
_handlers: dict[type, list[Callable[..., Awaitable[None]]]] = {}


def subscribe(event_type: type[Event], handler: Callable[[Any, Event], Awaitable[None]]) -> None:
    """Call a handler with the transaction and the event for every event of this type."""
    _handlers.setdefault(event_type, []).append(handler)


def handlers_of(event: object) -> list[Callable[..., Awaitable[None]]]:
    """Return the handlers of an event. An event without a handler is a mistake in the wiring."""
    try:
        return _handlers[type(event)]
    except KeyError:
        raise RuntimeError(f"nothing handles {type(event).__name__}: import gaji.wiring first") from None
