"""Imports whose worker dies: done by the next one, and done once."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from gaji.core.failpoints import VARIABLE
from gaji.core.settings import Settings
from tests.imports.employees.test_async import over, sheet, started, state
from tests.reports.workers import worker
from tests.support.company import Company
from tests.support.running import Service, running_service


@pytest.fixture(scope="module")
def service(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A server without a worker."""
    with running_service(settings, tmp_path_factory.mktemp("service"), arguments=["--no-worker"]) as running:
        yield running


@pytest.mark.parametrize("place", ["import.before_commit", "import.after_commit"])
def test_a_worker_that_dies_at_any_step_leaves_the_import_whole_or_undone(
    service: Service, company: Company, tmp_path: Path, place: str
) -> None:
    uuid = started(company, sheet(company))
    died = tmp_path / "died"
    died.mkdir()
    with worker(service, tmp_path, {VARIABLE: f"{place}@{died}"}) as victim:
        assert victim.wait(60) == -signal.SIGKILL
    was_done = place == "import.after_commit"
    assert (state(company, uuid)["state"] == "complete") == was_done
    assert len(company.listed()) == was_done
    with worker(service, tmp_path):
        assert over(company, uuid)["state"] == "complete"
    assert len(company.listed()) == 1


def test_an_import_that_ends_its_worker_each_time_is_given_up(
    service: Service, company: Company, tmp_path: Path
) -> None:
    uuid = started(company, sheet(company))
    service.as_owner(
        "INSERT INTO employee_import_progress (client_id, import_id, attempts) "
        "SELECT client_id, id, 3 FROM employee_imports WHERE uuid::text = $1",
        uuid,
    )
    with worker(service, tmp_path):
        found = over(company, uuid)
    assert (found["state"], company.listed()) == ("failed", [])
    assert "3 times" in found["message"]
