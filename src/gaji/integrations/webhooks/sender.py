"""Send one webhook: a signed POST request to a checked address."""

import asyncio
import ssl
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

import httpx

from gaji.core.outgoing_addresses import AddressRefused, Receiver, build_request, open_client, resolve
from gaji.core.settings import AllowedReceivers

MAX_RESPONSE_BYTES = 4096
GONE = 410


@dataclass(frozen=True)
class SendLimits:
    """How long a receiver may take."""

    connect_s: float = 5
    read_s: float = 10
    total_s: float = 20


@dataclass(frozen=True)
class SendResult:
    """The result of an attempt."""

    succeeded: bool
    status: int | None
    reason: str | None
    """Why it failed, as a sentence."""
    duration_ms: int

    @property
    def is_gone(self) -> bool:
        """Whether the receiver wants no more events."""
        return self.status == GONE


class WebhookSender:
    """Sends webhooks. Redirects are not followed, and no proxy is used."""

    def __init__(self, client: httpx.AsyncClient, allowed: AllowedReceivers, limits: SendLimits) -> None:
        self._client = client
        self._allowed = allowed
        self._limits = limits

    async def send(self, url: str, headers: Mapping[str, str], body: bytes) -> SendResult:
        """Send a webhook and return the result. Only errors of the program raise exceptions."""
        started = time.monotonic()
        status, reason = await self._attempt(url, headers, body)
        duration_ms = round((time.monotonic() - started) * 1000)
        return SendResult(reason is None, status, reason, duration_ms)

    async def _attempt(self, url: str, headers: Mapping[str, str], body: bytes) -> tuple[int | None, str | None]:
        try:
            async with asyncio.timeout(self._limits.total_s):
                receiver = await resolve(url, self._allowed)
                status = await self._post(receiver, headers, body)
        except AddressRefused as error:
            return None, str(error)
        except (TimeoutError, httpx.TimeoutException):
            return None, "The receiver did not answer in time"
        except httpx.ConnectError as error:
            return None, _connection_reason(error)
        except (httpx.HTTPError, httpx.InvalidURL, ssl.SSLError, OSError):
            return None, "The connection to the receiver failed"
        return status, _status_reason(status)

    async def _post(self, receiver: Receiver, headers: Mapping[str, str], body: bytes) -> int:
        request = build_request(self._client, "POST", receiver, {**headers, "Content-Type": "application/json"}, body)
        response = await self._client.send(request, stream=True)
        try:
            await _skip_body(response)
        finally:
            await response.aclose()
        return response.status_code


@asynccontextmanager
async def open_sender(allowed: AllowedReceivers, limits: SendLimits) -> AsyncIterator[WebhookSender]:
    """Open a sender."""
    async with open_client(httpx.Timeout(limits.read_s, connect=limits.connect_s)) as client:
        yield WebhookSender(client, allowed, limits)


async def _skip_body(response: httpx.Response) -> None:
    """Read the beginning of the body. Many servers log an error if nothing of it is read."""
    size = 0
    try:
        async for chunk in response.aiter_raw():
            size += len(chunk)
            if size > MAX_RESPONSE_BYTES:
                return
    except httpx.HTTPError:
        return  # the status has been received


def _connection_reason(error: httpx.ConnectError) -> str:
    if isinstance(error.__cause__, ssl.SSLError) or "SSL" in str(error) or "certificate" in str(error):
        return "The certificate of the receiver is not valid"
    return "The connection to the receiver failed"


def _status_reason(status: int) -> str | None:
    if 200 <= status < 300:
        return None
    if 300 <= status < 400:
        return f"The receiver answered {status}; redirects are not followed"
    return f"The receiver answered {status}"
