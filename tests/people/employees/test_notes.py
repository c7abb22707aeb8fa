"""What is unusual about an employee or a company is saved and pointed out."""

from typing import Any

import pytest

from gaji.people.employees.notes import employee_notes
from tests.support.company import Company, of_status

SHORT = {"bank_id": 7171, "account_number": "0011234", "branch_code": "001"}
LENGTH = "the account number has 7 digits; this bank uses 9 digits (POSB) or 10 (DBS)"


@pytest.mark.parametrize(
    ("status", "work_pass", "is_noted"),
    [
        ("CITIZEN", None, False),
        ("FOREIGNER", "EP", False),
        ("FOREIGNER", "SPASS", False),
        ("FOREIGNER", "WP", True),
        ("FOREIGNER_WP", "WP", False),
        ("FOREIGNER_WP", "SPASS", False),
        ("FOREIGNER_WP", "EP", True),
        ("FD_OTHER", "EP", False),
    ],
)
def test_a_work_pass_that_contradicts_the_legal_status_is_noted(
    status: str, work_pass: str | None, is_noted: bool
) -> None:
    employee = {"legal_status": status, "work_pass": work_pass, "payment_method": "cash", "bank_account": None}
    assert [note.path for note in employee_notes(employee)] == (["work_pass"] if is_noted else [])


def test_warnings_name_what_is_new(company: Company) -> None:
    giro = {"payment_method": "eft_manual", "bank_account": SHORT}
    answer = company.post(of_status("FOREIGNER", **giro)).json()
    assert answer["warnings"] == {"bank_account.account_number": LENGTH}
    employee_id = answer["id"]
    assert "warnings" not in change(company, employee_id, job_title="Cook")
    warnings = change(company, employee_id, work_pass="WP")["warnings"]
    assert warnings == {"work_pass": "WP contradicts legal_status FOREIGNER; correct one"}
    correct = {**SHORT, "account_number": "0011234567"}
    assert "warnings" not in change(company, employee_id, work_pass=None, bank_account=correct)


def change(company: Company, employee_id: int, **attributes: Any) -> dict[str, Any]:
    answer = company.member.patch(f"/employees/{employee_id}", {"employee": attributes})
    assert answer.status_code == 200, answer.text
    result: dict[str, Any] = answer.json()
    return result


def test_the_account_of_a_company_is_checked_too(company: Company) -> None:
    path = f"/clients/{company.id}"
    answer = company.member.patch(path, {"bank_account": SHORT})
    assert answer.json()["warnings"] == {"bank_account.account_number": LENGTH}
    assert "warnings" not in company.member.patch(path, {"name": "Kopi"}).json()
