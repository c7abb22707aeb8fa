"""The trail of requests: keys that are used from a new address, downloads, and reads of identifiers.

Events are recorded after the response was sent, except identifiers that were refused: these are counted before. An
ordinary request costs a look into a set or two: only the first use of a key from an address, in each process, asks the
database whether the address is new, and reads of identifiers are recorded once an hour for each caller, address and
kind of record.
"""

import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import NamedTuple

from gaji.core.logs import LogLevel, log
from gaji.db.pool import Pool
from gaji.web.asgi import HTTPScope, header, request_context

MAX_SEEN = 100_000
OK = 200
SECONDS_PER_HOUR = 3600


class RequestOrigin(NamedTuple):
    """Who sent a request, and from where."""

    user_id: int
    key_id: int | None
    address: str
    user_agent: str


class RecordAccess(NamedTuple):
    """What records events. Provided by `gaji.identity`."""

    new_address: Callable[[Pool, RequestOrigin], Awaitable[None]]
    download: Callable[[Pool, RequestOrigin, str], Awaitable[None]]
    identifiers: Callable[[Pool, RequestOrigin, str], Awaitable[None]]
    refused_identifiers: Callable[[Pool, RequestOrigin, str, int], Awaitable[None]]


class AccessTrail:
    """Records what authenticated requests leave in the trail."""

    def __init__(self, record: RecordAccess) -> None:
        self._record = record
        self._seen: set[tuple[int, str]] = set()
        self._hour = 0
        self._read: set[tuple[int, int | None, str, str]] = set()
        """User, key, address and path of the identifiers that were read in this hour."""

    def is_new_address(self, scope: HTTPScope) -> bool:
        """Return whether this process has not seen the key of a request at its address."""
        key_id = request_context(scope).get("key_id")
        return key_id is not None and (key_id, _address(scope)) not in self._seen

    def new_reads(self, scope: HTTPScope, paths: Iterable[str]) -> list[str]:
        """Return the paths whose identifiers this caller has not read in this hour, and remember them."""
        hour = int(time.time()) // SECONDS_PER_HOUR
        if hour != self._hour or len(self._read) >= MAX_SEEN:
            self._hour = hour
            self._read.clear()
        context = request_context(scope)
        user_id, key_id, address = context["user_id"], context.get("key_id"), _address(scope)
        new_paths = []
        for path in paths:
            read = user_id, key_id, address, path
            if read not in self._read:
                self._read.add(read)
                new_paths.append(path)
        return new_paths

    async def record(
        self, pool: Pool, scope: HTTPScope, downloaded_path: str | None, identifier_paths: Iterable[str] = ()
    ) -> None:
        """Record a request. A failure is logged, because the response is already sent."""
        origin = _origin(scope)
        try:
            if downloaded_path is not None:
                await self._record.download(pool, origin, downloaded_path)
            for path in identifier_paths:
                await self._record.identifiers(pool, origin, path)
            if origin.key_id is not None and self.is_new_address(scope):
                await self._record.new_address(pool, origin)
                self._remember(origin.key_id, origin.address)
        except Exception as error:
            _log_lost_event(scope, error)

    async def record_refused_identifiers(self, pool: Pool, scope: HTTPScope, paths: Sequence[str]) -> None:
        """Count identifiers that were refused because records at these paths have them. A failure is logged."""
        try:
            for path, count in Counter(paths).items():
                await self._record.refused_identifiers(pool, _origin(scope), path, count)
        except Exception as error:
            _log_lost_event(scope, error)

    def _remember(self, key_id: int, address: str) -> None:
        if len(self._seen) >= MAX_SEEN:
            self._seen.clear()
        self._seen.add((key_id, address))


def is_download(status: int, headers: Iterable[tuple[bytes, bytes]]) -> bool:
    """Return whether a response is a file to keep, and not one to look at."""
    if status == OK:
        for name, value in headers:
            if name == b"content-disposition":
                return value.startswith(b"attachment")
    return False


def _origin(scope: HTTPScope) -> RequestOrigin:
    context, user_agent = request_context(scope), header(scope, b"user-agent") or ""
    return RequestOrigin(context["user_id"], context.get("key_id"), _address(scope), user_agent)


def _log_lost_event(scope: HTTPScope, error: Exception) -> None:
    request_id = request_context(scope)["request_id"]
    log(LogLevel.ERROR, "access event lost", request_id=request_id, error=type(error).__name__)


def _address(scope: HTTPScope) -> str:
    return scope["client"][0] if scope["client"] else ""
