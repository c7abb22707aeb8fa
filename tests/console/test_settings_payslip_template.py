"""The payslip template, the logo and the payslip options."""

from typing import Any

import httpx
import pytest

from tests.console.console_user import ConsoleUser, page_forms, page_text
from tests.documents.payslip_pdfs import pdf_text as text_of_pdf
from tests.payroll.payment_runs.runs import hired
from tests.support.company import Company
from tests.support.images import png

OWN = "#let data = json(bytes(sys.inputs.data))\n= Slip of #data.employee.name 陈\nPaid: #data.nett_pay"
WRONG = "#let data = json(bytes(sys.inputs.data))\n\n#data.nothing\n"


@pytest.fixture
def page(company: Company) -> str:
    """Where it is."""
    return f"/companies/{company.id}/settings/payslip_template"


def current(company: Company) -> dict[str, Any]:
    """The template in force, as the API shows it."""
    result: dict[str, Any] = company.member.get(f"/clients/{company.id}/payslip_template").json()["payslip_template"]
    return result


def sent(owner: ConsoleUser, page: str, how: str, content: bytes = b"", template: str = "") -> httpx.Response:
    """A form with a file."""
    data = {"form_token": owner.token(page), "how": how, "template": template}
    return owner.browser.post(page, data=data, files={"file": ("own.typ", content)})


def test_a_template_is_previewed_saved_and_reset(owner: ConsoleUser, company: Company, page: str) -> None:
    assert "Standard" in page_text(owner.get(page))
    hired(company, first_name="Aisha")
    preview = owner.post(page, {"template": OWN.replace("\n", "\r\n"), "how": "preview"})
    assert preview.headers["content-type"] == "application/pdf"
    assert " ".join(text_of_pdf(preview.content).split()) == "Slip of Aisha Tan 陈 Paid: 3,358.50"
    assert not current(company)["own"]
    assert owner.post(page, {"template": OWN.replace("\n", "\r\n"), "how": "save"}).status_code == 303
    assert current(company)["template"] == OWN
    assert "Custom" in page_text(owner.get(page))
    assert owner.post(f"{page}/delete", page=page).status_code == 303
    assert not current(company)["own"]


def test_without_payslips_the_preview_uses_an_example(owner: ConsoleUser, page: str) -> None:
    preview = owner.post(page, {"template": OWN})
    assert "Tan Mei Ling" in text_of_pdf(preview.content)


@pytest.mark.parametrize("how", ["preview", "save"])
def test_a_template_error_names_the_line_and_saves_nothing(
    owner: ConsoleUser, company: Company, page: str, how: str
) -> None:
    answer = owner.post(page, {"template": WRONG, "how": how})
    assert answer.status_code == 422
    text = page_text(answer)
    assert 'Line 3 , character 7: dictionary does not contain key "nothing"' in text
    assert "#data.nothing</textarea>" in answer.text.replace("\n</textarea>", "</textarea>")
    assert not current(company)["own"]


def test_an_uploaded_file_replaces_the_text(owner: ConsoleUser, company: Company, page: str) -> None:
    assert sent(owner, page, "save", b"\xef\xbb\xbf" + OWN.encode(), "= Other").status_code == 303
    assert current(company)["template"] == OWN
    assert sent(owner, page, "save", b"", "= Typed 陈").status_code == 303
    assert current(company)["template"] == "= Typed 陈"
    broken = sent(owner, page, "preview", WRONG.encode())
    assert broken.status_code == 422
    assert "#data.nothing" in broken.text


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"\x00 text", b"x" * 100_001])
def test_invalid_templates_are_rejected(owner: ConsoleUser, company: Company, page: str, content: bytes) -> None:
    for how in ("preview", "save"):
        assert sent(owner, page, how, content, "= Kept").status_code == 422
    assert owner.post(page, {"how": "save"}).status_code == 422
    assert not current(company)["own"]


def test_viewers_cannot_change_the_template(viewer: ConsoleUser, company: Company, page: str) -> None:
    page_view = viewer.get(page)
    assert "#let data" in page_view.text
    assert [form for form in page_forms(page_view) if form[0] == "post"] == []
    for path, how in ((page, "preview"), (page, "save"), (f"{page}/delete", "")):
        assert viewer.post(path, {"template": OWN, "how": how}, page="/password").status_code == 403
    assert not current(company)["own"]


def test_one_form_saves_the_logo_and_the_options(owner: ConsoleUser, company: Company) -> None:
    page, logo = f"/companies/{company.id}/settings/payslip_options", f"/companies/{company.id}/logo"

    def submitted(image: bytes, **data: str) -> httpx.Response:
        files = {"logo": ("logo.png", image)}
        return owner.browser.post(page, data={"form_token": owner.token(page), **data}, files=files)

    refused = submitted(b"<svg/>", message="Kopi at four")
    assert refused.status_code == 422
    assert "The image is not a complete PNG or JPEG image. Nothing has been saved" in page_text(refused)
    assert 'value="Kopi at four"' in refused.text
    assert 'value="Kopi at four"' not in owner.get(page).text
    assert "Choose it again, then save" in page_text(submitted(png(), how="preview"))
    assert owner.get(logo).status_code == 404
    assert submitted(png(), message="Kopi at four").status_code == 303
    assert owner.get(logo).content == png()
    assert 'value="Kopi at four"' in owner.get(page).text
    assert submitted(b"", message="Kopi at five").status_code == 303
    assert owner.get(logo).content == png()
    assert 'value="Kopi at five"' in owner.get(page).text
