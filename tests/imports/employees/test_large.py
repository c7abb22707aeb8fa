"""Five thousand employees: imported by the worker with progress, exported again, in little memory."""

import time
from collections.abc import Iterator

import pytest

from gaji.core.settings import Settings
from tests.imports.employees.test_async import started, state
from tests.imports.employees.test_import import in_wave
from tests.imports.employees.workbooks import exported, imported, sheet_of
from tests.reports.test_memory import most_mib
from tests.support.company import Company, new_nric
from tests.support.running import Service, running_service

EMPLOYEES = 5000
MOST_MIB = 400
WITHIN_S = 120


@pytest.fixture(scope="module")
def service(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A server with its worker and a database of its own: what they use is what the import uses."""
    with running_service(settings, tmp_path_factory.mktemp("service")) as running:
        yield running


def test_5000_employees_are_imported_with_progress_in_less_than_400_mib(company: Company) -> None:
    row = in_wave(company) | {"calc.basic_salary.fixed_amount": 4200, "calc.week_hours.schedule": "casual"}
    rows = [row | {"nric": new_nric(), "first_name": f"Employee {number}"} for number in range(EMPLOYEES)]
    uuid = started(company, sheet_of(list(row), *rows))
    seen = set()
    deadline = time.monotonic() + WITHIN_S
    while (found := state(company, uuid))["state"] in ("queued", "running"):
        seen.add(found["step"])
        assert time.monotonic() < deadline, found
        time.sleep(0.02)
    assert found["state"] == "complete", found
    assert len(found["outcome"]["created"]) == EMPLOYEES
    assert {"reading", "checking"} <= seen
    content = exported(company)
    assert imported(company, content)["unchanged"] == EMPLOYEES
    used = most_mib(company.member.service)
    assert len(used) >= 3
    assert max(used.values()) < MOST_MIB, used
