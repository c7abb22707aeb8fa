"""A payslip as PDF, a whole request, against Typst alone with the same template and the same data.

The bare side compiles in the process that measures, with the data at hand: no HTTP, no database, nothing between.
Both sides go through the same payslips in the same order, one after the other, because Typst remembers what it has
just set. What they answer is compared byte by byte first.
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
from bench.bars import Bar, Sample, Sides
from gaji.db.installation import Installation
from gaji.db.tenancy import Tenant, open_pool
from gaji.demo import Demo
from gaji.documents.pdf_protocol import RenderRequest
from gaji.documents.payslips.service import TEMPLATE, PayslipDocument, load_documents
from gaji.documents.pdf_worker import STANDARD
from gaji.documents.pdf_client import TEMPLATES, build_request
from gaji.identity.service import find_user

PAYSLIPS = 60
Ask = Callable[[int], bytes]
"""The PDF of a payslip."""


@contextmanager
def _sides() -> Iterator[Sides]:
    with servers.installation(2 * PAYSLIPS) as (installed, demo), servers.service(installed, "--no-worker") as port:
        orders = asyncio.run(_orders(installed, demo))
        ours, bare = _asking(port, demo.api_key), _compiling(orders)
        for payslip_id in orders:
            if ours(payslip_id) != bare(payslip_id):
                raise RuntimeError(f"the two sides do not set payslip {payslip_id} the same")
        yield Sides(
            ours=lambda: _measured(ours, itertools.islice(orders, PAYSLIPS)),
            ceiling=lambda: _measured(bare, itertools.islice(orders, PAYSLIPS)),
        )


async def _orders(installed: Installation, demo: Demo) -> dict[int, RenderRequest]:
    """Some finalised payslips, each with what Typst is given for it."""
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
        async with tenant.reading() as tx:
            found = await load_documents(tx, [row["id"] for row in rows])
    finally:
        await pool.close()
    if len(found) < PAYSLIPS:
        raise RuntimeError(f"there are only {len(found)} payslips to set")
    return {paper.row["id"]: _order(paper) for paper in found}


def _order(paper: PayslipDocument) -> RenderRequest:
    return build_request(paper.data, paper.row["pay_date"], name=TEMPLATE)


def _asking(port: int, key: str) -> Ask:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)

    def ask(payslip_id: int) -> bytes:
        connection.request("GET", f"/v1/payslips/{payslip_id}.pdf", headers={"Authorization": key})
        answer = connection.getresponse()
        content = answer.read()
        if answer.status != 200:
            raise RuntimeError(f"payslip {payslip_id} was answered with {answer.status}: {content.decode()}")
        return content

    return ask


def _compiling(orders: dict[int, RenderRequest]) -> Ask:
    compiler = typst.Compiler(root=str(TEMPLATES), font_paths=typst.Fonts())
    template = (TEMPLATES / f"{TEMPLATE}.typ").read_bytes()

    def compiled(payslip_id: int) -> bytes:
        order = orders[payslip_id]
        pdf = compiler.compile(
            template,
            format="pdf",
            sys_inputs={"data": order.data},
            pdf_standards=STANDARD,
            timestamp=order.timestamp,
        )
        assert isinstance(pdf, bytes)
        return pdf

    return compiled


def _measured(ask: Ask, payslip_ids: Iterator[int]) -> Sample:
    """The median of some documents, in milliseconds."""
    took: list[float] = []
    for payslip_id in payslip_ids:
        started = time.perf_counter()
        ask(payslip_id)
        took.append((time.perf_counter() - started) * 1000)
    return Sample(median(took), {"least": min(took), "most": max(took)})


BAR = Bar(name="payslip PDF", unit="ms", sides=_sides, at_most=1.5)
