"""The outermost layer: what holds for every request, whatever it asks for.

It names the request, looks through proxies, brings both base paths together, makes HEAD work as GET without a body,
turns every exception that got this far into a problem document, and leaves one line of log without personal data.
Operations go to their handlers straight from here; the rest goes to the application that has the pages.
"""

import os
import random
import re
import time
import traceback
from collections.abc import Awaitable, Callable, Iterable, Mapping
from http import HTTPStatus
from typing import IO, Any

import msgspec
from litestar.enums import ScopeType
from litestar.types import ASGIApp, HTTPScope, Message, Receive, Scope, Send

from gaji.core.errors import GajiError, Unavailable
from gaji.core.logs import log, log_soon
from gaji.web import problems
from gaji.web.proxies import TrustedProxies
from gaji.web.asgi import STATE, origin, request_context

OPERATIONS = "/v1"
ALIAS = "/api/v1"
GIVEN_ID = re.compile(rb"[A-Za-z0-9._-]{8,128}")
PLAIN_SEGMENT = re.compile(r"[a-z_]{1,40}|v1|[0-9]{1,18}|[a-z]+\.json")
"""A part of a path that is a word of the interface or an identifier; anything else may be a person's data."""
PLAIN_PATH = re.compile(rf"(?:/(?:{PLAIN_SEGMENT.pattern})?)*")
MOST_SHOWN = 500
PIECE_BYTES = 256 * 1024
"""Of a file that is sent."""

Answerer = Callable[[HTTPScope, Receive], Awaitable["Response"]]
"""Gives the response of the operation that a request is for."""


class Gateway:
    """Answers operations, and hands everything else on to the application with the pages."""

    def __init__(self, operations: Answerer, pages: ASGIApp, proxies: TrustedProxies, log: bool = True) -> None:
        self._operations = operations
        self._pages = pages
        self._proxies = proxies
        self._log = log
        self._random = random.Random()  # noqa: S311 - a name, not a secret; of its own, so that no process repeats another's

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != ScopeType.HTTP:
            await self._pages(scope, receive, send)
            return
        started = time.perf_counter()
        method = _enter(scope)
        self._proxies.apply_forwarded_headers(scope)
        notes: dict[str, Any] = {"status": 0, "request_id": self._request_id(scope["headers"])}
        scope[STATE] = notes  # type: ignore[literal-required]
        try:
            if scope["path"].startswith(OPERATIONS):
                await self._operation(scope, receive, send, method)
            else:
                await self._page(scope, receive, send, method)
        finally:
            if self._log:
                duration_ms = round((time.perf_counter() - started) * 1000, 2)
                notes |= {"method": method, "path": _plain(scope["path"]), "ms": duration_ms}
                log_soon("request", notes)

    def _request_id(self, headers: Iterable[tuple[bytes, bytes]]) -> str:
        for name, value in headers:
            if name == b"x-request-id" and GIVEN_ID.fullmatch(value):
                return value.decode()
        return f"{self._random.getrandbits(96):024x}"

    async def _operation(self, scope: HTTPScope, receive: Receive, send: Send, method: str) -> None:
        notes = request_context(scope)
        try:
            answered = await self._operations(scope, receive)
        except Exception as error:
            answered = error_response(error, scope)
        notes["status"] = answered.status
        headers = [*answered.headers, (b"x-request-id", notes["request_id"].encode())]
        body = b"" if method == "HEAD" else answered.body
        await send({"type": "http.response.start", "status": answered.status, "headers": headers})
        if answered.file is not None:
            await _send_file(send, answered.file, whole=method != "HEAD")
        await send({"type": "http.response.body", "body": body, "more_body": False})

    async def _page(self, scope: HTTPScope, receive: Receive, send: Send, method: str) -> None:
        notes = request_context(scope)

        async def send_named(message: Message) -> None:
            if message["type"] == "http.response.start":
                notes["status"] = message["status"]
                message["headers"] = [*message["headers"], (b"x-request-id", notes["request_id"].encode())]
            elif method == "HEAD" and message["type"] == "http.response.body":
                message["body"] = b""
            await send(message)

        try:
            await self._pages(scope, receive, send_named)
        except Exception as error:
            if notes["status"]:
                raise
            await error_response(error, scope)(scope, receive, send_named)


