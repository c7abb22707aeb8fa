"""The PDF worker process. Templates can come from clients, so they run in a separate process with limits."""

import os
import sys
from functools import cache, lru_cache, partial
from io import BytesIO
from pathlib import Path
from typing import Literal

import msgspec
import typst

from gaji.core.worker_process import serve_messages
from gaji.documents.pdf_protocol import LIMITS, LOW_PRIORITY, RenderRequest, RenderResult

TEMPLATES = Path(__file__).parent / "templates"
STANDARD: Literal["ua-1"] = "ua-1"
"""PDF/UA-1 (ISO 14289-1): tagged for screen readers."""
MISSING_GLYPH_MESSAGE = "could not be displayed with"
"""Part of the message with which Typst reports a character that is in no font."""
NICENESS = 10
PREVIEW_PPI = 110
MAX_LOGOS = 4
"""Logos that are kept as texts. Documents of one client often follow each other."""


def main() -> None:
    """Render documents until the input ends."""
    if LOW_PRIORITY in sys.argv:
        os.nice(NICENESS)
    compiler = typst.Compiler(root=str(TEMPLATES), font_paths=typst.Fonts())
    serve_messages(partial(_handle, compiler), LIMITS)


def _handle(compiler: typst.Compiler, message: bytes) -> bytes:
    return msgspec.msgpack.encode(_render(compiler, msgspec.msgpack.decode(message, type=RenderRequest)))


def _render(compiler: typst.Compiler, request: RenderRequest) -> RenderResult:
    try:
        pdf, has_missing_glyphs = _compile_template(compiler, request)
    except typst.TypstError as error:
        return RenderResult(error=_format_error(error, f"{request.name or 'template'}.typ"))
    if request.password and not request.as_image:
        pdf = _encrypt(pdf, request.password)
    return RenderResult(pdf, has_missing_glyphs=has_missing_glyphs)


def _format_error(error: typst.TypstError, file_name: str) -> str:
    """Return Typst's message without the path of the templates on this machine."""
    return error.diagnostic.strip().replace(f"{TEMPLATES}/", "").replace("__typst_py_bytes__.typ", file_name)


def _compile_template(compiler: typst.Compiler, request: RenderRequest) -> tuple[bytes, bool]:
    """Return the PDF and whether glyphs are missing. Only built-in templates must meet the standard."""
    if request.source:
        return _compile(compiler, request, request.source.encode()), False
    template = _read_template(request.name)
    try:
        return _compile(compiler, request, template, STANDARD), False
    except typst.TypstError as error:
        if MISSING_GLYPH_MESSAGE not in error.message:
            raise
    return _compile(compiler, request, template), True


@cache
def _read_template(name: str) -> bytes:
    return (TEMPLATES / f"{name}.typ").read_bytes()


def _compile(
    compiler: typst.Compiler, request: RenderRequest, template: bytes, standard: Literal["ua-1"] | None = None
) -> bytes:
    inputs = {"data": request.data} | ({"logo": _logo_text(request.logo)} if request.logo else {})
    if request.as_image:
        pages = compiler.compile(template, format="png", ppi=PREVIEW_PPI, sys_inputs=inputs)
        return pages[0] if isinstance(pages, list) else pages or b""
    pdf = compiler.compile(
        template, format="pdf", sys_inputs=inputs, pdf_standards=standard, timestamp=request.timestamp
    )
    assert isinstance(pdf, bytes)  # noqa: S101 - a list only for images
    return pdf


@lru_cache(MAX_LOGOS)
def _logo_text(logo: bytes) -> str:
    """Return an image as a JSON list of bytes, because inputs of templates are texts."""
    return msgspec.json.encode(list(logo)).decode()


def _encrypt(pdf: bytes, password: str) -> bytes:
    """Return the PDF encrypted with AES-256."""
    # Imported here because loading pypdf takes longer than rendering, and most documents have no password.
    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter(clone_from=PdfReader(BytesIO(pdf)))
    writer.encrypt(password, algorithm="AES-256")
    file = BytesIO()
    writer.write(file)
    return file.getvalue()


if __name__ == "__main__":
    main()
