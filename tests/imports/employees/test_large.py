"""Five thousand employees: imported by the worker with progress and exported again, in little memory."""

import time
from collections.abc import Iterator

import pytest

from gaji.core.settings import Settings
from tests.imports.employees.test_async import read_progress, start_import
from tests.imports.employees.test_import import new_row
from tests.imports.employees.workbooks import export_workbook, import_workbook, make_workbook
from tests.reports.test_memory import peak_memory_mib
from tests.support.company import Company, new_nric
from tests.support.running import Service, running_service

pytestmark = pytest.mark.slow

EMPLOYEES = 5000
MAX_MIB = 400
WITHIN_S = 120


@pytest.fixture(scope="module")
def service(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A server with its own worker and database, so that only the import uses memory."""
    with running_service(settings, tmp_path_factory.mktemp("service"), preloaded=False) as running:
        yield running


def test_5000_employees_are_imported_with_progress_in_less_than_400_mib(company: Company) -> None:
    row = new_row(company) | {"calc.basic_salary.fixed_amount": 4200, "calc.week_hours.schedule": "casual"}
    rows = [row | {"nric": new_nric(), "first_name": f"Employee {number}"} for number in range(EMPLOYEES)]
    uuid = start_import(company, make_workbook(list(row), *rows))
    seen = set()
    deadline = time.monotonic() + WITHIN_S
    while (progress := read_progress(company, uuid))["state"] in ("queued", "running"):
        seen.add(progress["step"])
        assert time.monotonic() < deadline, progress
        time.sleep(0.02)
    assert progress["state"] == "complete", progress
    assert len(progress["outcome"]["created"]) == EMPLOYEES
    assert {"reading", "checking"} <= seen
    content = export_workbook(company)
    assert import_workbook(company, content)["unchanged"] == EMPLOYEES
    used = peak_memory_mib(company.member.service)
    assert len(used) >= 3
    assert max(used.values()) < MAX_MIB, used
