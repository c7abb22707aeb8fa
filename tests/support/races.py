"""Concurrent requests, and requests during an uncommitted change."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import asyncpg
import httpx

from tests.support.running import Service

Request = Callable[[], httpx.Response]


def at_once(requests: Sequence[Request]) -> list[httpx.Response]:
    """The answers of requests that all start at the same moment, in the order of the requests."""
    together = Barrier(len(requests))

    def send(request: Request) -> httpx.Response:
        together.wait()
        return request()

    with ThreadPoolExecutor(len(requests)) as threads:
        return list(threads.map(send, requests))


def while_changing(service: Service, statement: str, *arguments: Any, request: Request) -> httpx.Response:
    """The answer of a request that waits for a change in maintenance, which is committed as soon as it waits."""
    run = service.runner.run
    connection = run(asyncpg.connect(**service.database.owner))
    try:
        run(connection.execute("BEGIN; SELECT set_config('gaji.maintenance', 'on', true)"))
        run(connection.execute(statement, *arguments))
        with ThreadPoolExecutor(1) as threads:
            answer = threads.submit(request)
            service.wait_until_blocked()
            run(connection.execute("COMMIT"))
            return answer.result()
    finally:
        run(connection.close())
