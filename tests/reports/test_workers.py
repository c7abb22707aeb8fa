"""Reports that several workers make, of whom some die: every one is completed, and none twice."""

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from gaji.core.failpoints import VARIABLE
from gaji.core.settings import Settings
from tests.reports.asking import poll, polled, rows_of, start, started
from tests.reports.workers import with_months, worker
from tests.support.company import Company
from tests.support.problems import refused
from tests.support.running import Service, running_service

EMPLOYEES, MONTHS = 150, 12
YEAR = {"start_date": "2026-01-01", "end_date": "2026-12-31"}
EACH = 10
WITHIN_S = 150
COMPLETED = """
    CREATE TABLE completed (uuid uuid NOT NULL, place bigint GENERATED ALWAYS AS IDENTITY);
    CREATE FUNCTION note_completed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
    $$ BEGIN INSERT INTO gaji.completed (uuid) VALUES (NEW.uuid); RETURN NULL; END $$;
    CREATE TRIGGER note_completed AFTER UPDATE OF state ON report_runs FOR EACH ROW
        WHEN (NEW.state <> 'queued') EXECUTE FUNCTION note_completed();
"""


@pytest.fixture(scope="module")
def service(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A server without a worker."""
    with running_service(settings, tmp_path_factory.mktemp("service"), arguments=["--no-worker"]) as running:
        running.runner.run(_note_completed(running))
        yield running


async def _note_completed(service: Service) -> None:
    async with service.database.owner_connection() as connection:
        await connection.execute(COMPLETED)


def completed(service: Service) -> list[str]:
    """The uuids of all reports that were ever completed, each as often as it was."""
    return [row["uuid"] for row in service.as_owner("SELECT uuid::text FROM completed ORDER BY place")]


def until(service: Service, count: int) -> None:
    """Wait until so many reports are completed."""
    deadline = time.monotonic() + WITHIN_S
    while len(completed(service)) < count:
        assert time.monotonic() < deadline, f"only {len(completed(service))} of {count} reports are complete"
        time.sleep(0.1)


def test_thirty_reports_of_three_clients_survive_a_worker_that_is_killed(service: Service, tmp_path: Path) -> None:
    companies = [with_months(Company.of(service.new_account()), EMPLOYEES, MONTHS) for _ in range(3)]
    queued = {started(company, "transaction_history", **YEAR): company for _ in range(EACH) for company in companies}
    refused(start(companies[0], "transaction_history", **YEAR), 429)
    before = len(completed(service))
    with worker(service, tmp_path), worker(service, tmp_path) as victim:
        until(service, before + 8)
        os.kill(victim.pid, signal.SIGKILL)
        assert len(completed(service)) < before + len(queued)
        until(service, before + len(queued))
    assert sorted(completed(service)[before:]) == sorted(queued)
    for uuid, company in queued.items():
        found = rows_of(poll(company, uuid))
        assert len(found) == EMPLOYEES * MONTHS
        assert len({(row["employee"], row["Date"]) for row in found}) == EMPLOYEES * MONTHS
        refused(service.new_account().get(f"/clients/{company.id}/reports/poll/{uuid}"), 404)


@pytest.mark.parametrize("place", ["report.after_piece", "report.before_commit", "report.after_commit"])
def test_a_worker_that_dies_at_any_step_leaves_the_report_to_the_next(
    service: Service, tmp_path: Path, place: str
) -> None:
    company = with_months(Company.of(service.new_account()), EMPLOYEES, MONTHS)
    uuid = started(company, "transaction_history", **YEAR)
    died = tmp_path / "died"
    died.mkdir()
    with worker(service, tmp_path, {VARIABLE: f"{place}@{died}"}) as victim:
        assert victim.wait(60) == -signal.SIGKILL
    assert [file.name for file in died.iterdir()] == [place]
    was_made = place == "report.after_commit"
    assert (poll(company, uuid).status_code == 200) == was_made
    assert completed(service).count(uuid) == was_made
    with worker(service, tmp_path):
        assert len(rows_of(polled(company, uuid))) == EMPLOYEES * MONTHS
    assert completed(service).count(uuid) == 1


def test_a_report_survives_that_nobody_is_there_to_make_it(service: Service, tmp_path: Path) -> None:
    company = Company.of(service.new_account())
    uuid = started(company, "tracked_balances", date="2026-01-31")
    assert poll(company, uuid).headers["x-report-state"] == "queued"
    service.as_owner("DELETE FROM pgqueuer")  # a job that was lost
    with worker(service, tmp_path):
        assert rows_of(polled(company, uuid)) == []
