"""Imports whose worker dies: the next worker runs them exactly once."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from gaji.core.failpoints import VARIABLE
from gaji.core.settings import Settings
from tests.imports.employees.test_async import read_progress, single_row_workbook, start_import, wait_until_finished
from tests.reports.worker_processes import worker
from tests.support.company import Company
from tests.support.running import Service, running_service


@pytest.fixture(scope="module")
def service(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A server without a worker."""
    with running_service(settings, tmp_path_factory.mktemp("service"), arguments=["--no-worker"]) as running:
        yield running


@pytest.mark.parametrize("failpoint", ["import.before_commit", "import.after_commit"])
def test_if_a_worker_dies_the_import_is_complete_or_rolled_back(
    service: Service, company: Company, tmp_path: Path, failpoint: str
) -> None:
    uuid = start_import(company, single_row_workbook(company))
    died = tmp_path / "died"
    died.mkdir()
    with worker(service, tmp_path, {VARIABLE: f"{failpoint}@{died}"}) as victim:
        assert victim.wait(60) == -signal.SIGKILL
    was_done = failpoint == "import.after_commit"
    assert (read_progress(company, uuid)["state"] == "complete") == was_done
    assert len(company.listed()) == was_done
    with worker(service, tmp_path):
        assert wait_until_finished(company, uuid)["state"] == "complete"
    assert len(company.listed()) == 1


def test_an_import_that_crashes_its_worker_is_abandoned(service: Service, company: Company, tmp_path: Path) -> None:
    uuid = start_import(company, single_row_workbook(company))
    service.as_owner(
        "INSERT INTO employee_import_progress (client_id, import_id, attempts) "
        "SELECT client_id, id, 3 FROM employee_imports WHERE uuid::text = $1",
        uuid,
    )
    with worker(service, tmp_path):
        progress = wait_until_finished(company, uuid)
    assert (progress["state"], company.listed()) == ("failed", [])
    assert "stopped 3 times" in progress["message"]
