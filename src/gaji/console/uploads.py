"""Forms with files: multipart/form-data, in its fields and its files."""

from multipart import MultipartError, MultipartSegment, PushMultipartParser, parse_options_header

from gaji.core.errors import MalformedRequest

MULTIPART = "multipart/form-data"
MOST_PARTS = 1000
"""More than any form of ours has; whoever sends more wants to keep us busy."""


def parts_of(content_type: str, body: bytes) -> tuple[dict[str, list[str]], dict[str, bytes]]:
    """The texts and the files of a form, by their names."""
    fields: dict[str, list[str]] = {}
    files: dict[str, bytes] = {}
    try:
        for part, content in _parts(content_type, body):
            if part.filename is not None:
                files[part.name or ""] = content
            else:
                fields.setdefault(part.name or "", []).append(content.decode())
    except (MultipartError, UnicodeError):
        raise MalformedRequest("The form could not be read") from None
    return fields, files


def _parts(content_type: str, body: bytes) -> list[tuple[MultipartSegment, bytes]]:
    boundary = parse_options_header(content_type)[1].get("boundary", "")
    found: list[tuple[MultipartSegment, bytes]] = []
    with PushMultipartParser(boundary, max_segment_count=MOST_PARTS, strict=True) as parser:
        for event in parser.parse(body):
            if isinstance(event, MultipartSegment):
                found.append((event, b""))
            elif event is not None:
                # The body is here as a whole, and so is each part of it.
                found[-1] = (found[-1][0], bytes(event))
    return found
