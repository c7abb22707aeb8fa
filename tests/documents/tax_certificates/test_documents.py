"""Certificates and IR21 drafts as PDF: their amounts equal those of the API."""

from typing import Any

import pytest

from gaji.documents.payslips.line_details import format_amount
from gaji.documents.tax_certificates.boxes import BOXES, BoxCategory
from gaji.engine.money import to_cents
from gaji.law.months import Month
from tests.documents.tax_certificates.certificate_client import (
    find_amount,
    generate_and_release,
    list_certificates,
    pdf_text,
    review,
)
from tests.payroll.payment_runs.runs import FEBRUARY, JANUARY, done, hired, opened, paid
from tests.payroll.payslips.slips import draft, enter
from tests.support.company import Company, of_status
from tests.support.problems import assert_problem
from tests.support.running import created

ADDRESS = {"unit_no": "#08-15", "complex": "Ubi Techpark", "st_name": "10 Ubi Crescent", "postal_code": "408564"}
CALCULATIONS: dict[str, dict[str, Any]] = {
    "transport_allowance": {"amount": "1150.60"},
    "entertainment_allowance": {"amount": "80.10"},
    "housing_allowance": {"amount": "500.00"},
    "commission": {"commission_input": "800.25"},
    "bonus": {"amount": "2000.45", "declaration_date": "2026-01-12"},
    "annual_wage_supplement": {"amount": "4000.00"},
    "directors_fee": {"amount": "1000.75", "approval_date": "2026-01-15"},
    "gratuity": {"amount": "1500.50"},
    "notice_pay": {"amount": "3000.00"},
    "ex_gratia": {"amount": "700.00"},
    "retrenchment_benefit": {"amount": "20000.00"},
    "benefit_in_kind": {"amount": "450.50", "category": "car"},
    "donation": {"amount": "10.10"},
    "insurance": {"amount": "55.01"},
}


def pdf_of(company: Company, certificate_id: int) -> bytes:
    answer = company.member.get(f"/tax_certificates/{certificate_id}")
    assert answer.status_code == 200, answer.text
    return answer.content


def ir21_of(company: Company, employee_id: int) -> str:
    answer = company.member.get(f"/employees/{employee_id}/ir21.pdf")
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/pdf"
    return pdf_text(answer.content)


@pytest.fixture
def rich(company: Company) -> int:
    """An employee with an amount in nearly every box."""
    company.member.patch(
        f"/clients/{company.id}", {"name": "Kopi Trading Pte Ltd", "uen": "202699999E", "physical_address": ADDRESS}
    )
    local = {"type": "L", "block_no": "12", "st_name": "Ubi Road", "level_no": "3", "unit_no": "45"}
    employee_id = hired(
        company,
        "4500.00",
        race="MALAY",
        religion="ISLAM",
        first_name="Nurul 陈美玲",
        last_name="Abdullah",
        job_title="Supervisor",
        physical_address={**local, "postal_code": "408564"},
    )
    slip = f"payslips/{draft(company, employee_id)}"
    for calc_type, inputs in CALCULATIONS.items():
        enter(company, slip, calc_type, **inputs)
    paid(company)
    return employee_id


def test_every_box_of_a_certificate_has_the_amount_of_the_api(company: Company, rich: int) -> None:
    [certificate_id] = generate_and_release(company)
    text = pdf_text(pdf_of(company, certificate_id))
    certificate = review(company, rich)
    for box in BOXES.values():
        if box.category == BoxCategory.OTHER_INCOME:
            keys = [box.amount_key(part) for part in box.parts if part not in box.excluded_parts] or [box.item]
            expected = format_amount(sum(to_cents(certificate["amounts"].get(key, "0")) for key in keys))
        else:
            expected = f"{certificate['boxes'][box.item]:,}"
        assert find_amount(text, f"{box.letter} {box.caption}".strip()) == expected
        for part, caption in box.parts.items():
            if amount := certificate["amounts"].get(box.amount_key(part)):
                assert find_amount(text, caption) == format_amount(to_cents(amount))
    assert find_amount(text, "d Others: d1 to d9") == f"{certificate['boxes']['d']:,}"
    assert find_amount(text, "Total of a, b, c and d") == f"{certificate['boxes']['total']:,}"


