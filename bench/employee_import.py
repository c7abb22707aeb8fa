"""Importing 5,000 new employees from a workbook, against creating the same rows in bulk, without file and HTTP."""

import asyncio
import io
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
from xlsxwriter import Workbook

from bench import servers
from bench.bars import Bar, Sample, Sides
from gaji.accounts.service import find_user
from gaji.db.tenancy import Tenant, open_pool
from gaji.demo import Demo
from gaji.employees.bulk import create_employees
from gaji.installation import Installation
from gaji.law import check_letter
from gaji.reports.files import XLSX
from gaji.spreadsheets.reading import SHEET

EMPLOYEES = 5000
SALARY = "calc.basic_salary.fixed_amount"


def _people(wave_id: int) -> list[dict[str, Any]]:
    """People as a workbook has them."""
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


def _workbook(people: list[dict[str, Any]]) -> bytes:
    file = io.BytesIO()
    with Workbook(file) as book:
        sheet = book.add_worksheet(SHEET)
        for number, row in enumerate([list(people[0]), *(one.values() for one in people)]):
            sheet.write_row(number, 0, list(row))
    return file.getvalue()


def _body(person: dict[str, Any]) -> dict[str, Any]:
    """The same person as bulk creation takes them."""
    body: dict[str, Any] = {}
    for key, value in person.items():
        *outer, last = key.split(".")
        (body.setdefault(outer[0], {}) if outer else body)[last] = value
    del body["calc"]
    return body


@contextmanager
def _sides() -> Iterator[Sides]:
    with servers.installation(1) as (installed, demo), servers.service(installed) as port:
        headers = {"authorization": demo.api_key}
        with httpx.Client(base_url=f"http://127.0.0.1:{port}/v1", headers=headers, timeout=300) as http:
            yield Sides(ours=lambda: _imported(http), ceiling=lambda: _created(http, installed, demo))


def _company(http: httpx.Client) -> tuple[int, int]:
    client_id: int = _good(http.post("/clients", json={"name": "Import"})).json()["id"]
    wave = {"frequency": "monthly", "last_day_of_month": 31, "first_end_date": "2026-01-31"}
    wave_id: int = _good(http.post(f"/clients/{client_id}/waves", json=wave)).json()["id"]
    return client_id, wave_id


def _imported(http: httpx.Client) -> Sample:
    client_id, wave_id = _company(http)
    content = _workbook(_people(wave_id))
    start = time.perf_counter()
    answer = http.post(f"/clients/{client_id}/employees/import", content=content, headers={"content-type": XLSX})
    took = time.perf_counter() - start
    if len(_good(answer).json()["created"]) != EMPLOYEES:
        raise RuntimeError(answer.text[:500])
    return Sample(took * 1000)


def _created(http: httpx.Client, installed: Installation, demo: Demo) -> Sample:
    client_id, wave_id = _company(http)
    bodies = [_body(one) for one in _people(wave_id)]

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


def _good(answer: httpx.Response) -> httpx.Response:
    if answer.status_code != 200:
        raise RuntimeError(f"{answer.status_code}: {answer.text[:500]}")
    return answer


BAR = Bar(name="import of 5,000", unit="ms", sides=_sides, at_most=3, rounds=3)
