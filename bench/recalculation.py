"""One input changed and its payslip calculated again, a whole request, against a bare UPDATE of one such row.

The bare handler is served as the service is and runs one statement, which is its own transaction: it writes the nett
pay, the lines and the case of one payslip into a copy of the table, which has the same columns and indexes and is under
no policy. Both sides are asked over one connection, one request after the other, each time for another amount.
"""

import asyncio
import http.client
import itertools
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median
from typing import Any

import asyncpg
import msgspec

from bench import servers
from bench.bars import Bar, Sample, Sides
from bench.ceiling import ARGUMENTS
from gaji.db.installation import Installation
from gaji.web.asgi import ASGIApp, Receive, Scope, Send

REQUESTS = 60
RECURRING = {
    "basic_salary": {"fixed_amount": "4000.00"},
    "transport_allowance": {"amount": "120.00"},
    "meal_allowance": {"amount": "80.00"},
    "insurance": {"amount": "35.00"},
}
"""What is entered for the employee."""
PAYSLIP = "BENCH_PAYSLIP"
"""The variable with the payslip that the bare handler changes: its id, lines and case, as JSON."""
ANSWER = b'{"message":"saved"}'

Ask = Callable[[int], None]
"""One request for an amount, waited for."""


def create() -> ASGIApp:
    """The bare handler: a POST of {"amount": 7} makes 7 the nett pay of the payslip."""
    connection: Any = None
    payslip_id, lines, inputs = msgspec.json.decode(os.environ[PAYSLIP])

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        nonlocal connection
        if scope["type"] == "lifespan":
            connection = await asyncpg.connect(**msgspec.json.decode(os.environ[ARGUMENTS]))
            await receive()
            await send({"type": "lifespan.startup.complete"})
            await receive()
            await connection.close()
            await send({"type": "lifespan.shutdown.complete"})
            return
        asked = msgspec.json.decode((await receive())["body"])
        await connection.execute(
            "UPDATE bench_payslips SET nett_pay = $2, lines = $3, inputs = $4 WHERE id = $1",
            payslip_id,
            asked["amount"],
            lines,
            inputs,
        )
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(ANSWER)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": ANSWER, "more_body": False})

    return application


@contextmanager
def _sides() -> Iterator[Sides]:
    with servers.installation() as (installed, demo), servers.service(installed, "--no-worker") as port:
        ask = _asking(port, demo.api_key)
        employee_id = asyncio.run(_someone(installed))
        path = f"/v1/employees/{employee_id}/calculations"
        for name, inputs in RECURRING.items():
            ask("POST", path, {"calc_type": name, "calculation_details": inputs})

        def change(amount: int) -> None:
            details = {"fixed_amount": amount}
            ask("POST", path, {"calc_type": "basic_salary", "calculation_details": details})

        environment = asyncio.run(_copy(installed, employee_id))
        with servers.bare(installed, "bench.recalculation:create", environment) as bare_port:
            bare = _asking(bare_port, "")
            amounts = itertools.count(4000)
            yield Sides(
                ours=lambda: _measured(change, amounts),
                ceiling=lambda: _measured(lambda amount: bare("POST", "/", {"amount": amount}), amounts),
            )


async def _someone(installed: Installation) -> int:
    """An employee who has a draft."""
    async with installed.database.maintenance() as connection:
        query = "SELECT employee_id FROM payslips WHERE NOT finalised AND NOT withdrawn ORDER BY id LIMIT 1"
        return int(await connection.fetchval(query))


async def _copy(installed: Installation, employee_id: int) -> dict[str, str]:
    """Make the copy of the table, and give the way to the payslip of the employee in it."""
    async with installed.database.maintenance() as connection:
        await connection.execute("CREATE TABLE bench_payslips (LIKE payslips INCLUDING ALL)")
        await connection.execute("INSERT INTO bench_payslips SELECT * FROM payslips")
        query = "SELECT id, lines, inputs FROM payslips WHERE employee_id = $1 AND NOT finalised"
        row = await connection.fetchrow(query, employee_id)
    async with installed.database.owner_connection() as connection:
        await connection.execute("VACUUM ANALYZE")
    return {
        ARGUMENTS: msgspec.json.encode(installed.database.owner).decode(),
        PAYSLIP: msgspec.json.encode(list(row)).decode(),
    }


def _asking(port: int, key: str) -> Callable[[str, str, Any], Any]:
    """A connection that stays open; gives what is answered, which must be a success."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    headers = {"Authorization": key, "Content-Type": "application/json"}

    def ask(method: str, path: str, body: Any) -> Any:
        connection.request(method, path, msgspec.json.encode(body) if body else None, headers)
        answer = connection.getresponse()
        content = answer.read()
        if answer.status != 200:
            raise RuntimeError(f"{method} {path} was answered with {answer.status}: {content.decode()}")
        return msgspec.json.decode(content)

    return ask


def _measured(ask: Ask, amounts: Iterator[int]) -> Sample:
    """The median of some requests, in milliseconds."""
    took: list[float] = []
    for amount in itertools.islice(amounts, REQUESTS):
        started = time.perf_counter()
        ask(amount)
        took.append((time.perf_counter() - started) * 1000)
    return Sample(median(took), {"least": min(took), "most": max(took)})


BAR = Bar(name="recalculate one payslip", unit="ms", sides=_sides, at_most=6)
