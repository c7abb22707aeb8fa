"""What is known of a request beside its operation: headers, where it was sent to, and notes for the log."""

from typing import Any

from litestar.types import Scope

STATE = "gaji"
"""The key of the ASGI scope under which the notes are."""


def header(scope: Scope, name: bytes) -> str | None:
    """The value of a request header; the name in lower case."""
    for key, value in scope["headers"]:
        if key == name:
            return str(value, "latin-1")
    return None


def origin(scope: Scope) -> str:
    """Scheme and host as the caller used them."""
    host = header(scope, b"host") or "localhost"
    return f"{scope['scheme']}://{host}"


def request_notes(scope: Scope) -> dict[str, Any]:
    """What the gateway knows of a request, and what others note for its line of log."""
    notes: dict[str, Any] = scope[STATE]  # type: ignore[literal-required]
    return notes