def test_a_certificate_names_employer_employee_and_details(company: Company, rich: int) -> None:
    [certificate_id] = generate_and_release(company)
    text = pdf_text(pdf_of(company, certificate_id))
    lines = [line.strip() for line in text.splitlines()]
    assert lines[0] == "IR8A 2026"
    for line in (
        "Name Kopi Trading Pte Ltd",
        "UEN 202699999E",
        "Name Nurul 陈美玲 Abdullah",
        f"NRIC {company.employee(rich)['nric']}",
        f"Employee number {company.employee(rich)['number']}",
        "Date of birth 12 April 1990",
        "Gender Female",
        "Nationality Singapore",
        "Designation Supervisor",
        "Address 12 Ubi Road, #3-45, Singapore 408564",
        "Worked 1 January 2026 to 31 December 2026",
        "Commenced 1 January 2026",
    ):
        assert line in lines
    for words in (
        "10 Ubi Crescent, #08-15 Ubi Techpark",
        "Bonus (declared 12 January 2026)",
        "Director's fees (approved 15 January 2026)",
        "Gross commission (1 January 2026 to 31 January 2026, monthly)",
        "Benefits in kind (Appendix 8A) (car)",
    ):
        assert words in text


def test_the_same_certificate_has_the_same_bytes(company: Company, rich: int) -> None:
    [certificate_id] = generate_and_release(company)
    assert pdf_of(company, certificate_id) == pdf_of(company, certificate_id)


def test_a_key_that_hides_identifiers_gets_them_masked(company: Company, rich: int) -> None:
    [certificate_id] = generate_and_release(company)
    nric = company.employee(rich)["nric"]
    blind = company.member.with_another_key(hide_identifiers=True)
    text = pdf_text(blind.get(f"/tax_certificates/{certificate_id}").content)
    assert nric not in text
    assert f"NRIC *****{nric[-4:]}" in text


def test_a_certificate_does_not_change_until_it_is_generated_again(company: Company, rich: int) -> None:
    [certificate_id] = generate_and_release(company)
    company.patch(rich, first_name="Aisyah")
    assert "Nurul 陈美玲 Abdullah" in pdf_text(pdf_of(company, certificate_id))
    generate_and_release(company)
    assert "Aisyah Abdullah" in pdf_text(pdf_of(company, certificate_id))


def leaver(company: Company, **termination: Any) -> int:
    """Return a foreigner who was paid for January and February and left."""
    foreigner = of_status("FOREIGNER", appointment_date="2026-01-01", first_name="Rajesh", last_name="Kumar")
    employee_id = created(company.post(foreigner))
    enter(company, f"employees/{employee_id}", "basic_salary", fixed_amount="6000.25")
    enter(
        company,
        f"payslips/{draft(company, employee_id)}",
        "bonus",
        amount="900.00",
        contractual=True,
        declaration_date="2025-12-01",
    )
    for end in (JANUARY, FEBRUARY):
        paid(company, end)
    company.leave(employee_id, "2026-03-20", code=5, **termination)
    return employee_id


def test_an_ir21_draft_has_both_years_and_is_marked_as_a_draft(company: Company) -> None:
    text = ir21_of(company, leaver(company, ir21=True))
    lines = [line.strip() for line in text.splitlines()]
    assert "IR21 draft 2026" in lines
    assert "DRAFT, not filed" in text
    assert "DRAFT" in lines, "the watermark"
    assert "a Gross salary, fees, leave pay, wages and overtime pay 12,000 0" in lines
    assert "b Bonus 0 900" in lines
    assert "Total of a, b, c and d 12,000 900" in lines
    for line in (
        "FIN G1612350T",
        "Nationality India",
        "Commenced 1 January 2026",
        "Ceased 20 March 2026",
        "Reason End of contract",
    ):
        assert line in lines


