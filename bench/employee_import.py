"""Import 5,000 new employees from a workbook, compared with creating the same rows in bulk without file and HTTP.

One bar uses the API, which responds when the import is complete. The other uses the console: it uploads the workbook, a
worker imports it, and the progress page is polled. The memory is the peak of the largest process of the service.
"""

import asyncio
import io
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
from xlsxwriter import Workbook

from bench import servers
from bench.bars import PerformanceBar, Sample, Sides
from bench.console import TOKEN, sign_in
from gaji.db.installation import Installation
from gaji.db.tenancy import Tenant, open_pool
from gaji.demo.account import Demo
from gaji.identity.service import find_user
from gaji.imports.employees import sheet_formats
from gaji.law import check_letter
from gaji.people.employees.bulk_create import create_employees
from gaji.tabular import XLSX

EMPLOYEES = 5000
MAX_MEMORY_MIB = 400
POLL_S = 0.1
SALARY = "calc.basic_salary.fixed_amount"


def _employee_rows(wave_id: int) -> list[dict[str, Any]]:
    """Return new employees by column key."""
    return [
        {
            "wave_id": wave_id,
            "first_name": f"Employee {count}",
            "last_name": "Tan",
            "payment_method": "eft_manual",
            "bank_account.bank_id": 7171,
            "bank_account.account_number": f"005{count:07d}",
            "bank_account.branch_code": "005",
            "birthdate": "1990-04-12",
            "appointment_date": "2026-01-01",
            "legal_status": "CITIZEN",
            "nric": f"T{count:07d}{check_letter.letter('T', f'{count:07d}')}",
            "gender": "F",
            "race": "CHINESE",
            "religion": "NONE",
            "sdl_exempt": False,
            "cpf_exempt": False,
            "physical_address.type": "L",
            "physical_address.block_no": "203A",
            "physical_address.st_name": "Bedok North Road",
            "physical_address.postal_code": "461203",
            "email": f"employee{count}@example.com",
            "job_title": "Baker",
            SALARY: 3000 + count % 1000,
        }
        for count in range(1, EMPLOYEES + 1)
    ]


def _workbook(rows: list[dict[str, Any]]) -> bytes:
    file = io.BytesIO()
    with Workbook(file) as book:
        sheet = book.add_worksheet(sheet_formats.EMPLOYEES.name)
        for number, row in enumerate([list(rows[0]), *(row.values() for row in rows)]):
            sheet.write_row(number, 0, list(row))
    return file.getvalue()


def _nest_keys(row: dict[str, Any]) -> dict[str, Any]:
    """Return the request body of a row, without its calculation."""
    body: dict[str, Any] = {}
    for key, value in row.items():
        *groups, name = key.split(".")
        (body.setdefault(groups[0], {}) if groups else body)[name] = value
    del body["calc"]
    return body


@contextmanager
def _compare_api() -> Iterator[Sides]:
    with (
        servers.open_demo(1) as (installed, demo),
        servers.run_service(installed) as port,
        _api_client(port, demo) as http,
    ):
        yield Sides(
            ours=lambda: _measure_api_import(http), baseline=lambda: _measure_bulk_create(http, installed, demo)
        )


@contextmanager
def _compare_console() -> Iterator[Sides]:
    with (
        servers.open_demo(1) as (installed, demo),
        servers.run_service(installed) as port,
        _api_client(port, demo) as http,
    ):
        cookie = {"cookie": sign_in(port, demo), "accept": "text/html"}
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", headers=cookie, timeout=300) as browser:
            yield Sides(
                ours=lambda: _measure_console_import(browser, http, port),
                baseline=lambda: _measure_bulk_create(http, installed, demo),
            )


def _api_client(port: int, demo: Demo) -> httpx.Client:
    headers = {"authorization": demo.api_key}
    return httpx.Client(base_url=f"http://127.0.0.1:{port}/v1", headers=headers, timeout=300)


def _create_company(http: httpx.Client) -> tuple[int, int]:
    client_id: int = _require_ok(http.post("/clients", json={"name": "Import"})).json()["id"]
    wave = {"frequency": "monthly", "last_day_of_month": 31, "first_end_date": "2026-01-31"}
    wave_id: int = _require_ok(http.post(f"/clients/{client_id}/waves", json=wave)).json()["id"]
    return client_id, wave_id


def _measure_api_import(http: httpx.Client) -> Sample:
    client_id, wave_id = _create_company(http)
    content = _workbook(_employee_rows(wave_id))
    start = time.perf_counter()
    response = http.post(f"/clients/{client_id}/employees/import", content=content, headers={"content-type": XLSX})
    elapsed_s = time.perf_counter() - start
    if len(_require_ok(response).json()["created"]) != EMPLOYEES:
        raise RuntimeError(response.text[:500])
    return Sample(elapsed_s * 1000)


def _measure_console_import(browser: httpx.Client, http: httpx.Client, port: int) -> Sample:
    client_id, wave_id = _create_company(http)
    content = _workbook(_employee_rows(wave_id))
    path = f"/companies/{client_id}/employees/import"
    token = TOKEN.findall(_require_ok(browser.get(path)).text)[0]
    start = time.perf_counter()
    upload = browser.post(path, data={"form_token": token, "how": "save"}, files={"workbook": ("new.xlsx", content)})
    if upload.status_code != 303:
        raise RuntimeError(f"{upload.status_code}: {upload.text[:500]}")
    while "refresh" in (page := _require_ok(browser.get(upload.headers["location"]))).headers:
        time.sleep(POLL_S)
    elapsed_s = time.perf_counter() - start
    if f"{EMPLOYEES:,} employees have been added" not in page.text:
        raise RuntimeError(page.text[-2000:])
    peak_mib = servers.max_memory_mib(port)
    if peak_mib > MAX_MEMORY_MIB:
        raise RuntimeError(f"a process used {peak_mib:.0f} MiB, more than {MAX_MEMORY_MIB}")
    return Sample(elapsed_s * 1000, {"memory_mib": peak_mib})


def _measure_bulk_create(http: httpx.Client, installed: Installation, demo: Demo) -> Sample:
    client_id, wave_id = _create_company(http)
    bodies = [_nest_keys(row) for row in _employee_rows(wave_id)]

    async def create() -> float:
        pool = await open_pool(installed.database.as_application("bench"), size=1)
        try:
            tenant = Tenant(pool, installed.vault, await find_user(installed.database, demo.email))
            start = time.perf_counter()
            await create_employees(tenant, client_id, bodies)
            return time.perf_counter() - start
        finally:
            await pool.close()

    return Sample(asyncio.run(create()) * 1000)


def _require_ok(response: httpx.Response) -> httpx.Response:
    if response.status_code != 200:
        raise RuntimeError(f"{response.status_code}: {response.text[:500]}")
    return response


BAR = PerformanceBar(name="import of 5,000", unit="ms", sides=_compare_api, max_ratio=3, rounds=3)
CONSOLE = PerformanceBar(name="page: import of 5,000", unit="ms", sides=_compare_console, max_ratio=3, rounds=3)
