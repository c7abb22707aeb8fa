"""Payslips in the employee portal."""

import re

from gaji.console.formats import format_day
from gaji.core import clock
from tests.console.console_user import page_text, signed_in_user
from tests.console.portal_pair import Pair
from tests.leave.people import OnLeave, leave_types
from tests.payroll.payment_runs.runs import FEBRUARY, done, hired, opened, paid, payslips
from tests.payroll.payment_runs.test_corrections import corrected
from tests.payroll.payslips.slips import draft, enter, slips
from tests.support.company import MONTHLY, Company
from tests.support.running import created


def test_the_portal_says_when_a_payslip_was_paid(pair: Pair) -> None:
    slip_id = pair.payslip_of(pair.id)
    pages = (pair.start, f"{pair.start}/payslips/{slip_id}")
    assert "due on 31 Jan 2026" in page_text(pair.own.get(pages[0]))
    assert "Pay date 31 Jan 2026" in page_text(pair.own.get(pages[1]))
    [run] = pair.company.member.get(f"/clients/{pair.company.id}/payment_runs").json()
    path = f"/payment_runs/{run['payment_run']['id']}/mark_paid"
    assert pair.company.member.post(path, {"payment_date": "2026-02-05"}).status_code == 200
    assert "paid on 5 Feb 2026" in page_text(pair.own.get(pages[0]))
    assert "Paid on 5 Feb 2026" in page_text(pair.own.get(pages[1]))
    shown = page_text(signed_in_user(pair.company.member).get(f"/payslips/{slip_id}"))
    assert "paid on 5 Feb 2026" in shown


def test_the_list_of_payslips_says_that_pay_is_withheld(company: Company) -> None:
    foreigner = {"legal_status": "FOREIGNER", "nric": None, "fin": "G1612350T", "nationality": "IN", "race": "OTHER"}
    own_id = hired(company, "3200.00", **foreigner, sdl_exempt=True)
    company.leave(own_id, "2026-01-31", notice_date="2026-01-15", ir21=True)
    own = signed_in_user(company.member.colleague(company.id, "employee", own_id))
    done(company, paid(company), "release")
    path = f"/payslips/{slips(company, own_id)[0]['id']}/release_payment"
    for amount, rest in (("200.00", "$3,200.00"), (None, "$3,000.00")):
        text = page_text(own.get(f"/own/{own_id}"))
        assert f"{rest} is withheld for tax clearance (IR21) until it is released" in text
        assert "on 31 Jan 2026" not in text
        assert company.member.post(path, {"amount": amount} if amount else None).status_code == 200
    text = page_text(own.get(f"/own/{own_id}"))
    assert "is withheld" not in text
    days = f"on {format_day(clock.today())}"
    assert f"$200.00 released to the employee {days}" not in text, "amounts of a day are added up"
    assert f"$3,200.00 released to the employee {days}" in text
    assert "on 31 Jan 2026" not in text


def test_a_correction_names_the_period_that_it_corrects(company: Company) -> None:
    own_id = hired(company)
    own = signed_in_user(company.member.colleague(company.id, "employee", own_id))
    run_id = paid(company)
    late = {"calc_type": "basic_salary", "calculation_details": {"overtime_hours_input": "10"}}
    slip_id = slips(company, own_id)[0]["id"]
    assert company.member.post(f"/payslips/{slip_id}/calculations?late=true", late).status_code == 200
    done(company, paid(company, FEBRUARY), "release")
    correction_id = corrected(company, run_id)
    done(company, correction_id, "release")
    [correction] = payslips(company, correction_id)
    home, path = f"/own/{own_id}", f"/own/{own_id}/payslips/{correction['id']}"
    tiles = page_text(own.get(home)).partition("All payslips")[0]
    assert "Latest nett pay Correction $" in tiles
    assert "Corrected period 1 Jan 2026 to 31 Jan 2026" in tiles, "also if the corrected payslip is not released"
    text = page_text(own.get(path))
    assert "Correction for 31 Jan 2026" in text
    assert "Corrected period 1 Jan 2026 to 31 Jan 2026" in text
    assert "Payslip for" not in text
    assert "Feb 2026 to" not in text
    detail = "Overtime, 1–31 January 2026: 10 hours worked, "
    assert re.search(rf"Corrected pay {detail}[\d.]+ due, 0.00 paid", text)
    owner = signed_in_user(company.member)
    assert detail in page_text(owner.get(f"/payslips/{correction['id']}"))
    done(company, run_id, "release")
    assert "Corrected period 1 Jan 2026 to 31 Jan 2026" in page_text(own.get(home))
    assert "31 Jan 2026 Correction" in page_text(own.get(home))