def test_an_ir21_draft_has_the_notice_the_deadline_the_last_pay_and_what_is_withheld(company: Company) -> None:
    employee_id = created(company.post(of_status("FOREIGNER", appointment_date="2026-01-01")))
    enter(company, f"employees/{employee_id}", "basic_salary", fixed_amount="6000.25")
    paid(company, JANUARY)
    company.leave(employee_id, "2026-03-20", ir21=True, notice_date="2026-02-10")
    paid(company, FEBRUARY)
    [payment] = [
        element["withheld_payment"]
        for element in company.member.get(f"/employees/{employee_id}/withheld_payments").json()
    ]
    where = f"/payslips/{payment['payslip_id']}/release_payment"
    assert company.member.post(where, {"amount": "500.00", "to": "iras"}).status_code == 200
    lines = [line.strip() for line in ir21_of(company, employee_id).splitlines()]
    nett = payment["nett_pay"]
    for line in (
        "Notice 10 February 2026",
        "File by 21 February 2026",
        f"Last pay {nett:,.2f} for 1 February 2026 to 28 February",
        f"1 February 2026 to 28 February 2026 28 February 2026 {nett:,.2f} 500.00 0.00 {nett - 500:,.2f}",
        f"Total withheld {nett - 500:,.2f}",
    ):
        assert line in lines, lines


def test_an_ir21_draft_has_the_payment_date_of_the_run(company: Company) -> None:
    employee_id = created(company.post(of_status("FOREIGNER", appointment_date="2026-01-01")))
    enter(company, f"employees/{employee_id}", "basic_salary", fixed_amount="6000.25")
    company.leave(employee_id, "2026-03-20", ir21=True, notice_date="2026-02-10")
    run_id = opened(company, JANUARY)
    body = {"payment_run": {"payment_date": "2026-02-20"}}
    assert company.member.patch(f"/payment_runs/{run_id}", body).status_code == 200
    done(company, run_id, "finalise")
    draft = " ".join(ir21_of(company, employee_id).split())
    assert "for 1 January 2026 to 31 January 2026, payable 20 February 2026" in draft
    assert "1 January 2026 to 31 January 2026 20 February 2026" in draft


def test_an_ir21_draft_names_an_exemption_by_income_once_the_income_is_complete(company: Company) -> None:
    employee_id = created(company.post(of_status("FOREIGNER", appointment_date="2026-01-01")))
    enter(company, f"employees/{employee_id}", "basic_salary", fixed_amount="2000.00")
    company.leave(employee_id, "2026-07-10", ir21=True)
    *earlier, last = [str(Month(2026, month).last_day) for month in range(1, 8)]
    for end in earlier:
        paid(company, end)
    assert "Exemption" not in ir21_of(company, employee_id)
    paid(company, last)
    draft = " ".join(ir21_of(company, employee_id).split())
    assert "Exemption to check worked 191 days in the year, with an income below $21,000" in draft


def test_without_ir21_there_is_no_draft(company: Company) -> None:
    employee_id = leaver(company)
    where = f"/employees/{employee_id}/ir21.pdf"
    message = assert_problem(company.member.get(where), 404)["message"]
    assert message == f"Employee {employee_id} has no service that was ended with `ir21` set to true"
    company.leave(employee_id, "2026-03-20", code=5, ir21=True)
    assert company.member.get(where).status_code == 200
    company.act(employee_id, "undo_end_service")
    assert_problem(company.member.get(where), 404)


def test_an_ir21_draft_is_not_stored_as_a_certificate(company: Company) -> None:
    employee_id = leaver(company, ir21=True)
    assert ir21_of(company, employee_id)
    assert list_certificates(company.member, employee_id) == []
