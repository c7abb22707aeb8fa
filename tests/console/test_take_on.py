"""Switching from another payroll: checklist and opening balances."""

from typing import Any

import pytest

from gaji.core import clock
from tests.console.console_user import ConsoleUser, page_text
from tests.payroll.payment_runs.runs import hired, paid
from tests.support.company import Company


@pytest.fixture
def way(company: Company) -> str:
    """Where the steps are."""
    return f"/companies/{company.id}/settings/take_on"


def balances(company: Company, employee_id: int) -> dict[str, Any]:
    """What someone had elsewhere, as the API shows it."""
    result: dict[str, Any] = company.member.get(f"/employees/{employee_id}/take_on_balances").json()
    return result


def test_the_notice_says_that_income_for_the_certificate_is_missing(owner: ConsoleUser, company: Company) -> None:
    page = f"/employees/{hired(company)}/take_on/edit"

    def is_missing(**amounts: str) -> bool:
        saved = owner.post(page, {"year": str(clock.today().year), **amounts})
        return "Enter the income for form IR8A too" in page_text(owner.get(saved.headers["location"]))

    assert is_missing(ordinary_wages="8300")
    assert is_missing(additional_wages="8300", **{"ir8a.a": "0.00"})
    assert is_missing(ordinary_wages="8300", **{"ir8a.donation": "60"})
    assert not is_missing(ordinary_wages="8300", **{"ir8a.a": "8300"})
    assert not is_missing(ordinary_wages="0.00")
    assert not is_missing(ordinary_wages="0", additional_wages="")


def test_each_step_lists_what_is_done_and_missing(owner: ConsoleUser, company: Company, way: str) -> None:
    year = clock.today().year
    page_text_ = page_text(owner.get(way))
    for text in (
        "UEN Missing",
        "Bank account Missing",
        "No employees yet Missing",
        "No pay run yet Missing",
        "Add employees first Missing",
    ):
        assert text in page_text_
    company.member.patch(f"/clients/{company.id}", {"uen": "202699999E"})
    wave_id = company.wave(frequency="monthly", last_day_of_month=31, first_end_date=f"{year}-03-31")
    employee_id = hired(company, first_name="Aisha", wave_id=wave_id)
    page_text_ = page_text(owner.get(way))
    assert "UEN Done" in page_text_
    assert "1 employee, 1 in service Done" in page_text_
    assert "1 employee in service without amounts Missing" in page_text_
    data = {"year": str(year), "ordinary_wages": "31000", "leave." + str(annual(company)): "3.5"}
    assert owner.post(f"/employees/{employee_id}/take_on/edit", data).headers["location"] == way
    assert "1 employee with wages, but no income for form IR8A Missing" in page_text(owner.get(way))
    saved = owner.post(f"/employees/{employee_id}/take_on/edit", {**data, "ir8a.a": "31000"})
    assert saved.headers["location"] == way
    assert "no income for form IR8A" not in page_text(owner.get(way))
    paid(company, f"{year}-03-31", wave_id=wave_id)
    hired(company, first_name="New", wave_id=wave_id, appointment_date=f"{year}-03-16")
    page_text_ = page_text(owner.get(way))
    assert "without amounts Missing" not in page_text_
    assert "without leave balances Missing" not in page_text_
    assert "1 employee with amounts Done" in page_text_
    assert "1 employee with leave balances Done" in page_text_
    assert "1 pay run finalised Done" in page_text_
    assert "Aisha Tan" in page_text_
    assert "$31,000.00" in page_text_


def test_adjusted_leave_counts_as_entered(owner: ConsoleUser, company: Company, way: str) -> None:
    year = clock.today().year
    wave_id = company.wave(frequency="monthly", last_day_of_month=31, first_end_date=f"{year}-03-31")
    employee_id = hired(company, wave_id=wave_id, appointment_date=f"{year}-01-01")
    assert "1 employee in service without leave balances Missing" in page_text(owner.get(way))
    granted = {"type_id": annual(company), "date": f"{year}-03-01", "days": 3.5, "reason": "Opening balance"}
    assert company.member.post(f"/employees/{employee_id}/leave_adjustments", granted).status_code == 200
    assert "without leave balances" not in page_text(owner.get(way))


