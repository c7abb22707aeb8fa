"""The state table of a service period, row by row, and every error."""

from datetime import timedelta
from functools import partial
from typing import Any

import pytest

from gaji.core import clock
from gaji.core.constants import CONSTANT_LISTS
from tests.support.company import WEEKLY, Company
from tests.support.problems import assert_problem, field_errors
from tests.support.races import at_once

ASIDE = ("audit_log", "events", "idempotent_answers", "last_changes")
"""Tables that every request changes."""


def tables(company: Company) -> dict[str, list[str]]:
    """Return every row of the company except the log, and periods without `updated_at`."""
    rows = company.member.service.client_rows(company.id)
    periods = company.member.service.as_owner(
        "SELECT (to_jsonb(p) - 'updated_at')::text AS row FROM service_periods p WHERE client_id = $1 ORDER BY id",
        company.id,
    )
    rows["service_periods"] = [period["row"] for period in periods]
    return {table: rows[table] for table in rows if table not in ASIDE}


def latest(company: Company, employee_id: int) -> dict[str, Any]:
    period: dict[str, Any] = company.member.get(f"/employees/{employee_id}/service_periods").json()[-1][
        "service_period"
    ]
    return period


def end(company: Company, employee_id: int, day: str, code: object = 1, **more: Any) -> Any:
    return company.act(employee_id, "end_service", termination_date=day, termination_code=code, **more)


def test_open_end_service_terminated(company: Company) -> None:
    employee_id = company.hire()
    answer = end(company, employee_id, "2025-06-30", 4, ir21=True)
    assert answer.json() == {"message": "The employee has been terminated; the last day of service is 2025-06-30"}
    period = latest(company, employee_id)
    assert (period["end_date"], period["termination_code"], period["attribs"]) == ("2025-06-30", 4, {"ir21": True})


def test_terminated_end_service_changes_what_was_recorded(company: Company) -> None:
    employee_id = company.hire()
    end(company, employee_id, "2025-06-30", 4, ir21=True)
    first = latest(company, employee_id)
    answer = end(company, employee_id, "2025-07-15", 1)
    assert answer.json() == {
        "message": "The termination information has been updated. "
        "The employee has been terminated; the last day of service is 2025-07-15"
    }
    period = latest(company, employee_id)
    assert period["id"] == first["id"]
    assert (period["end_date"], period["termination_code"], period["attribs"]) == ("2025-07-15", 1, {"ir21": True})


def test_a_second_end_service_keeps_what_it_does_not_supply(company: Company) -> None:
    employee_id = company.hire()
    end(company, employee_id, "2025-06-30", 3, ir21=True)
    answer = company.act(employee_id, "end_service", termination_date="2025-07-31")
    assert answer.status_code == 200, answer.text
    period = latest(company, employee_id)
    assert (period["end_date"], period["termination_code"], period["attribs"]) == ("2025-07-31", 3, {"ir21": True})


def test_when_form_ir21_was_sent_is_kept_until_it_is_not_required(company: Company) -> None:
    employee_id, today = company.hire(), clock.today()
    end(company, employee_id, "2025-06-30", ir21=True)
    assert latest(company, employee_id)["ir21_filed_on"] is None
    late = company.act(employee_id, "end_service", ir21_filed_on=str(today + timedelta(days=1)))
    assert (late.status_code, late.json()["errors"]) == (422, {"ir21_filed_on": f"must not be after {today}"})
    early = company.act(employee_id, "end_service", ir21_filed_on="1926-03-02")
    assert early.json()["errors"] == {"ir21_filed_on": "must not be before the start of service 2024-02-01"}
    assert company.act(employee_id, "end_service", ir21_filed_on="2024-02-01").status_code == 200
    assert company.act(employee_id, "end_service", ir21_filed_on=str(today)).status_code == 200
    assert company.act(employee_id, "end_service", termination_code=4).status_code == 200
    assert latest(company, employee_id)["ir21_filed_on"] == str(today)
    refused = company.act(employee_id, "end_service", ir21=False, ir21_filed_on=str(today))
    assert refused.json()["errors"] == {"ir21_filed_on": "is only allowed when ir21 is true"}
    assert company.act(employee_id, "end_service", ir21=False).status_code == 200
    assert latest(company, employee_id)["ir21_filed_on"] is None
    assert company.act(employee_id, "end_service", ir21=True).status_code == 200
    assert latest(company, employee_id)["ir21_filed_on"] is None


