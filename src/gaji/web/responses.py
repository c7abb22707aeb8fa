"""Responses ready to be sent, and the response for an exception."""

import asyncio
import os
import traceback
from collections.abc import Iterable, Mapping
from http import HTTPStatus
from io import BytesIO
from typing import IO

import msgspec

from gaji.core.errors import GajiError, Unavailable
from gaji.core.logs import LogLevel, log
from gaji.web import problems
from gaji.web.asgi import HTTPScope, Receive, Send, public_url, request_context
from gaji.web.byte_budget import SENT

CHUNK_BYTES = 256 * 1024
MAX_UNCOUNTED_BYTES = 1024 * 1024
"""Larger bodies are sent in chunks and count towards the budget of their callers."""
CHUNK_TIMEOUT_S = 60
"""The time for a caller to read a chunk of a large response."""
MAX_LOGGED_FRAMES = 6
STATUSES_WITHOUT_CONTENT = frozenset((HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED))


class HttpResponse(msgspec.Struct, frozen=True):
    """A response with encoded headers. It is an ASGI application that sends itself."""

    status: int
    headers: list[tuple[bytes, bytes]]
    body: bytes
    file: IO[bytes] | None = None
    """Sent instead of the body, from its current position to its end."""

    async def __call__(self, scope: HTTPScope, receive: Receive, send: Send) -> None:
        """Send the response."""
        await send_response(self, self.headers, scope, send)


def build_response(
    status: int,
    body: bytes,
    media_type: str,
    headers: Iterable[tuple[str, str]] = (),
    file: IO[bytes] | None = None,
) -> HttpResponse:
    """Return a response with these bytes, or with the contents of a file."""
    size = len(body) if file is None else file.seek(0, os.SEEK_END)
    if file is not None:
        file.seek(0)
    # A response without content must not have a Content-Length, or not that of the content (RFC 9110, 8.6).
    encoded = [] if status in STATUSES_WITHOUT_CONTENT else _content_headers(media_type, size)
    encoded += [(name.lower().encode(), value.encode("latin-1", "replace")) for name, value in headers]
    return HttpResponse(status, encoded, body, file)


async def send_response(
    response: HttpResponse, headers: list[tuple[bytes, bytes]], scope: HTTPScope, send: Send
) -> None:
    """Send a response. A large one is sent in chunks, and ends if its caller does not read it.

    Raises Unavailable, before anything is sent, if the caller has not read earlier responses.
    """
    start = {"type": "http.response.start", "status": response.status, "headers": headers}
    file, body = response.file, response.body
    if file is None and len(body) <= MAX_UNCOUNTED_BYTES:
        await send(start)
        await send({"type": "http.response.body", "body": body, "more_body": False})
        return
    with SENT.hold(request_context(scope).get("account_id", 0)) as hold_bytes:
        hold_bytes(len(body))
        await send(start)
        await _send_file(send, file or BytesIO(body))
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _send_file(send: Send, file: IO[bytes]) -> None:
    """Send the contents of a file in chunks, and close it. Raises TimeoutError if a chunk is not read in time."""
    with file:
        while chunk := file.read(CHUNK_BYTES):
            async with asyncio.timeout(CHUNK_TIMEOUT_S):
                await send({"type": "http.response.body", "body": chunk, "more_body": True})


def error_response(error: BaseException, scope: HTTPScope, headers: Mapping[str, str] | None = None) -> HttpResponse:
    """Return the problem document for an exception. Errors of the service itself are logged."""
    http_error = problems.to_http_error(error)
    request_id = request_context(scope)["request_id"]
    if http_error.status >= 500:
        log_failure(error, http_error, request_id)
    body = problems.encode_problem(http_error, public_url(scope), request_id)
    all_headers = {**(headers or {}), **http_error.headers}
    return build_response(http_error.status, body, problems.PROBLEM_JSON, all_headers.items())


def log_failure(error: BaseException, http_error: GajiError, request_id: str) -> None:
    """Log the type of an exception and where it was raised."""
    # The message of an exception can quote a row with personal data, so it is not logged.
    cause = error.__cause__ or error
    frames = traceback.extract_tb(cause.__traceback__)[-MAX_LOGGED_FRAMES:]
    unavailable = isinstance(http_error, Unavailable)
    log(
        LogLevel.WARNING if unavailable else LogLevel.ERROR,
        "unavailable" if unavailable else "failure",
        request_id=request_id,
        error=type(cause).__name__,
        places=[f"{frame.filename}:{frame.lineno}" for frame in frames],
    )


def _content_headers(media_type: str, size: int) -> list[tuple[bytes, bytes]]:
    return [(b"content-type", media_type.encode()), (b"content-length", str(size).encode())]
