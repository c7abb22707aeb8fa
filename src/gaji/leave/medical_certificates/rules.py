"""Checks of uploaded certificates. The kind of a file follows from its content, not from its name."""

import zlib

from gaji.core.errors import ErrorCode, invalid

PDF, PNG, JPEG = "application/pdf", "image/png", "image/jpeg"
EXTENSIONS = {PDF: "pdf", PNG: "png", JPEG: "jpg"}
MAX_BYTES = 5 * 1024 * 1024
MAX_CERTIFICATES = 10
"""Certificates of one request or leave day."""
FILE = "file"
"""The path of errors about the file."""

NO_FILE = ErrorCode("no_file", "is empty; send a PDF, PNG or JPEG file")
FILE_TOO_LARGE = ErrorCode("file_too_large", "is larger than {maximum} MiB")
UNKNOWN_FILE_TYPE = ErrorCode("unknown_file_type", "is not a complete PDF, PNG or JPEG file")

_PNG_START, _PNG_END = b"\x89PNG\r\n\x1a\n", b"\x00\x00\x00\x00IEND\xaeB`\x82"
_HEADER_LENGTH = 13
_TAIL = 1024
"""The end of a PDF file may be followed by a few bytes."""


def require_file_type(content: bytes) -> str:
    """Return the media type of a certificate. Raises ValidationError."""
    if not content:
        raise invalid(FILE, NO_FILE)
    if len(content) > MAX_BYTES:
        raise invalid(FILE, FILE_TOO_LARGE, maximum=MAX_BYTES // 1024 // 1024)
    media_type = find_file_type(content)
    if media_type is None:
        raise invalid(FILE, UNKNOWN_FILE_TYPE)
    return media_type


def find_file_type(content: bytes) -> str | None:
    """Return the media type that the content has, or None if it is none of the allowed ones or is cut off.

    >>> find_file_type(b"%PDF-1.7\\n...\\n%%EOF\\n"), find_file_type(b"<html>")
    ('application/pdf', None)
    """
    if content.startswith(b"%PDF-") and b"%%EOF" in content[-_TAIL:]:
        return PDF
    if content.startswith(_PNG_START) and content.endswith(_PNG_END) and _has_png_header(content):
        return PNG
    if content.startswith(b"\xff\xd8\xff") and content.rstrip(b"\0").endswith(b"\xff\xd9"):
        return JPEG
    return None


def _has_png_header(content: bytes) -> bool:
    """Whether the first chunk is a header with its checksum."""
    chunk = content[len(_PNG_START) :][: 8 + _HEADER_LENGTH + 4]
    length, named_data, checksum = chunk[:4], chunk[4 : 8 + _HEADER_LENGTH], chunk[8 + _HEADER_LENGTH :]
    is_header = int.from_bytes(length) == _HEADER_LENGTH and named_data.startswith(b"IHDR")
    return is_header and zlib.crc32(named_data).to_bytes(4) == checksum
