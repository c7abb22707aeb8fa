"""PDF rendering in a separate process."""

import asyncio
import signal
import subprocess
import sys
import time
from collections.abc import Coroutine
from datetime import date
from io import BytesIO
from typing import Any

import pytest
from pypdf import PdfReader

from gaji.core.caller_connection import current_receive
from gaji.core.errors import MalformedRequest, TooManyRequests
from gaji.core.fair_queue import FairQueue
from gaji.core.worker_process import WorkerLimits, WorkerPool, WorkerProgram, write_message
from gaji.documents import pdf_client
from gaji.documents.pdf_client import LIMITS_EXCEEDED, TemplateError, has_missing_glyphs, render_custom_pdf, render_pdf

DAY = date(2026, 1, 31)
NO_GLYPH = "\u0378"
"""Not a character of Unicode, so no font has it."""
CLIENT = 1
ENDLESS_TEMPLATE = "#for a in range(100000) { for b in range(100000) { let c = a * b } }"
ECHO_TEMPLATE = "#json(bytes(sys.inputs.data)).text"


def render(coroutine: Coroutine[Any, Any, bytes]) -> PdfReader:
    return PdfReader(BytesIO(asyncio.run(coroutine)))


def pool_with_limit(time_s: int) -> WorkerPool:
    program = WorkerProgram(pdf_client.WORKER, WorkerLimits(time_s, 0), pdf_client.TEMPLATES)
    return WorkerPool(program, FairQueue("documents", slots=1, max_waiting=5), processes=1)


def template_error(source: str) -> str:
    with pytest.raises(TemplateError) as caught:
        asyncio.run(render_custom_pdf(CLIENT, source, {}, DAY))
    return str(caught.value)


def test_it_works() -> None:
    pdf = render(render_pdf(CLIENT, "characters", {"text": "Nett pay 1,234.50"}, DAY))
    assert pdf.pages[0].extract_text() == "Nett pay 1,234.50"
    assert pdf.metadata is not None
    assert str(pdf.metadata.creation_date) == "2026-01-30 16:00:00+00:00"


def test_documents_are_tagged_and_embed_their_fonts() -> None:
    pdf = render(render_pdf(CLIENT, "characters", {"text": "陈伟明 and மீனா"}, DAY))
    root: Any = pdf.trailer["/Root"]
    assert root["/MarkInfo"]["/Marked"]
    assert root["/StructTreeRoot"]["/Type"] == "/StructTreeRoot"
    resources: Any = pdf.pages[0]["/Resources"]
    fonts = [font.get_object()["/DescendantFonts"][0].get_object() for font in resources["/Font"].values()]
    assert len(fonts) == 3
    assert all({"/FontFile2", "/FontFile3"} & set(font["/FontDescriptor"]) for font in fonts)


def test_the_same_input_gives_the_same_bytes_in_any_process(monkeypatch: pytest.MonkeyPatch) -> None:
    first = asyncio.run(render_custom_pdf(CLIENT, ECHO_TEMPLATE, {"text": "The same"}, DAY))
    assert asyncio.run(render_custom_pdf(CLIENT, ECHO_TEMPLATE, {"text": "The same"}, DAY)) == first
    monkeypatch.setattr(pdf_client, "_custom", pool_with_limit(10))
    assert asyncio.run(render_custom_pdf(CLIENT, ECHO_TEMPLATE, {"text": "The same"}, DAY)) == first
    assert asyncio.run(render_custom_pdf(CLIENT, ECHO_TEMPLATE, {"text": "Another"}, DAY)) != first


def test_a_broken_template_reports_typsts_message_and_position() -> None:
    message = template_error("= Payslip\n#employe.name")
    assert "unknown variable: employe" in message
    assert "template.typ:2:1" in message


@pytest.mark.parametrize("path", ["/etc/passwd", "../pdf_worker.py", "../../../../../../../etc/passwd"])
def test_templates_cannot_read_files_outside_their_folder(path: str) -> None:
    message = template_error(f'#read("{path}")')
    assert "file not found" in message or "would escape the project root" in message
    assert "/gaji/" not in message


def test_templates_have_no_network_access() -> None:
    assert "failed to download package" in template_error('#import "@preview/cetz:0.3.0": *')


def test_a_template_that_hangs_is_killed_and_the_next_one_works(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(pdf_client, "_custom", pool_with_limit(1))
        assert template_error(ENDLESS_TEMPLATE) == LIMITS_EXCEEDED
    assert (
        render(render_custom_pdf(CLIENT, ECHO_TEMPLATE, {"text": "Still here"}, DAY)).pages[0].extract_text()
        == "Still here"
    )


def test_a_template_that_exhausts_memory_is_killed_before_the_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf_client, "_custom", pool_with_limit(100))
    started = time.monotonic()
    assert template_error("#let numbers = range(1000000000)") == LIMITS_EXCEEDED
    assert time.monotonic() - started < 100


