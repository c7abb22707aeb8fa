"""Parsing of multipart/form-data bodies."""

from multipart import MultipartError, MultipartSegment, PushMultipartParser, parse_options_header

from gaji.core.errors import MalformedRequest

MULTIPART = "multipart/form-data"
MAX_PARTS = 1000
"""More than any form of the console has. The limit bounds the work that one request can cause."""


def parse_multipart(content_type: str, body: bytes) -> tuple[dict[str, list[str]], dict[str, bytes]]:
    """Return the text fields and the files of a form, by name."""
    fields: dict[str, list[str]] = {}
    files: dict[str, bytes] = {}
    try:
        for part, content in _read_parts(content_type, body):
            if part.filename is not None:
                files[part.name or ""] = content
            else:
                fields.setdefault(part.name or "", []).append(content.decode())
    except (MultipartError, UnicodeError):
        raise MalformedRequest("The form could not be read") from None
    return fields, files


def _read_parts(content_type: str, body: bytes) -> list[tuple[MultipartSegment, bytes]]:
    boundary = parse_options_header(content_type)[1].get("boundary", "")
    parts: list[tuple[MultipartSegment, bytes]] = []
    with PushMultipartParser(boundary, max_segment_count=MAX_PARTS, strict=True) as parser:
        for event in parser.parse(body):
            if isinstance(event, MultipartSegment):
                parts.append((event, b""))
            elif event is not None:
                # The parser got the body in one piece, so it returns each part in one piece.
                parts[-1] = (parts[-1][0], bytes(event))
    return parts
