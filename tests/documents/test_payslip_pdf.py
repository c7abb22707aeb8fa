"""GET /payslips/:id.pdf: the items required by the Ministry of Manpower, and the layout."""

import re
from typing import Any

import pytest

from gaji.console.formats import format_day
from gaji.core import clock
from tests.console.console_user import page_text, signed_in_user
from tests.documents.payslip_pdfs import (
    ADDRESS,
    EMPLOYER,
    download_pdf,
    find_line,
    page_texts,
    pdf_text,
    red_share,
    request_pdf,
)
from tests.leave.people import OnLeave, leave_types
from tests.payroll.payment_runs.runs import FEBRUARY, JANUARY, MARCH, done, hired, opened, paid
from tests.payroll.payslips.slips import detail, draft, enter, slips
from tests.support.company import BANK_ACCOUNT, MONTHLY, WEEKLY, Company
from tests.support.problems import assert_problem
from tests.support.running import Member, created


@pytest.fixture
def company(account: Member) -> Company:
    """A company with an address."""
    return Company.of(account, **EMPLOYER)


def pay_january(company: Company, employee_id: int) -> int:
    """Return the finalised payslip of January."""
    paid(company, JANUARY)
    payslip_id: int = slips(company, employee_id)[0]["id"]
    return payslip_id


def full_payslip(company: Company) -> int:
    """Return a finalised payslip with lines under every heading."""
    employee_id = hired(company, job_title="Barista", payment_method="eft_manual", bank_account=BANK_ACCOUNT)
    where = f"employees/{employee_id}"
    enter(company, where, "transport_allowance", amount="150.00")
    enter(company, where, "loan", balance="1000.00", instalment="100.00", start_date="2026-01-01")
    slip = f"payslips/{draft(company, employee_id)}"
    body = {
        "calc_type": "basic_salary",
        "calculation_details": {"overtime_hours_input": "5.5", "rest_day_employer_days": 1},
    }
    assert company.member.post(f"/{slip}/calculations", body).status_code == 200
    enter(company, slip, "meal_allowance", amount="20.00")
    enter(company, slip, "bonus", amount="1234.56")
    enter(company, slip, "reimbursement", amount="45.20", description="Taxi to the airport")
    enter(company, slip, "unpaid_leave", days="2")
    return pay_january(company, employee_id)


@pytest.fixture
def payslip_id(company: Company) -> int:
    return full_payslip(company)


@pytest.fixture
def text(company: Company, payslip_id: int) -> str:
    return pdf_text(download_pdf(company, payslip_id))


def amount(company: Company, payslip_id: int, section: str, item: str) -> str:
    """Return the amount of an item in the JSON of a payslip, formatted as on the PDF."""
    return f"{float(dict(detail(company, payslip_id)[section])[item]):,.2f}"


def test_it_works(company: Company) -> None:
    payslip_id = pay_january(company, hired(company))
    answer = request_pdf(company, payslip_id, headers={"Content-Type": "application/pdf"})
    assert answer.status_code == 200, answer.text
    assert answer.headers["Content-Type"] == "application/pdf"
    assert answer.headers["Content-Disposition"] == f'inline; filename="payslip-2026-01-31-1-{payslip_id}.pdf"'
    assert answer.headers["X-Rules-Version"]
    assert len(page_texts(answer.content)) == 1


# The twelve items of a payslip (Ministry of Manpower, since 1 April 2016).


def test_1_full_name_and_address_of_the_employer(text: str) -> None:
    assert "Kopi Trading Pte Ltd" in text
    assert ADDRESS["st_name"] in text
    assert "#08-15 Ubi Techpark" in text
    assert "Singapore 408564" in text
    assert "UEN 202699999E" in text


def test_2_full_name_of_the_employee(text: str) -> None:
    assert "Employee Mei Ling Tan" in text


def test_3_date_of_payment(text: str) -> None:
    assert find_line(text, "Date of payment").endswith("Date of payment 31 January 2026")


def test_4_basic_salary(company: Company, payslip_id: int, text: str) -> None:
    assert find_line(text, "Basic salary") == "Basic salary 4,200.00"
    assert amount(company, payslip_id, "income", "basic_salary") == "4,200.00"


