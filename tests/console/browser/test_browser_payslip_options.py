"""Logo and payslip options in Chromium."""

from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.console.browser.accessibility import BOTH, page_problems
from tests.console.browser.windows import open_window
from tests.documents.payslip_pdfs import download_pdf, pdf_text, red_share
from tests.payroll.payment_runs.runs import hired
from tests.payroll.payslips.slips import draft
from tests.support.company import Company
from tests.support.images import png

pytestmark = pytest.mark.slow


def choose_logo(page: Page, content: bytes) -> None:
    """Choose an image and save."""
    file: Any = {"name": "logo.png", "mimeType": "image/png", "buffer": content}
    page.locator("#logo").set_input_files(file)
    page.get_by_role("button", name="Save").click()


def shown_width(page: Page, selector: str) -> int:
    """Return the pixels of an image that the browser has loaded."""
    return int(page.locator(selector).evaluate("image => image.decode().then(() => image.naturalWidth)"))


@pytest.mark.parametrize("width", [1440, 390])
def test_logo_options_and_message_without_a_template(browser: Browser, company: Company, width: int) -> None:
    payslip_id = draft(company, hired(company))
    plain = red_share(download_pdf(company, payslip_id))
    window = open_window(browser, company.member.service.url, width=width)
    window.sign_in(company.member)
    page = window.page
    window.go(f"/companies/{company.id}/settings")
    page.get_by_role("link", name="Logo and payslip options").click()
    assert shown_width(page, "img.paper") > 800
    choose_logo(page, b"<svg/>")
    expect(page.locator("#logo-error")).to_have_text(
        "The image is not a complete PNG or JPEG image. Nothing has been saved"
    )
    choose_logo(page, png())
    expect(page.get_by_role("status")).to_contain_text("Logo and payslip options saved")
    assert shown_width(page, ".context img.logo") == 60
    page.get_by_role("checkbox", name="Year to date", exact=True).uncheck()
    page.get_by_label("Message to staff").fill("See you at the dinner on Friday")
    before = page.locator("img.paper").get_attribute("src")
    page.get_by_role("button", name="Preview").click()
    assert page.locator("img.paper").get_attribute("src") != before
    assert shown_width(page, "img.paper") > 800
    expect(page.get_by_role("checkbox", name="Year to date", exact=True)).not_to_be_checked()
    assert "Year to date" in pdf_text(download_pdf(company, payslip_id))
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("status")).to_contain_text("Payslip options saved")
    pdf = download_pdf(company, payslip_id)
    assert "Year to date" not in pdf_text(pdf)
    assert "See you at the dinner on Friday" in pdf_text(pdf)
    assert red_share(pdf) > plain + 0.005
    assert page_problems(page, *BOTH) == []
    page.get_by_role("button", name="Delete logo").click()
    page.get_by_role("button", name="Delete logo").click()
    expect(page.get_by_role("status")).to_contain_text("Logo deleted")
    window.context.close()
    assert window.page_errors == []
