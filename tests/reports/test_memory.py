"""A report of ten thousand employees and twelve months is never in memory whole, in no process."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from gaji.core.settings import Settings
from tests.reports.asking import CSV, XLSX, polled, started
from tests.reports.workers import with_months
from tests.support.company import Company
from tests.support.running import Service, running_service

EMPLOYEES, MONTHS = 10_000, 12
MOST_MIB = 400
YEAR = {"start_date": "2026-01-01", "end_date": "2026-12-31"}
SLOWLY_S = 0.002


@pytest.fixture(scope="module")
def service(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A server with its worker and a database of its own: what they use is what the report uses."""
    with running_service(settings, tmp_path_factory.mktemp("service")) as running:
        yield running


def children(pid: int) -> Iterator[int]:
    """A process and all that it started."""
    yield pid
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        yield from children(int(child))


def most_mib(service: Service) -> dict[str, float]:
    """The most memory that each process of the server ever used, by what it is."""
    found = {}
    for pid in children(service.process.pid):
        status = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
        command = Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
        if "VmHWM" in status and "postgres" not in command:
            found[f"{pid} {command[-60:]}"] = int(status["VmHWM"].split()[0]) / 1024
    return found


def downloaded(company: Company, accept: str, **fields: object) -> int:
    """The bytes of a report that is read slowly."""
    size = 0
    path = f"{company.member.service.url}/v1/clients/{company.id}/reports/transaction_history"
    headers = {"Authorization": company.member.key, "Accept": accept}
    with company.member.service.http.stream(
        "POST", path, json={**YEAR, **fields}, headers=headers, timeout=300
    ) as answer:
        assert answer.status_code == 200
        for piece in answer.iter_bytes(256 * 1024):
            size += len(piece)
            time.sleep(SLOWLY_S)
        assert size == int(answer.headers["content-length"])
    return size


def test_memory_stays_below_400_mib(service: Service) -> None:
    company = with_months(Company.of(service.new_account()), EMPLOYEES, MONTHS)
    sizes = {accept: downloaded(company, accept) for accept in ("application/json", CSV)}
    sizes[XLSX] = downloaded(company, XLSX, account_names=["Nett pay"])
    uuid = started(company, "transaction_history", **YEAR)
    assert len(polled(company, uuid).content) == sizes["application/json"]
    assert sizes["application/json"] > EMPLOYEES * MONTHS * 200
    assert min(sizes.values()) > EMPLOYEES * MONTHS * 5
    used = most_mib(service)
    assert len(used) >= 3  # the one that starts the others, the one that serves, and the worker
    assert max(used.values()) < MOST_MIB, used
