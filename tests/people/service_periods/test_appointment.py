"""A changed appointment_date moves the service it belongs to, and with the first service the first wave."""

import pytest

from tests.support.company import WEEKLY, Company
from tests.support.problems import field_errors


@pytest.mark.parametrize("day", ["2023-11-20", "2024-04-01"])
def test_service_and_first_wave_begin_on_the_new_day(company: Company, day: str) -> None:
    employee_id = company.hire()
    assert company.patch(employee_id, appointment_date=day).status_code == 200
    assert company.employee(employee_id)["appointment_date"] == day
    assert company.service_of(employee_id) == [(day, None)]
    assert company.waves_of(employee_id) == [(company.wave_id, day, None)]


def test_after_a_reinstatement_only_the_second_service_moves(company: Company) -> None:
    employee_id = company.hire()
    company.leave(employee_id, "2025-06-30")
    company.act(employee_id, "reinstate", appointment_date="2025-09-01")
    assert company.patch(employee_id, appointment_date="2025-07-01").status_code == 200
    assert company.service_of(employee_id) == [("2024-02-01", "2025-06-30"), ("2025-07-01", None)]
    assert company.waves_of(employee_id) == [(company.wave_id, "2024-02-01", None)]


@pytest.mark.parametrize("day", ["2025-06-30", "2024-01-01"])
def test_it_cannot_reach_into_the_service_before(company: Company, day: str) -> None:
    employee_id = company.hire()
    company.leave(employee_id, "2025-06-30")
    company.act(employee_id, "reinstate", appointment_date="2025-09-01")
    before = company.member.service.fingerprint()
    assert field_errors(company.patch(employee_id, appointment_date=day)) == {
        "appointment_date": "must be after the end of the previous service 2025-06-30"
    }
    assert company.member.service.fingerprint() == before


def test_it_cannot_be_after_the_end_of_its_service(company: Company) -> None:
    employee_id = company.hire()
    company.leave(employee_id, "2025-06-30")
    before = company.member.service.fingerprint()
    assert field_errors(company.patch(employee_id, appointment_date="2025-07-01")) == {
        "appointment_date": "must not be after the end of service 2025-06-30"
    }
    assert company.member.service.fingerprint() == before
    assert company.patch(employee_id, appointment_date="2025-06-30").status_code == 200


def test_it_cannot_be_after_the_employee_left_their_first_wave(company: Company) -> None:
    employee_id = company.hire()
    company.patch(employee_id, wave_id=company.wave(**WEEKLY))
    [(_, _, left), _] = company.waves_of(employee_id)
    before = company.member.service.fingerprint()
    assert field_errors(company.patch(employee_id, appointment_date="2198-01-01")) == {
        "appointment_date": f"must not be after {left}, the last day of the employee's first wave"
    }
    assert company.member.service.fingerprint() == before


def test_it_cannot_be_before_birth(company: Company) -> None:
    employee_id = company.hire()
    assert field_errors(company.patch(employee_id, appointment_date="1990-04-11")) == {
        "appointment_date": "must not be before birthdate 1990-04-12"
    }


def test_a_birthdate_cannot_move_behind_the_appointment(company: Company) -> None:
    assert field_errors(company.patch(company.hire(), birthdate="2024-02-02")) == {
        "appointment_date": "must not be before birthdate 2024-02-02"
    }
