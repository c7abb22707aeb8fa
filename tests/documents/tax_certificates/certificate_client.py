"""Helpers for tests about tax certificates."""

import re
from io import BytesIO
from typing import Any

import httpx
from pypdf import PdfReader

from tests.support.company import Company
from tests.support.running import Member


def generate(company: Company, year: int = 2026) -> list[int]:
    """Generate the certificates of a year and return their ids."""
    answer = company.member.post(f"/clients/{company.id}/tax_certificates", {"year": year})
    assert answer.status_code == 200, answer.text
    assert answer.json().keys() == {"message", "ids"}
    ids: list[int] = answer.json()["ids"]
    return ids


def release(company: Company, certificate_id: int) -> httpx.Response:
    """Request the release of a certificate."""
    return company.member.post(f"/tax_certificates/{certificate_id}/release")


def generate_and_release(company: Company, year: int = 2026) -> list[int]:
    """Generate the certificates of a year and release them all."""
    ids = generate(company, year)
    for certificate_id in ids:
        assert release(company, certificate_id).status_code == 200
    return ids


def list_certificates(member: Member, employee_id: int) -> list[dict[str, Any]]:
    """Return the released certificates of an employee."""
    answer = member.get(f"/employees/{employee_id}/tax_certificates")
    assert answer.status_code == 200, answer.text
    certificates: list[dict[str, Any]] = answer.json()
    return certificates


def review(company: Company, employee_id: int, year: int = 2026) -> dict[str, Any]:
    """Return the certificate of an employee for review."""
    answer = company.member.get(f"/clients/{company.id}/tax_certificates?year={year}")
    assert answer.status_code == 200, answer.text
    [certificate] = [certificate for certificate in answer.json() if certificate["employee_id"] == employee_id]
    return dict(certificate)


def boxes(company: Company, employee_id: int, year: int = 2026) -> dict[str, int]:
    """Return the boxes of a certificate without zero amounts."""
    return {box: dollars for box, dollars in review(company, employee_id, year)["boxes"].items() if dollars}


def pdf_text(pdf: bytes) -> str:
    """Return the text of a PDF with single spaces."""
    pages = PdfReader(BytesIO(pdf)).pages
    return re.sub(r"[ \t]+", " ", "\n".join(page.extract_text() for page in pages))


def find_amount(text: str, caption: str) -> str:
    """Return the amount at the end of the only line with this caption."""
    [line] = [line for line in text.splitlines() if caption in line]
    return line.split()[-1]
