"""ASGI types, and helpers that read a request from them."""

from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any, Literal, NotRequired, TypedDict

from gaji.core.errors import MalformedRequest, TooLarge

MAX_BODY_BYTES = 10 * 1024 * 1024


class HTTPScope(TypedDict):
    """An HTTP request, without its body."""

    type: Literal["http"]
    method: str
    scheme: str
    path: str
    query_string: bytes
    headers: Iterable[tuple[bytes, bytes]]
    client: tuple[str, int] | None
    gaji: NotRequired[dict[str, Any]]
    """The request context, set by `Application`."""


class LifespanScope(TypedDict):
    """The startup and shutdown of a server process."""

    type: Literal["lifespan"]


Scope = HTTPScope | LifespanScope
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
ASGIApp = Callable[[Scope, Receive, Send], Awaitable[None]]
HTTPApp = Callable[[HTTPScope, Receive, Send], Awaitable[None]]
"""An ASGI application that handles HTTP requests only."""


def header(scope: HTTPScope, name: bytes) -> str | None:
    """Return the value of a request header. The name is in lower case."""
    for key, value in scope["headers"]:
        if key == name:
            return str(value, "latin-1")
    return None


def origin(scope: HTTPScope) -> str:
    """Return the scheme and host that the caller used."""
    host = header(scope, b"host") or "localhost"
    return f"{scope['scheme']}://{host}"


def request_context(scope: HTTPScope) -> dict[str, Any]:
    """Return the request ID and the other fields that are logged for this request."""
    return scope["gaji"]


def check_content_length(scope: HTTPScope) -> None:
    """Raise TooLarge if the declared size of the body exceeds the limit, before any of it is read."""
    length = header(scope, b"content-length")
    if length is not None and length.isdigit() and int(length) > MAX_BODY_BYTES:
        raise _too_large()


async def read_body(receive: Receive) -> bytes:
    """Read the whole body. Raises TooLarge as soon as the limit is exceeded."""
    parts: list[bytes] = []
    size = 0
    more = True
    while more:
        message = await receive()
        if message["type"] != "http.request":
            # The caller disconnected, so the rest of the body will never arrive.
            raise MalformedRequest("The request body is incomplete")
        part = message.get("body", b"")
        parts.append(part)
        size += len(part)
        if size > MAX_BODY_BYTES:
            raise _too_large()
        more = message.get("more_body", False)
    return b"".join(parts)


def _too_large() -> TooLarge:
    return TooLarge(f"The body is larger than {MAX_BODY_BYTES // 1024 // 1024} MiB")