def test_undoing_the_end_of_service_removes_when_form_ir21_was_sent(company: Company) -> None:
    employee_id = company.hire()
    end(company, employee_id, "2025-06-30", ir21=True, ir21_filed_on="2025-06-01")
    assert company.act(employee_id, "undo_end_service").status_code == 200
    assert latest(company, employee_id)["ir21_filed_on"] is None
    end(company, employee_id, "2025-06-30", ir21=True)
    assert latest(company, employee_id)["ir21_filed_on"] is None


@pytest.mark.parametrize(
    "older_statement",
    [
        "end_date = NULL, termination_code = NULL, ir21 = NULL, notice_date = NULL",
        "end_date = '2025-07-31', termination_code = 1, ir21 = false, notice_date = '2025-06-30'",
    ],
)
def test_an_older_server_removes_when_form_ir21_was_sent_too(company: Company, older_statement: str) -> None:
    employee_id = company.hire()
    end(company, employee_id, "2025-06-30", ir21=True, ir21_filed_on="2025-06-01")
    statement = f"UPDATE service_periods SET {older_statement} WHERE client_id = $1"  # does not know `ir21_filed_on`
    company.member.service.as_owner(statement, company.id)
    assert latest(company, employee_id)["ir21_filed_on"] is None
    end(company, employee_id, "2025-06-30", ir21=True)
    assert latest(company, employee_id)["ir21_filed_on"] is None


def test_terminated_reinstate_begins_a_new_open_period(company: Company) -> None:
    employee_id = company.hire()
    company.leave(employee_id, "2025-06-30")
    answer = company.act(employee_id, "reinstate", appointment_date="2025-09-01")
    assert answer.json() == {"message": "The employee has been reinstated with effect from 2025-09-01"}
    assert company.service_of(employee_id) == [("2024-02-01", "2025-06-30"), ("2025-09-01", None)]
    assert company.employee(employee_id)["appointment_date"] == "2025-09-01"
    assert company.waves_of(employee_id) == [(company.wave_id, "2024-02-01", None)]


def test_reinstatement_is_possible_on_the_day_after(company: Company) -> None:
    employee_id = company.hire()
    company.leave(employee_id, "2025-06-30")
    assert company.act(employee_id, "reinstate", appointment_date="2025-07-01").status_code == 200


def test_terminated_undo_end_service_open(company: Company) -> None:
    employee_id = company.hire()
    company.leave(employee_id, "2025-06-30")
    answer = company.act(employee_id, "undo_end_service")
    assert answer.json() == {"message": "The termination of 2025-06-30 has been cancelled"}
    assert company.service_of(employee_id) == [("2024-02-01", None)]


def test_end_service_followed_by_undo_restores_every_row_exactly(company: Company) -> None:
    employee_id = company.hire()
    company.patch(employee_id, appointment_date="2024-02-05")
    before = tables(company)
    end(company, employee_id, "2025-06-30", 4, ir21=True)
    assert tables(company) != before
    company.act(employee_id, "undo_end_service")
    assert tables(company) == before


def test_undo_restores_every_row_exactly_also_after_a_change_of_what_was_recorded(company: Company) -> None:
    employee_id = company.hire()
    before = tables(company)
    end(company, employee_id, "2025-06-30", 4, ir21=True)
    end(company, employee_id, "2025-07-15", 1)
    end(company, employee_id, "2199-12-31", 99, ir21=True)
    company.act(employee_id, "undo_end_service")
    assert tables(company) == before


