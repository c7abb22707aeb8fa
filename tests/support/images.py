"""Images for tests, made without an imaging library."""

import zlib


def png_chunk(name: bytes, data: bytes) -> bytes:
    """Return a chunk of a PNG image."""
    return len(data).to_bytes(4) + name + data + zlib.crc32(name + data).to_bytes(4)


def png(width: int = 60, height: int = 20, *extra: bytes, colour: bytes = b"\xd0\x20\x20") -> bytes:
    """Return a PNG image of one colour, with extra chunks before its pixels."""
    header = width.to_bytes(4) + height.to_bytes(4) + bytes([8, 2, 0, 0, 0])
    pixels = zlib.compress((b"\0" + colour * width) * height)
    chunks = [png_chunk(b"IHDR", header), *extra, png_chunk(b"IDAT", pixels), png_chunk(b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)
