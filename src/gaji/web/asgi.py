"""ASGI types, and helpers that read a request from them."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any, Literal, NotRequired, TypedDict

from gaji.core.errors import MalformedRequest, TooLarge
from gaji.web.byte_budget import RECEIVED

MAX_BODY_BYTES = 10 * 1024 * 1024
MAX_SIGNED_OUT_BYTES = 64 * 1024
"""The body of a request that needs no sign-in."""
BODY_TIMEOUT_S = 120
"""For a whole body."""
LOOPBACK_HOST = re.compile(r"(127\.0\.0\.1|localhost|\[::1\])(:[0-9]{1,5})?")


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
    public_url: NotRequired[str]
    """The configured scheme and host, set by `Application`. Empty if none is configured."""


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


def public_url(scope: HTTPScope) -> str:
    """Return the configured scheme and host, or nothing, which makes references relative.

    The Host header is not used, because any client can send any host.
    """
    return scope["public_url"]


def site_url(scope: HTTPScope) -> str:
    """Return the address to show for this site: the configured one, or the loopback address that was requested.

    Empty if it is not known. A loopback address can only lead back to the reader's own computer.
    """
    host = header(scope, b"host") or ""
    return public_url(scope) or (f"{scope['scheme']}://{host}" if LOOPBACK_HOST.fullmatch(host) else "")


def request_context(scope: HTTPScope) -> dict[str, Any]:
    """Return the request ID and the other fields that are logged for this request."""
    return scope["gaji"]


def check_content_length(scope: HTTPScope, max_bytes: int = MAX_BODY_BYTES) -> None:
    """Raise TooLarge if the declared size of the body exceeds the limit, before any of it is read."""
    length = header(scope, b"content-length")
    if length is not None and length.isdigit() and int(length) > max_bytes:
        raise _too_large(max_bytes)


async def read_body(receive: Receive, account_id: int, max_bytes: int = MAX_BODY_BYTES) -> bytes:
    """Read the whole body. Raises TooLarge as soon as the limit is exceeded.

    Raises Unavailable if the account, or all accounts, have too many bytes in bodies that are not complete.
    """
    parts: list[bytes] = []
    size = 0
    more = True
    try:
        async with asyncio.timeout(BODY_TIMEOUT_S):
            with RECEIVED.hold(account_id) as hold_bytes:
                while more:
                    message = await receive()
                    if message["type"] != "http.request":
                        raise _incomplete()  # The caller disconnected.
                    part = message.get("body", b"")
                    parts.append(part)
                    size += len(part)
                    if size > max_bytes:
                        raise _too_large(max_bytes)
                    more = message.get("more_body", False)
                    if more:
                        hold_bytes(len(part))
    except TimeoutError:
        raise _incomplete() from None
    return b"".join(parts)


def _incomplete() -> MalformedRequest:
    return MalformedRequest("The request body is incomplete")


def _too_large(max_bytes: int) -> TooLarge:
    size = f"{max_bytes // 1024 // 1024} MiB" if max_bytes >= MAX_BODY_BYTES else f"{max_bytes // 1024} KiB"
    return TooLarge(f"The body is larger than {size}")