def test_a_released_payslip_explains_its_lines(pair: Pair) -> None:
    slip_id = pair.payslip_of(pair.id)
    text = page_text(pair.own.get(f"{pair.start}/payslips/{slip_id}"))
    assert "Payslip for 31 Jan 2026" in text
    assert "Basic salary $4,200.00 why?" in text
    assert "Nett pay $3,358.50" in text
    assert "Show the formula" in text
    for irrelevant in ("PR CPF rates", "NONE", "Second race fund", "CPF exempt"):
        assert irrelevant not in text


def test_a_payslip_has_the_year_to_date_and_the_day_it_counts_from(company: Company) -> None:
    wave_id = company.wave(**{**MONTHLY, "first_end_date": "2026-03-31"})
    own_id = hired(company, wave_id=wave_id, appointment_date="2025-06-01")
    for end in ("2026-03-31", "2026-04-30"):
        run_id = opened(company, end, wave_id=wave_id)
        done(company, run_id, "finalise")
        done(company, run_id, "release")
    own = signed_in_user(company.member.colleague(company.id, "employee", own_id))
    path = f"/own/{own_id}/payslips/{slips(company, own_id)[1]['id']}"
    text = page_text(own.get(path))
    assert "Year to date 2026 Earnings $8,400.00 Deductions $1,683.00 Nett pay $6,717.00" in text
    assert "CPF, employee $1,680.00 CPF, employer $1,428.00 Counts from 1 Mar 2026," in text
    options = f"/clients/{company.id}/payslip_options"
    assert company.member.patch(options, {"employer_contributions": False}).status_code == 200
    assert "CPF, employee $1,680.00 Counts from" in page_text(own.get(path))
    assert company.member.patch(options, {"year_to_date": False}).status_code == 200
    assert "Year to date" not in page_text(own.get(path))


def test_an_explanation_starts_with_the_figures_used_and_totals_have_no_formula(pair: Pair) -> None:
    page = pair.own.get(f"{pair.start}/payslips/{pair.payslip_of(pair.id)}").text
    explanations = dict(re.findall(r'id="why-[a-z_]+-([a-z_]+)">(.*?)</div></details>\n', page, re.DOTALL))
    shown, _, formula = explanations["cpf_employee"].partition("Show the formula")
    assert "20% of $4,200.00" in shown
    assert "20 %" in shown
    assert "37 %" not in shown
    assert "37 %" in formula
    assert "Total earnings less total deductions." in explanations["nett_pay"]
    assert "The full amount of" not in explanations["total"]
    for item in ("total", "nett_pay"):
        assert "Show the formula" not in explanations[item]
        assert "Subtraction" not in explanations[item]
        assert "Addition" not in explanations[item]


