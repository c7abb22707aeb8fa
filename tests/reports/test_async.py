"""Queued reports: built by a worker, polled for and stored for a day."""

import time
import uuid as uuids
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.payroll.payment_runs.runs import JANUARY, hired, paid
from tests.payroll.payslips.slips import draft
from tests.reports.report_client import poll, report_rows, request_start, rows_of, start_report, wait_for_report
from tests.reports.sample_payroll import JANUARY_OFFSET
from tests.support.company import Company
from tests.support.problems import assert_problem
from tests.support.races import at_once
from tests.support.running import WAIT_S, Member, Service

SPAN = {"start_date": "2026-01-01", "end_date": "2026-12-31"}
MAX_QUEUED = 10


@contextmanager
def block_workers(service: Service) -> Iterator[None]:
    """Block all workers after they claim a report."""
    with service.holding("LOCK TABLE report_progress IN ACCESS EXCLUSIVE MODE"):
        yield


def state_of(company: Company, uuid: str) -> str:
    """Return the stored state of a report."""
    [row] = company.member.service.as_owner("SELECT state FROM report_runs WHERE uuid = $1", uuids.UUID(uuid))
    state: str = row["state"]
    return state


def test_it_works(company: Company) -> None:
    hired(company)
    paid(company, JANUARY)
    uuid = start_report(company, "transaction_history", **SPAN)
    assert str(uuids.UUID(uuid)) == uuid
    report = rows_of(wait_for_report(company, uuid))
    assert report == report_rows(company, "transaction_history", **SPAN)
    assert rows_of(poll(company, uuid)) == report  # it can be polled again


def test_each_request_gets_its_own_uuid(company: Company) -> None:
    assert start_report(company, "tracked_balances", date=JANUARY) != start_report(
        company, "tracked_balances", date=JANUARY
    )


def test_polling_returns_204_with_progress_until_complete(company: Company) -> None:
    uuid = str(uuids.uuid4())
    [run] = company.member.service.as_owner(
        "INSERT INTO report_runs (client_id, uuid, report, request) VALUES ($1, $2, 'variance', '{}') RETURNING id",
        company.id,
        uuids.UUID(uuid),
    )
    claim = "SELECT FROM report_runs WHERE id = $1 FOR NO KEY UPDATE"
    with company.member.service.holding(claim, run["id"]):
        for state, rows_made in (("queued", 0), ("running", 7)):
            answer = poll(company, uuid)
            assert (answer.status_code, answer.content) == (204, b"")
            assert answer.headers["retry-after"] == "10"
            assert answer.headers["x-report-state"] == state
            assert answer.headers["x-report-rows"] == str(rows_made)
            company.member.service.as_owner(
                "INSERT INTO report_progress (client_id, run_id, rows_made) VALUES ($1, $2, 7) ON CONFLICT DO NOTHING",
                company.id,
                run["id"],
            )


def test_a_client_can_queue_at_most_ten_reports(company: Company) -> None:
    other = Company.of(company.member)
    with block_workers(company.member.service):
        queued = [start_report(company, "tracked_balances", date=JANUARY) for _ in range(MAX_QUEUED)]
        answer = request_start(company, "tracked_balances", date=JANUARY)
        assert f"{MAX_QUEUED} reports queued or running" in assert_problem(answer, 429)["message"]
        assert answer.headers["retry-after"] == "10"
        assert request_start(other, "tracked_balances", date=JANUARY).status_code == 200
    for uuid in queued:
        rows_of(wait_for_report(company, uuid))
    start_report(company, "tracked_balances", date=JANUARY)


def test_concurrent_requests_queue_at_most_ten_reports(company: Company) -> None:
    with block_workers(company.member.service):
        answers = at_once(
            [lambda: request_start(company, "tracked_balances", date=JANUARY) for _ in range(MAX_QUEUED + 6)]
        )
        assert sorted(answer.status_code for answer in answers) == [200] * MAX_QUEUED + [429] * 6


def test_invalid_requests_are_not_queued(company: Company) -> None:
    before = company.member.service.fingerprint()
    assert_problem(request_start(company, "transaction_history", start_date="2026-01-01"), 422)
    assert_problem(request_start(company, "unknown"), 404)
    assert company.member.service.fingerprint() == before


@pytest.mark.parametrize("uuid", ["00000000-0000-4000-8000-000000000000", "nonsense", "7", "%00", "{}"])
def test_unknown_uuids_are_not_found(company: Company, uuid: str) -> None:
    assert_problem(poll(company, uuid), 404)


def test_uuids_of_other_clients_are_not_found(company: Company, service: Service) -> None:
    uuid = start_report(company, "tracked_balances", date=JANUARY)
    wait_for_report(company, uuid)
    assert_problem(poll(Company.of(company.member), uuid), 404)
    stranger = service.new_account()
    assert_problem(stranger.get(f"/clients/{company.id}/reports/poll/{uuid}"), 404)
    assert_problem(stranger.get(f"/clients/{stranger.new_client()}/reports/poll/{uuid}"), 404)
    limited = company.member.with_another_key(client_ids=[company.member.new_client()])
    assert_problem(limited.get(f"/clients/{company.id}/reports/poll/{uuid}"), 404)