def test_undo_of_the_second_termination_restores_the_second_service(company: Company) -> None:
    employee_id = company.hire()
    company.leave(employee_id, "2025-06-30")
    company.act(employee_id, "reinstate", appointment_date="2025-09-01")
    company.patch(employee_id, wave_id=company.wave(**WEEKLY))
    before = tables(company)
    company.leave(employee_id, "2025-12-31")
    company.act(employee_id, "undo_end_service")
    assert tables(company) == before


def test_undo_keeps_a_change_of_appointment_made_after_the_termination(company: Company) -> None:
    employee_id = company.hire()
    company.leave(employee_id, "2025-06-30")
    company.patch(employee_id, appointment_date="2024-03-01")
    company.act(employee_id, "undo_end_service")
    period = latest(company, employee_id)
    assert (period["start_date"], period["end_date"]) == ("2024-03-01", None)


@pytest.mark.parametrize("code", [entry.value for entry in CONSTANT_LISTS["termination_code"]])
def test_every_termination_code_is_accepted(company: Company, code: int) -> None:
    employee_id = company.hire()
    assert end(company, employee_id, "2025-06-30", code).status_code == 200
    assert latest(company, employee_id)["termination_code"] == code


def test_service_may_end_on_its_first_day_and_in_the_future(company: Company) -> None:
    employee_id = company.hire()
    future = str(clock.today() + timedelta(days=90))
    for day in (future, "2024-02-01"):
        assert end(company, employee_id, day).status_code == 200
        assert latest(company, employee_id)["end_date"] == day


def test_ir21_defaults_to_false_and_takes_strings(company: Company) -> None:
    employee_id = company.hire()
    for supplied, stored in (({}, False), ({"ir21": "true"}, True), ({"ir21": None}, False), ({"ir21": True}, True)):
        assert end(company, employee_id, "2025-06-30", **supplied).status_code == 200
        assert latest(company, employee_id)["attribs"] == {"ir21": stored}


def test_the_wrapper_may_be_left_out_and_unknown_attributes_are_named(company: Company) -> None:
    employee_id = company.hire()
    where = f"/employees/{employee_id}/service_periods"
    plain = {"termination_date": "2025-06-30", "termination_code": "1", "ir_21": True}
    answer = company.member.post(f"{where}/end_service", plain)
    assert answer.json()["warnings"] == {"ir_21": "Unknown attribute, ignored. Did you mean ir21?"}
    again = company.member.post(f"{where}/reinstate", {"employee_action": {"appointment_date": "2025-09-01", "x": 1}})
    assert again.json()["warnings"] == {"x": "Unknown attribute, ignored."}


@pytest.mark.parametrize(
    ("supplied", "expected"),
    [
        ({}, {"termination_date": "is required", "termination_code": "is required"}),
        ({"termination_date": "2025-06-30"}, {"termination_code": "is required"}),
        ({"termination_code": 1}, {"termination_date": "is required"}),
        (
            {"termination_date": "2025-02-30", "termination_code": 13, "ir21": "yes"},
            {
                "termination_date": "2025-02-30 is not a valid calendar date",
                "termination_code": "is not in the list /constants/termination_code",
                "ir21": "must be true or false",
            },
        ),
        (
            {"termination_date": "2024-01-31", "termination_code": 0},
            {
                "termination_date": "must not be before the start of service 2024-02-01",
                "termination_code": "is not in the list /constants/termination_code",
            },
        ),
        (
            {"termination_date": "2200-01-01", "termination_code": 1},
            {"termination_date": "must be from 1900-01-01 to 2199-12-31"},
        ),
    ],
)
def test_end_service_rejects_with_every_error_and_saves_nothing(
    company: Company, supplied: dict[str, Any], expected: dict[str, str]
) -> None:
    """Among them: an end before the start."""
    employee_id = company.hire()
    before = company.member.service.fingerprint()
    assert field_errors(company.act(employee_id, "end_service", **supplied)) == expected
    assert company.member.service.fingerprint() == before


