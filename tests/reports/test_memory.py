"""A report of ten thousand employees and twelve months is never completely in memory."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from gaji.core.settings import Settings
from tests.reports.report_client import CSV, XLSX, start_report, wait_for_report
from tests.reports.worker_processes import create_payslip_history
from tests.support.company import Company
from tests.support.running import Service, running_service

pytestmark = pytest.mark.slow

EMPLOYEES, MONTHS = 10_000, 12
MAX_MIB = 400
YEAR = {"start_date": "2026-01-01", "end_date": "2026-12-31"}
READ_DELAY_S = 0.002


@pytest.fixture(scope="module")
def service(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A server with its own worker and database, so that only the report uses memory."""
    with running_service(settings, tmp_path_factory.mktemp("service"), preloaded=False) as running:
        yield running


def children(pid: int) -> Iterator[int]:
    """Yield a process and its descendants."""
    yield pid
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        yield from children(int(child))


def peak_memory_mib(service: Service) -> dict[str, float]:
    """Return the peak memory of each process of the server, by its command."""
    peaks_mib = {}
    for pid in children(service.process.pid):
        status = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
        command = Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
        if "VmHWM" in status and "postgres" not in command:
            peaks_mib[f"{pid} {command[-60:]}"] = int(status["VmHWM"].split()[0]) / 1024
    return peaks_mib


def download_slowly(company: Company, accept: str, **fields: object) -> int:
    """Download a report slowly and return its size."""
    size = 0
    path = f"{company.member.service.url}/v1/clients/{company.id}/reports/transaction_history"
    headers = {"Authorization": company.member.key, "Accept": accept, "Accept-Encoding": "identity"}
    with company.member.service.http.stream(
        "POST", path, json={**YEAR, **fields}, headers=headers, timeout=300
    ) as answer:
        assert answer.status_code == 200
        for chunk in answer.iter_bytes(256 * 1024):
            size += len(chunk)
            time.sleep(READ_DELAY_S)
        assert size == int(answer.headers["content-length"])
    return size


def test_memory_stays_below_400_mib(service: Service) -> None:
    company = create_payslip_history(Company.of(service.new_account()), EMPLOYEES, MONTHS)
    assert download_slowly(company, CSV) > EMPLOYEES * MONTHS * 5
    assert download_slowly(company, XLSX, account_names=["Nett pay"]) > EMPLOYEES * MONTHS * 5
    uuid = start_report(company, "transaction_history", **YEAR)  # in the worker
    assert len(wait_for_report(company, uuid).content) > EMPLOYEES * MONTHS * 200
    used = peak_memory_mib(service)
    assert len(used) >= 3  # the parent, the server and the worker
    assert max(used.values()) < MAX_MIB, used
