"""Helpers for tests about payslip PDFs."""

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import httpx

from tests.support.company import Company

ADDRESS = {"unit_no": "#08-15", "complex": "Ubi Techpark", "st_name": "10 Ubi Crescent", "postal_code": "408564"}
EMPLOYER = {"name": "Kopi Trading Pte Ltd", "uen": "202699999E", "physical_address": ADDRESS}


def request_pdf(company: Company, payslip_id: int, **details: Any) -> httpx.Response:
    """Request a payslip as PDF."""
    return company.member.get(f"/payslips/{payslip_id}.pdf", **details)


def download_pdf(company: Company, payslip_id: int) -> bytes:
    """Return a payslip as PDF."""
    answer = request_pdf(company, payslip_id)
    assert answer.status_code == 200, answer.text
    _save_for_review(payslip_id, answer.content)
    return answer.content


def pdf_text(pdf: bytes, password: str = "") -> str:
    """Return the text of a PDF as laid out on its pages, with single spaces."""
    command = ["pdftotext", "-layout", "-enc", "UTF-8", "-upw", password, "-", "-"]
    text = subprocess.run(command, input=pdf, capture_output=True, check=True).stdout.decode()
    return re.sub(r"[ \t]+", " ", text)


def page_texts(pdf: bytes) -> list[str]:
    """Return the text of each page."""
    return pdf_text(pdf).split("\f")[:-1]


def red_share(pdf: bytes) -> float:
    """Return the share of reddish pixels on the first page, from 0 to 1."""
    command = ["pdftoppm", "-r", "20", "-f", "1", "-l", "1", "-"]
    image = subprocess.run(command, input=pdf, capture_output=True, check=True).stdout
    pixels = image.split(b"\n", 3)[3]
    shades = [(pixels[index], pixels[index + 1]) for index in range(0, len(pixels) - 2, 3)]
    return sum(red > green + 10 for red, green in shades) / len(shades)


def find_line(text: str, words: str) -> str:
    """Return the only line that contains these words."""
    [line] = [line for line in text.splitlines() if words in line]
    return line.strip()


def _save_for_review(payslip_id: int, pdf: bytes) -> None:
    """Save the document if GAJI_TEST_PAPERS names a folder, so that people can look at it."""
    if folder := os.environ.get("GAJI_TEST_PAPERS"):
        name = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition("::")[2].partition(" ")[0]
        Path(folder, f"{name}-{payslip_id}.pdf").write_bytes(pdf)
