"""Entering one input of 1,000 employees: in one request, against 1,000 requests that change one calculation each."""

import itertools
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import httpx

from bench import servers
from bench.bars import Bar, Sample, Sides

EMPLOYEES = 1000
INPUT = "basic_salary"
amounts = itertools.count(3000)


@contextmanager
def _sides() -> Iterator[Sides]:
    with servers.installation(EMPLOYEES) as (installed, demo), servers.service(installed, "--no-worker") as port:
        headers = {"authorization": demo.api_key}
        with httpx.Client(base_url=f"http://127.0.0.1:{port}/v1", headers=headers, timeout=120) as http:
            path = f"/clients/{demo.client_id}"
            ids = [one["employee"]["id"] for one in http.get(f"{path}/employees").json()][:EMPLOYEES]
            calculations = [_entered(http, employee_id) for employee_id in ids]
            yield Sides(
                ours=lambda: _timed(lambda: _in_bulk(http, path, ids)),
                ceiling=lambda: _timed(lambda: _one_by_one(http, calculations)),
            )


def _entered(http: httpx.Client, employee_id: int) -> int:
    body = {"calc_type": INPUT, "calculation_details": {"fixed_amount": next(amounts)}}
    found: int = _good(http.post(f"/employees/{employee_id}/calculations", json=body)).json()["id"]
    return found


def _in_bulk(http: httpx.Client, path: str, ids: list[int]) -> None:
    given = {f"calc.{INPUT}.fixed_amount": next(amounts)}
    entities = [{"id": str(employee_id), "attributes": given} for employee_id in ids]
    outcomes = _good(http.post(f"{path}/bulk_input", json={"entities": entities})).json()
    if any(one["success"] != "true" for one in outcomes):
        raise RuntimeError(f"an entity failed: {outcomes[0]}")


def _one_by_one(http: httpx.Client, calculations: list[int]) -> None:
    body = {"calculation_details": {"fixed_amount": next(amounts)}}
    for calculation_id in calculations:
        _good(http.patch(f"/calculations/{calculation_id}", json=body))


def _good(answer: httpx.Response) -> httpx.Response:
    if answer.status_code != 200:
        raise RuntimeError(f"{answer.status_code}: {answer.text[:500]}")
    return answer


def _timed(work: Callable[[], None]) -> Sample:
    start = time.perf_counter()
    work()
    return Sample((time.perf_counter() - start) * 1000)


BAR = Bar(name="bulk_input of 1,000", unit="ms", sides=_sides, at_most=1 / 20, rounds=3)
