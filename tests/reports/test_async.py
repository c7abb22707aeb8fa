"""Large reports: queued, made by a worker, polled for, kept for a day."""

import time
import uuid as uuids
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.payroll.payment_runs.runs import JANUARY, hired, paid
from tests.payroll.payslips.slips import draft
from tests.reports.asking import poll, polled, rows, rows_of, start, started
from tests.reports.payroll import JANUARY_OFFSET
from tests.support.company import Company
from tests.support.problems import refused
from tests.support.races import at_once
from tests.support.running import WAIT_S, Member, Service

SPAN = {"start_date": "2026-01-01", "end_date": "2026-12-31"}
MOST = 10


@contextmanager
def nobody_works(service: Service) -> Iterator[None]:
    """A block in which no worker gets further than claiming a report."""
    with service.holding("LOCK TABLE report_progress IN ACCESS EXCLUSIVE MODE"):
        yield


def state_of(company: Company, uuid: str) -> str:
    """The state that is kept of a report."""
    [row] = company.member.service.as_owner("SELECT state FROM report_runs WHERE uuid = $1", uuids.UUID(uuid))
    state: str = row["state"]
    return state


def test_it_works(company: Company) -> None:
    hired(company)
    paid(company, JANUARY)
    uuid = started(company, "transaction_history", **SPAN)
    assert str(uuids.UUID(uuid)) == uuid
    found = rows_of(polled(company, uuid))
    assert found == rows(company, "transaction_history", **SPAN)
    assert rows_of(poll(company, uuid)) == found  # as often as one likes


def test_each_request_has_a_uuid_of_its_own(company: Company) -> None:
    assert started(company, "tracked_balances", date=JANUARY) != started(company, "tracked_balances", date=JANUARY)


def test_until_it_is_there_the_answer_is_204_and_says_how_far_it_is(company: Company) -> None:
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


def test_the_eleventh_report_of_a_client_is_refused_until_one_is_done(company: Company) -> None:
    other = Company.of(company.member)
    with nobody_works(company.member.service):
        queued = [started(company, "tracked_balances", date=JANUARY) for _ in range(MOST)]
        answer = start(company, "tracked_balances", date=JANUARY)
        assert f"{MOST} reports queued or running" in refused(answer, 429)["message"]
        assert answer.headers["retry-after"] == "10"
        assert start(other, "tracked_balances", date=JANUARY).status_code == 200
    for uuid in queued:
        rows_of(polled(company, uuid))
    started(company, "tracked_balances", date=JANUARY)


def test_however_many_ask_at_once_no_more_than_ten_are_queued(company: Company) -> None:
    with nobody_works(company.member.service):
        answers = at_once([lambda: start(company, "tracked_balances", date=JANUARY) for _ in range(MOST + 6)])
        assert sorted(answer.status_code for answer in answers) == [200] * MOST + [429] * 6


def test_a_request_that_is_wrong_is_refused_and_nothing_is_queued(company: Company) -> None:
    before = company.member.service.fingerprint()
    refused(start(company, "transaction_history", start_date="2026-01-01"), 422)
    refused(start(company, "unknown"), 404)
    assert company.member.service.fingerprint() == before


@pytest.mark.parametrize("uuid", ["00000000-0000-4000-8000-000000000000", "nonsense", "7", "%00", "{}"])
def test_an_unknown_uuid_is_404(company: Company, uuid: str) -> None:
    refused(poll(company, uuid), 404)


def test_a_uuid_of_another_client_or_another_tenant_is_unknown(company: Company, service: Service) -> None:
    uuid = started(company, "tracked_balances", date=JANUARY)
    polled(company, uuid)
    refused(poll(Company.of(company.member), uuid), 404)
    stranger = service.new_account()
    refused(stranger.get(f"/clients/{company.id}/reports/poll/{uuid}"), 404)
    refused(stranger.get(f"/clients/{stranger.new_client()}/reports/poll/{uuid}"), 404)
    limited = company.member.with_another_key(client_ids=[company.member.new_client()])
    refused(limited.get(f"/clients/{company.id}/reports/poll/{uuid}"), 404)


def test_a_report_that_cannot_be_made_is_500_with_the_reason(company: Company) -> None:
    someone = hired(company)
    slip = draft(company, someone)
    company.member.service.as_owner("UPDATE payslips SET dirty = true WHERE id = $1", slip)
    uuid = started(company, "variance", wave_id=company.wave_id, period_offset=JANUARY_OFFSET)
    message = "1 payslip of these periods waits for calculation; please try again shortly"
    assert refused(polled(company, uuid), 500)["message"] == message
    assert state_of(company, uuid) == "failed"


