"""Messages between a server and its PDF worker process."""

import struct
from typing import IO

import msgspec

LENGTH = struct.Struct(">I")


class RenderRequest(msgspec.Struct, frozen=True):
    """A document to render."""

    data: str
    """The template's input, as JSON."""
    timestamp: int
    """The creation time in the PDF, in Unix seconds. A fixed time makes the output reproducible."""
    name: str = ""
    """The name of a built-in template."""
    source: str = ""
    """The source of a client's template. It takes precedence over `name`."""
    password: str = ""


class RenderResult(msgspec.Struct, frozen=True):
    """A PDF, or the error in its template."""

    pdf: bytes = b""
    error: str = ""
    has_missing_glyphs: bool = False
    """Whether some characters are in no font and are printed as boxes."""


def write_message(message: msgspec.Struct, stream: IO[bytes]) -> None:
    """Write a message, preceded by its length."""
    content = msgspec.msgpack.encode(message)
    stream.write(LENGTH.pack(len(content)) + content)
    stream.flush()


def read_message(stream: IO[bytes]) -> bytes | None:
    """Read the next message. Returns None at the end of the stream or if the message is incomplete."""
    head = stream.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    (length,) = LENGTH.unpack(head)
    content = stream.read(length)
    return content if len(content) == length else None
