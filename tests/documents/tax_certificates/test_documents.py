"""Certificates and drafts on paper: what stands on them is what the API says, to the cent."""

from typing import Any

import pytest

from gaji.documents.payslips.line_details import grouped
from gaji.documents.tax_certificates.boxes import BOXES, Side
from gaji.engine.money import to_cents
from tests.documents.tax_certificates.asking import figure, listed, released, reviewed, text_of
from tests.payroll.payment_runs.runs import FEBRUARY, JANUARY, hired, paid
from tests.payroll.payslips.slips import draft, enter
from tests.support.company import Company, of_status
from tests.support.problems import refused
from tests.support.running import created

ADDRESS = {"unit_no": "#08-15", "complex": "Ubi Techpark", "st_name": "10 Ubi Crescent", "postal_code": "408564"}
ENTERED: dict[str, dict[str, Any]] = {
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
    return text_of(answer.content)


@pytest.fixture
def rich(company: Company) -> int:
    """Someone with an amount in nearly every box."""
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
    for calc_type, given in ENTERED.items():
        enter(company, slip, calc_type, **given)
    paid(company)
    return employee_id


def test_every_box_of_a_certificate_has_the_figure_of_the_api(company: Company, rich: int) -> None:
    [certificate_id] = released(company)
    text = text_of(pdf_of(company, certificate_id))
    shown = reviewed(company, rich)
    for box in BOXES.values():
        if box.side == Side.PART:
            places = [box.place(part) for part in box.parts if part not in box.uncounted] or [box.item]
            told = grouped(sum(to_cents(shown["amounts"].get(place, "0")) for place in places))
        else:
            told = f"{shown['boxes'][box.item]:,}"
        assert figure(text, f"{box.letter} {box.caption}".strip()) == told
        for part, caption in box.parts.items():
            if amount := shown["amounts"].get(box.place(part)):
                assert figure(text, caption) == grouped(to_cents(amount))
    assert figure(text, "d Others: d1 to d9") == f"{shown['boxes']['d']:,}"
    assert figure(text, "Total of a, b, c and d") == f"{shown['boxes']['total']:,}"


def test_a_certificate_names_employer_and_employee_and_what_the_form_asks_beside_amounts(
    company: Company, rich: int
) -> None:
    [certificate_id] = released(company)
    text = text_of(pdf_of(company, certificate_id))
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


def test_the_same_certificate_is_the_same_bytes(company: Company, rich: int) -> None:
    [certificate_id] = released(company)
    assert pdf_of(company, certificate_id) == pdf_of(company, certificate_id)


def test_a_key_that_hides_identifiers_gets_them_masked(company: Company, rich: int) -> None:
    [certificate_id] = released(company)
    nric = company.employee(rich)["nric"]
    blind = company.member.with_another_key(hide_identifiers=True)
    text = text_of(blind.get(f"/tax_certificates/{certificate_id}").content)
    assert nric not in text
    assert f"NRIC *****{nric[-4:]}" in text


def test_a_certificate_says_what_it_said_when_it_was_generated_until_it_is_generated_again(
    company: Company, rich: int
) -> None:
    [certificate_id] = released(company)
    company.patch(rich, first_name="Aisyah")
    assert "Nurul 陈美玲 Abdullah" in text_of(pdf_of(company, certificate_id))
    released(company)
    assert "Aisyah Abdullah" in text_of(pdf_of(company, certificate_id))


def leaver(company: Company, **given: Any) -> int:
    """A foreigner who was paid for January and February and left."""
    foreigner = of_status("FOREIGNER", appointment_date="2026-01-01", first_name="Rajesh", last_name="Kumar")
    employee_id = created(company.post(foreigner))
    enter(company, f"employees/{employee_id}", "basic_salary", fixed_amount="6000.25")
    enter(company, f"payslips/{draft(company, employee_id)}", "bonus", amount="900.00", declaration_date="2025-12-01")
    for end in (JANUARY, FEBRUARY):
        paid(company, end)
    company.leave(employee_id, "2026-03-20", code=5, **given)
    return employee_id


def test_the_draft_of_an_ir21_has_both_years_and_is_marked_as_a_draft(company: Company) -> None:
    text = ir21_of(company, leaver(company, ir21=True))
    lines = [line.strip() for line in text.splitlines()]
    assert "IR21 draft 2026" in lines
    assert "DRAFT, not filed" in text
    assert "DRAFT" in lines, "across the page"
    assert "a Gross salary, fees, leave pay, wages and overtime pay 12,000 0" in lines
    assert "b Bonus (declared 1 December 2025) 0 900" in lines
    assert "Total of a, b, c and d 12,000 900" in lines
    for line in (
        "FIN G1612350T",
        "Nationality India",
        "Commenced 1 January 2026",
        "Ceased 20 March 2026",
        "Reason End of contract",
    ):
        assert line in lines


def test_there_is_no_ir21_for_those_who_need_none(company: Company) -> None:
    employee_id = leaver(company)
    where = f"/employees/{employee_id}/ir21.pdf"
    message = refused(company.member.get(where), 404)["message"]
    assert message == f"Employee {employee_id} has no service that was ended with ir21 true"
    company.leave(employee_id, "2026-03-20", code=5, ir21=True)
    assert company.member.get(where).status_code == 200
    company.act(employee_id, "undo_end_service")
    refused(company.member.get(where), 404)


def test_a_draft_of_an_ir21_is_no_certificate(company: Company) -> None:
    employee_id = leaver(company, ir21=True)
    assert ir21_of(company, employee_id)
    assert listed(company.member, employee_id) == []
