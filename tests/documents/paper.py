"""What tests about documents ask for, again and again: PDFs, and the text on them."""

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import httpx

from tests.support.company import Company

ADDRESS = {"unit_no": "#08-15", "complex": "Ubi Techpark", "st_name": "10 Ubi Crescent", "postal_code": "408564"}
EMPLOYER = {"name": "Kopi Trading Pte Ltd", "uen": "202699999E", "physical_address": ADDRESS}


def ask(company: Company, payslip_id: int, **details: Any) -> httpx.Response:
    """Ask for a payslip as PDF."""
    return company.member.get(f"/payslips/{payslip_id}.pdf", **details)


def pdf_of(company: Company, payslip_id: int) -> bytes:
    """A payslip as PDF."""
    answer = ask(company, payslip_id)
    assert answer.status_code == 200, answer.text
    _keep(payslip_id, answer.content)
    return answer.content


def text_of(pdf: bytes, password: str = "") -> str:
    """The text of a PDF as it stands on its pages, with single spaces."""
    command = ["pdftotext", "-layout", "-enc", "UTF-8", "-upw", password, "-", "-"]
    found = subprocess.run(command, input=pdf, capture_output=True, check=True).stdout.decode()
    return re.sub(r"[ \t]+", " ", found)


def pages_of(pdf: bytes) -> list[str]:
    """The text of each page."""
    return text_of(pdf).split("\f")[:-1]


def red_of(pdf: bytes) -> float:
    """How much of the first page is reddish, from 0 to 1."""
    command = ["pdftoppm", "-r", "20", "-f", "1", "-l", "1", "-"]
    image = subprocess.run(command, input=pdf, capture_output=True, check=True).stdout
    pixels = image.split(b"\n", 3)[3]
    shades = [(pixels[place], pixels[place + 1]) for place in range(0, len(pixels) - 2, 3)]
    return sum(red > green + 10 for red, green in shades) / len(shades)


def line_with(text: str, words: str) -> str:
    """The one line of a text that has these words."""
    [found] = [line for line in text.splitlines() if words in line]
    return found.strip()


def _keep(payslip_id: int, pdf: bytes) -> None:
    """Where GAJI_TEST_PAPERS names a folder, documents are kept in it for people to look at."""
    if folder := os.environ.get("GAJI_TEST_PAPERS"):
        name = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition("::")[2].partition(" ")[0]
        Path(folder, f"{name}-{payslip_id}.pdf").write_bytes(pdf)
