"""Wave periods: continuous, the current one open; a change of wave takes effect after the current pay period.

It is Wednesday, 18 March 2026.
"""

from typing import Any

import pytest

from tests.payroll.payment_runs.runs import hired, paid
from tests.payroll.payslips.slips import slips
from tests.support.company import FORTNIGHTLY, MONTHLY, TWICE_A_MONTH, WEEKLY, Company
from tests.support.problems import assert_problem, field_errors

# Waves, the end of their pay period that contains 18 March 2026, and the day after.
ENDS: list[tuple[dict[str, Any], str, str]] = [
    (MONTHLY, "2026-03-31", "2026-04-01"),
    ({**MONTHLY, "last_day_of_month": 20, "first_end_date": "2024-01-20"}, "2026-03-20", "2026-03-21"),
    ({**MONTHLY, "last_day_of_month": 17, "first_end_date": "2024-01-17"}, "2026-04-17", "2026-04-18"),
    ({**MONTHLY, "last_day_of_month": 18, "first_end_date": "2024-01-18"}, "2026-03-18", "2026-03-19"),
    (WEEKLY, "2026-03-20", "2026-03-21"),
    ({**WEEKLY, "first_end_date": "2024-01-02"}, "2026-03-24", "2026-03-25"),
    ({**WEEKLY, "first_end_date": "2024-01-03"}, "2026-03-18", "2026-03-19"),
    (FORTNIGHTLY, "2026-03-27", "2026-03-28"),
    ({**FORTNIGHTLY, "first_end_date": "2024-01-12"}, "2026-03-20", "2026-03-21"),
    (TWICE_A_MONTH, "2026-03-31", "2026-04-01"),
    ({**TWICE_A_MONTH, "interim_day_of_month": 20, "first_end_date": "2024-01-20"}, "2026-03-20", "2026-03-21"),
]


def changed(company: Company, employee_id: int, wave_id: int) -> list[tuple[int, str, str | None]]:
    """Change the wave and return the wave periods."""
    assert company.patch(employee_id, wave_id=wave_id).status_code == 200
    return company.waves_of(employee_id)


@pytest.mark.parametrize(("wave", "end", "next_day"), ENDS)
def test_the_current_wave_closes_with_the_current_pay_period_and_the_next_opens_on_the_day_after(
    company: Company, wave: dict[str, Any], end: str, next_day: str
) -> None:
    old, new = company.wave(**wave), company.wave(**MONTHLY)
    employee_id = company.hire(wave_id=old)
    assert changed(company, employee_id, new) == [(old, "2024-02-01", end), (new, next_day, None)]


def test_weekly_to_monthly(company: Company) -> None:
    weekly = company.wave(**WEEKLY)
    employee_id = company.hire(wave_id=weekly)
    assert changed(company, employee_id, company.wave_id) == [
        (weekly, "2024-02-01", "2026-03-20"),
        (company.wave_id, "2026-03-21", None),
    ]


def test_the_first_period_has_exactly_its_fields(company: Company) -> None:
    employee_id = company.hire()
    [element] = company.listed("?include=wave_periods")[0]["wave_periods"]
    assert element == {
        "wave_period": {
            "employee_id": employee_id,
            "wave_id": company.wave_id,
            "start_date": "2024-02-01",
            "end_date": None,
        }
    }


def test_the_same_wave_again_changes_nothing(company: Company) -> None:
    employee_id = company.hire()
    assert changed(company, employee_id, company.wave_id) == [(company.wave_id, "2024-02-01", None)]


def test_changed_again_before_it_begins_the_pending_wave_is_replaced(company: Company) -> None:
    employee_id = company.hire()
    second, third = company.wave(**WEEKLY), company.wave(**TWICE_A_MONTH)
    changed(company, employee_id, second)
    assert changed(company, employee_id, third) == [
        (company.wave_id, "2024-02-01", "2026-03-31"),
        (third, "2026-04-01", None),
    ]


def test_changed_back_before_it_begins_the_first_wave_is_open_as_it_was(company: Company) -> None:
    employee_id = company.hire()
    before = company.waves_of(employee_id)
    changed(company, employee_id, company.wave(**WEEKLY))
    assert changed(company, employee_id, company.wave_id) == before


def test_changed_back_after_it_began_a_third_period_opens(company: Company) -> None:
    employee_id = company.hire()
    weekly = company.wave(**WEEKLY)
    changed(company, employee_id, weekly)
    company.member.service.as_owner(
        "UPDATE wave_periods SET end_date = '2026-02-28' WHERE employee_id = $1 AND end_date IS NOT NULL", employee_id
    )
    company.member.service.as_owner(
        "UPDATE wave_periods SET start_date = '2026-03-01' WHERE employee_id = $1 AND end_date IS NULL", employee_id
    )
    assert changed(company, employee_id, company.wave_id) == [
        (company.wave_id, "2024-02-01", "2026-02-28"),
        (weekly, "2026-03-01", "2026-03-20"),
        (company.wave_id, "2026-03-21", None),
    ]