@pytest.mark.parametrize(
    ("inputs", "detail_text", "expected"),
    [
        ({"pay_type": "daily", "daily_rate": "101.10", "days_input": "20.5"}, "20.5 days × 101.10", "2,072.55"),
        ({"pay_type": "daily", "daily_rate": "100.00"}, "22 days × 100.00", "2,200.00"),
        ({"pay_type": "hourly", "hourly_rate": "12.35", "hours_input": "160"}, "160 hours × 12.35", "1,976.00"),
    ],
)
def test_4_basic_salary_with_rate_and_days_or_hours(
    company: Company, inputs: dict[str, Any], detail_text: str, expected: str
) -> None:
    employee_id = company.hire(appointment_date="2026-01-01")
    enter(company, f"employees/{employee_id}", "basic_salary", **inputs)
    payslip_id = pay_january(company, employee_id)
    assert (
        find_line(pdf_text(download_pdf(company, payslip_id)), "Basic salary")
        == f"Basic salary {detail_text} {expected}"
    )
    assert amount(company, payslip_id, "income", "basic_salary") == expected


def test_4_basic_salary_of_an_incomplete_month_with_the_full_amount(company: Company) -> None:
    payslip_id = pay_january(company, hired(company, appointment_date="2026-01-12"))
    earned = amount(company, payslip_id, "income", "basic_salary")
    line = find_line(pdf_text(download_pdf(company, payslip_id)), "Basic salary")
    assert line == f"Basic salary 4,200.00 a month {earned}"


def test_5_start_and_end_of_the_salary_period(text: str) -> None:
    assert "Salary period 1 January 2026 to 31 January 2026" in text


def test_6_allowances_fixed_and_ad_hoc(text: str) -> None:
    assert re.search(r"Allowances\n+ ?Transport allowance 150.00\n+ ?Meal allowance 20.00\n", text)


def test_7_other_additional_payments(company: Company, payslip_id: int, text: str) -> None:
    rest_day = amount(company, payslip_id, "income", "rest_day_pay")
    assert find_line(text, "Rest day pay") == f"Rest day pay 1 day at the employer's request {rest_day}"
    assert find_line(text, "Bonus") == "Bonus 1,234.56"
    assert find_line(text, "Reimbursement") == "Reimbursement Taxi to the airport 45.20"


def test_8_deductions_fixed_and_ad_hoc(company: Company, payslip_id: int, text: str) -> None:
    cpf = amount(company, payslip_id, "deduction", "cpf_employee")
    unpaid = amount(company, payslip_id, "deduction", "unpaid_leave")
    assert find_line(text, "CPF, employee's share") == f"CPF, employee's share {cpf}"
    assert find_line(text, "Unpaid leave 2") == f"Unpaid leave 2 days {unpaid}"
    assert find_line(text, "Loan") == "Loan 900.00 still owed 100.00"


def test_9_hours_of_overtime(text: str) -> None:
    assert find_line(text, "Overtime").startswith("Overtime 5.5 hours worked")


def test_10_overtime_pay(company: Company, payslip_id: int, text: str) -> None:
    assert find_line(text, "Overtime").endswith(f" {amount(company, payslip_id, 'income', 'overtime')}")


def test_11_start_and_end_of_the_overtime_period(text: str) -> None:
    assert "5.5 hours worked, 1 January 2026 to 31 January 2026" in text


def test_12_nett_salary(company: Company, payslip_id: int, text: str) -> None:
    assert find_line(text, "Nett pay SGD") == f"Nett pay SGD {amount(company, payslip_id, 'grand_total', 'nett_pay')}"


# Everything else.


def test_every_amount_of_the_json_is_printed_with_its_caption(company: Company, payslip_id: int, text: str) -> None:
    named = company.member.get(f"/clients/{company.id}/items_and_outputs").json()
    captions = {str(item["item"]): item["caption"] for item in _items(named)}
    form = detail(company, payslip_id)
    totals = {"income": "Total earnings", "deduction": "Total deductions"}
    lines = [(section, *line) for section in totals for line in form[section]]
    lines += [(group, *line) for group, items in form["sideline"] for line in items]
    assert len(lines) > 12
    printed = [line.strip() for line in text.splitlines()]
    for section, item, value in lines:
        caption = totals[section] if item == "total" else captions[str(item)]
        amount_text = f"{float(value):,.2f}"
        assert any(line.startswith(f"{caption} ") and amount_text in line.split() for line in printed), (
            caption,
            amount_text,
        )


def _items(elements: Any) -> list[dict[str, Any]]:
    return [element.get("item_and_outputs", element) if "item" not in element else element for element in elements]


