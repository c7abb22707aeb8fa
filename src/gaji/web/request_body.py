"""The body of a request while it arrives, so that a response is never sent in the middle of it.

A server that answers early and closes the connection can reset it before the caller has read the answer. What is left
of the body is therefore read and discarded first, within limits.
"""

import asyncio

from gaji.web.asgi import HTTPScope, Message, Receive, header

MAX_DISCARDED_BYTES = 16 * 1024 * 1024
DISCARD_TIMEOUT_S = 10


class IncomingBody:
    """An ASGI `receive` that knows whether the whole body has arrived."""

    def __init__(self, scope: HTTPScope, receive: Receive) -> None:
        self._receive = receive
        self.complete = scope["method"] == "GET" or not _has_body(scope)

    async def __call__(self) -> Message:
        """Receive the next message."""
        message = await self._receive()
        self.complete = message["type"] != "http.request" or not message.get("more_body", False)
        return message

    async def discard(self) -> None:
        """Read what is left of the body. Gives up on a body that is too large or too slow."""
        size = 0
        try:
            async with asyncio.timeout(DISCARD_TIMEOUT_S):
                while not self.complete and size <= MAX_DISCARDED_BYTES:
                    size += len((await self()).get("body", b""))
        except TimeoutError:
            return


def _has_body(scope: HTTPScope) -> bool:
    return header(scope, b"transfer-encoding") is not None or header(scope, b"content-length") not in (None, "0")
