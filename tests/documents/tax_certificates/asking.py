"""What tests about tax certificates ask for, again and again."""

import re
from io import BytesIO
from typing import Any

import httpx
from pypdf import PdfReader

from tests.support.company import Company
from tests.support.running import Member


def generate(company: Company, year: int = 2026) -> list[int]:
    """Generate the certificates of a year; gives their ids."""
    answer = company.member.post(f"/clients/{company.id}/tax_certificates", {"year": year})
    assert answer.status_code == 200, answer.text
    assert answer.json().keys() == {"message", "ids"}
    ids: list[int] = answer.json()["ids"]
    return ids


def release(company: Company, certificate_id: int) -> httpx.Response:
    """Ask for a release."""
    return company.member.post(f"/tax_certificates/{certificate_id}/release")


def released(company: Company, year: int = 2026) -> list[int]:
    """Generate the certificates of a year and release them all."""
    ids = generate(company, year)
    for certificate_id in ids:
        assert release(company, certificate_id).status_code == 200
    return ids


def listed(member: Member, employee_id: int) -> list[dict[str, Any]]:
    """The certificates of an employee as the list shows them."""
    answer = member.get(f"/employees/{employee_id}/tax_certificates")
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()
    return found


def reviewed(company: Company, employee_id: int, year: int = 2026) -> dict[str, Any]:
    """The certificate of an employee as those see it who release it."""
    answer = company.member.get(f"/clients/{company.id}/tax_certificates?year={year}")
    assert answer.status_code == 200, answer.text
    [found] = [one for one in answer.json() if one["employee_id"] == employee_id]
    return dict(found)


def boxes(company: Company, employee_id: int, year: int = 2026) -> dict[str, int]:
    """The boxes of a certificate that are not nothing."""
    return {box: dollars for box, dollars in reviewed(company, employee_id, year)["boxes"].items() if dollars}


def text_of(pdf: bytes) -> str:
    """The text of a PDF, with single spaces."""
    pages = PdfReader(BytesIO(pdf)).pages
    return re.sub(r"[ \t]+", " ", "\n".join(page.extract_text() for page in pages))


def figure(text: str, caption: str) -> str:
    """The amount at the end of the one line that has this caption."""
    [line] = [line for line in text.splitlines() if caption in line]
    return line.split()[-1]
