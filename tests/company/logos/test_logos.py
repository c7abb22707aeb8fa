"""GET, PUT and DELETE /clients/:id/logo."""

import subprocess
from typing import Any

import httpx
import pytest

from gaji.company.logos.rules import MAX_BYTES, parse_logo
from gaji.core.errors import ValidationError
from tests.documents.payslip_pdfs import download_pdf, pdf_text, red_share
from tests.payroll.payment_runs.runs import hired
from tests.payroll.payslips.slips import draft
from tests.support.company import Company
from tests.support.images import png, png_chunk
from tests.support.problems import assert_problem, field_errors

SVG = b'<svg xmlns="http://www.w3.org/2000/svg" width="60" height="20"><script>alert(1)</script></svg>'


def path(company: Company) -> str:
    return f"/clients/{company.id}/logo"


def put(company: Company, content: bytes, media_type: str = "image/png") -> httpx.Response:
    return company.member.call("PUT", path(company), content=content, headers={"Content-Type": media_type})


def jpeg_of(pdf: bytes) -> bytes:
    """Return the first page of a document as JPEG."""
    command = ["pdftoppm", "-jpeg", "-r", "20", "-f", "1", "-l", "1", "-"]
    return subprocess.run(command, input=pdf, capture_output=True, check=True).stdout


def test_it_works(company: Company) -> None:
    payslip_id = draft(company, hired(company))
    before = red_share(download_pdf(company, payslip_id))
    assert_problem(company.member.get(path(company)), 404)
    answer = put(company, png())
    assert answer.json() == {"message": "The logo has been saved", "id": company.id}
    read = company.member.get(path(company))
    assert (read.content, read.headers["content-type"]) == (png(), "image/png")
    assert read.headers["x-content-type-options"] == "nosniff"
    assert red_share(download_pdf(company, payslip_id)) > before + 0.005
    assert put(company, png(30, 30)).status_code == 200
    assert company.member.get(path(company)).content == png(30, 30)
    assert company.member.delete(path(company)).json() == {"message": "The logo has been deleted"}
    assert red_share(download_pdf(company, payslip_id)) == before


def test_the_content_decides_the_type(company: Company) -> None:
    image = jpeg_of(download_pdf(company, draft(company, hired(company))))
    assert put(company, image, "image/png").status_code == 200
    read = company.member.get(path(company))
    assert read.headers["content-type"] == "image/jpeg"
    assert read.content.startswith(b"\xff\xd8")
    assert b"JFIF" not in read.content
    assert "Payslip" in pdf_text(download_pdf(company, draft(company, hired(company, number="P2"))))


def test_only_pixels_are_kept() -> None:
    hidden = png_chunk(b"tEXt", b"Comment\0secret")
    assert parse_logo(png(60, 20, hidden) + b"<script>").content == png(60, 20)


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "no_logo"),
        (SVG, "unknown_image_type"),
        (b"GIF89a" + bytes(40), "unknown_image_type"),
        (b"\xff\xd8\xff", "unknown_image_type"),
        (b"\xff\xd8\xff\xd9", "unknown_image_type"),
        (b"\xff\xd8\xff\xe0\xff\xff\xff\xd9", "unknown_image_type"),
        (png()[:-6], "unknown_image_type"),
        (png().replace(b"IDAT", b"IDAX"), "unknown_image_type"),
        (png(2001, 20), "wrong_pixels"),
        (png(60, 4), "wrong_pixels"),
        (png(60, 20, png_chunk(b"tEXt", bytes(MAX_BYTES))), "logo_too_large"),
    ],
)
def test_other_files_are_rejected(content: bytes, code: str) -> None:
    with pytest.raises(ValidationError) as raised:
        parse_logo(content)
    assert {path: error.kind.code for path, error in raised.value.errors.items()} == {"logo": code}


def test_an_image_that_cannot_be_read_is_rejected_and_the_logo_stays(company: Company) -> None:
    assert put(company, png()).status_code == 200
    broken: Any = png(60, 20).split(png_chunk(b"IEND", b""))[0].split(b"IDAT")[0][:-4]
    content = broken + png_chunk(b"IDAT", b"not pixels") + png_chunk(b"IEND", b"")
    assert field_errors(put(company, content)) == {"logo": "cannot be read as an image; save it again as PNG"}
    assert field_errors(put(company, SVG, "image/png")) == {"logo": "is not a complete PNG or JPEG image"}
    assert company.member.get(path(company)).content == png()