def test_year_to_date_sums_the_payslips_of_the_year(company: Company) -> None:
    employee_id = hired(company)
    for end in (JANUARY, FEBRUARY):
        paid(company, end)
    january, february = [payslip["id"] for payslip in slips(company, employee_id)[:2]]
    text = pdf_text(download_pdf(company, february))
    assert "Year to date 2026" in text
    for caption, section, item in (
        ("Earnings", "income", "total"),
        ("Deductions", "deduction", "total"),
        ("CPF, employee", "deduction", "cpf_employee"),
    ):
        total = sum(float(dict(detail(company, payslip_id)[section])[item]) for payslip_id in (january, february))
        assert re.search(rf"{caption} {total:,.2f}$", text, re.MULTILINE), caption
    # Later payslips do not change the PDF.
    assert "Earnings 4,200.00" in pdf_text(download_pdf(company, january))


def test_year_to_date_says_from_when_it_counts_if_another_payroll_paid_before(company: Company) -> None:
    schedule = {**MONTHLY, "first_end_date": MARCH}
    wave_id = created(company.member.post(f"/clients/{company.id}/waves", schedule))
    moved = hired(company, wave_id=wave_id, appointment_date="2025-06-01")
    joined = hired(company, wave_id=wave_id, appointment_date="2026-03-16")
    notes = [pdf_text(download_pdf(company, draft(company, employee_id))) for employee_id in (moved, joined)]
    assert "The year to date counts from 1 March 2026, the first payslip in this payroll system." in notes[0]
    assert "Earlier amounts of the year are not included." in re.sub(r"\s+", " ", notes[0])
    assert "counts from" not in notes[1]


def test_year_to_date_does_not_mention_another_payroll_for_an_employee_who_is_recorded_late(company: Company) -> None:
    hired(company)
    paid(company, JANUARY)
    late = hired(company, appointment_date="2026-01-12")
    assert "counts from" not in pdf_text(download_pdf(company, draft(company, late)))


def test_take_on_balances_count_for_the_cpf_of_the_year(company: Company) -> None:
    employee_id = hired(company)
    balances = {"year": 2026, "cpf_employee": "1000.00", "cpf_employer": "850.00"}
    assert company.member.call("PUT", f"/employees/{employee_id}/take_on_balances", json=balances).status_code == 200
    payslip_id = pay_january(company, employee_id)
    text = pdf_text(download_pdf(company, payslip_id))
    assert "CPF, employee 1,840.00" in text
    assert "includes contributions paid before this payroll system was used" in text


def test_leave_balances(company: Company) -> None:
    employee_id = hired(company)
    annual = leave_types(company.member, company.id)["annual_leave"]
    granted = {"type_id": annual, "date": "2026-01-05", "days": 3.5, "reason": "Opening balance"}
    assert company.member.post(f"/employees/{employee_id}/leave_adjustments", granted).status_code == 200
    payslip_id = draft(company, employee_id)
    text = pdf_text(download_pdf(company, payslip_id))
    leave = detail(company, payslip_id)["leave"]["annual_leave"]
    assert leave["balance"] == 3.5
    line = find_line(text, "Annual leave").split()
    assert [float(text) for text in line[2:]] == [leave["accrual"], leave["taken"], leave["balance"]]


def test_leave_that_counts_twice_or_was_lost_is_explained(company: Company) -> None:
    types = leave_types(company.member, company.id)
    people = [OnLeave(company, hired(company), types) for _ in range(3)]
    for person in people:
        person.adjust("2026-01-01", 5, "sick_leave")
        person.adjust("2026-01-01", 5, "hospitalisation_leave")
    sick, reduced, neither = people
    sick.take("2026-01-12", "sick_leave")
    reduced.adjust("2026-01-12", -2)
    texts = [pdf_text(download_pdf(company, draft(company, person.id))) for person in (sick, reduced, neither)]
    both = "Hospitalisation leave includes sick leave. A day of sick leave is deducted from both."
    negative = "Days that expired or were deducted are subtracted from the added days."
    assert "Hospitalisation leave 5 1 4" in texts[0]
    assert "Annual leave -2 0 -2" in texts[1]
    assert [(both in text, negative in text) for text in texts] == [(True, False), (False, True), (False, False)]
    owner = signed_in_user(company.member)
    assert negative in page_text(owner.get(f"/payslips/{draft(company, reduced.id)}"))
    options = {"leave_balances": False}
    assert company.member.call("PATCH", f"/clients/{company.id}/payslip_options", json=options).status_code == 200
    assert both not in pdf_text(download_pdf(company, draft(company, sick.id)))