def test_lines_say_how_many_at_which_rate_and_have_the_officers_note(company: Company) -> None:
    own_id = company.hire(first_name="Aisha", appointment_date="2026-01-01")
    night = created(
        company.member.post(
            f"/clients/{company.id}/calculation_definitions",
            {"name": "Night shift", "kind": "allowance", "input": "rate_quantity"},
        )
    )
    where = f"employees/{own_id}"
    salary = {"pay_type": "hourly", "hourly_rate": "12.50", "hours_input": "160"}
    enter(company, where, "basic_salary", **salary)
    enter(company, where, str(night), rate="18.50", quantity="5")
    run_id = opened(company)
    payslip = f"payslips/{draft(company, own_id)}"
    enter(company, payslip, "reimbursement", amount="45.20", description="Taxi to the airport")
    enter(company, payslip, "basic_salary", overtime_hours_input="4")
    done(company, run_id, "finalise")
    done(company, run_id, "release")
    own = signed_in_user(company.member.colleague(company.id, "employee", own_id))
    [slip] = [slip["id"] for slip in slips(company, own_id) if slip["finalised"]]
    text = page_text(own.get(f"/own/{own_id}/payslips/{slip}"))
    assert "Basic salary 160 hours × 12.50 $2,000.00 why? 160 hours at $12.50 an hour" in text
    assert "Night shift 5 × 18.50 $92.50 why? 5 times $18.50" in text
    assert "Overtime 4 hours worked, 1 January 2026 to 31 January 2026 $75.00 why?" in text
    assert "4 hours at $18.75 an hour, which is 1.5 times the hourly rate of $12.50" in text
    assert "Reimbursement Taxi to the airport $45.20 why?" in text
    assert "37/2" not in text


def test_a_payslip_is_compared_with_the_one_before(pair: Pair) -> None:
    first = page_text(pair.own.get(f"{pair.start}/payslips/{pair.payslip_of(pair.id)}"))
    assert "Compared with" not in first
    enter(pair.company, f"employees/{pair.id}", "basic_salary", fixed_amount="4000.00")
    run_id = opened(pair.company, "2026-02-28")
    done(pair.company, run_id, "finalise")
    done(pair.company, run_id, "release")
    slips = pair.company.member.get(f"/employees/{pair.id}/payslips").json()
    [slip_id] = [slip["payslip"]["id"] for slip in slips if slip["payslip"]["date"] == "2026-02-28"]
    text = page_text(pair.own.get(f"{pair.start}/payslips/{slip_id}"))
    assert "Your nett pay is $160.00 less than on the payslip for 31 Jan 2026." in text
    assert "Basic salary $200.00 less" in text
    assert "CPF, employee's share $40.00 less deducted" in text


def test_unreleased_payslips_are_not_found(pair: Pair) -> None:
    enter(pair.company, f"employees/{pair.id}", "basic_salary", fixed_amount="9999.00")
    done(pair.company, run_id := opened(pair.company, "2026-02-28"), "finalise")
    slips = pair.company.member.get(f"/employees/{pair.id}/payslips").json()
    for slip in slips[1:]:
        assert pair.own.get(f"{pair.start}/payslips/{slip['payslip']['id']}").status_code == 404
    assert "28 Feb" not in page_text(pair.own.get(pair.start))
    done(pair.company, run_id, "release")
    assert "28 Feb" in page_text(pair.own.get(pair.start))


def test_a_payslip_of_a_colleague_is_not_found(pair: Pair) -> None:
    slip_id = pair.payslip_of(pair.other_id)
    assert pair.own.get(f"{pair.start}/payslips/{slip_id}").status_code == 404


def test_a_payslip_has_the_year_to_date_of_its_pdf(pair: Pair) -> None:
    path = f"{pair.start}/payslips/{pair.payslip_of(pair.id)}"
    text = page_text(pair.own.get(path))
    nett_pay = re.search(r"Nett pay (\$[\d,.]+) why", text)
    assert nett_pay
    assert re.search(r"Year to date \d{4} Earnings \$[\d,.]+ Deductions", text)
    assert f"Nett pay {nett_pay[1]} CPF, employee $" in text, text
    options = f"/clients/{pair.company.id}/payslip_options"
    assert pair.company.member.call("PATCH", options, json={"year_to_date": False}).status_code == 200
    assert "Year to date" not in page_text(pair.own.get(path))


