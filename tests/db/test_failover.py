"""The primary dies and its standby is promoted: servers and workers go on there, and nothing is lost."""

import time
from collections.abc import Iterator
from dataclasses import replace

import httpx
import pytest

from gaji.core.settings import Settings
from tests.payroll.payment_runs.runs import JANUARY, hired, paid
from tests.reports.report_client import report_rows, rows_of, start_report, wait_for_report
from tests.support.company import Company, attributes
from tests.support.replicated_postgres import PostgresServer, running_pair
from tests.support.running import WAIT_S, Service, running_service

SPAN = {"start_date": "2026-01-01", "end_date": "2026-12-31"}


@pytest.fixture(scope="module")
def servers() -> Iterator[tuple[PostgresServer, PostgresServer]]:
    with running_pair() as pair:
        yield pair


@pytest.fixture(scope="module")
def service(
    servers: tuple[PostgresServer, PostgresServer], settings: Settings, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Service]:
    """A server whose URL names both database servers."""
    hosts = ",".join(f"127.0.0.1:{server.port}" for server in servers)
    replicated = replace(settings, database_url=f"postgresql://postgres@{hosts}/postgres")
    with running_service(replicated, tmp_path_factory.mktemp("failover")) as running:
        yield running


def hire_until_saved(company: Company) -> tuple[int, set[int]]:
    """Hire someone, again if the database is unavailable. Return the employee and the statuses before."""
    statuses: set[int] = set()
    deadline = time.monotonic() + WAIT_S
    while time.monotonic() < deadline:
        response = company.post(attributes())
        if response.status_code == httpx.codes.OK:
            return int(response.json()["id"]), statuses
        statuses.add(response.status_code)
        time.sleep(0.05)
    raise AssertionError(f"no employee was saved, only {statuses}")


def test_writes_and_tasks_go_on_at_the_promoted_standby(
    service: Service, servers: tuple[PostgresServer, PostgresServer]
) -> None:
    primary, standby = servers
    company = Company.of(service.new_account())
    employees = {hired(company)}
    paid(company, JANUARY)
    primary.kill()
    standby.cluster.execute("SELECT pg_promote()")
    employee_id, statuses = hire_until_saved(company)
    assert statuses <= {503}
    assert {employee["id"] for employee in company.listed()} == employees | {employee_id}
    report = rows_of(wait_for_report(company, start_report(company, "transaction_history", **SPAN)))
    assert report == report_rows(company, "transaction_history", **SPAN)