def test_unpaid_leave_has_no_balance(company: Company) -> None:
    employee_id = hired(company)
    unpaid = leave_types(company.member, company.id)["unpaid_leave"]
    for day in ("2026-01-05", "2026-01-06"):
        taken = company.member.post(f"/employees/{employee_id}/leave_days", {"date": day, "type_id": unpaid})
        assert taken.status_code == 200, taken.text
    payslip_id = pay_january(company, employee_id)
    assert detail(company, payslip_id)["leave"]["unpaid_leave"]["balance"] == -2
    assert "Unpaid leave 0 2 –" in pdf_text(download_pdf(company, payslip_id))
    later = pdf_text(download_pdf(company, slips(company, employee_id)[-1]["id"]))
    assert "Unpaid leave" not in later
    owner = signed_in_user(company.member)
    assert "Unpaid leave – 2 –" in page_text(owner.get(f"/payslips/{payslip_id}"))


def test_leave_without_a_limit_has_no_balance_even_if_days_were_granted(company: Company) -> None:
    employee_id = hired(company)
    compassionate = leave_types(company.member, company.id)["compassionate_leave"]
    granted = {"type_id": compassionate, "date": "2026-01-05", "days": 3, "reason": "Policy of the company"}
    assert company.member.post(f"/employees/{employee_id}/leave_adjustments", granted).status_code == 200
    payslip_id = draft(company, employee_id)
    assert find_line(pdf_text(download_pdf(company, payslip_id)), "Compassionate leave").endswith("–")


def test_employees_see_the_leave_balances_of_the_company_s_policies(company: Company) -> None:
    types = leave_types(company.member, company.id)
    path = f"/clients/{company.id}/leave_types"
    types["study"] = created(company.member.post(path, {"name": "Study leave"}))
    someone = OnLeave(company, hired(company), types)
    employee_id = someone.id
    limited = {"accrual": "yearly", "entitlement": [{"year": 1, "days": 1}], "below_zero": True, "prorate": False}
    for name, policy in (("compassionate_leave", limited), ("study", {"accrual": "none", "below_zero": True})):
        answer = someone.put_policy(name, **policy, effective_date="2026-01-01")
        assert answer.status_code == 200, answer.text
    for day, name in (("05", "compassionate_leave"), ("06", "compassionate_leave"), ("07", "study")):
        someone.take(f"2026-01-{day}", name)
    run_id = paid(company)
    done(company, run_id, "release")
    payslip_id = slips(company, employee_id)[0]["id"]
    balance = detail(company, payslip_id)["leave"]["compassionate_leave"]["balance"]
    assert balance < 0
    employee = company.member.colleague(company.id, "employee", employee_id)
    for member in (company.member, employee):
        text = pdf_text(member.get(f"/payslips/{payslip_id}.pdf").content)
        assert find_line(text, "Compassionate leave").endswith(f" {balance:g}")
        assert find_line(text, "Study leave").endswith(" 1 –")
    page = page_text(signed_in_user(employee).get(f"/own/{employee_id}/payslips/{payslip_id}"))
    assert re.search(rf"Compassionate leave \S+ 2 [-−]{-balance:g}\b", page), page
    assert "Study leave – 1 –" in page


def test_identifiers_are_masked(company: Company, text: str) -> None:
    assert "******2891" in text
    assert "0052312891" not in text
    assert not re.search(r"\b[STFGM]\d{7}[A-Z]\b", text)


def test_drafts_are_marked_on_every_page_and_in_the_file_name(company: Company) -> None:
    employee_id = hired(company)
    payslip_id = draft(company, employee_id)
    pdf = download_pdf(company, payslip_id)
    assert pdf_text(pdf).count("DRAFT") == 2  # next to the title, and in the footer
    assert red_share(pdf) > 0.02  # the watermark
    assert request_pdf(company, payslip_id).headers["Content-Disposition"].endswith('-draft.pdf"')
    run_id = opened(company)
    done(company, run_id, "finalise")
    final = download_pdf(company, payslip_id)
    assert "DRAFT" not in pdf_text(final)
    assert red_share(final) == 0


