"""Setting documents: a template and what it shows go in, a tagged PDF comes out.

    pdf = await typeset("payslip", data, pay_date)

The template is `templates/<name>.typ`. It finds the data, an object of texts, numbers, lists and objects, in
`json(bytes(sys.inputs.data))`, reads nothing outside its folder, and must keep to PDF/UA-1: a title, a language,
headings in order, a text for each picture. The same template, data and day give the same bytes on a machine with the
same fonts.
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
from typing import IO, Any, NamedTuple

import msgspec

from gaji.core.clock import SINGAPORE
from gaji.core.errors import Unavailable
from gaji.documents.pdf_protocol import RenderRequest, Outcome, receive, send

MOST_TIME_S = 10
TEMPLATES = Path(__file__).parent / "templates"
LIMITS_EXCEEDED = f"the template was not set within {MOST_TIME_S} s and 1 GiB of memory"
# Nothing of our settings, and a proxy that is not there in place of the way to the network.
ENVIRONMENT = {"HTTP_PROXY": "http://127.0.0.1:9", "HTTPS_PROXY": "http://127.0.0.1:9", "RAYON_NUM_THREADS": "2"}


class TemplateError(Exception):
    """A template cannot be set; the text is Typst's own, with the line and the place in it."""


class Set(NamedTuple):
    """A document that is set."""

    pdf: bytes
    missing: bool
    """Whether no font has some of its characters, which are boxes then."""


async def render_pdf(name: str, data: Mapping[str, Any], on: date, password: str = "") -> bytes:
    """A document by one of our templates, said to have been made on that day."""
    try:
        return (await _our_own.set(build_request(data, on, password, name=name))).pdf
    except TemplateError as fault:
        if str(fault) != LIMITS_EXCEEDED:
            raise
        raise Unavailable("The document was not set in time, because the machine is busy; try again") from None


async def render_custom_pdf(source: str, data: Mapping[str, Any], on: date, password: str = "") -> bytes:
    """A document by a template that a client wrote; raises TemplateFault when it cannot be set."""
    return (await _clients.set(build_request(data, on, password, source=source))).pdf


async def has_missing_glyphs(text: str) -> bool:
    """Whether the fonts of this machine lack a character of a text."""
    return (await _our_own.set(build_request({"text": text}, date(2026, 1, 1), name="characters"))).missing


def build_request(data: Mapping[str, Any], on: date, password: str = "", name: str = "", source: str = "") -> RenderRequest:
    """What the process that sets documents is told."""
    moment = datetime.combine(on, time(), SINGAPORE)
    return RenderRequest(msgspec.json.encode(data).decode(), int(moment.timestamp()), name, source, password)


class Setter:
    """A process that sets documents, one after the other; it is started when it is needed, and again when it died."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._turn = ThreadPoolExecutor(1, thread_name_prefix="typesetting")

    async def set(self, order: RenderRequest) -> Set:
        """Set a document while the event loop goes on with other things."""
        outcome = await asyncio.get_running_loop().run_in_executor(self._turn, self._set, order)
        if outcome.fault:
            raise TemplateError(outcome.fault)
        return Set(outcome.pdf, outcome.missing)

    def _set(self, order: RenderRequest) -> Outcome:
        process = self._running()
        assert process.stdin is not None  # noqa: S101 - both are pipes
        assert process.stdout is not None  # noqa: S101
        content = None
        with suppress(BrokenPipeError):
            send(order, process.stdin)
            if _answers(process.stdout):
                content = receive(process.stdout)
        if content is None:
            self._end(process)
            return Outcome(fault=LIMITS_EXCEEDED)
        return msgspec.msgpack.decode(content, type=Outcome)

    def _running(self) -> subprocess.Popen[bytes]:
        """The process; it ends by itself when ours does, because it then has nothing more to read."""
        if self._process is not None and self._process.poll() is not None:
            self._end(self._process)
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

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            assert pipe  # noqa: S101
            pipe.close()
        self._process = None


def _answers(stream: IO[bytes]) -> bool:
    """Whether an answer begins, or the other side ends, in time."""
    waiting = select.poll()
    waiting.register(stream, select.POLLIN)
    return bool(waiting.poll(MOST_TIME_S * 1000))


_our_own = Setter()
# A client's template that takes its time must not keep the others waiting.
_clients = Setter()
