"""The end of service in the console: tax clearance, withheld pay, and employees who come back."""

from datetime import timedelta

from gaji.console.formats import format_day
from gaji.core import clock
from gaji.law.months import Month
from tests.console.console_user import ConsoleUser, page_text
from tests.payroll.payment_runs.runs import done, hired, opened, paid, payslips
from tests.support.company import FOREIGNER, Company


def test_end_of_service_is_recorded_and_undone(owner: ConsoleUser, company: Company) -> None:
    employee_id = company.hire()
    page = f"/employees/{employee_id}"
    wrong = owner.post(f"{page}/end_service", {"termination_date": "2023-01-01"}, page=page)
    assert wrong.status_code == 422
    assert "must not be before the start of service" in page_text(wrong)
    data = {"termination_date": "2026-03-31", "termination_code": "1"}
    assert owner.post(f"{page}/end_service", data, page=page).status_code == 303
    assert "31 Mar 2026 Resignation" in page_text(owner.get(page))
    assert owner.post(f"{page}/undo_end_service", page=page).status_code == 303
    assert company.service_of(employee_id) == [("2024-02-01", None)]


def test_someone_who_has_left_is_rehired(owner: ConsoleUser, company: Company) -> None:
    employee_id = company.hire(nric="S1234567D")
    page = f"/employees/{employee_id}"
    assert "Re-hire" not in page_text(owner.get(page))
    data = {"termination_date": "2026-03-31", "termination_code": "1"}
    assert owner.post(f"{page}/end_service", data, page=page).status_code == 303
    wrong = owner.post(f"{page}/reinstate", {"appointment_date": "2026-03-01"}, page=page)
    assert wrong.status_code == 422
    assert "First day" in page_text(wrong)
    assert owner.post(f"{page}/reinstate", {"appointment_date": "2026-06-01"}, page=page).status_code == 303
    assert company.service_of(employee_id) == [("2024-02-01", "2026-03-31"), ("2026-06-01", None)]
    refused = owner.post(f"{page}/undo_end_service", page=page)
    assert refused.status_code == 409
    assert "Pay schedule" in page_text(refused), "the refusal is shown on the page of the employee"


def test_adding_someone_who_has_left_offers_to_rehire_them(owner: ConsoleUser, company: Company) -> None:
    employee_id = company.hire(first_name="Aisha", last_name="Rahman", nric="S1234567D")
    new = f"/companies/{company.id}/employees/new"
    assert "Re-hire" not in page_text(owner.post(new, {"nric": "s1234567d"}, page=new)), "still in service"
    company.member.post(
        f"/employees/{employee_id}/service_periods/end_service",
        {"termination_date": "2026-03-31", "termination_code": 1},
    )
    offered = owner.post(new, {"nric": "s1234567d"}, page=new)
    assert "Aisha Rahman worked here until 31 Mar 2026. Re-hire them" in page_text(offered)
    assert f'href="/employees/{employee_id}#rehire"' in offered.text


def test_tax_clearance_is_proposed_for_foreigners_who_leave(owner: ConsoleUser, company: Company) -> None:
    checked = 'name="ir21" value="true" checked'
    foreigner = hired(company, **FOREIGNER)
    assert checked in owner.get(f"/employees/{foreigner}").text
    assert checked not in owner.get(f"/employees/{hired(company)}").text
    company.leave(foreigner, str(clock.today()))
    page = owner.get(f"/employees/{foreigner}?tab=pay")
    assert "No tax clearance (IR21) is recorded as required" in page_text(page)
    assert checked not in owner.get(f"/employees/{foreigner}").text
    company.act(foreigner, "end_service", ir21=True)
    assert "No tax clearance" not in page_text(owner.get(f"/employees/{foreigner}"))


def test_the_draft_of_a_leaver_may_lack_the_income_from_before_the_switch(owner: ConsoleUser, company: Company) -> None:
    foreigner = hired(company, **FOREIGNER)
    company.act(foreigner, "end_service", termination_date=str(clock.today()), termination_code=1, ir21=True)
    page, balances = f"/employees/{foreigner}", f"/employees/{foreigner}/take_on_balances"
    warning = "The opening balances have wages, but no income for form IR8A, so the draft has only what was paid here."
    assert warning not in page_text(owner.get(page))
    for year in (clock.today().year, clock.today().year - 1):
        wages = {"year": year, "ordinary_wages": "8300.00"}
        assert company.member.call("PUT", balances, json=wages).status_code == 200
        assert warning in page_text(owner.get(page)), "both years are on the form"
        assert f'href="{page}/take_on/edit"' in owner.get(page).text
    assert company.member.call("PUT", balances, json={**wages, "ir8a": {"a": "8300.00"}}).status_code == 200
    assert warning not in page_text(owner.get(page))


def test_the_draft_of_a_leaver_leaves_out_payslips_that_are_not_finalised(owner: ConsoleUser, company: Company) -> None:
    today = clock.today()
    month = Month.from_date(today)
    employee_id = hired(company, appointment_date=str(month.first_day), **FOREIGNER)
    company.leave(employee_id, str(month.last_day), notice_date=str(month.first_day), ir21=True)
    page, text = f"/employees/{employee_id}", "The draft leaves out the payslip"
    warning = f"{text} to {format_day(month.last_day)}, which is not finalised."
    assert warning in page_text(owner.get(page))
    run_id = opened(company, str(month.last_day))
    bonus_id = opened(company, str(month.last_day), special=True, employee_ids=[employee_id])
    assert warning in page_text(owner.get(page)), "the day is named once"
    done(company, bonus_id, "finalise")
    assert warning in page_text(owner.get(page))
    done(company, run_id, "finalise")
    assert text not in page_text(owner.get(page))


