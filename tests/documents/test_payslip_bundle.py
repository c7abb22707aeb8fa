"""POST /payment_runs/:id/payslips/zip: all payslips of a run in one ZIP file, built by a task."""

import io
import os
import re
import time
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from gaji.core.failpoints import VARIABLE
from gaji.core.settings import Settings
from tests.documents.payslip_pdfs import download_pdf, pdf_text
from tests.payroll.payment_runs.crowd import crowded
from tests.payroll.payment_runs.runs import hired, opened, paid, payslips, until_ready
from tests.reports.worker_processes import worker
from tests.support.company import Company
from tests.support.problems import assert_problem
from tests.support.running import Service, running_service

COMPLETE_WITHIN_S = 60


def start(company: Company, run_id: int) -> str:
    answer = company.member.post(f"/payment_runs/{run_id}/payslips/zip")
    assert answer.status_code == 200, answer.text
    assert answer.json()["message"] == "Started"
    uuid: str = answer.json()["uuid"]
    return uuid


def progress(company: Company, run_id: int, uuid: str) -> dict[str, Any]:
    answer = company.member.get(f"/payment_runs/{run_id}/payslips/zip/{uuid}")
    assert answer.status_code == 200, answer.text
    status: dict[str, Any] = answer.json()
    return status


def wait_until_done(company: Company, run_id: int, uuid: str) -> dict[str, Any]:
    """Return the status when it is complete or failed."""
    deadline = time.monotonic() + COMPLETE_WITHIN_S
    while time.monotonic() < deadline:
        status = progress(company, run_id, uuid)
        if status["state"] in ("complete", "failed"):
            return status
        time.sleep(0.05)
    raise AssertionError(f"the file is still {status}")


def download(company: Company, run_id: int, uuid: str) -> zipfile.ZipFile:
    answer = company.member.get(f"/payment_runs/{run_id}/payslips/zip/{uuid}.zip")
    assert answer.status_code == 200, answer.text
    assert answer.headers["Content-Type"] == "application/zip"
    assert answer.headers["Content-Disposition"] == f'attachment; filename="payslips-{run_id}.zip"'
    return zipfile.ZipFile(io.BytesIO(answer.content))


def test_it_works(company: Company) -> None:
    for name in ("Mei Ling", "Aisyah", "陈伟明"):
        hired(company, first_name=name)
    run_id = paid(company)
    uuid = start(company, run_id)
    assert wait_until_done(company, run_id, uuid) == {
        "state": "complete",
        "payslips": 3,
        "done": 3,
        "message": None,
    }
    file = download(company, run_id, uuid)
    assert file.testzip() is None
    ids = [payslip["id"] for payslip in payslips(company, run_id)]
    assert file.namelist() == [
        f"payslip-2026-01-31-{number}-{payslip_id}.pdf" for number, payslip_id in enumerate(ids, start=1)
    ]
    for name, payslip_id in zip(file.namelist(), ids, strict=True):
        assert file.read(name) == download_pdf(company, payslip_id)


def test_the_same_run_gives_the_same_file(company: Company) -> None:
    hired(company)
    run_id = paid(company)
    contents = set()
    for _ in range(2):
        uuid = start(company, run_id)
        wait_until_done(company, run_id, uuid)
        contents.add(company.member.get(f"/payment_runs/{run_id}/payslips/zip/{uuid}.zip").content)
    assert len(contents) == 1


def test_drafts_are_marked(company: Company) -> None:
    hired(company)
    run_id = opened(company)
    uuid = start(company, run_id)
    wait_until_done(company, run_id, uuid)
    file = download(company, run_id, uuid)
    [name] = file.namelist()
    assert name.endswith("-draft.pdf")
    assert "DRAFT" in pdf_text(file.read(name))


def test_a_template_that_fails_is_reported(company: Company) -> None:
    hired(company)
    run_id = paid(company)
    source = (
        '#if not json(bytes(sys.inputs.data)).draft and json(bytes(sys.inputs.data)).nett_pay != "0.00" { panic("no") }'
    )
    answer = company.member.call("PUT", f"/clients/{company.id}/payslip_template", json={"template": source})
    assert answer.status_code == 200, answer.text
    uuid = start(company, run_id)
    status = wait_until_done(company, run_id, uuid)
    assert status["state"] == "failed"
    assert "fails for payslip" in status["message"]
    assert_problem(company.member.get(f"/payment_runs/{run_id}/payslips/zip/{uuid}.zip"), 409)


def test_stored_files_are_encrypted_and_deleted_with_the_run(company: Company) -> None:
    hired(company)
    run_id = opened(company)
    uuid = start(company, run_id)
    wait_until_done(company, run_id, uuid)
    service = company.member.service
    [chunk] = service.as_owner("SELECT content_sealed FROM payslip_bundle_pieces WHERE client_id = $1", company.id)
    assert b"%PDF" not in chunk["content_sealed"]
    assert company.member.delete(f"/payment_runs/{run_id}").status_code == 200
    assert not service.as_owner("SELECT FROM payslip_bundle_pieces WHERE client_id = $1", company.id)
    assert_problem(company.member.get(f"/payment_runs/{run_id}/payslips/zip/{uuid}"), 404)