def test_a_slow_custom_template_does_not_delay_other_documents() -> None:
    async def both() -> None:
        slow = asyncio.create_task(
            render_custom_pdf(CLIENT, "#for a in range(3000) { for b in range(700) { let c = a * b } }", {}, DAY)
        )
        await asyncio.sleep(0)
        await render_pdf(CLIENT, "characters", {"text": "x"}, DAY)
        assert not slow.done()
        await asyncio.wait([slow])

    asyncio.run(render_pdf(CLIENT, "characters", {"text": "x"}, DAY))
    asyncio.run(both())


def test_rendering_does_not_block_the_event_loop() -> None:
    async def ticks() -> int:
        work = asyncio.create_task(
            render_custom_pdf(CLIENT, "#for a in range(1000) { for b in range(900) { let c = a * b } }", {}, DAY)
        )
        count = 0
        while not work.done():
            await asyncio.sleep(0.005)
            count += 1
        return count

    assert asyncio.run(ticks()) > 10


def test_a_password_encrypts_the_document() -> None:
    pdf = render(render_pdf(CLIENT, "characters", {"text": "Secret"}, DAY, password="open sesame"))
    assert pdf.is_encrypted
    assert not pdf.decrypt("another")
    assert pdf.decrypt("open sesame")
    encryption: Any = pdf.trailer["/Encrypt"]
    assert (encryption["/V"], encryption["/R"], encryption["/Length"]) == (5, 6, 256)
    assert pdf.pages[0].extract_text() == "Secret"
    root: Any = pdf.trailer["/Root"]
    assert "/StructTreeRoot" in root


def test_missing_glyphs_are_detected() -> None:
    assert not asyncio.run(has_missing_glyphs("Tan 陈伟明 மீனா"))
    assert asyncio.run(has_missing_glyphs(NO_GLYPH))


def test_a_document_with_missing_glyphs_is_rendered_anyway() -> None:
    pdf = render(render_pdf(CLIENT, "characters", {"text": f"Tan {NO_GLYPH}"}, DAY))
    assert pdf.pages[0].extract_text().startswith("Tan")


def test_byte_order_marks_are_left_out() -> None:
    pdf = render(render_pdf(CLIENT, "characters", {"text": "\ufeffTan Wei\ufeff Ming"}, DAY))
    assert pdf.pages[0].extract_text() == "Tan Wei Ming"


def test_an_endless_template_of_one_account_does_not_delay_the_templates_of_others() -> None:
    async def check() -> None:
        endless = [asyncio.create_task(render_custom_pdf(1, ENDLESS_TEMPLATE, {}, DAY)) for _ in range(3)]
        await asyncio.sleep(0)
        pdf = await render_custom_pdf(2, ECHO_TEMPLATE, {"text": "Other"}, DAY)
        assert PdfReader(BytesIO(pdf)).pages[0].extract_text() == "Other"
        assert not any(task.done() for task in endless)
        for task in endless:
            task.cancel()
        await asyncio.wait(endless)

    asyncio.run(check())


def test_documents_of_an_account_that_wait_are_limited() -> None:
    async def check() -> None:
        waiting = [
            asyncio.create_task(render_custom_pdf(1, ENDLESS_TEMPLATE, {}, DAY))
            for _ in range(pdf_client.MAX_WAITING + 1)
        ]
        await asyncio.sleep(0)
        with pytest.raises(TooManyRequests):
            await render_custom_pdf(1, ECHO_TEMPLATE, {"text": "x"}, DAY)
        for task in waiting:
            task.cancel()
        await asyncio.wait(waiting)

    asyncio.run(check())


def test_rendering_ends_when_the_caller_disconnects() -> None:
    async def receive() -> dict[str, str]:
        return {"type": "http.disconnect"}

    async def check() -> None:
        current_receive.set(receive)
        with pytest.raises(MalformedRequest, match="disconnected"):
            await render_custom_pdf(1, ENDLESS_TEMPLATE, {}, DAY)
        current_receive.set(None)
        await render_custom_pdf(1, ECHO_TEMPLATE, {"text": "The next one"}, DAY)

    asyncio.run(check())


def test_a_worker_process_ends_by_itself_if_nobody_ends_it() -> None:
    code = "from gaji.core import worker_process as w; w.GRACE_S = 0; import time; "
    code += "w.serve_messages(lambda message: time.sleep(100), w.WorkerLimits(1, 2**34))"
    process = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    write_message(b"", process.stdin)
    assert process.wait(60) == -signal.SIGALRM
    process.stdin.close()
    assert process.stdout is not None
    process.stdout.close()
