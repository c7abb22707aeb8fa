"""PDF rendering: a template and its data become a tagged PDF.

    pdf = await render_pdf("payslip", data, pay_date)

The template is `templates/<name>.typ`. It reads its data, an object of texts, numbers, lists and objects, from
`json(bytes(sys.inputs.data))` and cannot read files outside its folder. It must meet PDF/UA-1: a title, a language,
headings in order, a text alternative for each image. The same template, data and date give the same bytes on machines
with the same fonts.
"""

import asyncio
import os
import select
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import date, datetime, time
from pathlib import Path
from typing import IO, Any

import msgspec

from gaji.core.clock import SINGAPORE
from gaji.core.errors import Unavailable
from gaji.documents.pdf_protocol import RenderRequest, RenderResult, read_message, write_message

TIMEOUT_S = 10
TEMPLATES = Path(__file__).parent / "templates"
LIMITS_EXCEEDED = f"the template exceeded the limit of {TIMEOUT_S} s or 1 GiB of memory"
# The worker gets none of our settings. The unreachable proxy blocks its network access.
ENVIRONMENT = {"HTTP_PROXY": "http://127.0.0.1:9", "HTTPS_PROXY": "http://127.0.0.1:9", "RAYON_NUM_THREADS": "2"}


class TemplateError(Exception):
    """A template cannot be rendered. The text is Typst's message with the line and column."""


async def render_pdf(name: str, data: Mapping[str, Any], created_on: date, password: str = "") -> bytes:
    """Render a built-in template."""
    try:
        return (await _built_in.render(build_request(data, created_on, password, name=name))).pdf
    except TemplateError as error:
        if str(error) != LIMITS_EXCEEDED:
            raise
        raise Unavailable("The document was not rendered in time because the server is busy; try again") from None


async def render_custom_pdf(source: str, data: Mapping[str, Any], created_on: date, password: str = "") -> bytes:
    """Render a client's template. Raises TemplateError if it cannot be rendered."""
    return (await _custom.render(build_request(data, created_on, password, source=source))).pdf


async def has_missing_glyphs(text: str) -> bool:
    """Return whether the installed fonts lack a character of a text."""
    request = build_request({"text": text}, date(2026, 1, 1), name="characters")
    return (await _built_in.render(request)).has_missing_glyphs


def build_request(
    data: Mapping[str, Any], created_on: date, password: str = "", name: str = "", source: str = ""
) -> RenderRequest:
    """Return the request for the worker process."""
    created_at = datetime.combine(created_on, time(), SINGAPORE)
    return RenderRequest(msgspec.json.encode(data).decode(), int(created_at.timestamp()), name, source, password)


class PdfWorker:
    """A worker process that renders one document at a time. It starts on demand and restarts after a crash."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="pdf")

    async def render(self, request: RenderRequest) -> RenderResult:
        """Render a document without blocking the event loop."""
        result = await asyncio.get_running_loop().run_in_executor(self._executor, self._render, request)
        if result.error:
            raise TemplateError(result.error)
        return result

    def _render(self, request: RenderRequest) -> RenderResult:
        process = self._ensure_process()
        assert process.stdin is not None  # noqa: S101 - both are pipes
        assert process.stdout is not None  # noqa: S101
        content = None
        with suppress(BrokenPipeError):
            write_message(request, process.stdin)
            if _wait_for_output(process.stdout):
                content = read_message(process.stdout)
        if content is None:
            self._kill(process)
            return RenderResult(error=LIMITS_EXCEEDED)
        return msgspec.msgpack.decode(content, type=RenderResult)

    def _ensure_process(self) -> subprocess.Popen[bytes]:
        """Return the running process. It exits with this process, because its input then ends."""
        if self._process is not None and self._process.poll() is not None:
            self._kill(self._process)
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "gaji.documents.pdf_worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={**ENVIRONMENT, **{name: os.environ[name] for name in ("HOME", "PATH") if name in os.environ}},
                cwd=TEMPLATES,
                start_new_session=True,
            )
        return self._process

    def _kill(self, process: subprocess.Popen[bytes]) -> None:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            assert pipe  # noqa: S101
            pipe.close()
        self._process = None


def _wait_for_output(stream: IO[bytes]) -> bool:
    """Return whether output arrives, or the stream ends, before the timeout."""
    poll = select.poll()
    poll.register(stream, select.POLLIN)
    return bool(poll.poll(TIMEOUT_S * 1000))


_built_in = PdfWorker()
_custom = PdfWorker()
"""Clients' templates have their own worker, so that a slow one does not delay other documents."""
