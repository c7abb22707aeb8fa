"""What is known of a request beside its operation: headers, where it was sent to, and notes for the log."""

from typing import Any

from litestar.types import Receive, Scope

from gaji.core.errors import MalformedRequest, TooLarge

MAX_BODY_BYTES = 10 * 1024 * 1024
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


def request_context(scope: Scope) -> dict[str, Any]:
    """What the gateway knows of a request, and what others note for its line of log."""
    notes: dict[str, Any] = scope[STATE]  # type: ignore[literal-required]
    return notes


def check_content_length(scope: Scope) -> None:
    """Refuse a body that is announced to be too large, before any of it is read."""
    announced = header(scope, b"content-length")
    if announced is not None and announced.isdigit() and int(announced) > MAX_BODY_BYTES:
        raise _too_large()


async def read_body(receive: Receive) -> bytes:
    """The whole body, refused as soon as it is known to be too large."""
    parts: list[bytes] = []
    size = 0
    more = True
    while more:
        message = await receive()
        if message["type"] != "http.request":
            # The caller went away in the middle: nobody knows what they meant to send, or waits for an answer.
            raise MalformedRequest("The request ended before its body did")
        parts.append(message["body"])
        size += len(message["body"])
        if size > MAX_BODY_BYTES:
            raise _too_large()
        more = message["more_body"]
    return b"".join(parts)


def _too_large() -> TooLarge:
    return TooLarge(f"The body is larger than {MAX_BODY_BYTES // 1024 // 1024} MiB")
