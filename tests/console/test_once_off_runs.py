"""Once-off pay runs."""

import re

import pytest

from tests.console.console_user import ConsoleUser, page_text
from tests.console.sample_company import FEBRUARY
from tests.payroll.payment_runs.runs import JANUARY, hired, listed, paid, payslips, read
from tests.support.company import WEEKLY, Company


def form(company: Company) -> str:
    """The page with the form."""
    return f"/companies/{company.id}/payment_runs/new"


def chosen(company: Company, *employee_ids: int, end: str = FEBRUARY) -> dict[str, str | list[str]]:
    """The form filled in."""
    return {
        "wave_id": str(company.wave_id),
        "period_end_date": end,
        "employee_ids": [str(item) for item in employee_ids],
    }


def test_a_once_off_run_from_open_to_released_with_plain_forms(owner: ConsoleUser, company: Company) -> None:
    hired(company, first_name="Nobody")
    siti = hired(company, first_name="Siti", last_name="Aminah")
    paid(company, JANUARY)
    assert f'href="{form(company)}"' in owner.get(f"/companies/{company.id}/payment_runs").text
    page = owner.get(form(company))
    assert "Siti Aminah" in page_text(page)
    assert re.search(rf'<option value="{FEBRUARY}" selected>', page.text)
    run = owner.post(form(company), chosen(company, siti)).headers["location"]
    run_id = int(run.rpartition("/")[2])
    opened = page_text(owner.get(run))
    assert "A once-off payslip contains only what you enter" in opened
    assert "Nobody Tan" not in opened
    [slip] = payslips(company, run_id)
    bonus = {"calc_type": "bonus", "calculation_details.amount": "1000.00"}
    entered = owner.post(f"/payslips/{slip['id']}/calculations", bonus, page=f"/payslips/{slip['id']}?enter=bonus")
    assert entered.status_code == 303, page_text(entered)
    assert "The drafts of the next period appear" not in page_text(owner.get(f"{run}/finalise"))
    assert owner.post(f"{run}/finalise").headers["location"] == run
    assert owner.post(f"{run}/release").status_code == 303
    result = read(company, run_id)
    assert (result["special"], result["released"], result["total"]) == (True, True, 799.5)
    assert "Once-off" in page_text(owner.get(f"/companies/{company.id}/payment_runs"))


def test_a_once_off_run_can_be_deleted(owner: ConsoleUser, company: Company) -> None:
    run = owner.post(form(company), chosen(company, hired(company), end=JANUARY)).headers["location"]
    assert "Its once-off payslips and their pay items are deleted" in page_text(owner.get(f"{run}/delete"))
    assert owner.post(f"{run}/delete").status_code == 303
    assert listed(company) == []


def test_choosing_no_employee_is_rejected(owner: ConsoleUser, company: Company) -> None:
    hired(company)
    answer = owner.post(form(company), chosen(company))
    assert answer.status_code == 422
    assert "choose at least one employee" in page_text(answer)
    assert listed(company) == []


def test_employees_who_cannot_be_paid_are_named_and_all_stay_chosen(owner: ConsoleUser, company: Company) -> None:
    mei, late = hired(company), hired(company, first_name="Late", appointment_date="2026-03-01")
    weekly = company.hire(first_name="Weekly", wave_id=company.wave(**WEEKLY), appointment_date="2026-01-01")
    answer = owner.post(form(company), chosen(company, mei, late, weekly))
    assert answer.status_code == 422
    text = page_text(answer)
    assert "Late Tan: is not in service in the period ending 28 Feb 2026" in text
    assert "Weekly Tan: is on another pay schedule in the period ending 28 Feb 2026" in text
    assert (
        len(re.findall(r'name="employee_ids" value="\d+" checked', answer.text)) == 2
    )  # the third is not of this wave
    assert listed(company) == []


@pytest.mark.parametrize(
    "data",
    [
        {"wave_id": "x"},
        {"wave_id": ""},
        {"period_end_date": "soon"},
        {"period_end_date": "2026-02-27"},
        {"period_end_date": ""},
        {"employee_ids": "x"},
        {"employee_ids": "²"},
        {"employee_ids": ["1.5", "-1"]},
    ],
)
def test_errors_are_shown_on_the_page(owner: ConsoleUser, company: Company, data: dict[str, str]) -> None:
    answer = owner.post(form(company), {**chosen(company, hired(company)), **data})
    assert answer.status_code == 422
    assert 'role="alert"' in answer.text
    assert listed(company) == []


@pytest.mark.parametrize("data", [{"wave_id": "9" * 40}, {"employee_ids": ["0" * 30 + "9" * 30]}])
def test_unknown_ids_are_not_found(owner: ConsoleUser, company: Company, data: dict[str, str]) -> None:
    answer = owner.post(form(company), {**chosen(company, hired(company)), **data})
    assert answer.status_code == 404


def test_empty_lists_are_explained(owner: ConsoleUser, company: Company) -> None:
    assert "No employees on this pay schedule" in page_text(owner.get(form(company)))
    assert "No matching employees" in page_text(owner.get(f"{form(company)}?search=zzz"))
    empty = company.member.new_client()
    assert "No pay schedules yet" in page_text(owner.get(f"/companies/{empty}/payment_runs/new"))