def test_employees_can_download_only_their_own_payslips(pair: Pair) -> None:
    own_id, other = pair.payslip_of(pair.id), pair.payslip_of(pair.other_id)
    assert f"{pair.start}/payslips/{own_id}.pdf" in pair.own.get(f"{pair.start}/payslips/{own_id}").text
    assert pair.own.get(f"{pair.start}/payslips/{own_id}.pdf").content.startswith(b"%PDF-")
    for path in (f"{pair.start}/payslips/{other}.pdf", f"/own/{pair.other_id}/payslips/{other}.pdf"):
        assert pair.own.get(path).status_code == 404
    assert pair.own.get(f"/payslips/{own_id}.pdf").status_code == 404


def test_a_payslip_with_sick_leave_explains_its_hospitalisation_leave(company: Company) -> None:
    types = leave_types(company.member, company.id)
    employees = [OnLeave(company, hired(company), types) for _ in range(2)]
    for employee in employees:
        employee.adjust("2026-01-01", 5, "sick_leave")
        employee.adjust("2026-01-01", 5, "hospitalisation_leave")
    employees[0].take("2026-01-12", "sick_leave")
    opened(company)
    owner = signed_in_user(company.member)
    payslips = [company.member.get(f"/employees/{employee.id}/payslips").json() for employee in employees]
    sick, well = (page_text(owner.get(f"/payslips/{elements[0]['payslip']['id']}")) for elements in payslips)
    note = "Hospitalisation leave includes sick leave. A day of sick leave is deducted from both."
    assert "Hospitalisation leave 5 1 4" in sick
    assert note in sick
    assert "Leave in this period" in well
    assert note not in well


def test_a_payslip_says_which_leave_expires_soon_after_it(company: Company) -> None:
    created(company.member.post(f"/clients/{company.id}/leave_types", {"leave_type": {"name": "study_leave"}}))
    person = OnLeave(company, hired(company), leave_types(company.member, company.id))
    policy = {"accrual": "none", "carry_over": {"limit": 3}, "leave_year_start": 3, "effective_date": "2026-01-01"}
    answer = person.put_policy("study_leave", **policy)
    assert answer.status_code == 200, answer.text
    person.adjust("2026-01-05", 10, "study_leave")
    run_id = opened(company)
    done(company, run_id, "finalise")
    done(company, run_id, "release")
    own = signed_in_user(company.member.colleague(company.id, "employee", person.id))
    [slip] = [slip for slip in slips(company, person.id) if slip["finalised"]]
    text = page_text(own.get(f"/own/{person.id}/payslips/{slip['id']}"))
    assert "Study leave 10 – 10" in text
    assert "7 days of study leave expired on 1 Mar 2026, because they were not taken." in text
    assert "of annual leave expire" not in text


def test_a_payslip_says_which_leave_expired_in_its_period(company: Company) -> None:
    created(company.member.post(f"/clients/{company.id}/leave_types", {"leave_type": {"name": "study_leave"}}))
    person = OnLeave(company, hired(company), leave_types(company.member, company.id))
    policy = {"accrual": "none", "carry_over": {"limit": 3}, "leave_year_start": 2, "effective_date": "2026-01-01"}
    assert person.put_policy("study_leave", **policy).status_code == 200
    person.adjust("2026-01-05", 10, "study_leave")
    paid(company)
    run_id = paid(company, FEBRUARY)
    done(company, run_id, "release")
    own = signed_in_user(company.member.colleague(company.id, "employee", person.id))
    [slip] = payslips(company, run_id)
    text = page_text(own.get(f"/own/{person.id}/payslips/{slip['id']}"))
    assert "Days that expired or were deducted are subtracted from the added days." in text
    assert "Study leave -7 – 3" in text
    assert "7 days of study leave expired on 1 Feb 2026, because they were not taken." in text
