"""Enter one input of 1,000 employees in one request, compared with 1,000 requests that change one calculation each."""

import itertools
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import httpx

from bench import servers
from bench.bars import PerformanceBar, Sample, Sides

EMPLOYEES = 1000
CALCULATION = "basic_salary"
amounts = itertools.count(3000)


@contextmanager
def _sides() -> Iterator[Sides]:
    with servers.open_demo(EMPLOYEES) as (installed, demo), servers.run_service(installed, "--no-worker") as port:
        headers = {"authorization": demo.api_key}
        with httpx.Client(base_url=f"http://127.0.0.1:{port}/v1", headers=headers, timeout=120) as http:
            path = f"/clients/{demo.client_id}"
            elements = http.get(f"{path}/employees").json()
            ids = [element["employee"]["id"] for element in elements][:EMPLOYEES]
            calculations = [_create_calculation(http, employee_id) for employee_id in ids]
            yield Sides(
                ours=lambda: _measure(lambda: _update_in_bulk(http, path, ids)),
                baseline=lambda: _measure(lambda: _update_one_by_one(http, calculations)),
            )


def _create_calculation(http: httpx.Client, employee_id: int) -> int:
    body = {"calc_type": CALCULATION, "calculation_details": {"fixed_amount": next(amounts)}}
    calculation_id: int = _require_ok(http.post(f"/employees/{employee_id}/calculations", json=body)).json()["id"]
    return calculation_id


def _update_in_bulk(http: httpx.Client, path: str, ids: list[int]) -> None:
    attributes = {f"calc.{CALCULATION}.fixed_amount": next(amounts)}
    entities = [{"id": str(employee_id), "attributes": attributes} for employee_id in ids]
    results = _require_ok(http.post(f"{path}/bulk_input", json={"entities": entities})).json()
    if any(result["success"] != "true" for result in results):
        raise RuntimeError(f"an entity failed: {results[0]}")


def _update_one_by_one(http: httpx.Client, calculations: list[int]) -> None:
    body = {"calculation_details": {"fixed_amount": next(amounts)}}
    for calculation_id in calculations:
        _require_ok(http.patch(f"/calculations/{calculation_id}", json=body))


def _require_ok(response: httpx.Response) -> httpx.Response:
    if response.status_code != 200:
        raise RuntimeError(f"{response.status_code}: {response.text[:500]}")
    return response


def _measure(work: Callable[[], None]) -> Sample:
    start = time.perf_counter()
    work()
    return Sample((time.perf_counter() - start) * 1000)


BAR = PerformanceBar(name="bulk_input of 1,000", unit="ms", sides=_sides, max_ratio=1 / 20, rounds=3)
