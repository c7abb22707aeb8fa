"""Checks of uploaded logos. The kind of an image follows from its content, not from its name.

Only the parts that describe pixels are kept: no metadata, no animation, nothing before or after the image.
"""

import zlib
from collections.abc import Iterator
from dataclasses import dataclass

from gaji.core.errors import ErrorCode, invalid

PNG, JPEG = "image/png", "image/jpeg"
MAX_BYTES = 200 * 1024
MIN_PIXELS, MAX_PIXELS = 8, 2000
"""Of the width and of the height."""
LOGO = "logo"
"""The path of errors."""

NO_LOGO = ErrorCode("no_logo", "is empty; send a PNG or JPEG image")
LOGO_TOO_LARGE = ErrorCode("logo_too_large", "is larger than {maximum} KiB")
UNKNOWN_IMAGE_TYPE = ErrorCode("unknown_image_type", "is not a complete PNG or JPEG image")
WRONG_PIXELS = ErrorCode(
    "wrong_pixels", "must be {minimum} to {maximum} pixels wide and high; it is {width} × {height}"
)
UNREADABLE_IMAGE = ErrorCode("unreadable_image", "cannot be read as an image; save it again as PNG")

_PNG_START = b"\x89PNG\r\n\x1a\n"
_PNG_KEPT = (b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND")
"""The chunks of a PNG that describe its pixels."""
_JPEG_START, _JPEG_END = b"\xff\xd8", b"\xff\xd9"
_SCAN, _ADOBE = 0xDA, 0xEE
_FRAMES = (0xC0, 0xC1, 0xC2)
"""Headers of baseline, extended and progressive JPEG images."""
_JPEG_KEPT = (*_FRAMES, 0xC4, 0xDB, 0xDD, _ADOBE)
"""The segments of a JPEG before its first scan that describe its pixels."""
_COMPONENTS = (1, 3)
"""Grey, and three colours."""


@dataclass(frozen=True)
class LogoImage:
    """A logo without anything but its pixels."""

    media_type: str
    width: int
    height: int
    content: bytes


class _Broken(Exception):
    """The image is incomplete or has unknown parts."""


def parse_logo(content: bytes) -> LogoImage:
    """Return a logo. Raises ValidationError unless it is a PNG or JPEG image within the limits."""
    if not content:
        raise invalid(LOGO, NO_LOGO)
    if len(content) > MAX_BYTES:
        raise invalid(LOGO, LOGO_TOO_LARGE, maximum=MAX_BYTES // 1024)
    try:
        image = _parse_png(content) if content.startswith(_PNG_START) else _parse_jpeg(content)
    except (_Broken, IndexError):
        raise invalid(LOGO, UNKNOWN_IMAGE_TYPE) from None
    if not all(MIN_PIXELS <= pixels <= MAX_PIXELS for pixels in (image.width, image.height)):
        limits = {"minimum": MIN_PIXELS, "maximum": MAX_PIXELS}
        raise invalid(LOGO, WRONG_PIXELS, **limits, width=image.width, height=image.height)
    return image


def _parse_png(content: bytes) -> LogoImage:
    chunks = list(_png_chunks(content))
    names = [name for name, _ in chunks]
    if names[0] != b"IHDR" or names[-1] != b"IEND" or b"IDAT" not in names:
        raise _Broken
    header = chunks[0][1]
    pixels = b"".join(_png_chunk(name, data) for name, data in chunks if name in _PNG_KEPT)
    return LogoImage(PNG, int.from_bytes(header[:4]), int.from_bytes(header[4:8]), _PNG_START + pixels)


def _png_chunks(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield the names and data of the chunks up to the end of the image. Raises _Broken on a wrong checksum."""
    position, name = len(_PNG_START), b""
    while name != b"IEND":
        length, name = int.from_bytes(content[position : position + 4]), content[position + 4 : position + 8]
        data = content[position + 8 : position + 8 + length]
        position += 12 + length
        if position > len(content) or content[position - 4 : position] != _checksum(name, data):
            raise _Broken
        yield name, data


def _png_chunk(name: bytes, data: bytes) -> bytes:
    return len(data).to_bytes(4) + name + data + _checksum(name, data)


def _checksum(name: bytes, data: bytes) -> bytes:
    return zlib.crc32(name + data).to_bytes(4)


def _parse_jpeg(content: bytes) -> LogoImage:
    end = content.rfind(_JPEG_END)
    if not content.startswith(_JPEG_START) or end < 0:
        raise _Broken
    width = height = 0
    segments = [_JPEG_START]
    position = len(_JPEG_START)
    while True:
        marker, data = _jpeg_segment(content, position)
        if marker == _SCAN:
            break
        if marker in _FRAMES:
            height, width = int.from_bytes(data[1:3]), int.from_bytes(data[3:5])
            if data[5] not in _COMPONENTS:
                raise _Broken
        if marker in _JPEG_KEPT:
            segments.append(content[position : position + 4 + len(data)])
        position += 4 + len(data)
    return LogoImage(JPEG, width, height, b"".join(segments) + content[position : end + 2])


def _jpeg_segment(content: bytes, position: int) -> tuple[int, bytes]:
    """Return the marker and the data of the segment at a position."""
    length = int.from_bytes(content[position + 2 : position + 4])
    if content[position] != 0xFF or length < 2 or position + 2 + length > len(content):
        raise _Broken
    return content[position + 1], content[position + 4 : position + 2 + length]
