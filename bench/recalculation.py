"""Change one input and recalculate its payslip in one request, compared with a bare UPDATE of such a row.

The bare handler runs on the same server and executes one statement in its own transaction: it writes the nett pay,
lines and inputs of one payslip to a copy of the table, with the same columns and indexes but without row-level
security. Both sides get requests over one connection, one after the other, each with a different amount.
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
from bench.bars import PerformanceBar, Sample, Sides
from bench.baseline import ARGUMENTS
from gaji.db.installation import Installation
from gaji.web.asgi import ASGIApp, Receive, Scope, Send

REQUESTS = 60
RECURRING = {
    "basic_salary": {"fixed_amount": "4000.00"},
    "transport_allowance": {"amount": "120.00"},
    "meal_allowance": {"amount": "80.00"},
    "insurance": {"amount": "35.00"},
}
"""The calculations of the employee."""
PAYSLIP = "BENCH_PAYSLIP"
"""The environment variable with the payslip that the bare handler updates: its id, lines and inputs, as JSON."""
RESPONSE = b'{"message":"saved"}'

SendAmount = Callable[[int], None]
"""Sends a request with an amount and waits for the response."""


def create() -> ASGIApp:
    """Return the bare handler: a POST of {"amount": 7} sets the nett pay of the payslip to 7."""
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
        body = msgspec.json.decode((await receive())["body"])
        await connection.execute(
            "UPDATE bench_payslips SET nett_pay = $2, lines = $3, inputs = $4 WHERE id = $1",
            payslip_id,
            body["amount"],
            lines,
            inputs,
        )
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(RESPONSE)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": RESPONSE, "more_body": False})

    return application


@contextmanager
def _sides() -> Iterator[Sides]:
    with servers.open_demo() as (installed, demo), servers.run_service(installed, "--no-worker") as port:
        send = _connect(port, demo.api_key)
        employee_id = asyncio.run(find_employee(installed))
        path = f"/v1/employees/{employee_id}/calculations"
        for name, inputs in RECURRING.items():
            send("POST", path, {"calc_type": name, "calculation_details": inputs})

        def change(amount: int) -> None:
            details = {"fixed_amount": amount}
            send("POST", path, {"calc_type": "basic_salary", "calculation_details": details})

        environment = asyncio.run(_copy_payslips(installed, employee_id))
        with servers.run_bare(installed, "bench.recalculation:create", environment) as bare_port:
            send_bare = _connect(bare_port, "")
            amounts = itertools.count(4000)
            yield Sides(
                ours=lambda: _measure(change, amounts),
                baseline=lambda: _measure(lambda amount: send_bare("POST", "/", {"amount": amount}), amounts),
            )


async def find_employee(installed: Installation) -> int:
    """Return an employee with a draft."""
    async with installed.database.maintenance() as connection:
        query = "SELECT employee_id FROM payslips WHERE NOT finalised AND NOT withdrawn ORDER BY id LIMIT 1"
        return int(await connection.fetchval(query))


async def _copy_payslips(installed: Installation, employee_id: int) -> dict[str, str]:
    """Copy the table and return the environment of the bare handler for the employee's payslip."""
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


def _connect(port: int, key: str) -> Callable[[str, str, Any], Any]:
    """Return a function that sends requests over one connection and returns the successful responses."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    headers = {"Authorization": key, "Content-Type": "application/json"}

    def send(method: str, path: str, body: Any) -> Any:
        connection.request(method, path, msgspec.json.encode(body) if body else None, headers)
        response = connection.getresponse()
        content = response.read()
        if response.status != 200:
            raise RuntimeError(f"{method} {path} returned {response.status}: {content.decode()}")
        return msgspec.json.decode(content)

    return send


def _measure(send_amount: SendAmount, amounts: Iterator[int]) -> Sample:
    """Return the median of some requests, in milliseconds."""
    durations_ms: list[float] = []
    for amount in itertools.islice(amounts, REQUESTS):
        started = time.perf_counter()
        send_amount(amount)
        durations_ms.append((time.perf_counter() - started) * 1000)
    return Sample(median(durations_ms), {"min": min(durations_ms), "max": max(durations_ms)})


BAR = PerformanceBar(name="recalculate one payslip", unit="ms", sides=_sides, max_ratio=6)
