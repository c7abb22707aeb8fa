"""Importing 5,000 new employees from a workbook, against creating the same rows in bulk, without file and HTTP.

Once over the API, which answers when all is done; and once through the console, where the workbook is sent with a form,
a worker brings it in, and its page is asked how far it is. The memory is the most that any process of the service used.
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
from bench.bars import Bar, Sample, Sides
from bench.console import TOKEN, signed_in
from gaji.db.installation import Installation
from gaji.db.tenancy import Tenant, open_pool
from gaji.demo import Demo
from gaji.identity.service import find_user
from gaji.imports.employees.xlsx_reader import SHEET
from gaji.law import check_letter
from gaji.people.employees.bulk import create_employees
from gaji.tabular import XLSX

EMPLOYEES = 5000
MOST_MEMORY_MIB = 400
POLL_S = 0.1
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
def _over_the_api() -> Iterator[Sides]:
    with servers.installation(1) as (installed, demo), servers.service(installed) as port, _program(port, demo) as http:
        yield Sides(ours=lambda: _imported(http), ceiling=lambda: _created(http, installed, demo))


@contextmanager
def _through_the_console() -> Iterator[Sides]:
    with servers.installation(1) as (installed, demo), servers.service(installed) as port, _program(port, demo) as http:
        cookie = {"cookie": signed_in(port, demo), "accept": "text/html"}
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", headers=cookie, timeout=300) as browser:
            yield Sides(ours=lambda: _brought_in(browser, http, port), ceiling=lambda: _created(http, installed, demo))


def _program(port: int, demo: Demo) -> httpx.Client:
    headers = {"authorization": demo.api_key}
    return httpx.Client(base_url=f"http://127.0.0.1:{port}/v1", headers=headers, timeout=300)


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


def _brought_in(browser: httpx.Client, http: httpx.Client, port: int) -> Sample:
    client_id, wave_id = _company(http)
    content = _workbook(_people(wave_id))
    path = f"/companies/{client_id}/employees/import"
    token = TOKEN.findall(_good(browser.get(path)).text)[0]
    start = time.perf_counter()
    sent = browser.post(path, data={"form_token": token, "how": "save"}, files={"workbook": ("new.xlsx", content)})
    if sent.status_code != 303:
        raise RuntimeError(f"{sent.status_code}: {sent.text[:500]}")
    while "refresh" in (page := _good(browser.get(sent.headers["location"]))).headers:
        time.sleep(POLL_S)
    took = time.perf_counter() - start
    if f"{EMPLOYEES:,} employees have been added" not in page.text:
        raise RuntimeError(page.text[-2000:])
    most = servers.most_memory_mib(port)
    if most > MOST_MEMORY_MIB:
        raise RuntimeError(f"a process used {most:.0f} MiB, more than {MOST_MEMORY_MIB}")
    return Sample(took * 1000, {"memory_mib": most})


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


BAR = Bar(name="import of 5,000", unit="ms", sides=_over_the_api, at_most=3, rounds=3)
CONSOLE = Bar(name="page: import of 5,000", unit="ms", sides=_through_the_console, at_most=3, rounds=3)