def annual(company: Company) -> int:
    """The first leave type of a company."""
    return int(next(iter(company.member.get(f"/clients/{company.id}/leave_types").json())))


def test_opening_balances_are_saved_and_shown_again(owner: ConsoleUser, company: Company) -> None:
    employee_id, type_id = company.hire(), annual(company)
    page = f"/employees/{employee_id}/take_on/edit"
    data = {
        "year": "2026",
        "ordinary_wages": "31,000.00",
        "ordinary_wages_subject": "$30,000",
        "cpf_employee": "6000",
        "ir8a.a": " S$31,000.00 ",
        f"leave.{type_id}": "-1.5",
    }
    assert owner.post(page, data).status_code == 303
    result = balances(company, employee_id)
    assert result["ordinary_wages_subject"] == "30000.00"
    assert result["ir8a"] == {"a": "31000.00"}
    assert result["leave"] == {str(type_id): "-1.5"}
    form = owner.get(page).text
    for value in ("31000.00", "30000.00", "6000.00", "-1.5"):
        assert f'value="{value}"' in form
    assert 'value="0.00"' not in form
    assert owner.post(page, {"year": "2026"}).status_code == 303
    assert balances(company, employee_id)["ir8a"] == {}


def test_the_form_says_on_which_day_leave_was_left(owner: ConsoleUser, company: Company) -> None:
    wave_id = company.wave(frequency="monthly", last_day_of_month=31, first_end_date="2026-07-31")
    early, new = (company.hire(wave_id=wave_id, appointment_date=day) for day in ("2024-05-02", "2026-08-03"))
    texts = {person: page_text(owner.get(f"/employees/{person}/take_on/edit")) for person in (early, new)}
    assert "Days left at the end of 30 Jun 2026 ." in texts[early]
    assert "accrued or taken from 1 Jul 2026 on is added or deducted" in texts[early]
    assert "Days at the start of 3 Aug 2026 , the first day of service." in texts[new]
    assert "used as you enter them and never recalculated. Blank means zero." in texts[early]
    assert "If blank: leave counts from the first day of service." in texts[early]
    assert "Hospitalisation leave" in texts[early]
    assert "Unpaid leave" not in texts[early]
    type_id = annual(company)
    saved = owner.post(f"/employees/{early}/take_on/edit", {"year": "2026", f"leave.{type_id}": "3.5"})
    assert saved.status_code == 303
    movements = company.member.get(f"/employees/{early}/leave_movements?to=2026-07-01&type_id={type_id}").json()
    movements = [element.get("leave_movement", element) for element in movements]
    # The month of service ends on 1 July, so its leave is not in the days left on 30 June.
    assert [(movement["kind"], movement["balance"]) for movement in movements] == [("take_on", 3.5), ("accrual", 4.5)]
    assert owner.post(f"/employees/{new}/take_on/edit", {"year": "2025"}).status_code == 303
    assert "not in service in 2025" in page_text(owner.get(f"/employees/{new}/take_on/edit"))


def test_errors_are_shown_at_their_fields_and_nothing_is_saved(owner: ConsoleUser, company: Company) -> None:
    employee_id, type_id = company.hire(), annual(company)
    data = {
        "year": "soon",
        "ordinary_wages": "1,00",
        "additional_wages": "5",
        "additional_wages_subject": "6",
        "ir8a.b": "-3",
        f"leave.{type_id}": "NaN",
    }
    answer = owner.post(f"/employees/{employee_id}/take_on/edit", data)
    assert answer.status_code == 422
    for name in ("year", "ordinary_wages", "additional_wages_subject", "ir8a-b", f"leave-{type_id}"):
        assert f'id="{name}-error"' in answer.text, name
    assert 'value="1,00"' in answer.text
    assert balances(company, employee_id)["additional_wages"] == "0.00"


def test_viewers_see_the_checklist_without_forms(viewer: ConsoleUser, company: Company, way: str) -> None:
    employee_id = company.hire()
    page = viewer.get(way)
    assert page.status_code == 200
    assert "/take_on/edit" not in page.text
    assert "/import" not in page.text
    assert viewer.get(f"/employees/{employee_id}/take_on/edit").status_code == 403
    answer = viewer.post(f"/employees/{employee_id}/take_on/edit", {"year": "2026"}, page="/password")
    assert answer.status_code == 403
