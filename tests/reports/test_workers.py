"""Reports built by several workers, some of which die: each report is completed exactly once."""

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from gaji.core.failpoints import VARIABLE
from gaji.core.settings import Settings
from tests.reports.report_client import poll, request_start, rows_of, start_report, wait_for_report
from tests.reports.worker_processes import create_payslip_history, worker
from tests.support.company import Company
from tests.support.problems import assert_problem
from tests.support.running import Service, running_service

pytestmark = pytest.mark.slow

EMPLOYEES, MONTHS = 150, 12
YEAR = {"start_date": "2026-01-01", "end_date": "2026-12-31"}
REPORTS_PER_CLIENT = 10
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
        running.runner.run(_record_completions(running))
        yield running


async def _record_completions(service: Service) -> None:
    async with service.database.owner_connection() as connection:
        await connection.execute(COMPLETED)


def completed(service: Service) -> list[str]:
    """Return the UUIDs of all completed reports, with repetitions."""
    return [row["uuid"] for row in service.as_owner("SELECT uuid::text FROM completed ORDER BY place")]


def wait_until_completed(service: Service, count: int) -> None:
    """Wait until this many reports are complete."""
    deadline = time.monotonic() + WITHIN_S
    while len(completed(service)) < count:
        assert time.monotonic() < deadline, f"only {len(completed(service))} of {count} reports are complete"
        time.sleep(0.1)


def test_reports_survive_a_killed_worker(service: Service, tmp_path: Path) -> None:
    companies = [create_payslip_history(Company.of(service.new_account()), EMPLOYEES, MONTHS) for _ in range(3)]
    queued = {
        start_report(company, "transaction_history", **YEAR): company
        for _ in range(REPORTS_PER_CLIENT)
        for company in companies
    }
    assert_problem(request_start(companies[0], "transaction_history", **YEAR), 429)
    before = len(completed(service))
    with worker(service, tmp_path), worker(service, tmp_path) as victim:
        wait_until_completed(service, before + 8)
        os.kill(victim.pid, signal.SIGKILL)
        assert len(completed(service)) < before + len(queued)
        wait_until_completed(service, before + len(queued))
    assert sorted(completed(service)[before:]) == sorted(queued)
    for uuid, company in queued.items():
        rows = rows_of(poll(company, uuid))
        assert len(rows) == EMPLOYEES * MONTHS
        assert len({(row["employee"], row["Date"]) for row in rows}) == EMPLOYEES * MONTHS
        assert_problem(service.new_account().get(f"/clients/{company.id}/reports/poll/{uuid}"), 404)


@pytest.mark.parametrize("failpoint", ["report.after_piece", "report.before_commit", "report.after_commit"])
def test_if_a_worker_dies_the_next_one_builds_the_report(service: Service, tmp_path: Path, failpoint: str) -> None:
    company = create_payslip_history(Company.of(service.new_account()), EMPLOYEES, MONTHS)
    uuid = start_report(company, "transaction_history", **YEAR)
    died = tmp_path / "died"
    died.mkdir()
    with worker(service, tmp_path, {VARIABLE: f"{failpoint}@{died}"}) as victim:
        assert victim.wait(60) == -signal.SIGKILL
    assert [file.name for file in died.iterdir()] == [failpoint]
    was_built = failpoint == "report.after_commit"
    assert (poll(company, uuid).status_code == 200) == was_built
    assert completed(service).count(uuid) == was_built
    with worker(service, tmp_path):
        assert len(rows_of(wait_for_report(company, uuid))) == EMPLOYEES * MONTHS
    assert completed(service).count(uuid) == 1


def test_a_report_survives_a_lost_job(service: Service, tmp_path: Path) -> None:
    company = Company.of(service.new_account())
    uuid = start_report(company, "tracked_balances", date="2026-01-31")
    assert poll(company, uuid).headers["x-report-state"] == "queued"
    service.as_owner("DELETE FROM pgqueuer")  # the job is lost
    with worker(service, tmp_path):
        assert rows_of(wait_for_report(company, uuid)) == []