def test_a_termination_cannot_be_moved_before_the_start_of_its_own_service(company: Company) -> None:
    employee_id = company.hire()
    company.leave(employee_id, "2025-06-30")
    company.act(employee_id, "reinstate", appointment_date="2025-09-01")
    company.leave(employee_id, "2025-12-31")
    assert field_errors(end(company, employee_id, "2025-08-31")) == {
        "termination_date": "must not be before the start of service 2025-09-01"
    }


def test_reinstate_while_open_is_rejected(company: Company) -> None:
    employee_id = company.hire()
    before = company.member.service.fingerprint()
    answer = company.act(employee_id, "reinstate", appointment_date="2025-09-01")
    assert assert_problem(answer, 409)["message"] == (
        "The employee has been in service since 2024-02-01 and cannot be reinstated"
    )
    assert company.member.service.fingerprint() == before


@pytest.mark.parametrize(
    ("supplied", "message"),
    [
        ("2025-06-30", "must be after the end of the previous service 2025-06-30"),
        ("2024-01-01", "must be after the end of the previous service 2025-06-30"),
        ("2200-01-01", "must be from 1900-01-01 to 2199-12-31"),
        ("9999-12-31", "must be from 1900-01-01 to 2199-12-31"),
        ("tomorrow", "must be a date such as 2026-03-31"),
        (None, "is required"),
    ],
)
def test_reinstate_before_the_end_or_without_a_date_is_rejected(
    company: Company, supplied: str | None, message: str
) -> None:
    employee_id = company.hire()
    company.leave(employee_id, "2025-06-30")
    before = company.member.service.fingerprint()
    assert field_errors(company.act(employee_id, "reinstate", appointment_date=supplied)) == {
        "appointment_date": message
    }
    assert company.member.service.fingerprint() == before


def test_undo_with_nothing_to_undo_is_rejected(company: Company) -> None:
    employee_id = company.hire()
    before = company.member.service.fingerprint()
    assert assert_problem(company.act(employee_id, "undo_end_service"), 409)["message"] == (
        "There is no termination to cancel: the employee has been in service since 2024-02-01"
    )
    assert company.member.service.fingerprint() == before


def test_undo_twice_is_rejected(company: Company) -> None:
    employee_id = company.hire()
    company.leave(employee_id)
    company.act(employee_id, "undo_end_service")
    assert_problem(company.act(employee_id, "undo_end_service"), 409)


def test_undo_after_reinstatement_is_rejected(company: Company) -> None:
    employee_id = company.hire()
    company.leave(employee_id, "2025-06-30")
    company.act(employee_id, "reinstate", appointment_date="2025-09-01")
    before = company.member.service.fingerprint()
    assert assert_problem(company.act(employee_id, "undo_end_service"), 409)["message"] == (
        "There is no termination to cancel: the employee has been in service since 2025-09-01"
    )
    assert company.member.service.fingerprint() == before


@pytest.mark.parametrize("action", ["end_service", "reinstate", "undo_end_service"])
def test_actions_on_an_unknown_employee_or_without_permission_are_rejected(company: Company, action: str) -> None:
    employee_id = company.hire()
    assert_problem(company.act(999_999_999, action), 404)
    viewer = company.member.colleague(company.id, "viewer")
    where = f"/employees/{employee_id}/service_periods/{action}"
    method = "DELETE" if action == "undo_end_service" else "POST"
    before = company.member.service.fingerprint()
    assert_problem(viewer.call(method, where, json={}), 403)
    assert company.member.service.fingerprint() == before


def test_of_two_concurrent_reinstatements_one_succeeds_and_the_other_is_a_conflict(company: Company) -> None:
    for _ in range(3):
        employee_id = company.hire()
        company.leave(employee_id)
        answers = at_once([partial(company.act, employee_id, "reinstate", appointment_date="2025-09-01")] * 2)
        assert sorted(answer.status_code for answer in answers) == [200, 409]
        assert len(company.service_of(employee_id)) == 2


def test_of_two_concurrent_undos_one_succeeds_and_the_other_is_a_conflict(company: Company) -> None:
    employee_id = company.hire()
    before = tables(company)
    company.leave(employee_id)
    answers = at_once([lambda: company.act(employee_id, "undo_end_service")] * 2)
    assert sorted(answer.status_code for answer in answers) == [200, 409]
    assert tables(company) == before


