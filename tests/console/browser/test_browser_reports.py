"""Reports in Chromium without scripts, on a wide and on a narrow screen: charts, totals and saved selections."""

import re

import pytest
from playwright.sync_api import Browser, Locator, expect

from tests.console.browser.accessibility import Appearance, page_problems
from tests.console.browser.windows import BrowserWindow, open_window
from tests.payroll.payment_runs.runs import hired, opened, paid
from tests.support.company import Company
from tests.support.running import Service

pytestmark = pytest.mark.slow

EMPLOYEES = 24
PERIOD = "start_date=2026-01-01&end_date=2026-02-28"
# Returns how far the heading, the names and the total are from the edges of the box.
DISTANCES = """(box) => {
    const edges = box.getBoundingClientRect();
    const heading = box.querySelector("thead th:nth-child(3)").getBoundingClientRect();
    const name = box.querySelector("tbody tr:nth-child(10) th").getBoundingClientRect();
    const total = box.querySelector("tfoot tr:last-child th").getBoundingClientRect();
    return [heading.top - edges.top, name.left - edges.left, edges.bottom - total.bottom].map(Math.round);
}"""


@pytest.fixture(scope="module")
def company(service: Service) -> Company:
    """A company with two paid months."""
    company = Company.of(service.new_account())
    for number in range(EMPLOYEES):
        hired(company, f"{3000 + number * 100}.00", first_name=f"Person{number:02d}")
    paid(company)
    paid(company, "2026-02-28")
    opened(company, "2026-03-31")
    return company


@pytest.mark.parametrize("width", [1440, 390])
def test_reports_are_charted_totalled_and_saved(browser: Browser, company: Company, width: int) -> None:
    window = open_window(browser, company.member.service.url, scripts=False, width=width)
    window.sign_in(company.member)
    path = f"/companies/{company.id}/reports/transaction_history"
    window.go(f"{path}?{PERIOD}")
    page = window.page
    chart = page.get_by_role("img", name=re.compile(r"Pay by month: Jan 2026 \$[\d,.]+, Feb 2026"))
    expect(chart).to_be_visible()
    page.locator("summary", has_text="Figures").click()
    expect(page.get_by_role("row", name=re.compile("^Feb 2026"))).to_contain_text("$")
    _check_frozen_cells(window)
    expect(page.locator("tfoot tr.total")).to_contain_text("$199,200.00")
    _save_and_open(window, path, f"Basic pay {width}")
    window.context.close()
    assert window.page_errors == []


def _check_frozen_cells(window: BrowserWindow) -> None:
    """The header, the names and the total stay in view while the table is scrolled with the wheel."""
    box = window.page.locator(".scroll.tall")
    box.scroll_into_view_if_needed()
    box.hover()
    _turn_wheel(box, "scrollLeft", (300, 0))
    _turn_wheel(box, "scrollTop", (0, 120))
    assert box.evaluate(DISTANCES) == [0, 0, 0]


def _save_and_open(window: BrowserWindow, path: str, name: str) -> None:
    """A selection of one account is saved, opened from the list of reports and deleted."""
    page = window.page
    window.go(f"{path}?{PERIOD}&account_names=Basic+salary")
    page.locator("summary", has_text="Pay items and totals").click()
    expect(page.get_by_label("Basic salary", exact=True)).to_be_checked()
    expect(page.get_by_label("Nett pay", exact=True)).not_to_be_checked()
    page.get_by_role("button", name="Run report").click()
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Keep these dates").check()
    page.get_by_role("button", name="Save selection").click()
    expect(page.get_by_role("status")).to_contain_text(f"Selection {name} saved")
    page.get_by_role("link", name="Reports").first.click()
    page.get_by_role("link", name=name).click()
    expect(page.locator("thead").last).to_contain_text("Basic salary")
    expect(page.locator("thead").last).not_to_contain_text("Nett pay")
    expect(page.get_by_role("link", name=name)).to_have_attribute("aria-current", "true")
    page.get_by_role("button", name=f"Delete the selection {name}").click()
    page.get_by_role("button", name="Delete", exact=True).click()
    expect(page.get_by_role("link", name=name)).to_have_count(0)


def test_a_report_with_a_chart_is_accessible(browser: Browser, company: Company) -> None:
    window = open_window(browser, company.member.service.url, width=1440)
    window.sign_in(company.member)
    window.go(f"/companies/{company.id}/reports/transaction_history?{PERIOD}")
    appearances: list[Appearance] = [
        (scheme, {"width": width, "height": 900}) for scheme in ("light", "dark") for width in (1440, 390)
    ]
    assert page_problems(window.page, *appearances) == []
    window.context.close()


def _turn_wheel(box: Locator, position: str, distances: tuple[int, int]) -> None:
    """Turn the wheel until the box has moved. On a busy machine, the browser can drop an event of the wheel."""
    while box.evaluate(f"(box) => box.{position}") == 0:
        box.page.mouse.wheel(*distances)
        box.page.wait_for_timeout(200)