def test_someone_who_begins_today_changes_after_the_current_pay_period(company: Company) -> None:
    employee_id = company.hire(appointment_date="2026-03-18")
    weekly = company.wave(**WEEKLY)
    assert changed(company, employee_id, weekly) == [
        (company.wave_id, "2026-03-18", "2026-03-31"),
        (weekly, "2026-04-01", None),
    ]


def test_periods_that_are_paid_in_advance_stay_in_their_wave(company: Company) -> None:
    employee_id = hired(company, appointment_date="2026-03-01")
    for end in ("2026-03-31", "2026-04-30"):
        paid(company, end)
    weekly, fortnightly = company.wave(**WEEKLY), company.wave(**FORTNIGHTLY)
    assert changed(company, employee_id, weekly) == [
        (company.wave_id, "2026-03-01", "2026-04-30"),
        (weekly, "2026-05-01", None),
    ]
    assert [slip["date"] for slip in slips(company, employee_id)] == ["2026-03-31", "2026-04-30", "2026-05-01"]
    paid(company, "2026-05-01", wave_id=weekly)
    assert changed(company, employee_id, fortnightly)[1:] == [
        (weekly, "2026-05-01", "2026-05-01"),
        (fortnightly, "2026-05-02", None),
    ]


def test_someone_who_has_not_begun_yet_is_in_the_new_wave_from_the_first_day(company: Company) -> None:
    employee_id = company.hire(appointment_date="2026-05-04")
    weekly, fortnightly = company.wave(**WEEKLY), company.wave(**FORTNIGHTLY)
    assert changed(company, employee_id, weekly) == [(weekly, "2026-05-04", None)]
    assert changed(company, employee_id, fortnightly) == [(fortnightly, "2026-05-04", None)]
    assert company.member.delete(f"/waves/{weekly}").status_code == 200


def test_wave_and_appointment_can_change_at_once(company: Company) -> None:
    employee_id = company.hire()
    weekly = company.wave(**WEEKLY)
    assert company.patch(employee_id, wave_id=weekly, appointment_date="2024-03-01").status_code == 200
    assert company.waves_of(employee_id) == [
        (company.wave_id, "2024-03-01", "2026-03-31"),
        (weekly, "2026-04-01", None),
    ]
    assert company.service_of(employee_id) == [("2024-03-01", None)]


def test_a_change_of_appointment_moves_the_first_wave_only(company: Company) -> None:
    employee_id = company.hire()
    weekly = company.wave(**WEEKLY)
    changed(company, employee_id, weekly)
    company.patch(employee_id, appointment_date="2024-01-15")
    assert company.waves_of(employee_id) == [
        (company.wave_id, "2024-01-15", "2026-03-31"),
        (weekly, "2026-04-01", None),
    ]
    assert field_errors(company.patch(employee_id, appointment_date="2026-04-01")) == {
        "appointment_date": "must not be after 2026-03-31, the last day of the employee's first wave"
    }


def test_wave_periods_continue_while_service_ends_and_begins_again(company: Company) -> None:
    employee_id = company.hire()
    before = company.waves_of(employee_id)
    company.leave(employee_id, "2025-06-30")
    assert company.waves_of(employee_id) == before
    company.act(employee_id, "reinstate", appointment_date="2025-09-01")
    assert company.waves_of(employee_id) == before


def test_the_read_form_shows_the_wave_that_was_chosen(company: Company) -> None:
    employee_id = company.hire()
    weekly = company.wave(**WEEKLY)
    changed(company, employee_id, weekly)
    assert company.employee(employee_id)["wave_id"] == weekly


def test_a_wave_that_is_only_pending_is_in_use(company: Company) -> None:
    employee_id = company.hire()
    weekly = company.wave(**WEEKLY)
    changed(company, employee_id, weekly)
    assert_problem(company.member.delete(f"/waves/{weekly}"), 409)
    changed(company, employee_id, company.wave_id)
    assert company.member.delete(f"/waves/{weekly}").status_code == 200


def test_a_change_that_is_rejected_leaves_the_periods_as_they_are(company: Company) -> None:
    employee_id = company.hire()
    before = company.member.service.fingerprint()
    assert set(field_errors(company.patch(employee_id, wave_id=company.wave_id + 10**6, gender="X"))) == {
        "wave_id",
        "gender",
    }
    assert company.member.service.fingerprint() == before
