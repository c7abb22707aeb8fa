"""The connection to the caller of the current request, for work that is useless once the caller has gone."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, MutableMapping
from contextvars import ContextVar
from typing import Any, TypeVar

from gaji.core.errors import MalformedRequest

T = TypeVar("T")

ReceiveMessage = Callable[[], Awaitable[MutableMapping[str, Any]]]

current_receive: ContextVar[ReceiveMessage | None] = ContextVar("current_receive", default=None)
"""The ASGI function that receives from the caller. None outside of requests, such as in tasks."""


async def run_while_connected(work: Coroutine[Any, Any, T]) -> T:
    """Return the result of work, which is cancelled if the caller disconnects. The body must have been read."""
    receive = current_receive.get()
    if receive is None:
        return await work
    working = asyncio.create_task(work)
    leaving = asyncio.create_task(_wait_for_disconnect(receive))
    try:
        await asyncio.wait((working, leaving), return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            return working.result()
        raise MalformedRequest("The caller disconnected")
    finally:
        await _cancel(working, leaving)
        # The traceback of an error refers to this frame, and the task to the error. Such a cycle keeps the body of the
        # request until the next garbage collection: 200 rejected workbooks of 250 KB held 120 MiB.
        del working, leaving


async def _wait_for_disconnect(receive: ReceiveMessage) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _cancel(*tasks: asyncio.Task[Any]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)