def test_files_are_deleted_after_a_day(company: Company) -> None:
    hired(company)
    run_id = paid(company)
    uuid = start(company, run_id)
    wait_until_done(company, run_id, uuid)
    company.member.service.as_owner(
        "UPDATE payslip_bundles SET finished_at = now() - interval '25 hours' WHERE client_id = $1", company.id
    )
    assert_problem(company.member.get(f"/payment_runs/{run_id}/payslips/zip/{uuid}"), 404)
    company.member.service.as_owner("SELECT forget_old_payslip_bundles()")
    assert not company.member.service.as_owner("SELECT FROM payslip_bundles WHERE client_id = $1", company.id)


@pytest.mark.parametrize("uuid", ["x", "1f0a3b52-7a3c-4a63-9a51-0f4f6f0f2c11"])
def test_unknown_files_are_not_found(company: Company, uuid: str) -> None:
    hired(company)
    run_id = paid(company)
    assert_problem(company.member.get(f"/payment_runs/{run_id}/payslips/zip/{uuid}"), 404)
    assert_problem(company.member.get(f"/payment_runs/{run_id}/payslips/zip/{uuid}.zip"), 404)


@pytest.fixture(scope="module")
def workerless(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A server without a worker."""
    with running_service(settings, tmp_path_factory.mktemp("service"), arguments=["--no-worker"]) as running:
        yield running


def test_ten_files_can_be_queued_and_a_queued_one_is_not_available(workerless: Service) -> None:
    company = Company.of(workerless.new_account())
    hired(company)
    run_id = paid(company)
    uuids = [start(company, run_id) for _ in range(10)]
    assert progress(company, run_id, uuids[0]) == {"state": "queued", "payslips": 1, "done": 0, "message": None}
    answer = company.member.get(f"/payment_runs/{run_id}/payslips/zip/{uuids[0]}.zip")
    assert_problem(answer, 409)
    assert answer.headers["Retry-After"] == "10"
    assert_problem(company.member.post(f"/payment_runs/{run_id}/payslips/zip"), 429)
    workerless.as_owner("DELETE FROM payslip_bundles")


@pytest.mark.parametrize("failpoint", ["payslip_bundle.after_some", "payslip_bundle.before_commit"])
def test_if_a_worker_dies_the_next_one_builds_the_file(workerless: Service, tmp_path: Path, failpoint: str) -> None:
    company = Company.of(workerless.new_account())
    for _ in range(3):
        hired(company)
    run_id = paid(company)
    uuid = start(company, run_id)
    with worker(workerless, tmp_path, {VARIABLE: f"{failpoint}@{tmp_path}"}) as victim:
        assert victim.wait(COMPLETE_WITHIN_S) != 0
    assert os.path.exists(tmp_path / failpoint)
    assert progress(company, run_id, uuid)["state"] == "running"
    with worker(workerless, tmp_path):
        assert wait_until_done(company, run_id, uuid) == {
            "state": "complete",
            "payslips": 3,
            "done": 3,
            "message": None,
        }
    assert len(download(company, run_id, uuid).namelist()) == 3


# Set BUNDLED=1000 for a realistic run.
BUNDLED = int(os.environ.get("BUNDLED", "120"))
MAX_MEMORY_MIB = 400


def test_a_worker_needs_little_memory_and_reports_progress(workerless: Service, tmp_path: Path) -> None:
    company = crowded(Company.of(workerless.new_account()), BUNDLED)
    with worker(workerless, tmp_path, preloaded=False) as process:
        run_id = opened(company)
        until_ready(company, run_id)
        uuid = start(company, run_id)
        memory, seen, started = 0.0, set(), time.monotonic()
        while (status := progress(company, run_id, uuid))["state"] != "complete":
            assert status["state"] != "failed", status
            assert time.monotonic() - started < COMPLETE_WITHIN_S + BUNDLED / 5, status
            memory = max(memory, memory_mib(process.pid))
            seen.add(status["done"])
            time.sleep(0.05)
    print(f"{BUNDLED} payslips in {time.monotonic() - started:.1f} s, at most {memory:.0f} MiB")
    assert 0 < memory < MAX_MEMORY_MIB
    assert len(seen) >= 3  # progress was reported several times
    file = download(company, run_id, uuid)
    assert len(set(file.namelist())) == BUNDLED
    assert all(file.read(name).startswith(b"%PDF-") for name in file.namelist())


def memory_mib(pid: int) -> float:
    """Return the memory of a process and its children."""
    [resident] = re.findall(r"^VmRSS:\s+(\d+) kB$", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    return int(resident) / 1024 + sum(memory_mib(child) for child in children_of(pid))


def children_of(pid: int) -> set[int]:
    """Return the child processes of a process."""
    children: set[int] = set()
    for thread in Path(f"/proc/{pid}/task").iterdir():
        with suppress(FileNotFoundError, ProcessLookupError):  # threads come and go
            children |= {int(child) for child in (thread / "children").read_text().split()}
    return children
