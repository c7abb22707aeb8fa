"""The flows of the console in a real Chromium, against the real server."""

import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from tests.company import Company, new_nric
from tests.console.books import FEBRUARY, Books, books
from tests.console.browsers import Person, beside_a_browser, launched, person
from tests.console.officers import officer
from tests.payment_runs.runs import hired, opened, paid, read
from tests.running import Service


@pytest.fixture(scope="module")
def service(shared_service: Service) -> Service:
    """The server that is shared."""
    return beside_a_browser(shared_service)


@pytest.fixture(scope="module")
def browser(service: Service) -> Iterator[Browser]:
    """One browser for all tests here; opened after the server, which is started with a loop of its own."""
    with sync_playwright() as playwright:
        one = launched(playwright)
        yield one
        one.close()


@pytest.fixture
def someone(browser: Browser, service: Service) -> Iterator[Person]:
    """Someone with a fresh window; whatever a page complained about is a failure."""
    one = person(browser, service.url)
    yield one
    one.context.close()
    assert one.faults == []


@pytest.fixture
def boss(someone: Person, company: Company) -> Person:
    """The owner of the company, signed in."""
    someone.sign_in(company.member)
    return someone


def test_from_the_first_sign_in_to_a_key_that_works(someone: Person, company: Company) -> None:
    someone.go("/api-keys")
    expect(someone.page).to_have_title("Sign in · Gaji")
    someone.sign_in(company.member)
    page = someone.page
    expect(page).to_have_url(re.compile(r"/companies/\d+$"))
    page.locator("details.account summary").click()
    page.get_by_role("link", name="API keys").click()
    page.get_by_label("Name").fill("Rostering")
    page.get_by_role("button", name="Generate key").click()
    key = page.locator("#key").inner_text()
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("button", name=re.compile("Copied|Press Ctrl-C"))).to_be_visible()
    address = re.findall(r"\S+/v1/clients/", page.locator("#curl").inner_text())[0]
    assert httpx.get(address, headers={"Authorization": key}).json()[0]["client"]["id"] == company.id


def test_three_mistakes_in_a_new_employee_are_corrected_where_they_are(boss: Person, company: Company) -> None:
    page = boss.page
    boss.go(f"/companies/{company.id}/employees/new")
    expect(page.get_by_label("NRIC")).to_be_hidden()  # until the status says that there is one
    page.get_by_label("First name").fill("Mei Ling")
    page.get_by_label("Last name").fill("Tan")
    page.get_by_label("Birthdate").fill("1990-04-12")
    page.get_by_label("Gender").select_option("Female")
    page.get_by_label("Race").select_option("Chinese")
    page.get_by_label("Legal status").select_option("Singapore citizen")
    page.get_by_label("NRIC").fill("S1234567A")
    page.get_by_label("Appointment date").fill("2026-01-01")
    page.get_by_label("Payment method").select_option("GIRO")
    page.get_by_label("Bank", exact=True).select_option("DBS Bank / POSB")
    page.get_by_label("Account number").fill("0052312891")
    page.get_by_label("Branch code").fill("5")
    page.get_by_role("button", name="Save employee").click()
    expect(page.get_by_role("alert")).to_contain_text("3 attributes are not valid")
    expect(page.get_by_role("alert")).to_be_focused()
    expect(page.get_by_label("First name")).to_have_value("Mei Ling")
    page.get_by_role("alert").get_by_role("link", name="NRIC").click()
    expect(page.locator("#nric-fault")).to_contain_text("wrong check letter")
    page.get_by_label("NRIC").fill(new_nric())
    page.get_by_label("Religion").select_option("No religion")
    page.get_by_label("Branch code").fill("005")
    page.get_by_role("button", name="Save employee").click()
    expect(page.get_by_role("status")).to_contain_text("The employee has been saved")
    assert [one["bank_account"]["branch_code"] for one in company.listed()] == ["005"]


