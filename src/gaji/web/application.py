"""The ASGI application: steps that are common to all requests.

It assigns the request ID, applies X-Forwarded-* headers, maps /api/v1 to /v1 and HEAD to GET, renders uncaught
exceptions and logs one line without personal data. API requests are handled directly; all others go to the pages.
"""

import random
import re
import time
from collections.abc import Awaitable, Callable, Iterable
from http import HTTPStatus
from typing import Any

from gaji.core.caller_connection import current_receive
from gaji.core.errors import Unavailable
from gaji.core.identifier_reads import identifier_reads, identifier_refusals
from gaji.core.logs import LogLevel, log_buffered, stop_buffering
from gaji.core.metrics import record_request
from gaji.core.traces import describe_request, disable, request_span
from gaji.web.access_trail import OK, AccessTrail, is_download
from gaji.web.asgi import HTTPApp, HTTPScope, Message, Receive, Scope, Send, header, request_context
from gaji.web.compression import compress_response
from gaji.web.lifespan import Lifespan
from gaji.web.proxies import TrustedProxies
from gaji.web.request_body import IncomingBody
from gaji.web.responses import HttpResponse, error_response, send_response

API_PREFIX = "/v1"
API_ALIAS = "/api/v1"
REQUEST_ID = re.compile(rb"[A-Za-z0-9._-]{8,128}")
LOGGABLE_SEGMENT = re.compile(r"[a-z_]{1,40}|v1|[0-9]{1,18}|[a-z]+\.json")
"""A path segment that is a word of the API or an identifier. Any other segment may be personal data."""
LOGGABLE_PATH = re.compile(rf"(?:/(?:{LOGGABLE_SEGMENT.pattern})?)*")
MAX_LOGGED_PATH = 500
UNKNOWN_ROUTE = "unknown"
"""The route of requests for paths that do not exist, in metrics."""
API_HEADERS = ((b"cache-control", b"no-store"), (b"x-content-type-options", b"nosniff"))
"""Responses have personal data: no proxy or browser stores them, or guesses the type of a file."""
TLS_HEADERS = ((b"strict-transport-security", b"max-age=31536000"),)
"""After a visit over HTTPS, browsers do not use HTTP for a year."""

ApiHandler = Callable[[HTTPScope, Receive], Awaitable[HttpResponse]]
"""Returns the response to an API request."""