def test_pay_of_a_leaver_that_is_not_paid_yet_must_be_withheld(owner: ConsoleUser, company: Company) -> None:
    today = clock.today()
    month = Month.from_date(today) + -1
    employee_id = hired(company, appointment_date=str(month.first_day), **FOREIGNER)
    page, run_id = f"/employees/{employee_id}", paid(company, str(month.last_day))
    unpaid = f"The pay run to {format_day(month.last_day)} does not withhold the pay and is not marked as paid."
    assert unpaid not in page_text(owner.get(page))
    company.leave(employee_id, str(today), notice_date=str(today), ir21=True)
    assert f"{unpaid} If it is not paid yet, withhold it under Payment files ." in page_text(owner.get(page))
    assert f'href="/payment_runs/{run_id}/files#withhold"' in owner.get(page).text
    body = {"payment_run": {"payment_date": str(today)}}
    assert company.member.patch(f"/payment_runs/{run_id}", body).status_code == 200
    assert company.member.post(f"/payment_runs/{run_id}/mark_paid").status_code == 200
    assert unpaid not in page_text(owner.get(page))
    assert company.member.post(f"/payment_runs/{run_id}/mark_not_paid").status_code == 200
    for action in ("unfinalise", "finalise"):
        done(company, run_id, action)
    assert unpaid not in page_text(owner.get(page)), "it is withheld"
    assert "Pay is withheld for tax clearance (IR21)" in page_text(owner.get(page))


def test_the_button_says_what_it_changes(owner: ConsoleUser, company: Company) -> None:
    employee_id = hired(company)
    page, button = f"/employees/{employee_id}", '<button class="button danger">End service</button>'
    assert button in owner.get(page).text
    company.leave(employee_id, str(clock.today()))
    assert button not in owner.get(page).text
    assert '<button class="button primary">Save changes</button>' in owner.get(page).text


def test_the_notice_date_is_recorded_and_withheld_pay_is_released_in_parts(
    owner: ConsoleUser, company: Company
) -> None:
    employee_id = hired(company, **FOREIGNER)
    page = f"/employees/{employee_id}"
    data = {"termination_date": "2026-02-14", "termination_code": "1", "ir21": "true", "notice_date": "2026-03-01"}
    wrong = owner.post(f"{page}/end_service", data, page=page)
    assert "Notice date : must not be after the last day of service (14 Feb 2026)" in page_text(wrong)
    assert owner.post(f"{page}/end_service", data | {"notice_date": "2026-01-15"}, page=page).status_code == 303
    assert "Resignation, IR21, notice on 15 Jan 2026, IR21 draft" in page_text(owner.get(page))
    assert 'value="2026-01-15"' in owner.get(page).text, "the form has what is recorded"
    assert owner.get(f"{page}?ir21=draft").content.startswith(b"%PDF-")
    tomorrow = clock.today() + timedelta(days=1)
    wrong = owner.post(f"{page}/ir21_filed_on", {"ir21_filed_on": str(tomorrow)}, page=page)
    assert wrong.status_code == 422
    assert f"Form IR21 sent on : must not be after {format_day(clock.today())}" in page_text(wrong)
    blank = owner.post(f"{page}/ir21_filed_on", {"ir21_filed_on": " "}, page=page)
    assert (blank.status_code, "Form IR21 sent on : is required" in page_text(blank)) == (422, True)
    sent = owner.post(f"{page}/ir21_filed_on", {"ir21_filed_on": "2026-01-20"}, page=page)
    assert sent.status_code == 303
    assert "Resignation, IR21 sent on 20 Jan 2026, notice on 15 Jan 2026, IR21 draft" in page_text(owner.get(page))
    assert owner.get(page).text.count('name="ir21_filed_on"') == 1, "only to correct it"
    kept = owner.post(f"{page}/end_service", data | {"notice_date": "2026-01-15"}, page=page)
    assert (kept.status_code, "sent on 20 Jan 2026" in page_text(owner.get(page))) == (303, True)
    run_id = paid(company)
    [slip] = [payslip["id"] for payslip in payslips(company, run_id)]
    path = f"/payslips/{slip}"
    assert "Withheld $4,200.00" in page_text(owner.get(path))
    assert "$4,200.00" in page_text(owner.get(f"/payment_runs/{run_id}/files"))
    too_much = owner.post(f"{path}/release_payment", {"amount": "4,200.01", "to": "iras"}, page=path)
    assert too_much.status_code == 422
    assert "must not be more than $4200.00, which is what is withheld" in page_text(too_much)
    part = {"amount": "$1,200", "to": "iras"}
    asked = page_text(owner.post(f"{path}/release_payment", {**part, "confirmed": ""}, page=path))
    assert "Release $1,200.00 to the tax authority?" in asked
    everything = owner.post(f"{path}/release_payment", {"to": "employee", "confirmed": ""}, page=path)
    assert "Release $4,200.00 to the employee?" in page_text(everything)
    assert "Withheld $4,200.00" in page_text(owner.get(path)), "nothing is released before it is confirmed"
    assert owner.post(f"{path}/release_payment", part, page=path).status_code == 303
    assert owner.post(f"{path}/release_payment", {"amount": "", "to": "employee"}, page=path).status_code == 303
    text = page_text(owner.get(path))
    assert "$1,200.00 released to the tax authority" in text
    assert "$3,000.00 released to the employee" in text
