"""Take the pictures in docs/pictures again.

Run it against a new demo: start `GAJI_DEMO_PASSWORD=… gaji serve --demo`, then run
`GAJI_DEMO_PASSWORD=… .venv/bin/python -m tests.console.browser.take_pictures http://127.0.0.1:8000`.
It opens a pay run of the demo company.
"""

import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from tests.console.browser.windows import launch_browser, open_window

FOLDER = Path(__file__).parents[3] / "docs" / "pictures"
EMAIL = "demo1@gaji.example"
PHONE = (390, 844)


def sign_in(page: Page) -> str:
    """Sign in and return the path of the demo company."""
    page.goto("/sign-in")
    page.get_by_label("Email").fill(EMAIL)
    page.get_by_label("Password").fill(os.environ["GAJI_DEMO_PASSWORD"])
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("link", name="Dashboard").wait_for()
    return page.get_by_role("link", name="Dashboard").get_attribute("href") or ""


def open_pay_run(page: Page, company: str) -> None:
    """Open the pay run of the monthly pay schedule, or continue with it."""
    page.goto(company)
    row = page.get_by_role("row", name="Monthly, ending on the last day")
    row.get_by_role("link", name="Continue").or_(row.get_by_role("button")).click()
    page.get_by_role("heading", name="Pay register").wait_for()


def show_register(page: Page, company: str) -> None:
    """Open the pay run, without the notice that it was opened."""
    open_pay_run(page, company)
    page.reload()


def open_payslip(page: Page, company: str) -> None:
    """Open a payslip of the run with the explanation of CPF."""
    open_pay_run(page, company)
    page.locator("table.register tbody th a").first.click()
    page.locator("summary", has_text="CPF, employee's share").click()


def submit_new_employee(page: Page, company: str) -> None:
    """Submit the form for a new employee with missing entries."""
    page.goto(f"{company}/employees/new")
    page.get_by_label("First name").fill("Mei Ling")
    page.get_by_label("Legal status").select_option("Singapore citizen")
    page.get_by_role("button", name="Save employee").click()
    page.get_by_role("alert").wait_for()


PICTURES: Mapping[str, tuple[Callable[[Page, str], object], tuple[int, int]]] = {
    "dashboard": (lambda page, company: page.goto(company), (1440, 900)),
    "phone": (lambda page, company: page.goto(company), PHONE),
    "pay-run": (show_register, (1440, 1300)),
    "payslip": (open_payslip, (1280, 1000)),
    "add-employee": (submit_new_employee, (1280, 900)),
    "leave": (lambda page, company: page.goto(f"{company}/leave"), (1280, 900)),
}


def main(url: str) -> None:
    """Take every picture."""
    with sync_playwright() as playwright:
        browser = launch_browser(playwright)
        page = open_window(browser, url).page
        company = sign_in(page)
        for name, (show, (width, height)) in PICTURES.items():
            page.set_viewport_size({"width": width, "height": height})
            show(page, company)
            page.screenshot(path=FOLDER / f"{name}.png")
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1])
