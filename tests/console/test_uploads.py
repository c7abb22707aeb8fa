"""Multipart forms."""

import time

import pytest

from gaji.console.uploads import MAX_PARTS, parse_multipart
from gaji.core.errors import MalformedRequest
from tests.console.console_user import ConsoleUser

KIND = "multipart/form-data; boundary=B"
NAMED = b'Content-Disposition: form-data; name="a"'


def part(head: bytes = NAMED, content: bytes = b"x") -> bytes:
    """One part of a form."""
    return b"--B\r\n" + head + b"\r\n\r\n" + content + b"\r\n"


def form(*parts: bytes) -> bytes:
    """A whole form."""
    return b"".join(parts) + b"--B--\r\n"


def test_text_fields_and_files_are_separated() -> None:
    file = part(b'Content-Disposition: form-data; name="f"; filename="b.xlsx"\r\nContent-Type: x/y', b"\xff\r\n--\0")
    fields, files = parse_multipart(KIND, form(part(content="Søren 陈".encode()), part(content=b""), file))
    assert fields == {"a": ["Søren 陈", ""]}
    assert files == {"f": b"\xff\r\n--\0"}


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("multipart/form-data", form(part())),
        ("multipart/form-data; boundary=", form(part())),
        ("multipart/form-data; boundary=C", form(part())),
        (KIND, b""),
        (KIND, b"hello"),
        (KIND, part()),
        (KIND, form(part(content=b"\xff"))),
        (KIND, form(part(b'Content-Disposition: form-data; name="\xff"'))),
        (KIND, form(part(b"Content-Disposition: form-data"))),
        (KIND, form(part(b"Content-Type: text/plain"))),
        ("multipart/form-data; boundary=\udcff", form(part())),
    ],
)
def test_malformed_forms_are_rejected(kind: str, body: bytes) -> None:
    with pytest.raises(MalformedRequest, match="The form could not be read"):
        parse_multipart(kind, body)


@pytest.mark.parametrize(
    "body",
    [
        form(part() * (MAX_PARTS + 1)),
        form(part() * 20_000),
        form(part(NAMED + b"; x" * 200_000)),
        part(NAMED + b";" * 3900) * 99,
        part(NAMED + b"; b=" + b"(" * 3900),
        b"".join(
            b"--B%d\r\n%s\r\nContent-Type: multipart/mixed; boundary=B%d\r\n\r\n" % (depth, NAMED, depth + 1)
            for depth in range(3000)
        ),
    ],
    ids=["many parts", "very many parts", "a long head", "many long heads", "brackets in brackets", "forms in forms"],
)
def test_hostile_multipart_bodies_are_rejected_quickly(owner: ConsoleUser, body: bytes) -> None:
    headers = {"Content-Type": KIND, "X-Form-Token": owner.token("/companies/new")}
    began = time.monotonic()
    answer = owner.browser.post("/companies/new", content=body, headers=headers)
    assert answer.status_code == 400
    assert time.monotonic() - began < 10