def test_what_a_report_was_asked_for_with_may_be_gone_when_it_is_made(company: Company) -> None:
    uuid = str(uuids.uuid4())
    company.member.service.as_owner(
        "INSERT INTO report_runs (client_id, uuid, report, request) VALUES ($1, $2, 'tracked_balances', $3)",
        company.id,
        uuids.UUID(uuid),
        f'{{"date": "{JANUARY}", "employee_ids": [{10**12}]}}',
    )
    started(company, "tracked_balances", date=JANUARY)  # a job that finds both
    message = f"employee_ids: there is no employee {10**12} in this client"
    assert refused(polled(company, uuid), 500)["message"] == message


def test_a_report_is_kept_for_24_hours_and_then_forgotten(company: Company) -> None:
    hired(company)
    paid(company, JANUARY)
    service = company.member.service
    young, old = (started(company, "transaction_history", **SPAN) for _ in range(2))
    for uuid, age in ((young, "23 hours 59 minutes"), (old, "24 hours 1 second")):
        polled(company, uuid)
        service.as_owner(
            f"UPDATE report_runs SET finished_at = now() - interval '{age}' WHERE uuid = $1", uuids.UUID(uuid)
        )
    rows_of(poll(company, young))
    refused(poll(company, old), 404)
    service.as_owner("SELECT forget_old_reports()")
    kept = service.as_owner(
        "SELECT r.uuid::text, count(p.id) AS pieces FROM report_runs r LEFT JOIN report_pieces p ON p.run_id = r.id "
        "WHERE r.client_id = $1 GROUP BY 1",
        company.id,
    )
    assert kept == [{"uuid": young, "pieces": 1}]
    assert service.as_owner("SELECT FROM report_pieces WHERE client_id = $1", company.id) == [{}]


def test_what_is_kept_of_a_report_is_encrypted_for_its_place(company: Company) -> None:
    hired(company, first_name="Unmistakable")
    paid(company, JANUARY)
    uuid = started(company, "transaction_history", **SPAN, custom_fields=["first_name"])
    assert rows_of(polled(company, uuid))[0]["First name"] == "Unmistakable"
    [piece] = company.member.service.as_owner("SELECT * FROM report_pieces WHERE client_id = $1", company.id)
    assert b"Unmistakable" not in piece["rows_sealed"]
    company.member.service.as_owner("UPDATE report_pieces SET id = id + 1000000 WHERE client_id = $1", company.id)
    assert poll(company, uuid).status_code == 500  # moved elsewhere, it does not open


def test_an_idempotency_key_starts_one_report(company: Company) -> None:
    path = f"/clients/{company.id}/reports/tracked_balances/async"
    headers = {"Idempotency-Key": "the same"}
    answers = [company.member.post(path, {"date": JANUARY}, headers=headers) for _ in range(2)]
    assert answers[0].json() == answers[1].json()
    assert len(company.member.service.as_owner("SELECT FROM report_runs WHERE client_id = $1", company.id)) == 1


def test_a_report_tells_of_the_state_when_it_is_made_and_does_not_change_after(company: Company) -> None:
    hired(company)
    paid(company, JANUARY)
    uuid = started(company, "transaction_history", **SPAN)
    before = polled(company, uuid).content
    paid(company, "2026-02-28")
    assert poll(company, uuid).content == before
    assert len(rows(company, "transaction_history", **SPAN)) == 2


def test_a_report_that_ends_its_worker_again_and_again_is_given_up(company: Company) -> None:
    service = company.member.service
    with nobody_works(service):
        uuid = started(company, "tracked_balances", date=JANUARY)
        service.wait_until_blocked()
    polled(company, uuid)
    [run] = service.as_owner("SELECT id FROM report_runs WHERE uuid = $1", uuids.UUID(uuid))
    service.as_owner("UPDATE report_progress SET attempts = 3 WHERE run_id = $1", run["id"])
    service.as_owner(
        "UPDATE report_runs SET state = 'queued', finished_at = NULL, keys = NULL, rules_versions = NULL WHERE id = $1",
        run["id"],
    )
    started(company, "tracked_balances", date=JANUARY)  # a job that finds both
    message = refused(polled(company, uuid), 500)["message"]
    assert "3 times its worker ended" in message


def test_progress_is_noted(company: Company, account: Member) -> None:
    hired(company)
    paid(company, JANUARY)
    uuid = started(company, "transaction_history", **SPAN)
    polled(company, uuid)
    deadline = time.monotonic() + WAIT_S
    noted: list[dict[str, int]] = []
    while not noted and time.monotonic() < deadline:
        noted = company.member.service.as_owner(
            "SELECT attempts, rows_made FROM report_progress WHERE client_id = $1", company.id
        )
    assert noted == [{"attempts": 1, "rows_made": 1}]