def test_a_whole_pay_run_from_open_to_released_with_its_journal(boss: Person, company: Company) -> None:
    hired(company, first_name="Siti", last_name="Aminah")
    paid(company)
    page = boss.page
    boss.go(f"/companies/{company.id}")
    page.get_by_role("navigation", name="Company").get_by_role("link", name="Pay runs").click()
    page.get_by_role("button", name="Open run of 28 Feb 2026").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Pay run of 28 Feb 2026")
    expect(page.locator(".steps [aria-current=step]")).to_contain_text("Check")
    page.get_by_role("row", name=re.compile("Siti Aminah")).get_by_role("link").click()
    page.locator("summary", has_text="CPF, employee's share").click()
    expect(page.locator("details[open] .because")).to_contain_text("840.00")
    page.get_by_role("link", name="28 Feb 2026").click()
    page.get_by_role("link", name="Finalise…").click()
    page.get_by_role("button", name="Finalise 1 payslip").click()
    page.get_by_role("link", name="Release…").click()
    page.get_by_role("button", name="Release 1 payslip").click()
    expect(page.get_by_role("status")).to_contain_text("employees can see them")
    page.get_by_role("link", name="Journal").click()
    with page.expect_download() as downloading:
        page.get_by_role("link", name="Download CSV").click()
    assert "Salaries payable" in downloading.value.path().read_text()
    page.get_by_role("button", name="Note as posted").click()
    expect(page.get_by_role("heading", name="All done")).to_be_visible()
    run_id = int(page.url.rpartition("/")[2])
    assert read(company, run_id)["released"]


SCRIPTS = Path(__file__).parent
UNNAMED = (SCRIPTS / "unnamed.js").read_text()
FAINT = (SCRIPTS / "faint.js").read_text()
PASTE = """([grid, text]) => {
    const data = new DataTransfer();
    data.setData("text/plain", text);
    grid.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
}"""


def test_a_block_with_two_bad_cells_is_pasted_and_nothing_is_lost(boss: Person, company: Company) -> None:
    ids = [hired(company, first_name=name) for name in ("Ali", "Bala", "Chen")]
    page = boss.page
    boss.go(
        f"/companies/{company.id}/bulk_input?wave={company.wave_id}&input=calc.bonus.amount&input=calc.reimbursement.amount"
    )
    first = page.locator("#sheet tbody input").first
    first.focus()
    page.evaluate(PASTE, [first.element_handle(), "1,000\t20.50\nmuch\t30\n-5\t$40\n"])
    expect(page.locator("#said")).to_have_text("6 cells to be saved")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#sheet td.wrong")).to_have_count(2)
    expect(page.locator("#said")).to_contain_text("2 cells are saved. 2 cells are not right")
    expect(page.locator("#sheet tbody tr").nth(1).locator("input").first).to_have_value("much")
    expect(page.locator("#sheet tbody tr").nth(1).locator("input").last).to_have_value("30")
    expect(page.locator("#sheet tbody tr").nth(1).locator(".fault")).to_contain_text("must be an amount")
    page.locator("#sheet tbody tr").nth(1).locator("input").first.fill("200")
    page.locator("#sheet tbody tr").nth(2).locator("input").first.fill("5")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#sheet td.saved")).to_have_count(6)
    lines = [_bonus(company, employee_id) for employee_id in ids]
    assert lines == ["1000.00", "200.00", "5.00"]


def _bonus(company: Company, employee_id: int) -> str:
    [slip] = company.member.get(f"/employees/{employee_id}/payslips").json()
    income = company.member.get(f"/payslips/{slip['payslip']['id']}").json()["payslip"]["income"]
    return str(dict(income)["bonus"])


def test_leave_is_approved_and_stands_on_the_payslip(boss: Person, company: Company) -> None:
    kept = books(company)
    page = boss.page
    boss.go(f"/companies/{company.id}/leave")
    page.get_by_placeholder("A word with the answer").fill("Enjoy it")
    page.get_by_role("button", name="Approve the leave of Mei Ling Tan").click()
    expect(page.get_by_role("status")).to_contain_text("approved")
    boss.go(f"/companies/{company.id}/leave?month=2026-02")
    expect(page.locator(".calendar li")).to_have_count(1)
    slip = company.member.get(f"/payslips/{kept.ids['payslip_id']}").json()["payslip"]
    assert slip["leave"]["annual_leave"]["taken"] == 1


def test_a_search_answers_while_one_types_and_keeps_the_place(boss: Person, company: Company) -> None:
    for name in ("Nurul", "Wei", "Bala"):
        company.hire(first_name=name)
    page = boss.page
    boss.go(f"/companies/{company.id}/employees")
    page.keyboard.press("/")
    page.keyboard.type("nur")
    expect(page.locator("#results tbody tr")).to_have_count(1)
    expect(page.get_by_label("Search")).to_be_focused()
    expect(page).to_have_url(re.compile("search=nur"))
    page.get_by_label("Search").fill("zzz")
    expect(page.locator("#results")).to_contain_text("Nobody matches")


