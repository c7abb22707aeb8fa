"""A webhook receiver on the loopback interface that can misbehave."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from standardwebhooks import Webhook

HANG_S = 30.0
ANSWERS = {
    "ok": b"HTTP/1.1 204 No Content\r\n\r\n",
    "error": b"HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n",
    "gone": b"HTTP/1.1 410 Gone\r\nContent-Length: 0\r\n\r\n",
    "redirect": b"HTTP/1.1 307 Temporary Redirect\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n",
    "slow_body": b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\nbeginning",
    "garbage": b"\x00\xff not HTTP\r\n\r\n",
    "close": b"",
}
"""What it sends. After `slow_body` nothing follows, and `hang` sends nothing at all."""


@dataclass(frozen=True)
class ReceivedMessage:
    """A message whose signature is valid, and how it was answered."""

    id: str
    content: Any
    headers: dict[str, str]
    answer: str
    received_at: datetime

    @property
    def delay_s(self) -> float:
        """The time since the event."""
        return (self.received_at - datetime.fromisoformat(self.content["timestamp"])).total_seconds()

    @property
    def resource(self) -> tuple[str, int]:
        """The record that it is about."""
        resource = self.content["data"]["resource"]
        return resource["type"], resource["id"]

    @property
    def was_accepted(self) -> bool:
        """Whether the sender knows that it arrived."""
        return self.answer in ("ok", "slow_body")


@dataclass
class Receiver:
    """Verifies messages with the `standardwebhooks` package and keeps them."""

    secret: str
    choose_answer: Callable[[int], str] = lambda number: "ok"
    """The answer to each request, by its number from 0."""
    messages: list[ReceivedMessage] = field(default_factory=list)
    requests: int = 0
    port: int = 0

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.port}/hook?source=gaji"

    @property
    def accepted(self) -> list[ReceivedMessage]:
        """The messages that it accepted."""
        return [message for message in self.messages if message.was_accepted]

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Receive one request."""
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            request_line, *lines = head.strip().split("\r\n")
            assert request_line == "POST /hook?source=gaji HTTP/1.1"
            headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
            body = await reader.readexactly(int(headers["content-length"]))
            answer = self.choose_answer(self.requests)
            self.requests += 1
            content = Webhook(self.secret).verify(body, headers)
            self.messages.append(ReceivedMessage(headers["webhook-id"], content, headers, answer, datetime.now(UTC)))
            if answer == "hang":
                await asyncio.sleep(HANG_S)
            writer.write(ANSWERS.get(answer, b""))
            await writer.drain()
            if answer == "slow_body":
                await asyncio.sleep(HANG_S)
        writer.close()


@asynccontextmanager
async def receiving(receiver: Receiver) -> AsyncIterator[Receiver]:
    """Run a receiver on a free port."""
    connections: set[asyncio.Task[None]] = set()

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.ensure_future(receiver.handle(reader, writer))
        connections.add(task)
        task.add_done_callback(connections.discard)

    server = await asyncio.start_server(accept, "127.0.0.1", 0)
    receiver.port = server.sockets[0].getsockname()[1]
    try:
        yield receiver
    finally:
        server.close()
        for task in connections:
            task.cancel()
        await asyncio.gather(*connections, return_exceptions=True)
