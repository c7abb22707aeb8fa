"""What a server and the process that sets its documents tell each other."""

import struct
from typing import IO

import msgspec

LENGTH = struct.Struct(">I")


class RenderRequest(msgspec.Struct, frozen=True):
    """A document to be set."""

    data: str
    """What the template shows, as JSON."""
    timestamp: int
    """When it is said to have been made, in seconds since 1970: the same document is always the same bytes."""
    name: str = ""
    """Which of our own templates."""
    source: str = ""
    """A template in place of our own."""
    password: str = ""


class Outcome(msgspec.Struct, frozen=True):
    """A PDF, or what is wrong with its template."""

    pdf: bytes = b""
    fault: str = ""
    missing: bool = False
    """Whether no font has some of its characters, which are boxes then."""


def send(message: msgspec.Struct, stream: IO[bytes]) -> None:
    """Write a message with its length before it."""
    content = msgspec.msgpack.encode(message)
    stream.write(LENGTH.pack(len(content)) + content)
    stream.flush()


def receive(stream: IO[bytes]) -> bytes | None:
    """The next message; None when there will be none, or not all of it."""
    head = stream.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    (length,) = LENGTH.unpack(head)
    content = stream.read(length)
    return content if len(content) == length else None
