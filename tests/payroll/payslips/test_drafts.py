"""Which draft an employee has: one, for the first period in service that is not finalised."""

import pytest

from gaji.core import clock
from tests.payroll.payslips.slips import dates, detail, draft, enter, finalise, slips, touch
from tests.support.company import WEEKLY, Company, attributes


def test_it_works(company: Company) -> None:
    employee_id = company.hire(appointment_date="2026-01-01")
    [found] = slips(company, employee_id)
    assert found == {
        "id": found["id"],
        "date": "2026-01-31",
        "special": False,
        "finalised": False,
        "dirty": False,
        "nett_pay": 0,
        "ss_released": False,
        "payment_run_id": None,
    }


@pytest.mark.parametrize(
    ("appointed", "date"),
    [
        ("2026-01-01", "2026-01-31"),
        ("2026-01-31", "2026-01-31"),
        ("2026-02-10", "2026-02-28"),
        ("2023-05-01", "2024-01-31"),
    ],
)
def test_the_first_draft_is_of_the_period_that_holds_the_appointment_and_not_before_the_wave_begins(
    company: Company, appointed: str, date: str
) -> None:
    assert dates(company, company.hire(appointment_date=appointed)) == [date]


def test_the_next_draft_appears_when_the_former_is_finalised(company: Company) -> None:
    employee_id = company.hire(appointment_date="2026-01-19")
    finalise(company, employee_id)
    assert dates(company, employee_id) == ["2026-01-31*", "2026-02-28"]
    finalise(company, employee_id)
    assert dates(company, employee_id) == ["2026-01-31*", "2026-02-28*", "2026-03-31"]


def test_a_new_employee_starts_with_the_first_period_that_the_wave_has_not_finalised(company: Company) -> None:
    finalise(company, company.hire(appointment_date="2026-01-01"))
    assert dates(company, company.hire(appointment_date="2026-01-05")) == ["2026-02-28"]
    assert dates(company, company.hire(appointment_date="2026-03-05")) == ["2026-03-31"]


def test_an_existing_draft_stays_when_others_are_further_ahead(company: Company) -> None:
    employee_id, other = (company.hire(appointment_date="2026-01-01") for _ in range(2))
    finalise(company, other)
    touch(company, employee_id)
    assert dates(company, employee_id) == ["2026-01-31"]


def test_a_changed_appointment_moves_the_draft_with_what_was_entered_for_it(company: Company) -> None:
    employee_id = company.hire(appointment_date="2026-01-01")
    payslip_id = draft(company, employee_id)
    enter(company, f"payslips/{payslip_id}", "bonus", amount="100.00")
    assert company.patch(employee_id, appointment_date="2026-02-02").status_code == 200
    assert dates(company, employee_id) == ["2026-02-28"]
    assert draft(company, employee_id) == payslip_id
    assert detail(company, payslip_id)["income"] == [["bonus", "100.00"], ["total", "100.00"]]


def test_a_changed_wave_takes_over_with_the_period_after_the_current_one(company: Company) -> None:
    employee_id = company.hire(appointment_date=str(clock.today().replace(day=1)))
    company.patch(employee_id, wave_id=company.wave(**WEEKLY))
    [(_, _, last_day), (_, first_day, _)] = company.waves_of(employee_id)
    finalise(company, employee_id)
    first, second = dates(company, employee_id)
    assert first == f"{last_day}*"
    assert second >= first_day


def test_leavers_have_no_draft_for_later_periods(company: Company) -> None:
    employee_id = company.hire(appointment_date="2026-01-01")
    finalise(company, employee_id)
    company.leave(employee_id, "2026-01-31")
    assert dates(company, employee_id) == ["2026-01-31*"]
    company.leave(employee_id, "2026-02-01")
    assert dates(company, employee_id) == ["2026-01-31*", "2026-02-28"]


def test_cancelling_a_termination_brings_the_draft_back_with_what_was_entered_for_it(company: Company) -> None:
    employee_id = company.hire(appointment_date="2026-01-01")
    finalise(company, employee_id)
    payslip_id = draft(company, employee_id)
    enter(company, f"payslips/{payslip_id}", "bonus", amount="100.00")
    before = company.member.service.client_rows(company.id)
    company.leave(employee_id, "2026-01-31")
    assert dates(company, employee_id) == ["2026-01-31*"]
    assert company.member.get(f"/payslips/{payslip_id}").status_code == 404
    assert company.act(employee_id, "undo_end_service").status_code == 200
    after = company.member.service.client_rows(company.id)
    # `updated_at` of the service period moves forward, and both changes are announced.
    changed = {name: rows for name, rows in after.items() if rows != before[name]}
    assert changed.keys() == {"audit_log", "service_periods", "events", "last_changes"}
    assert company.service_of(employee_id) == [("2026-01-01", None)]
    assert detail(company, payslip_id)["income"] == [["bonus", "100.00"], ["total", "100.00"]]


def test_a_rehired_employee_gets_a_draft_for_the_period_of_the_return(company: Company) -> None:
    employee_id = company.hire(appointment_date="2026-01-01")
    finalise(company, employee_id)
    enter(company, f"payslips/{draft(company, employee_id)}", "bonus", amount="100.00")
    company.leave(employee_id, "2026-01-31")
    company.act(employee_id, "reinstate", appointment_date="2026-05-04")
    assert dates(company, employee_id) == ["2026-01-31*", "2026-05-31"]
    assert detail(company, draft(company, employee_id))["income"] == [["total", "0.00"]]


