"""GET and PATCH /clients/:id/payslip_options."""

from typing import Any

import pytest

from gaji.documents.payslips import samples
from gaji.documents.payslips.design import PayslipOptions, apply_options
from tests.documents.payslip_pdfs import EMPLOYER, download_pdf, pdf_text
from tests.payroll.payment_runs.runs import hired, paid
from tests.payroll.payslips.slips import draft, slips
from tests.support.company import Company
from tests.support.problems import field_errors

DEFAULTS = {
    "address": True,
    "bank_account": True,
    "employer_contributions": True,
    "year_to_date": True,
    "leave_balances": True,
    "message": None,
}
REQUIRED = ("Kopi Trading Pte Ltd", "Mei Ling Tan", "Basic salary", "Salary period", "Date of payment", "Nett pay")


def path(company: Company) -> str:
    return f"/clients/{company.id}/payslip_options"


def read(company: Company) -> dict[str, Any]:
    answer = company.member.get(path(company))
    assert answer.status_code == 200, answer.text
    options: dict[str, Any] = answer.json()["payslip_options"]
    return options


@pytest.fixture
def payslip_id(company: Company) -> int:
    """A draft of a company with an address."""
    company.member.patch(f"/clients/{company.id}", EMPLOYER)
    return draft(company, hired(company))


def test_options_are_changed_one_by_one(company: Company) -> None:
    assert read(company) == DEFAULTS
    answer = company.member.patch(path(company), {"year_to_date": False, "message": "Happy new year"})
    assert answer.json() == {"message": "The payslip options have been saved", "id": company.id}
    company.member.patch(path(company), {"payslip_options": {"address": "false"}})
    assert read(company) == DEFAULTS | {"year_to_date": False, "message": "Happy new year", "address": False}
    company.member.patch(path(company), {"year_to_date": None, "message": None})
    assert read(company) == DEFAULTS | {"address": False}


@pytest.mark.parametrize(
    ("option", "text"),
    [
        ("address", "10 Ubi Crescent"),
        ("employer_contributions", "Employer contributions"),
        ("year_to_date", "Year to date"),
    ],
)
def test_each_option_hides_its_part_and_nothing_required(
    company: Company, payslip_id: int, option: str, text: str
) -> None:
    assert text in pdf_text(download_pdf(company, payslip_id))
    company.member.patch(path(company), {option: False})
    printed = pdf_text(download_pdf(company, payslip_id))
    assert text not in printed
    assert all(words in printed for words in REQUIRED)


def test_the_account_and_leave_are_hidden_too() -> None:
    shown = apply_options(samples.FULL, PayslipOptions(bank_account=False, leave_balances=False))
    assert (shown["payment"]["account"], shown["leave"]) == ("", [])
    assert {name for name in shown if shown[name] != samples.FULL[name]} == {
        "payment",
        "leave",
        "leave_notes",
        "year_to_date",
    }


def test_everything_can_be_hidden(company: Company, payslip_id: int) -> None:
    company.member.patch(path(company), {name: False for name in DEFAULTS if name != "message"})
    printed = pdf_text(download_pdf(company, payslip_id))
    assert all(words in printed for words in REQUIRED)
    assert "Year to date" not in printed


def test_the_message_is_printed_on_finalised_payslips_too(company: Company) -> None:
    employee_id = hired(company)
    paid(company)
    payslip = min(slips(company, employee_id), key=lambda slip: slip["id"])
    before = pdf_text(download_pdf(company, payslip["id"]))
    company.member.patch(path(company), {"message": "The office is closed #on 31 December."})
    after = pdf_text(download_pdf(company, payslip["id"]))
    assert "The office is closed #on 31 December." in after
    figures = [[line for line in text.splitlines() if "Nett pay" in line] for text in (before, after)]
    assert figures[0] == figures[1]


def test_a_custom_template_gets_everything_and_the_message(company: Company, payslip_id: int) -> None:
    source = (
        "#let data = json(bytes(sys.inputs.data))\n#data.message #data.year_to_date.year #data.leave.len()\n"
        "#if data.logo != none { image(bytes(json(bytes(sys.inputs.logo))), width: data.logo.width * 1mm) }"
    )
    answer = company.member.call("PUT", f"/clients/{company.id}/payslip_template", json={"template": source})
    assert answer.status_code == 200, answer.text
    company.member.patch(path(company), {"message": "Hello", "year_to_date": False})
    assert "Hello 2026" in pdf_text(download_pdf(company, payslip_id))


def test_all_errors_are_reported(company: Company) -> None:
    answer = company.member.patch(path(company), {"address": "maybe", "message": "x" * 501})
    assert set(field_errors(answer)) == {"address", "message"}
    assert read(company) == DEFAULTS