def test_a_dirty_draft_is_printed_with_current_amounts(company: Company) -> None:
    employee_id = hired(company)
    payslip_id = draft(company, employee_id)
    company.member.service.as_owner("UPDATE payslips SET dirty = true WHERE id = $1", payslip_id)
    assert "Nett pay SGD 3,358.50" in pdf_text(download_pdf(company, payslip_id))


def test_a_payslip_has_the_same_bytes_for_all_callers(company: Company, payslip_id: int) -> None:
    first = download_pdf(company, payslip_id)
    company.member.service.as_owner("UPDATE payslips SET ss_released = true WHERE id = $1", payslip_id)
    [row] = company.member.service.as_owner("SELECT employee_id FROM payslips WHERE id = $1", payslip_id)
    employee = company.member.colleague(company.id, "employee", row["employee_id"])
    hiding = company.member.with_another_key(hide_identifiers=True)
    for member in (company.member, company.member.colleague(company.id, "viewer"), employee, hiding):
        assert member.get(f"/payslips/{payslip_id}.pdf").content == first


def test_the_other_base_path_and_a_trailing_slash_work(company: Company, payslip_id: int) -> None:
    service, headers = company.member.service, {"Authorization": company.member.key}
    for path in (f"/api/v1/payslips/{payslip_id}.pdf", f"/v1/payslips/{payslip_id}.pdf/"):
        assert service.http.get(service.url + path, headers=headers).content == download_pdf(company, payslip_id)


def test_employees_can_only_read_their_own_released_payslips(company: Company) -> None:
    employee_id, other_id = hired(company), hired(company)
    employee = company.member.colleague(company.id, "employee", employee_id)
    run_id = paid(company)
    own_slip, other_slip = (slips(company, payslip_id)[0]["id"] for payslip_id in (employee_id, other_id))
    assert_problem(employee.get(f"/payslips/{own_slip}.pdf"), 404)
    done(company, run_id, "release")
    answer = employee.get(f"/payslips/{own_slip}.pdf")
    assert "Kopi Trading Pte Ltd" in pdf_text(answer.content)
    assert_problem(employee.get(f"/payslips/{other_slip}.pdf"), 404)
    assert_problem(employee.get(f"/payslips/{draft(company, employee_id)}.pdf"), 404)


def test_the_date_of_payment_is_that_of_the_run(company: Company) -> None:
    employee_id = hired(company)
    employee = company.member.colleague(company.id, "employee", employee_id)
    run_id = paid(company)
    done(company, run_id, "release")
    path = f"/payslips/{slips(company, employee_id)[0]['id']}.pdf"
    planned = employee.get(path).content
    assert find_line(pdf_text(planned), "Date of payment").endswith("Date of payment 31 January 2026")
    run = f"/payment_runs/{run_id}"
    assert company.member.post(f"{run}/mark_paid", {"payment_date": "2026-02-05"}).status_code == 200
    for reader in (employee, company.member):
        text = pdf_text(reader.get(path).content)
        assert find_line(text, "Date of payment").endswith("Date of payment 5 February 2026")
    done(company, run_id, "mark_not_paid")
    assert company.member.patch(run, {"payment_date": None}).status_code == 200
    assert employee.get(path).content == planned


@pytest.mark.parametrize("name", ["0.pdf", "x.pdf", "999999999.pdf", "1.PDF"])
def test_unknown_payslips_are_not_found(company: Company, name: str) -> None:
    assert_problem(company.member.get(f"/payslips/{name}"), 404)


def test_forty_lines_continue_on_the_next_page_with_their_heading(company: Company) -> None:
    employee_id = hired(company)
    for number in range(1, 41):
        kind = "allowance" if number <= 25 else "deduction"
        item = {
            "name": f"{kind.capitalize()} number {number}",
            "kind": kind,
            "input": "fixed",
            "amount": f"{number}.10",
        }
        answer = company.member.post(f"/clients/{company.id}/calculation_definitions", item)
        assert answer.status_code == 200, answer.text
        enter(company, f"employees/{employee_id}", str(answer.json()["id"]))
    payslip_id = draft(company, employee_id)
    pages = page_texts(download_pdf(company, payslip_id))
    assert len(pages) == 2
    assert "Page 1 of 2" in pages[0]
    assert "Page 2 of 2" in pages[1]
    text = "".join(pages)
    for number in range(1, 41):
        assert re.search(rf"number {number} {number}.10$", text, re.MULTILINE)
    assert all("DRAFT" in page for page in pages)
    assert text.count("Deductions SGD") + text.count("Earnings SGD") == 3  # one of them is on both pages


