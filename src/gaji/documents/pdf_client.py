"""PDF rendering: a template and its data become a tagged PDF.

    pdf = await render_pdf(account_id, "payslip", data, pay_date)

The template is `templates/<name>.typ`. It reads its data, an object of texts, numbers, lists and objects, from
`json(bytes(sys.inputs.data))` and cannot read files outside its folder. It must meet PDF/UA-1: a title, a language,
headings in order, a text alternative for each image. The same template, data and date give the same bytes on machines
with the same fonts.
"""

from collections.abc import Mapping
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

import msgspec

from gaji.core.caller_connection import run_while_connected
from gaji.core.clock import SINGAPORE
from gaji.core.errors import Unavailable
from gaji.core.fair_queue import FairQueue
from gaji.core.traces import span
from gaji.core.worker_process import WorkerPool, WorkerProgram
from gaji.documents.pdf_protocol import LIMITS, LOW_PRIORITY, RenderRequest, RenderResult

TEMPLATES = Path(__file__).parent / "templates"
WORKER = "gaji.documents.pdf_worker"
MAX_WAITING = 200
"""Documents of one account that wait, in each server process."""
MAX_MIB = LIMITS.memory_bytes // 1024**2
LIMITS_EXCEEDED = f"the template exceeded the limit of {LIMITS.time_s} s or {MAX_MIB} MiB of memory"
BYTE_ORDER_MARK = "\ufeff"
"""An invisible character of pasted texts, which PDF/UA-1 does not allow."""
INSTALLATION = 0
"""The owner of documents that belong to no account."""


class TemplateError(Exception):
    """A template cannot be rendered. The text is Typst's message with the line and column."""


async def render_pdf(
    account_id: int,
    name: str,
    data: Mapping[str, Any],
    created_on: date,
    password: str = "",
    logo: bytes = b"",
    *,
    as_image: bool = False,
) -> bytes:
    """Render a built-in template, or its first page as PNG."""
    request = build_request(data, created_on, password, name=name, logo=logo, as_image=as_image)
    try:
        return (await _render(_built_in, account_id, request)).pdf
    except TemplateError as error:
        if str(error) != LIMITS_EXCEEDED:
            raise
        raise Unavailable("The document was not rendered in time because the server is busy; try again") from None


async def render_custom_pdf(
    account_id: int, source: str, data: Mapping[str, Any], created_on: date, password: str = "", logo: bytes = b""
) -> bytes:
    """Render a client's template. Raises TemplateError if it cannot be rendered."""
    request = build_request(data, created_on, password, source=source, logo=logo)
    return (await _render(_custom, account_id, request)).pdf


async def has_missing_glyphs(text: str) -> bool:
    """Return whether the installed fonts lack a character of a text."""
    request = build_request({"text": text}, date(2026, 1, 1), name="characters")
    return (await _render(_built_in, INSTALLATION, request)).has_missing_glyphs


def build_request(
    data: Mapping[str, Any],
    created_on: date,
    password: str = "",
    name: str = "",
    source: str = "",
    logo: bytes = b"",
    *,
    as_image: bool = False,
) -> RenderRequest:
    """Return the request for the worker process."""
    created_at = datetime.combine(created_on, time(), SINGAPORE)
    encoded = msgspec.json.encode(data).decode().replace(BYTE_ORDER_MARK, "")
    return RenderRequest(encoded, int(created_at.timestamp()), name, source, password, logo, as_image)


async def _render(pool: WorkerPool, account_id: int, request: RenderRequest) -> RenderResult:
    """Render a document. The work is cancelled if the caller disconnects."""
    with span("render document", {"gaji.account_id": account_id, "gaji.template": request.name or "custom"}):
        content = await run_while_connected(pool.call(account_id, msgspec.msgpack.encode(request)))
    if content is None:
        raise TemplateError(LIMITS_EXCEEDED)
    result = msgspec.msgpack.decode(content, type=RenderResult)
    if result.error:
        raise TemplateError(result.error)
    return result


def _built_in_pool() -> WorkerPool:
    # It is not killed when a caller disconnects, because its templates end soon and a start takes longer.
    program = WorkerProgram(WORKER, LIMITS, TEMPLATES, may_be_killed=False)
    return WorkerPool(program, FairQueue("documents", slots=1, max_waiting=MAX_WAITING), processes=1)


def _custom_pool() -> WorkerPool:
    """Return the processes for clients' templates. A slow template delays only documents of the same account."""
    program = WorkerProgram(WORKER, LIMITS, TEMPLATES, [LOW_PRIORITY])
    queue = FairQueue("documents", slots=2, max_waiting=MAX_WAITING, slots_per_owner=1)
    return WorkerPool(program, queue, processes=2)


_built_in = _built_in_pool()
_custom = _custom_pool()
