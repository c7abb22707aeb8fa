"""The clients: they send requests, retry them, raise errors and follow pages."""

import asyncio
import time
import uuid
from collections.abc import AsyncIterator, Iterator, Mapping
from types import TracebackType
from typing import Any, Self

import httpx

from gaji_client.changes import Changes, read_changes
from gaji_client.errors import raise_for_status
from gaji_client.operations import AsyncOperations, Operations, RequestOptions
from gaji_client.retries import delays, requested_delay, should_retry

DEFAULT_URL = "http://127.0.0.1:8000"
TIMEOUT_S = 60.0
MAX_RETRIES = 4
PAGE_SIZE = 500
JSON = "application/json"
READ_METHODS = ("GET", "HEAD")


class Gaji(Operations):
    """A client for synchronous programs. Each operation of the API is a method."""

    def __init__(
        self,
        api_key: str,
        base_url: str = DEFAULT_URL,
        *,
        max_retries: int = MAX_RETRIES,
        timeout_s: float = TIMEOUT_S,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self._max_retries = max_retries
        self._http = httpx.Client(
            base_url=f"{base_url}/v1", headers={"Authorization": api_key}, timeout=timeout_s, transport=transport
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def _call(self, method: str, path: str, options: RequestOptions, **parts: Any) -> Any:
        return _result(self._send(_build_request(self._http, method, path, options, **parts)), options)

    def _list_changes(self, path: str, query: Mapping[str, Any], options: RequestOptions) -> Changes[Any]:
        return read_changes(self._send(_build_request(self._http, "GET", path, options, query=query)))

    def _iterate(self, path: str, query: Mapping[str, Any], options: RequestOptions) -> Iterator[Any]:
        response = self._send(_build_request(self._http, "GET", path, options, query=_first_page(query)))
        while True:
            yield from response.json()
            following = _next_page(response)
            if following is None:
                return
            response = self._send(self._http.build_request("GET", following))

    def _send(self, request: httpx.Request) -> httpx.Response:
        for delay in delays(self._max_retries):
            try:
                response = self._http.send(request)
            except httpx.TransportError:
                time.sleep(delay)
                continue
            if not should_retry(response):
                raise_for_status(response)
                return response
            time.sleep(max(delay, requested_delay(response)))
        response = self._http.send(request)
        raise_for_status(response)
        return response


class AsyncGaji(AsyncOperations):
    """A client for asynchronous programs. Each operation of the API is a method."""

    def __init__(
        self,
        api_key: str,
        base_url: str = DEFAULT_URL,
        *,
        max_retries: int = MAX_RETRIES,
        timeout_s: float = TIMEOUT_S,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._max_retries = max_retries
        self._http = httpx.AsyncClient(
            base_url=f"{base_url}/v1", headers={"Authorization": api_key}, timeout=timeout_s, transport=transport
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def _call(self, method: str, path: str, options: RequestOptions, **parts: Any) -> Any:
        return _result(await self._send(_build_request(self._http, method, path, options, **parts)), options)

    async def _list_changes(self, path: str, query: Mapping[str, Any], options: RequestOptions) -> Changes[Any]:
        return read_changes(await self._send(_build_request(self._http, "GET", path, options, query=query)))

    async def _iterate(self, path: str, query: Mapping[str, Any], options: RequestOptions) -> AsyncIterator[Any]:
        response = await self._send(_build_request(self._http, "GET", path, options, query=_first_page(query)))
        while True:
            for element in response.json():
                yield element
            following = _next_page(response)
            if following is None:
                return
            response = await self._send(self._http.build_request("GET", following))

    async def _send(self, request: httpx.Request) -> httpx.Response:
        for delay in delays(self._max_retries):
            try:
                response = await self._http.send(request)
            except httpx.TransportError:
                await asyncio.sleep(delay)
                continue
            if not should_retry(response):
                raise_for_status(response)
                return response
            await asyncio.sleep(max(delay, requested_delay(response)))
        response = await self._http.send(request)
        raise_for_status(response)
        return response


def _build_request(
    http: httpx.Client | httpx.AsyncClient,
    method: str,
    path: str,
    options: RequestOptions,
    *,
    query: Mapping[str, Any] | None = None,
    body: Any = None,
    content: bytes | None = None,
    media_type: str = JSON,
) -> httpx.Request:
    """Return a request. A write has an idempotency key, which is the same in all attempts."""
    headers = {"Accept": options.get("accept", f"{JSON}, */*;q=0.9")}
    if method not in READ_METHODS:
        headers["Idempotency-Key"] = options.get("idempotency_key") or str(uuid.uuid4())
    if "if_match" in options:
        headers["If-Match"] = options["if_match"]
    if content is not None:
        headers["Content-Type"] = media_type
    parameters = {name: _text(value) for name, value in (query or {}).items() if value is not None}
    timeout = options.get("timeout_s", httpx.USE_CLIENT_DEFAULT)
    return http.build_request(
        method, path, params=parameters, json=body, content=content, headers=headers, timeout=timeout
    )


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _result(response: httpx.Response, options: RequestOptions) -> Any:
    """Return the JSON value of a response, the bytes of a file, or None if there is no content."""
    if "response_headers" in options:
        options["response_headers"].update(response.headers)
    if response.status_code == httpx.codes.NO_CONTENT:
        return None
    media_type = response.headers.get("Content-Type", "").partition(";")[0]
    return response.json() if media_type == JSON else response.content


def _first_page(query: Mapping[str, Any]) -> dict[str, Any]:
    return {**query, "page": 1, "per_page": query.get("per_page") or PAGE_SIZE}


def _next_page(response: httpx.Response) -> httpx.URL | None:
    """Return the address of the next page, on the same server as this one."""
    link = response.links.get("next")
    return response.url.copy_with(query=httpx.URL(link["url"]).query) if link else None