@pytest.mark.parametrize("name", ["陈伟明", "மீனாட்சி சுந்தரம்", "José Núñez-Łukasz", "Nguyễn Thị Hồng"])
def test_names_in_the_scripts_of_singapore_are_printed(company: Company, name: str) -> None:
    employee_id = hired(company, first_name=name, last_name=None, name_format=3)
    payslip_id = pay_january(company, employee_id)
    pdf = download_pdf(company, payslip_id)
    assert name in pdf_text(pdf).replace("\u200b", "")


def test_a_special_payslip_is_titled_as_such(company: Company) -> None:
    employee_id = hired(company)
    paid(company)
    run_id = opened(company, special=True, employee_ids=[employee_id])
    [special] = [payslip["id"] for payslip in slips(company, employee_id) if payslip["special"]]
    enter(company, f"payslips/{special}", "bonus", amount="500.00")
    done(company, run_id, "finalise")
    text = pdf_text(download_pdf(company, special))
    assert "Special payslip" in text
    assert find_line(text, "Bonus") == "Bonus 500.00"


def test_names_that_look_like_markup_are_printed_literally(company: Company) -> None:
    employee_id = hired(
        company, first_name="#import $x$ *bold* _it_", last_name='"quoted" \\ @ref', job_title="<a> = b"
    )
    text = pdf_text(download_pdf(company, draft(company, employee_id)))
    assert "#import $x$ *bold* _it_" in text
    assert "<a> = b" in text


def test_a_correction_names_the_payslip_that_it_corrects(company: Company) -> None:
    text = pdf_text(download_pdf(company, corrected_payslip(company)))
    assert "Correction of the payslip for 1–31 January 2026" in text
    assert "1 January 2026 to 31 January 2026" in text
    assert "February 2026 to" not in text


def test_a_correction_lists_the_items_that_differ(company: Company) -> None:
    text = pdf_text(download_pdf(company, corrected_payslip(company)))
    line = find_line(text, "1–31 January 2026: 5,000.00 due, 4,200.00 paid")
    assert line.startswith("Basic salary")
    assert line.endswith("800.00")
    assert find_line(text, "Total earnings").endswith("800.00")
    assert "Pay of earlier months" not in text


def test_a_correction_states_the_hours_that_were_worked(company: Company) -> None:
    employee_id = hired(company, "2400.00", workman=True)
    payslip_id = draft(company, employee_id)
    enter(company, f"payslips/{payslip_id}", "basic_salary", overtime_hours_input="4")
    run_id = paid(company)
    late = {"calc_type": "basic_salary", "calculation_details": {"overtime_hours_input": "10"}}
    saved = company.member.post(f"/payslips/{payslip_id}/calculations?late=true", late)
    assert saved.status_code == 200, saved.text
    text = pdf_text(download_pdf(company, correct(company, employee_id, run_id)))
    line = find_line(text, "Overtime 1–31 January 2026")
    assert "2026: 10 hours worked, 188.81 due, 75.52" in line


def test_a_correction_has_the_period_of_all_payslips_that_it_corrects(company: Company) -> None:
    weekly = Company(company.member, company.id, company.wave(**WEEKLY))
    employee_id = hired(weekly, "1000.00", appointment_date="2026-01-03")
    for end in ("2026-01-09", "2026-01-16", "2026-01-23"):
        run_id = paid(weekly, end)
    text = pdf_text(download_pdf(company, correct_salary(company, employee_id, run_id, "1200.00")))
    assert "Correction of the payslip for 3–23 January 2026" in text
    assert "Salary period 3 January 2026 to 23 January 2026" in text
    for week in ("3–9", "10–16", "17–23"):
        assert find_line(text, f"{week} January 2026: 1,200.00 due, 1,000.00 paid").endswith("200.00")


def test_a_correction_states_what_was_deducted_for_an_absence(company: Company) -> None:
    employee = OnLeave(company, hired(company), leave_types(company.member, company.id))
    leave_day_id = employee.take("2026-01-14", "unpaid_leave")
    run_id = paid(company)
    deducted = amount(company, slips(company, employee.id)[0]["id"], "deduction", "unpaid_leave")
    assert company.member.delete(f"/leave_days/{leave_day_id}?late=true").status_code == 200
    text = pdf_text(download_pdf(company, correct(company, employee.id, run_id)))
    line = find_line(text, f"1–31 January 2026: {deducted} deducted, 0.00 due")
    assert line.startswith("Unpaid leave")
    assert line.endswith(f" {deducted}")


