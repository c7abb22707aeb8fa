"""The register of a pay run in Chromium: by keyboard, on a wide and on a narrow screen."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from gaji.console.pay_register import COLUMNS
from tests.console.browser.windows import BrowserWindow, open_window
from tests.payroll.payment_runs.runs import hired, opened
from tests.support.company import Company
from tests.support.running import Service

pytestmark = pytest.mark.slow

EMPLOYEES = 24
# Scrolls the register to its end and returns how far its heading and its first column have moved from the edges.
SCROLL = """() => {
    const box = document.querySelector(".scroll.tall");
    box.scrollTo(box.scrollWidth, box.scrollHeight / 2);
    const edges = box.getBoundingClientRect();
    const heading = box.querySelector("thead th:nth-child(3)").getBoundingClientRect();
    const name = box.querySelector("tbody tr:nth-child(10) th").getBoundingClientRect();
    const total = box.querySelector("tfoot tr:last-child th").getBoundingClientRect();
    return {
        scrolled: [box.scrollLeft > 0, box.scrollTop > 0],
        moved: [heading.top - edges.top, name.left - edges.left, edges.bottom - total.bottom].map(Math.round),
    };
}"""


@pytest.fixture(scope="module")
def shared_company(service: Service) -> Company:
    """A company for both widths."""
    return Company.of(service.new_account())


@pytest.fixture(scope="module")
def run_id(shared_company: Company) -> int:
    """A run with more rows than fit on the screen."""
    for number in range(EMPLOYEES):
        hired(shared_company, f"{3000 + number * 100}.00", first_name=f"Person{number:02d}")
    return opened(shared_company)


@pytest.mark.parametrize("width", [1440, 390])
def test_the_register_sticks_sorts_and_explains_by_keyboard(
    browser: Browser, shared_company: Company, run_id: int, width: int
) -> None:
    window = open_window(browser, shared_company.member.service.url, width=width)
    window.sign_in(shared_company.member)
    page = window.page
    if width < 1440:  # the columns that a phone shows by default fit on its screen
        for query in ("", "?search=person&column=gross&column=cpf_employee&column=nett_pay"):
            window.go(f"/payment_runs/{run_id}{query}")
            assert page.evaluate(SCROLL)["scrolled"][0] == bool(query)
            assert page.locator("thead th:visible").count() == (4 if query else 3)
    columns = "".join(f"&column={name}" for name in COLUMNS if name != "change") if width < 1440 else ""
    window.go(f"/payment_runs/{run_id}?per_page=200{columns}")
    assert page.evaluate(SCROLL)["moved"] == [0, 0, 0]
    assert page.evaluate(SCROLL)["scrolled"] == [width < 1440, True]  # all columns fit on the wide screen
    page.get_by_role("link", name="Gross pay").focus()
    page.keyboard.press("Enter")
    expect(page.locator("[aria-sort=descending]")).to_contain_text("Gross pay")
    expect(page.locator("tbody th").first).to_contain_text(f"Person{EMPLOYEES - 1}")
    page.get_by_label("Search").focus()
    page.keyboard.type("person03")
    page.keyboard.press("Enter")
    expect(page.locator("tbody tr")).to_have_count(1)
    expect(page).to_have_url(re.compile("sort=-gross"))
    page.locator("a.cell").nth(1).focus()
    page.keyboard.press("Enter")
    expect(page.locator("#why-deduction-cpf_employee")).to_be_visible()
    _finalise_up_to_release(window, page, run_id)
    window.context.close()
    assert window.page_errors == []


def _finalise_up_to_release(window: BrowserWindow, page: Page, run_id: int) -> None:
    """The steps are in order: after finalising comes paying, then releasing."""
    window.go(f"/payment_runs/{run_id}")
    if page.get_by_role("link", name="Finalise…").count():
        page.get_by_role("link", name="Finalise…").click()
        page.get_by_role("button", name=f"Finalise {EMPLOYEES} payslips").click()
        expect(page.locator("[aria-current=step]")).to_contain_text("Pay")
        page.get_by_role("link", name="Pay", exact=True).click()
        page.get_by_role("button", name="Mark as paid").click()
    expect(page.locator("[aria-current=step]")).to_contain_text("Release")
