"""Forms with files: multipart/form-data, in its fields and its files."""

from email.parser import BytesParser
from email.policy import HTTP

from gaji.errors import Malformed

MULTIPART = "multipart/form-data"
UNREADABLE = "The form could not be read"


def parts_of(content_type: str, body: bytes) -> tuple[dict[str, list[str]], dict[str, bytes]]:
    """The texts and the files of a form, by their names."""
    head = b"Content-Type: " + content_type.encode("latin-1", "replace") + b"\r\n\r\n"
    message = BytesParser(policy=HTTP).parsebytes(head + body)
    if not message.is_multipart():
        raise Malformed(UNREADABLE)
    fields: dict[str, list[str]] = {}
    files: dict[str, bytes] = {}
    for part in message.iter_parts():
        name = part.get_param("name", header="content-disposition")
        content = part.get_payload(decode=True)
        if not isinstance(name, str) or not isinstance(content, bytes):
            raise Malformed(UNREADABLE)
        if part.get_filename() is not None:
            files[name] = content
            continue
        try:
            fields.setdefault(name, []).append(content.decode())
        except UnicodeDecodeError:
            raise Malformed(UNREADABLE) from None
    return fields, files