def test_remarks_for_the_employer_are_not_printed(company: Company) -> None:
    payslip_id = corrected_payslip(company)
    remarks = company.member.get(f"/payslips/{payslip_id}/explanation").json()["remarks"]
    assert any("Interest" in remark for remark in remarks)
    text = pdf_text(download_pdf(company, payslip_id))
    assert "Interest" not in text
    assert "Remarks" not in text


def test_remarks_about_deductions_are_printed(company: Company) -> None:
    employee_id = hired(company)
    run_id = paid(company)
    correction = correct_salary(company, employee_id, run_id, "1000.00")
    text = " ".join(pdf_text(download_pdf(company, correction)).split())
    assert "could not be deducted and is carried forward to the next payslip" in text
    assert "too much was deducted. It will be paid back" in text
    assert "CPF Board" not in text


def corrected_payslip(company: Company) -> int:
    """The payslip of a correction of January that raises the basic salary by 800.00."""
    employee_id = hired(company)
    return correct_salary(company, employee_id, paid(company), "5000.00")


def correct_salary(company: Company, employee_id: int, run_id: int, salary: str) -> int:
    """Change the basic salary from 2026 on, and return the payslip of a correction of the run."""
    body = {"calc_type": "basic_salary", "calculation_details": {"fixed_amount": salary}, "valid_from": "2026-01-01"}
    assert company.member.post(f"/employees/{employee_id}/calculations", body).status_code == 200
    return correct(company, employee_id, run_id)


def correct(company: Company, employee_id: int, run_id: int) -> int:
    """Return the payslip of a correction of a run."""
    created(company.member.post(f"/clients/{company.id}/payment_runs", {"corrects": run_id}))
    corrections: list[int] = [payslip["id"] for payslip in slips(company, employee_id) if "corrects" in payslip]
    return corrections[0]


def test_withheld_pay_has_the_dates_of_its_releases_for_its_date_of_payment(company: Company) -> None:
    foreigner = {"legal_status": "FOREIGNER", "nric": None, "fin": "G1612350T", "nationality": "IN", "race": "OTHER"}
    account = {"payment_method": "eft_manual", "bank_account": BANK_ACCOUNT, "sdl_exempt": True}
    employee_id = hired(company, "3200.00", **foreigner, **account)
    employee = company.member.colleague(company.id, "employee", employee_id)
    company.leave(employee_id, "2026-01-31", notice_date="2026-01-15", ir21=True)
    done(company, paid(company), "release")
    slip_id = slips(company, employee_id)[0]["id"]
    path = f"/payslips/{slip_id}.pdf"
    pages = [
        (signed_in_user(company.member), f"/payslips/{slip_id}"),
        (signed_in_user(employee), f"/own/{employee_id}/payslips/{slip_id}"),
    ]
    today = format_day(clock.today())
    tax = f"$200.00 released to the tax authority on {today}"
    for amount, released, rest in (("200.00", "", "$3,200.00"), (None, f"{tax}, ", "$3,000.00")):
        withheld = f"{released}{rest} is withheld for tax clearance (IR21) until it is released"
        for reader in (employee, company.member):
            text = pdf_text(reader.get(path).content)
            assert ("$200.00 released" if released else rest) in find_line(text, "Date of payment")
            assert rest in text
            assert "Paid by" not in text
            assert BANK_ACCOUNT["account_number"][-4:] not in text
        for user, page in pages:
            shown = page_text(user.get(page))
            assert f"Payment {withheld}" in shown
            assert "ay date 31 Jan 2026" not in shown
        body = {"amount": amount, "to": "iras"} if amount else None
        assert company.member.post(f"/payslips/{slip_id}/release_payment", body).status_code == 200
    text = pdf_text(employee.get(path).content)
    assert "$200.00 released to the tax authority" in find_line(text, "Date of payment")
    assert "$3,000.00 released" in text
    assert "Paid by" in text
    assert BANK_ACCOUNT["account_number"][-4:] in text
    for user, page in pages:
        shown = page_text(user.get(page))
        assert f"Payment {tax}, $3,000.00 released to the employee on {today}" in shown
        assert "ay date 31 Jan 2026" not in shown
    assert f"pay was released on {today}" in page_text(pages[0][0].get(pages[0][1]))