def test_two_services_in_one_period_are_paid_by_one_payslip(company: Company) -> None:
    employee_id = company.hire(appointment_date="2026-01-01")
    enter(company, f"employees/{employee_id}", "basic_salary", fixed_amount="2200.00")
    company.leave(employee_id, "2026-01-09")
    company.act(employee_id, "reinstate", appointment_date="2026-01-26")
    assert dates(company, employee_id) == ["2026-01-31"]
    # Of 22 working days 7 and 5.
    assert detail(company, draft(company, employee_id))["income"][0] == ["basic_salary", "1200.00"]


def test_an_appointment_after_the_start_of_a_finalised_period_is_rejected(company: Company) -> None:
    employee_id = company.hire(appointment_date="2026-01-01")
    finalise(company, employee_id)
    before = company.member.service.fingerprint()
    answer = company.patch(employee_id, appointment_date="2026-01-02")
    assert answer.status_code == 409
    assert "appointment_date 2026-01-02 is after 2026-01-01" in answer.json()["message"]
    assert company.member.service.fingerprint() == before
    assert company.patch(employee_id, appointment_date="2026-01-01", first_name="Mei").status_code == 200
    assert company.patch(employee_id, appointment_date="2025-12-01").status_code == 200


def test_service_does_not_end_inside_a_finalised_period(company: Company) -> None:
    employee_id = company.hire(appointment_date="2026-01-01")
    finalise(company, employee_id)
    before = company.member.service.fingerprint()
    answer = company.act(employee_id, "end_service", termination_date="2026-01-30", termination_code=1)
    assert answer.status_code == 409
    assert answer.json()["message"] == (
        "termination_date 2026-01-30 is inside the finalised payslip of 2026-01-31; unfinalise that pay run first, "
        "or record this as late"
    )
    assert company.member.service.fingerprint() == before


def test_termination_details_can_change_after_the_last_payslip_is_finalised(company: Company) -> None:
    employee_id = company.hire(appointment_date="2026-01-01")
    company.leave(employee_id, "2026-01-15")
    finalise(company, employee_id)
    company.leave(employee_id, "2026-01-15", code=4)
    assert dates(company, employee_id) == ["2026-01-31*"]


def test_an_employee_with_finalised_payslips_cannot_be_deleted(company: Company) -> None:
    employee_id = company.hire(appointment_date="2026-01-01")
    finalise(company, employee_id)
    answer = company.member.delete(f"/employees/{employee_id}")
    assert answer.status_code == 409
    assert "end the service" in answer.json()["message"]


def test_an_employee_without_pay_is_deleted_with_the_draft(company: Company) -> None:
    employee_id = company.hire()
    payslip_id = draft(company, employee_id)
    assert company.member.delete(f"/employees/{employee_id}").status_code == 200
    assert company.member.get(f"/payslips/{payslip_id}").status_code == 404


def test_a_month_that_the_law_does_not_cover_does_not_fail(company: Company) -> None:
    wave_id = company.wave(frequency="monthly", last_day_of_month=31, first_end_date="2010-01-31")
    employee_id = company.hire(wave_id=wave_id, appointment_date="2010-01-01")
    enter(company, f"employees/{employee_id}", "basic_salary", fixed_amount="2200.00")
    payslip_id = draft(company, employee_id)
    assert detail(company, payslip_id)["grand_total"] == [["nett_pay", "0.00"]]
    told = company.member.get(f"/payslips/{payslip_id}/explanation").json()
    assert told["explanation"] == []
    assert "January 2010 cannot be calculated" in told["attention"][0]


def test_an_attribute_that_pay_depends_on_changes_the_draft_before_the_response(company: Company) -> None:
    employee_id = company.hire(appointment_date="2026-01-01", race="OTHER")
    enter(company, f"employees/{employee_id}", "basic_salary", fixed_amount="4200.00")
    assert slips(company, employee_id)[0]["nett_pay"] == 3360.00
    company.patch(employee_id, race="CHINESE")
    assert slips(company, employee_id)[0]["nett_pay"] == 3358.50
    company.patch(employee_id, cpf_exempt=True)
    assert slips(company, employee_id)[0]["nett_pay"] == 4198.50


def test_a_wave_that_pays_on_other_dates_changes_the_pay_dates_of_drafts(company: Company) -> None:
    company.member.patch(f"/clients/{company.id}", {"features": {"pay_dates": True}})
    employee_id = company.hire(appointment_date="2026-01-01")
    payslip_id = draft(company, employee_id)
    pay_dates = {"enabled": True, "type": "relative", "days_offset": 3, "when": "after"}
    assert company.member.patch(f"/waves/{company.wave_id}", {"pay_dates": pay_dates}).status_code == 200
    [row] = company.member.service.as_owner("SELECT pay_date::text FROM payslips WHERE id = $1", payslip_id)
    assert row == {"pay_date": "2026-02-03"}


def test_a_wave_is_in_use_as_long_as_someone_is_paid_by_it(company: Company) -> None:
    employee_id = company.hire()
    assert company.member.delete(f"/waves/{company.wave_id}").status_code == 409
    company.member.delete(f"/employees/{employee_id}")
    assert company.member.delete(f"/waves/{company.wave_id}").status_code == 200


def test_a_create_that_is_rejected_leaves_no_draft(company: Company) -> None:
    before = company.member.service.fingerprint()
    assert company.post(attributes(birthdate=None)).status_code == 422
    assert company.member.service.fingerprint() == before