class HttpResponse(msgspec.Struct, frozen=True):
    """A response ready to be sent; itself an ASGI application."""

    status: int
    headers: list[tuple[bytes, bytes]]
    body: bytes
    file: IO[bytes] | None = None
    """What is sent in place of a body, from where it stands to its end."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""
        await send({"type": "http.response.start", "status": self.status, "headers": self.headers})
        if self.file is not None:
            await _send_file(send, self.file, whole=True)
        await send({"type": "http.response.body", "body": self.body, "more_body": False})


def build_response(
    status: int,
    body: bytes,
    media_type: str,
    headers: Iterable[tuple[str, str]] = (),
    file: IO[bytes] | None = None,
) -> HttpResponse:
    """A response of these bytes, or of a file."""
    size = len(body) if file is None else file.seek(0, os.SEEK_END)
    if file is not None:
        file.seek(0)
    # What has no content (204) must not say how long it is (RFC 9110, 8.6).
    fields = [] if status == HTTPStatus.NO_CONTENT else _content(media_type, size)
    fields += [(name.lower().encode(), value.encode("latin-1", "replace")) for name, value in headers]
    return HttpResponse(status, fields, body, file)


def _content(media_type: str, size: int) -> list[tuple[bytes, bytes]]:
    return [(b"content-type", media_type.encode()), (b"content-length", str(size).encode())]


async def _send_file(send: Send, file: IO[bytes], *, whole: bool) -> None:
    """Send what is in a file, piece by piece, and close it."""
    with file:
        while whole and (piece := file.read(PIECE_BYTES)):
            await send({"type": "http.response.body", "body": piece, "more_body": True})


def error_response(error: BaseException, scope: Scope, headers: Mapping[str, str] | None = None) -> HttpResponse:
    """The problem document for an exception; one that is nobody's refusal is logged with where it came from."""
    refused = problems.to_http_error(error)
    request_id = request_context(scope)["request_id"]
    if refused.status >= 500:
        log_failure(error, refused, request_id)
    body = problems.encode_problem(refused, origin(scope), request_id)
    return build_response(refused.status, body, problems.PROBLEM_JSON, {**(headers or {}), **refused.headers}.items())


def _enter(scope: HTTPScope) -> str:
    """Bring both base paths and the methods together; gives the method as it was sent."""
    path: str = scope["path"].rstrip("/") or "/"
    scope["path"] = path.removeprefix("/api") if path.startswith(ALIAS) else path
    method: str = scope["method"]
    if method == "HEAD":
        scope["method"] = "GET"
    elif method == "OPTIONS":
        scope["method"] = "NONE"  # type: ignore[typeddict-item] # what no path allows
    return method


def _plain(path: str) -> str:
    """The path as the log may show it."""
    if PLAIN_PATH.fullmatch(path, 0, MOST_SHOWN):
        return path[:MOST_SHOWN]
    shown = [part if not part or PLAIN_SEGMENT.fullmatch(part) else "…" for part in path[:MOST_SHOWN].split("/")]
    return "/".join(shown)


def log_failure(error: BaseException, refused: GajiError, request_id: str) -> None:
    """Log what went wrong on our side, and where."""
    # The text of an exception can quote a row, and a row can hold a person's data: the log gets its kind and place.
    cause = error.__cause__ or error
    places = [f"{frame.filename}:{frame.lineno}" for frame in traceback.extract_tb(cause.__traceback__)[-6:]]
    log(
        "unavailable" if isinstance(refused, Unavailable) else "failure",
        request_id=request_id,
        error=type(cause).__name__,
        places=places,
    )