class Application:
    """Handles the lifespan, API requests, and requests for pages."""

    def __init__(
        self,
        lifespan: Lifespan,
        api: ApiHandler,
        pages: HTTPApp,
        proxies: TrustedProxies,
        *,
        trail: AccessTrail,
        public_url: str,
        log: bool = True,
    ) -> None:
        self._lifespan = lifespan
        self._api = api
        self._pages = pages
        self._proxies = proxies
        self._trail = trail
        self._public_url = public_url
        self._log = log
        # Request IDs are not secret. An instance seeded by the system, so that forked processes do not repeat IDs.
        self._random = random.Random()  # noqa: S311

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request, or the lifespan of the process."""
        if scope["type"] == "lifespan":
            await self._run_lifespan(receive, send)
            return
        started = time.perf_counter()
        method = _normalise(scope)
        self._proxies.apply_forwarded_headers(scope)
        context: dict[str, Any] = {"status": 0, "request_id": self._request_id(scope["headers"])}
        scope["gaji"] = context
        scope["public_url"] = self._public_url
        body = IncomingBody(scope, receive)
        current_receive.set(body)
        identifier_reads.set(set())
        identifier_refusals.set([])
        try:
            with request_span(scope["headers"]) as span:
                if scope["path"].startswith(API_PREFIX):
                    await self._serve_api(scope, body, send, method)
                else:
                    await self._serve_page(scope, body, send, method)
                if span is not None:
                    describe_request(span, method, context)
        finally:
            duration_s = time.perf_counter() - started
            record_request(method, context.get("route", UNKNOWN_ROUTE), context["status"], duration_s)
            if self._log:
                duration_ms = round(duration_s * 1000, 2)
                context |= {"method": method, "path": _loggable(scope["path"]), "ms": duration_ms}
                log_buffered(_log_level(context["status"]), "request", context)

    async def _run_lifespan(self, receive: Receive, send: Send) -> None:
        await receive()
        try:
            await self._lifespan.startup()
        except Exception as error:
            await send({"type": "lifespan.startup.failed", "message": f"{type(error).__name__}: {error}"})
            raise
        await send({"type": "lifespan.startup.complete"})
        await receive()
        try:
            await self._lifespan.shutdown()
        except Exception as error:
            await send({"type": "lifespan.shutdown.failed", "message": f"{type(error).__name__}: {error}"})
            raise
        finally:
            stop_buffering()
            disable()
        await send({"type": "lifespan.shutdown.complete"})

    def _request_id(self, headers: Iterable[tuple[bytes, bytes]]) -> str:
        for name, value in headers:
            if name == b"x-request-id" and REQUEST_ID.fullmatch(value):
                return value.decode()
        return f"{self._random.getrandbits(96):024x}"

    async def _serve_api(self, scope: HTTPScope, body: IncomingBody, send: Send, method: str) -> None:
        try:
            response = await self._api(scope, body)
        except Exception as error:
            response = error_response(error, scope)
        if refused := identifier_refusals.get():
            await self._trail.record_refused_identifiers(self._lifespan.pool, scope, refused)
        response = await compress_response(response, header(scope, b"accept-encoding") or "")
        if not body.complete:
            await body.discard()
        try:
            await _send_api_response(response, scope, send, method)
        except Unavailable as error:  # Nothing was sent: the caller has not read earlier responses.
            await _send_api_response(error_response(error, scope), scope, send, method)
        await self._follow(scope, response.headers)

    async def _follow(self, scope: HTTPScope, headers: Iterable[tuple[bytes, bytes]]) -> None:
        """Record the request in the trail, if its caller is known."""
        context, read_paths = request_context(scope), identifier_reads.get()
        if "user_id" not in context:
            return
        downloaded = is_download(context["status"], headers)
        paths: list[str] = []
        if read_paths and context["status"] == OK and scope["method"] == "GET":
            paths = self._trail.new_reads(scope, read_paths)
        if downloaded or paths or self._trail.is_new_address(scope):
            path = _loggable(scope["path"]) if downloaded else None
            await self._trail.record(self._lifespan.pool, scope, path, paths)

    async def _serve_page(self, scope: HTTPScope, body: IncomingBody, send: Send, method: str) -> None:
        context = request_context(scope)
        headers: list[tuple[bytes, bytes]] = []

        async def send_with_request_id(message: Message) -> None:
            if message["type"] == "http.response.start":
                await body.discard()
                headers.extend(message["headers"])
                context["status"] = message["status"]
                message["headers"] = [*message["headers"], *_common_headers(scope)]
            elif method == "HEAD" and message["type"] == "http.response.body":
                message["body"] = b""
            await send(message)

        try:
            await self._pages(scope, body, send_with_request_id)
        except Exception as error:
            if context["status"]:
                raise
            await error_response(error, scope)(scope, body, send_with_request_id)
        await self._follow(scope, headers)


async def _send_api_response(response: HttpResponse, scope: HTTPScope, send: Send, method: str) -> None:
    request_context(scope)["status"] = response.status
    if method == "HEAD":
        if response.file is not None:
            response.file.close()
        response = HttpResponse(response.status, response.headers, b"")
    headers = [*response.headers, *API_HEADERS, *_common_headers(scope)]
    await send_response(response, headers, scope, send)


def _common_headers(scope: HTTPScope) -> list[tuple[bytes, bytes]]:
    request_id = (b"x-request-id", request_context(scope)["request_id"].encode())
    return [request_id, *TLS_HEADERS] if scope["scheme"] == "https" else [request_id]


def _normalise(scope: HTTPScope) -> str:
    """Map the path alias and the methods that handlers do not know. Return the original method."""
    path = scope["path"].rstrip("/") or "/"
    scope["path"] = path.removeprefix("/api") if path.startswith(API_ALIAS) else path
    method = scope["method"]
    if method == "HEAD":
        scope["method"] = "GET"
    elif method == "OPTIONS":
        scope["method"] = "NONE"  # no path allows this method
    return method


def _log_level(status: int) -> LogLevel:
    if status < 500:
        return LogLevel.INFO
    return LogLevel.WARNING if status == HTTPStatus.SERVICE_UNAVAILABLE else LogLevel.ERROR


def _loggable(path: str) -> str:
    """Return the path without segments that may be personal data."""
    if LOGGABLE_PATH.fullmatch(path, 0, MAX_LOGGED_PATH):
        return path[:MAX_LOGGED_PATH]
    segments = path[:MAX_LOGGED_PATH].split("/")
    return "/".join(part if not part or LOGGABLE_SEGMENT.fullmatch(part) else "…" for part in segments)
