"""GET, PUT and DELETE /clients/:id/payslip_template, and payslips with a password."""

from io import BytesIO
from pathlib import Path
from typing import Any

import httpx
import pytest
from pypdf import PdfReader

from gaji.documents.payslips import samples
from gaji.documents.payslips.schemas import MAX_TEMPLATE_LENGTH
from gaji.documents.pdf_client import TEMPLATES
from tests.documents.payslip_pdfs import download_pdf, pdf_text, request_pdf
from tests.payroll.payment_runs.runs import hired, paid
from tests.payroll.payslips.slips import draft, slips
from tests.support.company import Company, of_status
from tests.support.problems import assert_problem
from tests.support.running import created

CUSTOM = """#let data = json(bytes(sys.inputs.data))
= Our slip for #data.employee.name
Paid: #data.nett_pay"""


def path(company: Company) -> str:
    return f"/clients/{company.id}/payslip_template"


def put(company: Company, template: Any) -> httpx.Response:
    return company.member.call("PUT", path(company), json={"template": template})


def current(company: Company) -> dict[str, Any]:
    answer = company.member.get(path(company))
    assert answer.status_code == 200, answer.text
    template: dict[str, Any] = answer.json()["payslip_template"]
    return template


def test_it_works(company: Company) -> None:
    payslip_id = draft(company, hired(company))
    answer = put(company, CUSTOM)
    assert answer.status_code == 200, answer.text
    assert answer.json() == {"message": "The payslip template has been saved", "id": company.id}
    assert current(company)["template"] == CUSTOM
    assert current(company)["own"]
    assert " ".join(pdf_text(download_pdf(company, payslip_id)).split()) == "Our slip for Mei Ling Tan Paid: 3,358.50"


def test_without_its_own_template_a_client_gets_the_built_in_one(company: Company) -> None:
    template = current(company)
    assert template == {"template": (TEMPLATES / "payslip.typ").read_text(), "own": False, "updated_at": None}
    assert put(company, template["template"]).status_code == 200
    assert "Nett pay SGD 3,358.50" in pdf_text(download_pdf(company, draft(company, hired(company))))


def test_a_broken_template_is_rejected_and_the_current_one_stays(company: Company) -> None:
    payslip_id = draft(company, hired(company))
    put(company, CUSTOM)
    before = download_pdf(company, payslip_id)
    problem = assert_problem(put(company, "#let data = json(bytes(sys.inputs.data))\n#data.employe"), 422)
    assert problem["message"] == "The template cannot be rendered; the current template stays in use"
    assert "dictionary does not contain key" in problem["errors"]["template"]
    assert "template.typ:2:6" in problem["errors"]["template"]
    assert current(company)["template"] == CUSTOM
    assert download_pdf(company, payslip_id) == before


def test_a_template_that_needs_overtime_is_rejected(company: Company) -> None:
    problem = assert_problem(put(company, "#json(bytes(sys.inputs.data)).overtime.hours"), 422)
    assert "cannot access fields on type none" in problem["errors"]["template"]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (None, "is required"),
        (7, "must be a string"),
        ("", "is required"),
        ("x" * (MAX_TEMPLATE_LENGTH + 1), f"must be 1 to {MAX_TEMPLATE_LENGTH} characters"),
        ("a\x00b", "must not contain control characters other than line breaks and tabs"),
    ],
)
def test_invalid_templates_are_rejected(company: Company, source: Any, message: str) -> None:
    assert assert_problem(put(company, source), 422)["errors"] == {"template": message}
    assert not current(company)["own"]


@pytest.mark.parametrize(
    "source", ['#read("/etc/passwd")', '#read("../payslips/pdf_context.py")', '#image("../../x.png")']
)
def test_templates_cannot_read_server_files(company: Company, source: str) -> None:
    problem = assert_problem(put(company, source), 422)
    assert "file not found" in problem["errors"]["template"] or "would escape" in problem["errors"]["template"]
    assert str(Path(TEMPLATES).parent) not in problem["errors"]["template"]


def test_a_template_that_fails_for_a_payslip_is_reported(company: Company) -> None:
    payslip_id = draft(company, hired(company, job_title="Barista"))
    source = '#let data = json(bytes(sys.inputs.data))\n#if data.employee.number != "17" and data.draft { panic("no") }'
    assert put(company, source).status_code == 200
    problem = assert_problem(request_pdf(company, payslip_id), 409)
    assert "fails for payslip" in problem["message"]
    assert "panicked with: no" in problem["message"]


def test_deleting_the_template_restores_the_built_in_one(company: Company) -> None:
    payslip_id = draft(company, hired(company))
    built_in = download_pdf(company, payslip_id)
    put(company, CUSTOM)
    assert download_pdf(company, payslip_id) != built_in
    assert company.member.delete(path(company)).status_code == 200
    assert download_pdf(company, payslip_id) == built_in
    assert company.member.delete(path(company)).status_code == 200


def test_a_viewer_can_read_but_not_change_the_template(company: Company) -> None:
    viewer = company.member.colleague(company.id, "viewer")
    assert viewer.get(path(company)).status_code == 200
    assert_problem(viewer.call("PUT", path(company), json={"template": CUSTOM}), 403)
    assert_problem(viewer.delete(path(company)), 403)
    assert not current(company)["own"]


def test_changes_are_in_the_audit_log(company: Company) -> None:
    put(company, CUSTOM)
    rows = company.member.service.as_owner(
        "SELECT action FROM audit_log WHERE client_id = $1 AND action LIKE 'payslip_templates%'", company.id
    )
    assert rows == [{"action": "payslip_templates.insert"}]


def test_samples_have_the_same_keys_as_payslips(company: Company) -> None:
    put(company, "#json.encode(json(bytes(sys.inputs.data)).keys())")
    text = pdf_text(download_pdf(company, draft(company, hired(company)))).replace("\n", "")
    for sample in (samples.FULL, samples.MINIMAL):
        assert all(f'"{key}"' in text.replace("“", '"').replace("”", '"') for key in sample)
    assert samples.FULL.keys() == samples.MINIMAL.keys()


# Passwords.


def lock(company: Company) -> None:
    answer = company.member.patch(f"/clients/{company.id}", {"features": {"payslip_passwords": True}})
    assert answer.status_code == 200, answer.text


def test_payslips_can_require_a_password(company: Company) -> None:
    employee_id = hired(company, nric="S1234567D", birthdate="1990-04-12")
    paid(company)
    payslip_id = slips(company, employee_id)[0]["id"]
    lock(company)
    pdf = download_pdf(company, payslip_id)
    reader = PdfReader(BytesIO(pdf))
    assert reader.is_encrypted
    assert not reader.decrypt("")
    assert "Nett pay SGD 3,358.50" in pdf_text(pdf, password="567D12041990")
    encryption: Any = reader.trailer["/Encrypt"]
    assert (encryption["/V"], encryption["/R"], encryption["/Length"]) == (5, 6, 256)


def test_without_nric_or_fin_the_password_contains_the_passport_number(company: Company) -> None:
    employee_id = created(company.post(of_status("FD_OTHER", birthdate="1970-12-01", appointment_date="2026-01-01")))
    lock(company)
    assert "DRAFT" in pdf_text(download_pdf(company, draft(company, employee_id)), password="567P01121970")


def test_custom_templates_are_encrypted_too(company: Company) -> None:
    payslip_id = draft(company, hired(company, nric="S1234567D", birthdate="1990-04-12"))
    put(company, CUSTOM)
    lock(company)
    assert "Our slip for Mei Ling Tan" in pdf_text(download_pdf(company, payslip_id), password="567D12041990")
