"""The process that sets documents: it reads what to set from its input, and writes PDFs to its output.

It runs apart because a template can come from a client. What hangs, eats memory or breaks down is then this process,
which is ended and started again, and never the server. It has no settings, no database, and no way to the network.
"""

import resource
import sys
from contextlib import suppress
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Literal

import msgspec
import typst

from gaji.documents.pdf_protocol import RenderRequest, Outcome, receive, send

TEMPLATES = Path(__file__).parent / "templates"
STANDARD: Literal["ua-1"] = "ua-1"
"""Tagged, with everything that a screen reader needs (ISO 14289-1)."""
NOT_IN_THE_FONTS = "could not be displayed with"
MOST_MEMORY_BYTES = 1024**3


def main() -> None:
    """Set documents until there is nothing more to read."""
    with suppress(ValueError, OSError):  # where the system knows no such limit
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY_BYTES, MOST_MEMORY_BYTES))
    compiler = typst.Compiler(root=str(TEMPLATES), font_paths=typst.Fonts())
    while (content := receive(sys.stdin.buffer)) is not None:
        send(_outcome(compiler, msgspec.msgpack.decode(content, type=RenderRequest)), sys.stdout.buffer)


def _outcome(compiler: typst.Compiler, order: RenderRequest) -> Outcome:
    try:
        pdf, missing = _set(compiler, order)
    except typst.TypstError as error:
        return Outcome(fault=_told(error, f"{order.name or 'template'}.typ"))
    return Outcome(_locked(pdf, order.password) if order.password else pdf, missing=missing)


def _told(error: typst.TypstError, name: str) -> str:
    """What is wrong, in the words of Typst, but without the place of our templates in this machine."""
    return error.diagnostic.strip().replace(f"{TEMPLATES}/", "").replace("__typst_py_bytes__.typ", name)


def _set(compiler: typst.Compiler, order: RenderRequest) -> tuple[bytes, bool]:
    """A PDF, and whether characters are missing in it. Only our own templates are held to the standard."""
    if order.source:
        return _compiled(compiler, order, order.source.encode()), False
    template = _template(order.name)
    try:
        return _compiled(compiler, order, template, STANDARD), False
    except typst.TypstError as error:
        if NOT_IN_THE_FONTS not in error.message:
            raise
    return _compiled(compiler, order, template), True


@cache
def _template(name: str) -> bytes:
    return (TEMPLATES / f"{name}.typ").read_bytes()


def _compiled(
    compiler: typst.Compiler, order: RenderRequest, template: bytes, standard: Literal["ua-1"] | None = None
) -> bytes:
    pdf = compiler.compile(
        template, format="pdf", sys_inputs={"data": order.data}, pdf_standards=standard, timestamp=order.timestamp
    )
    assert isinstance(pdf, bytes)  # noqa: S101 - a list only for images
    return pdf


def _locked(pdf: bytes, password: str) -> bytes:
    """The same, encrypted with AES-256 by a password."""
    # Most documents have none, and the library takes longer to load than a document to set.
    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter(clone_from=PdfReader(BytesIO(pdf)))
    writer.encrypt(password, algorithm="AES-256")
    file = BytesIO()
    writer.write(file)
    return file.getvalue()


if __name__ == "__main__":
    main()
