"""A server and worker whose transactions run through PgBouncer in transaction mode."""

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from gaji.core.settings import Settings, SettingsError
from gaji.db.connect import UnsafeRole, connect
from gaji.db.database import locate_database
from tests.payroll.payment_runs.runs import JANUARY, hired, paid
from tests.reports.report_client import report_rows, rows_of, start_report, wait_for_report
from tests.support.company import Company
from tests.support.pgbouncer import prepare_login, running_pgbouncer
from tests.support.running import Cluster, Service, running_service

ACCOUNTS = 4
READERS = 12


def pooled(settings: Settings, url: str | None) -> Settings:
    """These settings, with transactions through the pooler at this URL."""
    return replace(settings, database_url=url, database_direct_url=settings.database_url)


def test_a_login_without_the_role_is_not_used(settings: Settings) -> None:
    with pytest.raises(UnsafeRole, match="run ALTER ROLE postgres SET role = gaji_app"):
        asyncio.run(connect(locate_database(pooled(settings, settings.database_url)).for_transactions("test")))


def test_a_server_does_not_start_if_the_login_has_no_search_path(settings: Settings, tmp_path: Path) -> None:
    with (
        running_pgbouncer(str(settings.database_url)) as url,
        pytest.raises(AssertionError, match="run ALTER ROLE gaji_app SET search_path = gaji"),
        running_service(pooled(settings, url), tmp_path),
    ):
        pass


@pytest.fixture(scope="module")
def service(cluster: Cluster, settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A server behind PgBouncer."""
    prepare_login(cluster, str(settings.database_url))
    with (
        running_pgbouncer(str(settings.database_url)) as url,
        running_service(pooled(settings, url), tmp_path_factory.mktemp("pooled")) as running,
    ):
        yield running


def test_a_month_with_a_report_and_a_pdf(service: Service) -> None:
    company = Company.of(service.new_account())
    employee_id = hired(company)
    paid(company, JANUARY)
    span = {"start_date": "2026-01-01", "end_date": "2026-12-31"}
    report = rows_of(wait_for_report(company, start_report(company, "transaction_history", **span)))
    assert report == report_rows(company, "transaction_history", **span)
    payslip, *_ = company.member.get(f"/employees/{employee_id}/payslips").json()
    pdf = company.member.get(f"/payslips/{payslip['payslip']['id']}.pdf")
    assert pdf.content.startswith(b"%PDF")


def test_tenants_that_share_sessions_see_their_own_records_only(service: Service) -> None:
    companies = [Company.of(service.new_account()) for _ in range(ACCOUNTS)]
    employees = [company.hire() for company in companies]

    def read(number: int) -> tuple[int, int]:
        company, other = companies[number % ACCOUNTS], employees[(number + 1) % ACCOUNTS]
        own = company.member.get(f"/employees/{employees[number % ACCOUNTS]}")
        return own.status_code, company.member.get(f"/employees/{other}").status_code

    with ThreadPoolExecutor(READERS) as pool:
        assert set(pool.map(read, range(READERS * ACCOUNTS))) == {(200, 404)}


def test_the_direct_url_needs_the_url_of_the_pooler() -> None:
    with pytest.raises(SettingsError, match="GAJI_DATABASE_DIRECT_URL needs GAJI_DATABASE_URL"):
        Settings.from_environment({"GAJI_DATABASE_DIRECT_URL": "postgresql://db/gaji"})
