"""A payslip PDF in one request, compared with Typst alone on the same template and data.

The baseline compiles in this process with the data in memory, without HTTP and without a database. Both sides render
the same payslips in the same order, because Typst caches earlier results. Their output is first compared byte by byte.
"""

import asyncio
import http.client
import itertools
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median

import typst

from bench import servers
from bench.bars import PerformanceBar, Sample, Sides
from gaji.db.installation import Installation
from gaji.db.tenancy import Tenant, open_pool
from gaji.demo.account import Demo
from gaji.documents.payslips.service import TEMPLATE, PayslipDocument, load_documents
from gaji.documents.pdf_client import TEMPLATES, build_request
from gaji.documents.pdf_protocol import RenderRequest
from gaji.documents.pdf_worker import STANDARD
from gaji.identity.service import find_user

PAYSLIPS = 60
Render = Callable[[int], bytes]
"""Returns the PDF of a payslip."""


@contextmanager
def _sides() -> Iterator[Sides]:
    with servers.open_demo(2 * PAYSLIPS) as (installed, demo), servers.run_service(installed, "--no-worker") as port:
        requests = asyncio.run(_load_requests(installed, demo))
        ours, bare = _http_renderer(port, demo.api_key), _typst_renderer(requests)
        for payslip_id in requests:
            if ours(payslip_id) != bare(payslip_id):
                raise RuntimeError(f"the two sides render payslip {payslip_id} differently")
        yield Sides(
            ours=lambda: _measure(ours, itertools.islice(requests, PAYSLIPS)),
            baseline=lambda: _measure(bare, itertools.islice(requests, PAYSLIPS)),
        )


async def _load_requests(installed: Installation, demo: Demo) -> dict[int, RenderRequest]:
    """Finalise some payslips and return their render requests."""
    async with installed.database.maintenance() as connection:
        rows = await connection.fetch(
            "UPDATE payslips SET finalised = true, finalised_at = now() WHERE id IN (SELECT id FROM payslips "
            "WHERE client_id = $1 AND NOT dirty AND NOT withdrawn ORDER BY id LIMIT $2) RETURNING id",
            demo.client_id,
            PAYSLIPS,
        )
    async with installed.database.owner_connection() as connection:
        await connection.execute("VACUUM ANALYZE")
    pool = await open_pool(installed.database.as_application("bench"))
    try:
        tenant = Tenant(pool, installed.vault, await find_user(installed.database, demo.email))
        async with tenant.snapshot() as tx:
            documents = await load_documents(tx, [row["id"] for row in rows])
    finally:
        await pool.close()
    if len(documents) < PAYSLIPS:
        raise RuntimeError(f"there are only {len(documents)} payslips to render")
    return {document.row["id"]: _request(document) for document in documents}


def _request(document: PayslipDocument) -> RenderRequest:
    return build_request(document.data, document.row["pay_date"], name=TEMPLATE)


def _http_renderer(port: int, key: str) -> Render:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)

    def render(payslip_id: int) -> bytes:
        connection.request("GET", f"/v1/payslips/{payslip_id}.pdf", headers={"Authorization": key})
        response = connection.getresponse()
        content = response.read()
        if response.status != 200:
            raise RuntimeError(f"payslip {payslip_id} returned {response.status}: {content.decode()}")
        return content

    return render


def _typst_renderer(requests: dict[int, RenderRequest]) -> Render:
    compiler = typst.Compiler(root=str(TEMPLATES), font_paths=typst.Fonts())
    template = (TEMPLATES / f"{TEMPLATE}.typ").read_bytes()

    def render(payslip_id: int) -> bytes:
        request = requests[payslip_id]
        pdf = compiler.compile(
            template,
            format="pdf",
            sys_inputs={"data": request.data},
            pdf_standards=STANDARD,
            timestamp=request.timestamp,
        )
        assert isinstance(pdf, bytes)
        return pdf

    return render


def _measure(render: Render, payslip_ids: Iterator[int]) -> Sample:
    """Return the median of some documents, in milliseconds."""
    durations_ms: list[float] = []
    for payslip_id in payslip_ids:
        started = time.perf_counter()
        render(payslip_id)
        durations_ms.append((time.perf_counter() - started) * 1000)
    return Sample(median(durations_ms), {"min": min(durations_ms), "max": max(durations_ms)})


BAR = PerformanceBar(name="payslip PDF", unit="ms", sides=_sides, max_ratio=1.5)