def test_a_failed_report_returns_500_with_the_reason(company: Company) -> None:
    employee_id = hired(company)
    slip = draft(company, employee_id)
    company.member.service.as_owner("UPDATE payslips SET dirty = true WHERE id = $1", slip)
    uuid = start_report(company, "variance", wave_id=company.wave_id, period_offset=JANUARY_OFFSET)
    message = "1 payslip of these periods is waiting to be calculated; try again shortly"
    assert assert_problem(wait_for_report(company, uuid), 500)["message"] == message
    assert state_of(company, uuid) == "failed"


def test_a_report_fails_if_its_records_no_longer_exist(company: Company) -> None:
    uuid = str(uuids.uuid4())
    company.member.service.as_owner(
        "INSERT INTO report_runs (client_id, uuid, report, request) VALUES ($1, $2, 'tracked_balances', $3)",
        company.id,
        uuids.UUID(uuid),
        f'{{"date": "{JANUARY}", "employee_ids": [{10**12}]}}',
    )
    start_report(company, "tracked_balances", date=JANUARY)  # its task finds both
    message = f"employee_ids: employee not found in this client: {10**12}"
    assert assert_problem(wait_for_report(company, uuid), 500)["message"] == message


def test_reports_are_deleted_after_24_hours(company: Company) -> None:
    hired(company)
    paid(company, JANUARY)
    service = company.member.service
    young, old = (start_report(company, "transaction_history", **SPAN) for _ in range(2))
    for uuid, age in ((young, "23 hours 59 minutes"), (old, "24 hours 1 second")):
        wait_for_report(company, uuid)
        service.as_owner(
            f"UPDATE report_runs SET finished_at = now() - interval '{age}' WHERE uuid = $1", uuids.UUID(uuid)
        )
    rows_of(poll(company, young))
    assert_problem(poll(company, old), 404)
    service.as_owner("SELECT forget_old_reports()")
    stored = service.as_owner(
        "SELECT r.uuid::text, count(p.id) AS pieces FROM report_runs r LEFT JOIN report_pieces p ON p.run_id = r.id "
        "WHERE r.client_id = $1 GROUP BY 1",
        company.id,
    )
    assert stored == [{"uuid": young, "pieces": 1}]
    assert service.as_owner("SELECT FROM report_pieces WHERE client_id = $1", company.id) == [{}]


def test_stored_reports_are_encrypted(company: Company) -> None:
    hired(company, first_name="Unmistakable")
    paid(company, JANUARY)
    uuid = start_report(company, "transaction_history", **SPAN, custom_fields=["first_name"])
    assert rows_of(wait_for_report(company, uuid))[0]["First name"] == "Unmistakable"
    [chunk] = company.member.service.as_owner("SELECT * FROM report_pieces WHERE client_id = $1", company.id)
    assert b"Unmistakable" not in chunk["rows_sealed"]
    company.member.service.as_owner("UPDATE report_pieces SET id = id + 1000000 WHERE client_id = $1", company.id)
    assert poll(company, uuid).status_code == 500  # a chunk only decrypts in its own row


def test_an_idempotency_key_starts_one_report(company: Company) -> None:
    path = f"/clients/{company.id}/reports/tracked_balances/async"
    headers = {"Idempotency-Key": "the same"}
    answers = [company.member.post(path, {"date": JANUARY}, headers=headers) for _ in range(2)]
    assert answers[0].json() == answers[1].json()
    assert len(company.member.service.as_owner("SELECT FROM report_runs WHERE client_id = $1", company.id)) == 1


def test_a_report_does_not_change_after_it_was_built(company: Company) -> None:
    hired(company)
    paid(company, JANUARY)
    uuid = start_report(company, "transaction_history", **SPAN)
    before = wait_for_report(company, uuid).content
    paid(company, "2026-02-28")
    assert poll(company, uuid).content == before
    assert len(report_rows(company, "transaction_history", **SPAN)) == 2


def test_a_report_that_crashes_its_worker_is_abandoned(company: Company) -> None:
    service = company.member.service
    with block_workers(service):
        uuid = start_report(company, "tracked_balances", date=JANUARY)
        service.wait_until_blocked()
    wait_for_report(company, uuid)
    [run] = service.as_owner("SELECT id FROM report_runs WHERE uuid = $1", uuids.UUID(uuid))
    service.as_owner("UPDATE report_progress SET attempts = 3 WHERE run_id = $1", run["id"])
    service.as_owner(
        "UPDATE report_runs SET state = 'queued', finished_at = NULL, keys = NULL, rules_versions = NULL WHERE id = $1",
        run["id"],
    )
    start_report(company, "tracked_balances", date=JANUARY)  # its task finds both
    message = assert_problem(wait_for_report(company, uuid), 500)["message"]
    assert "its worker stopped 3 times" in message


def test_progress_is_recorded(company: Company, account: Member) -> None:
    hired(company)
    paid(company, JANUARY)
    uuid = start_report(company, "transaction_history", **SPAN)
    wait_for_report(company, uuid)
    deadline = time.monotonic() + WAIT_S
    progress: list[dict[str, int]] = []
    while not progress and time.monotonic() < deadline:
        progress = company.member.service.as_owner(
            "SELECT attempts, rows_made FROM report_progress WHERE client_id = $1", company.id
        )
    assert progress == [{"attempts": 1, "rows_made": 1}]
