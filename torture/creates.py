"""Many creates at once by callers who do not give up: each repeats its request under its key until it is answered.

They speak HTTP by hand. A real client takes longer over an answer than the server does, so that the server would be
through with all of them before the first is noticed, and nothing could strike in their midst.
"""

import asyncio
import time
from collections import Counter
from dataclasses import dataclass, field

import msgspec

ANSWER_WITHIN_S = 25.0
PATIENCE_S = 60.0
PAUSE_S = 0.2
ACCEPTABLE = (200, 409, 503)
"""Created; the first request with this key still runs; the database is away."""


@dataclass(frozen=True)
class Answer:
    """What the server said."""

    status: int
    head: str
    body: bytes


@dataclass
class Creates:
    """So many creates of clients, and what came of them."""

    port: int
    key: str
    prefix: str
    number: int = 300
    acknowledged: dict[str, int] = field(default_factory=dict)
    """The id that was answered for each name."""
    answers: Counter[int] = field(default_factory=Counter)
    cut_off: int = 0
    refused: int = 0
    faults: list[str] = field(default_factory=list)
    longest_s: float = 0.0
    _progress: asyncio.Condition = field(default_factory=asyncio.Condition)

    def __str__(self) -> str:
        answers = ", ".join(f"{number} x {status}" for status, number in sorted(self.answers.items()))
        return (
            f"answers {answers}, {self.cut_off} cut off, {self.refused} not connected, longest {self.longest_s:.1f} s"
        )

    async def run(self) -> None:
        """Send them all at once, and return when all are acknowledged or patience has ended."""
        await asyncio.gather(*(self._create(f"{self.prefix} {number}") for number in range(self.number)))

    async def until(self, number: int) -> None:
        """Wait until so many are acknowledged."""
        async with self._progress:
            await self._progress.wait_for(lambda: len(self.acknowledged) >= number)

    async def _create(self, name: str) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            started = time.monotonic()
            try:
                self._note(name, await asyncio.wait_for(self._post(name), ANSWER_WITHIN_S))
            except TimeoutError:
                self.faults.append(f"{name}: no answer within {ANSWER_WITHIN_S} s")
            except ConnectionRefusedError:
                self.refused += 1
            except (OSError, asyncio.IncompleteReadError):
                self.cut_off += 1
            self.longest_s = max(self.longest_s, time.monotonic() - started)
            if name in self.acknowledged:
                async with self._progress:
                    self._progress.notify_all()
                return
            await asyncio.sleep(PAUSE_S)
        self.faults.append(f"{name}: not created within {PATIENCE_S} s")

    def _note(self, name: str, answer: Answer) -> None:
        self.answers[answer.status] += 1
        if answer.status == 200:
            self.acknowledged[name] = msgspec.json.decode(answer.body)["id"]
        elif answer.status not in ACCEPTABLE:
            self.faults.append(f"{name}: answered {answer.status} {answer.body[:300]!r}")
        elif "retry-after:" not in answer.head:
            self.faults.append(f"{name}: a {answer.status} without Retry-After")

    async def _post(self, name: str) -> Answer:
        body = msgspec.json.encode({"name": name})
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            writer.write(
                f"POST /v1/clients HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nAuthorization: {self.key}\r\n"
                f"Idempotency-Key: {name}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
                "\r\n".encode()
                + body
            )
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
            length = int(head.partition("content-length:")[2].partition("\r\n")[0])
            return Answer(int(head.split(" ", 2)[1]), head, await reader.readexactly(length))
        finally:
            writer.close()
