"""GET, PUT and DELETE /clients/:id/payslip_template: a client's own template, and payslips that need a password."""

from io import BytesIO
from pathlib import Path
from typing import Any

import httpx
import pytest
from pypdf import PdfReader

from gaji.documents.payslips import samples
from gaji.documents.payslips.schemas import MOST_CHARACTERS
from gaji.documents.pdf_client import TEMPLATES
from tests.documents.paper import ask, pdf_of, text_of
from tests.payroll.payment_runs.runs import hired, paid
from tests.payroll.payslips.slips import draft, slips
from tests.support.company import Company, of_status
from tests.support.problems import refused
from tests.support.running import created

OWN = """#let data = json(bytes(sys.inputs.data))
= Our slip for #data.employee.name
Paid: #data.nett_pay"""


def path(company: Company) -> str:
    return f"/clients/{company.id}/payslip_template"


def put(company: Company, template: Any) -> httpx.Response:
    return company.member.call("PUT", path(company), json={"template": template})


def current(company: Company) -> dict[str, Any]:
    answer = company.member.get(path(company))
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()["payslip_template"]
    return found


def test_it_works(company: Company) -> None:
    payslip_id = draft(company, hired(company))
    answer = put(company, OWN)
    assert answer.status_code == 200, answer.text
    assert answer.json() == {"message": "The payslip template has been saved", "id": company.id}
    assert current(company)["template"] == OWN
    assert current(company)["own"]
    assert " ".join(text_of(pdf_of(company, payslip_id)).split()) == "Our slip for Mei Ling Tan Paid: 3,358.50"


def test_without_one_of_its_own_a_client_is_shown_ours_and_can_start_from_a_copy(company: Company) -> None:
    found = current(company)
    assert found == {"template": (TEMPLATES / "payslip.typ").read_text(), "own": False, "updated_at": None}
    assert put(company, found["template"]).status_code == 200
    assert "Nett pay SGD 3,358.50" in text_of(pdf_of(company, draft(company, hired(company))))


def test_a_broken_one_is_refused_with_the_message_of_typst_and_the_old_one_stays(company: Company) -> None:
    payslip_id = draft(company, hired(company))
    put(company, OWN)
    before = pdf_of(company, payslip_id)
    problem = refused(put(company, "#let data = json(bytes(sys.inputs.data))\n#data.employe"), 422)
    assert problem["message"] == "The template does not work; the one before stays"
    assert "dictionary does not contain key" in problem["errors"]["template"]
    assert "template.typ:2:6" in problem["errors"]["template"]
    assert current(company)["template"] == OWN
    assert pdf_of(company, payslip_id) == before


def test_one_that_works_only_for_people_with_overtime_is_refused(company: Company) -> None:
    problem = refused(put(company, "#json(bytes(sys.inputs.data)).overtime.hours"), 422)
    assert "cannot access fields on type none" in problem["errors"]["template"]


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        (None, "is required"),
        (7, "must be a string"),
        ("", "is required"),
        ("x" * (MOST_CHARACTERS + 1), f"must be 1 to {MOST_CHARACTERS} characters"),
        ("a\x00b", "must not contain control characters other than line breaks and tabs"),
    ],
)
def test_what_is_no_template_is_refused(company: Company, given: Any, fault: str) -> None:
    assert refused(put(company, given), 422)["errors"] == {"template": fault}
    assert not current(company)["own"]


@pytest.mark.parametrize("source", ['#read("/etc/passwd")', '#read("../payslips/paper.py")', '#image("../../x.png")'])
def test_it_reaches_no_file_of_the_server(company: Company, source: str) -> None:
    problem = refused(put(company, source), 422)
    assert "file not found" in problem["errors"]["template"] or "would escape" in problem["errors"]["template"]
    assert str(Path(TEMPLATES).parent) not in problem["errors"]["template"]


def test_when_it_does_not_work_for_a_payslip_that_is_said(company: Company) -> None:
    payslip_id = draft(company, hired(company, job_title="Barista"))
    source = '#let data = json(bytes(sys.inputs.data))\n#if data.employee.number != "17" and data.draft { panic("no") }'
    assert put(company, source).status_code == 200
    problem = refused(ask(company, payslip_id), 409)
    assert "does not work for payslip" in problem["message"]
    assert "panicked with: no" in problem["message"]


def test_deleting_it_brings_ours_back(company: Company) -> None:
    payslip_id = draft(company, hired(company))
    ours = pdf_of(company, payslip_id)
    put(company, OWN)
    assert pdf_of(company, payslip_id) != ours
    assert company.member.delete(path(company)).status_code == 200
    assert pdf_of(company, payslip_id) == ours
    assert company.member.delete(path(company)).status_code == 200


def test_a_viewer_reads_it_and_does_not_change_it(company: Company) -> None:
    viewer = company.member.colleague(company.id, "viewer")
    assert viewer.get(path(company)).status_code == 200
    refused(viewer.call("PUT", path(company), json={"template": OWN}), 403)
    refused(viewer.delete(path(company)), 403)
    assert not current(company)["own"]


def test_who_changed_it_is_in_the_log(company: Company) -> None:
    put(company, OWN)
    rows = company.member.service.as_owner(
        "SELECT action FROM audit_log WHERE client_id = $1 AND action LIKE 'payslip_templates%'", company.id
    )
    assert rows == [{"action": "payslip_templates.insert"}]


def test_the_samples_have_what_payslips_have(company: Company) -> None:
    put(company, "#json.encode(json(bytes(sys.inputs.data)).keys())")
    text = text_of(pdf_of(company, draft(company, hired(company)))).replace("\n", "")
    for sample in (samples.FULL, samples.LEAN):
        assert all(f'"{key}"' in text.replace("“", '"').replace("”", '"') for key in sample)
    assert samples.FULL.keys() == samples.LEAN.keys()


# Passwords.


def lock(company: Company) -> None:
    answer = company.member.patch(f"/clients/{company.id}", {"features": {"payslip_passwords": True}})
    assert answer.status_code == 200, answer.text


def test_a_client_can_have_its_payslips_open_with_a_password_only(company: Company) -> None:
    employee_id = hired(company, nric="S1234567D", birthdate="1990-04-12")
    paid(company)
    payslip_id = slips(company, employee_id)[0]["id"]
    lock(company)
    pdf = pdf_of(company, payslip_id)
    reader = PdfReader(BytesIO(pdf))
    assert reader.is_encrypted
    assert not reader.decrypt("")
    assert "Nett pay SGD 3,358.50" in text_of(pdf, password="567D12041990")
    encryption: Any = reader.trailer["/Encrypt"]
    assert (encryption["/V"], encryption["/R"], encryption["/Length"]) == (5, 6, 256)


def test_who_has_no_nric_or_fin_opens_it_by_the_passport(company: Company) -> None:
    employee_id = created(company.post(of_status("FD_OTHER", birthdate="1970-12-01", appointment_date="2026-01-01")))
    lock(company)
    assert "DRAFT" in text_of(pdf_of(company, draft(company, employee_id)), password="567P01121970")


def test_a_template_of_its_own_is_locked_all_the_same(company: Company) -> None:
    payslip_id = draft(company, hired(company, nric="S1234567D", birthdate="1990-04-12"))
    put(company, OWN)
    lock(company)
    assert "Our slip for Mei Ling Tan" in text_of(pdf_of(company, payslip_id), password="567D12041990")