def test_a_change_of_wave_an_end_and_a_move_of_the_start_at_one_moment_all_hold(company: Company) -> None:
    weekly = company.wave(**WEEKLY)
    for _ in range(3):
        employee_id = company.hire()
        answers = at_once(
            [
                partial(company.patch, employee_id, wave_id=weekly),
                partial(end, company, employee_id, "2025-06-30"),
                partial(company.patch, employee_id, appointment_date="2024-02-15"),
                partial(company.patch, employee_id, job_title="Clerk"),
            ]
        )
        assert [answer.status_code for answer in answers] == [200] * 4
        assert company.service_of(employee_id) == [("2024-02-15", "2025-06-30")]
        first, second = company.waves_of(employee_id)
        assert (first[:2], second[0]) == ((company.wave_id, "2024-02-15"), weekly)


def test_an_action_with_an_idempotency_key_happens_once(company: Company) -> None:
    employee_id = company.hire()
    body = {"employee_action": {"termination_date": "2025-06-30", "termination_code": 1}}
    where = f"/employees/{employee_id}/service_periods/end_service"
    answers = [company.member.post(where, body, headers={"Idempotency-Key": "leave"}) for _ in range(2)]
    assert answers[0].json() == answers[1].json()
    assert "updated" not in answers[1].json()["message"]


def test_the_notice_date_is_recorded(company: Company) -> None:
    employee_id = company.hire()
    assert latest(company, employee_id)["notice_date"] is None
    assert end(company, employee_id, "2025-06-30", notice_date="2025-05-30").status_code == 200
    assert latest(company, employee_id)["notice_date"] == "2025-05-30"
    assert end(company, employee_id, "2025-07-31").status_code == 200
    assert latest(company, employee_id)["notice_date"] == "2025-05-30"


def test_the_notice_date_defaults_to_the_day_of_recording_but_not_after_the_last_day(company: Company) -> None:
    employee_id, today = company.hire(), clock.today()
    end(company, employee_id, str(today + timedelta(days=30)))
    assert latest(company, employee_id)["notice_date"] == str(today)
    end(company, employee_id, "2025-06-30")
    assert latest(company, employee_id)["notice_date"] == "2025-06-30"
    end(company, employee_id, str(today + timedelta(days=30)), notice_date=None)
    assert latest(company, employee_id)["notice_date"] == str(today)


@pytest.mark.parametrize(
    ("last_day", "code", "warned"),
    [("2025-06-12", 1, True), ("2025-06-12", 3, False), ("2025-06-13", 1, False), ("2025-06-13", 4, False)],
)
def test_a_notice_shorter_than_the_minimum_gives_a_warning(
    company: Company, last_day: str, code: int, warned: bool
) -> None:
    employee_id = company.hire(appointment_date="2023-05-30")
    answer = end(company, employee_id, last_day, code, notice_date="2025-05-31")
    warning = (
        "The notice is shorter than 14 days, the minimum if the contract does not state a notice period. "
        "With 14 days of notice the last day of service is 2025-06-13."
    )
    assert answer.status_code == 200
    assert answer.json().get("warnings") == ({"notice_date": warning} if warned else None)


def test_a_notice_date_that_is_not_sent_gives_no_warning(company: Company) -> None:
    employee_id = company.hire(appointment_date="2023-05-30")
    assert "warnings" not in end(company, employee_id, "2025-06-30").json()


def test_a_notice_after_the_last_day_is_rejected_with_all_other_errors(company: Company) -> None:
    employee_id = company.hire()
    before = tables(company)
    answer = end(company, employee_id, "2025-06-30", code=1000, notice_date="2025-07-01")
    assert field_errors(answer)["notice_date"] == "must not be after the last day of service 2025-06-30"
    assert field_errors(answer).keys() == {"notice_date", "termination_code"}
    assert field_errors(end(company, employee_id, "2025-06-30", notice_date="soon")).keys() == {"notice_date"}
    assert tables(company) == before