def test_a_viewer_finds_no_way_to_change_anything(someone: Person, company: Company) -> None:
    kept = books(company)
    someone.sign_in(company.member.colleague(company.id, "viewer"))
    page = someone.page
    for path in (
        f"/companies/{company.id}",
        f"/companies/{company.id}/employees",
        f"/employees/{kept.ids['employee_id']}",
        f"/payment_runs/{kept.ids['payment_run_id']}",
        f"/payslips/{kept.ids['payslip_id']}",
        f"/companies/{company.id}/leave",
        f"/companies/{company.id}/settings",
    ):
        someone.go(path)
        assert page.locator("main form[method=post]").count() == 0
        assert page.locator("main .button.primary, main .button.danger").count() == 0
    someone.go(f"/companies/{company.id}/bulk_input")
    expect(page.get_by_role("heading", level=1)).to_contain_text("may read client")
    someone.faults.clear()


@pytest.fixture(scope="module")
def kept(service: Service) -> Books:
    """Books that pages are looked at with."""
    return books(Company.of(service.new_account()))


def paths_of(kept: Books) -> list[str]:
    """The main pages."""
    company, ids = f"/companies/{kept.company.id}", kept.ids
    return [
        "/companies",
        "/api-keys",
        "/password",
        company,
        *(f"{company}/{name}" for name in ("employees", "employees/new", "payment_runs", "leave", "bulk_input")),
        *(f"{company}/{name}" for name in ("reports", "reports/variance", "settings", "details", "waves/new")),
        *(f"{company}/settings/{name}" for name in ("users", "users/new", "payslip_template", "take_on")),
        f"{company}/settings/profiles/{ids['profile_id']}/mappings",
        f"/employees/{ids['employee_id']}/take_on/edit",
        *(f"/employees/{ids['employee_id']}?tab={tab}" for tab in ("profile", "pay", "leave", "payslips", "history")),
        f"/payment_runs/{ids['payment_run_id']}",
        f"/payment_runs/{ids['payment_run_id']}/finalise",
        f"/payment_runs/{ids['payment_run_id']}/accounting",
        f"/payslips/{ids['payslip_id']}",
    ]


def test_no_page_is_wider_than_a_phone_and_every_field_has_a_name(browser: Browser, kept: Books) -> None:
    one = person(browser, kept.company.member.service.url, width=390)
    one.sign_in(kept.company.member)
    for path in paths_of(kept):
        one.go(path)
        assert one.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
        unnamed = one.page.evaluate(UNNAMED)
        assert unnamed == [], path
        assert one.page.locator("h1").count() == 1, path
        assert len(set(one.page.evaluate("[...document.querySelectorAll('[id]')].map((e) => e.id)"))) == (
            one.page.locator("[id]").count()
        ), path
    one.context.close()
    assert one.faults == []


def test_text_stands_out_in_light_and_dark(browser: Browser, kept: Books) -> None:
    one = person(browser, kept.company.member.service.url)
    one.sign_in(kept.company.member)
    for path in paths_of(kept):
        one.go(path)
        one.page.emulate_media(color_scheme="light")
        assert one.page.evaluate(FAINT) == [], path
        one.page.emulate_media(color_scheme="dark")
        assert one.page.evaluate(FAINT) == [], path
    one.context.close()


def test_without_javascript_the_main_flows_still_work(browser: Browser, company: Company) -> None:
    hired(company)
    paid(company)
    opened(company, FEBRUARY)
    one = person(browser, company.member.service.url, scripts=False)
    one.sign_in(company.member)
    page = one.page
    one.go(f"/companies/{company.id}/employees")
    page.get_by_label("Search").fill("mei")
    page.get_by_role("button", name="Search").click()
    page.get_by_role("link", name="Mei Ling Tan").click()
    page.get_by_role("link", name="Change").click()
    page.get_by_label("Job title").fill("Baker")
    page.get_by_role("button", name="Save employee").click()
    expect(page.get_by_role("status")).to_contain_text("The employee has been saved")
    one.go(f"/companies/{company.id}/payment_runs")
    page.get_by_role("link", name="Go on").click()
    page.get_by_role("link", name="Finalise…").click()
    page.get_by_role("button", name="Finalise 1 payslip").click()
    expect(page.get_by_role("status")).to_contain_text("The pay run is finalised")
    one.go(f"/companies/{company.id}/bulk_input")
    assert "This page needs JavaScript" in page.locator("noscript").inner_text()
    page.locator("details.account summary").click()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("status")).to_contain_text("You are signed out")
    one.context.close()
    assert officer(company.member).get("/companies").status_code == 200
