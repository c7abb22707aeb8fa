"""Accessibility, layout and words of every page in Chromium, taken from the list of pages."""

import re
from collections.abc import Iterable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import replace
from itertools import product
from types import MappingProxyType
from weakref import WeakKeyDictionary

import pytest
from playwright.sync_api import Browser, BrowserContext

from gaji.console.employee_tabs import TABS
from gaji.console.payment_runs import CONFIRMED_STEPS
from gaji.console.routes import PAGES
from gaji.reports.registry import REPORTS
from tests.console.browser.accessibility import BOTH, PageChecker, open_checker, page_problems
from tests.console.browser.windows import BrowserWindow, open_window
from tests.console.browser.wording import text_problems, wording_problems
from tests.console.console_user import PASSWORD, signed_in_user
from tests.console.sample_company import SampleCompany, create_sample_company
from tests.console.test_email_change import ask, make_code
from tests.console.test_password_reset import create_link
from tests.console.test_password_reset import token_in as reset_token
from tests.console.test_settings_users import invited
from tests.console.test_two_factor import turned_on
from tests.payroll.payment_runs.runs import done, listed
from tests.support.company import Company
from tests.support.running import Service

pytestmark = pytest.mark.slow

FILE_ROUTES = re.compile(
    r"/console/{name}|.*\.pdf|.*\.json|.*/export|.*/marked|.*/zip|.*\.png|.*/logo|.*/medical_certificates/{medical_certificate_id}"
)
"""Routes that return files instead of pages."""
PROVIDER_ROUTES = re.compile(r"/sso/.*")
"""Routes to and from an identity provider: see test_browser_single_sign_on.py."""
NAMES: Mapping[str, Iterable[str]] = {"step": CONFIRMED_STEPS, "report": REPORTS}
"""Path parameters that are not IDs, with all their values."""
QUERIES: Mapping[str, Sequence[str]] = {
    "/employees/{employee_id}": [
        *(f"tab={tab}" for tab in TABS),
        "tab=pay&enter=week_hours",
        "tab=pay&once_off=overtime",
    ],
    "/companies/steps": [
        f"step={step}&client_id={{client_id}}" for step in ("open", "finalise", "mark_paid", "release")
    ],
    "/companies/cpf_files": ["client_id={client_id}"],
    "/companies/payment_files": ["client_id={client_id}", "client_id={client_id}&value_date=2199-12-31"],
    "/companies/{client_id}/filings": ["month=2026-01"],
    "/companies/{client_id}/leave": ["month=2026-02"],
    "/companies/{client_id}/tax_certificates": ["year=2026"],
    "/companies/{client_id}/bulk_input": ["wave={wave_id}&input=calc.bonus.amount"],
    "/companies/{client_id}/reports/{report}": [
        "start_date=2026-01-01&end_date=2026-02-28&date=2026-02-28&wave_id={wave_id}&period_offset={offset}&year=2026"
    ],
}
"""Queries that make a page show more."""
CHECKERS: MutableMapping[BrowserContext, PageChecker] = WeakKeyDictionary()
NAMES_ATTRIBUTES = re.compile(r"/companies/\d+/settings/payslip_template")
"""Pages that name attributes, because people write templates with them."""
# Fields in closed details are visible once they are opened, which needs no script.
FORM_PROBLEMS = """() => [...document.querySelectorAll("form")].flatMap((form) => {
    const name = `${form.method} ${form.getAttribute("action")}`;
    const isReachable = (element) => element.checkVisibility() || element.closest("details:not([open])");
    const elements = [...form.elements].filter((element) => element.type !== "hidden");
    const buttons = elements.filter((element) => element.type === "submit");
    const fields = elements.filter((element) => element.name && element.type !== "submit");
    if (!elements.length) return [];
    return [
        ...(buttons.some(isReachable) ? [] : [`${name} has no button`]),
        ...fields.filter((field) => !isReachable(field)).map((field) => `${name} hides ${field.name}`),
    ];
})"""


def is_portal(path: str) -> bool:
    """Return whether a page belongs to the portal."""
    return path.split("/")[1] == "own"


def shows_records(path: str) -> bool:
    """Return whether a page needs no record but the company, and may show less without others.

    Pages of the user's own account are the same for every company.
    """
    names = set(re.findall(r"{(\w+)}", path))
    return path in ("/", "/companies") or ("client_id" in names and names <= {"client_id", *NAMES})


HTML_PAGES = [
    page
    for page in PAGES
    if page.method == "GET" and not FILE_ROUTES.fullmatch(page.path) and not PROVIDER_ROUTES.fullmatch(page.path)
]
PUBLIC_PAGES = [page.path for page in HTML_PAGES if page.public]
PORTAL_PAGES = [page.path for page in HTML_PAGES if is_portal(page.path)]
COMPANY_PAGES = [page.path for page in HTML_PAGES if page.path not in (*PUBLIC_PAGES, *PORTAL_PAGES)]
EMPTY_COMPANY_PAGES = [path for path in COMPANY_PAGES if shows_records(path)]


@pytest.fixture(scope="module")
def sample(service: Service) -> SampleCompany:
    """A company with a released payslip and tax certificate."""
    made = create_sample_company(Company.of(service.new_account()))
    company, member = made.company, made.company.member
    january = min(listed(company), key=lambda run: str(run["period_end_date"]))
    done(company, january["id"], "release")
    assert member.post(f"/clients/{company.id}/tax_certificates", {"year": 2026}).status_code == 200
    [certificate] = member.get(f"/clients/{company.id}/tax_certificates").json()
    released = member.post(f"/tax_certificates/{certificate['id']}/release")
    assert released.status_code == 200, released.text
    [wave] = member.get(f"/clients/{company.id}/reports").json()["waves"]
    return replace(made, ids={**made.ids, "offset": wave["period_offsets"][-1]["period_offset"]})


@pytest.fixture(scope="module")
def sample_window(browser: Browser, service: Service, sample: SampleCompany) -> Iterator[BrowserWindow]:
    """A window in which the owner of the sample company is signed in."""
    window = open_window(browser, service.url)
    window.sign_in(sample.company.member)
    yield window
    window.context.close()


@pytest.fixture(scope="module")
def empty(service: Service) -> SampleCompany:
    """A company without records."""
    member = service.new_account()
    client_id = member.new_client()
    return SampleCompany(Company(member, client_id, wave_id=0), {"client_id": client_id})


@pytest.fixture(scope="module")
def empty_window(browser: Browser, service: Service, empty: SampleCompany) -> Iterator[BrowserWindow]:
    """A window in which the owner of the empty company is signed in."""
    window = open_window(browser, service.url)
    window.sign_in(empty.company.member)
    yield window
    window.context.close()


def paths_of(
    sample: SampleCompany, patterns: Iterable[str], queries: Mapping[str, Sequence[str]] = MappingProxyType({})
) -> list[str]:
    """Return the paths of these pages, with all values of their parameters and queries."""
    return [
        sample.path(f"{pattern}?{query}" if query else pattern, **dict(zip(names, values, strict=True)))
        for pattern in patterns
        for names in [[name for name in NAMES if f"{{{name}}}" in pattern]]
        for values in product(*(NAMES[name] for name in names))
        for query in ["", *queries.get(pattern, ())]
    ]


def checker_of(window: BrowserWindow) -> PageChecker:
    """Return the checker of a window."""
    return CHECKERS.get(window.context) or CHECKERS.setdefault(window.context, open_checker(window.context))


def walk(window: BrowserWindow, paths: Iterable[str], status: int = 200) -> list[str]:
    """Open each path and return all problems, in light and dark on wide and narrow screens."""
    result, checker = [], checker_of(window)
    for path in paths:
        answer = window.page.goto(path)
        if answer is None or answer.status != status:
            result.append(f"{path}: answers {answer and answer.status}")
        else:
            problems = [*checker.find_problems(window.page), *window.take_page_errors()]
            if status == 200 and not NAMES_ATTRIBUTES.fullmatch(path):
                problems += wording_problems(window.page)
            result += [f"{path}: {problem}" for problem in problems]
    return result


def test_the_list_of_pages_is_not_empty() -> None:
    assert len(COMPANY_PAGES) > 40
    assert len(EMPTY_COMPANY_PAGES) > 20
    assert len(PORTAL_PAGES) > 4
    signing_in = ["/sign-in", "/sign-in/forgotten", "/sign-in/code"]
    assert [*signing_in, "/invitation", "/reset-password", "/email/confirm", "/sign-in/sso"] == PUBLIC_PAGES


def test_problems_are_found(window: BrowserWindow) -> None:
    window.page.set_content(
        "<html lang='en'><title>Bad</title><main id='a'><img id='a' src='data:,'><p style='color: #ccc'>Pale</p>"
        "<a href='#a'></a><div style='width: 500px'>Wide</div></main></html>"
    )
    result = page_problems(window.page, *BOTH)
    for problem in ("light, 1280 px: image-alt", "dark, 390 px: color-contrast", "light, 1280 px: link-name"):
        assert any(problem in item for item in result), (problem, result)
    assert "dark, 390 px: is wider than the window" in result
    assert {"light, 1280 px: has 0 h1 headings", "light, 1280 px: has the ID a twice"} <= set(result)


def test_problems_of_colours_are_found_in_all_appearances(window: BrowserWindow) -> None:
    """Text that can be read in one colour scheme only is found on wide and narrow screens, whatever came before."""
    checker = open_checker(window.context)
    for colour, scheme in (("#cccccc", "light"), ("#333333", "dark"), ("#cccccc", "light")):
        window.page.set_content(
            f"<html lang='en'><title>Bad</title><main><h1><font color='{colour}'>Payslips</font></h1></main>"
        )
        result = checker.find_problems(window.page)
        assert [item.partition(" (")[0] for item in sorted(result)] == [
            f"{scheme}, {width} px: color-contrast" for width in (1280, 390)
        ]


@pytest.mark.parametrize(
    ("fault", "found"),
    [
        ("<img src='data:,'>", ["light, 1280 px: image-alt"]),
        ("<img class='small' src='data:,'>", ["dark, 390 px: image-alt"]),
        ("<p class='pale'>Pale</p>", ["dark, 390 px: color-contrast", "light, 390 px: color-contrast"]),
        (f"<div class='region'>{'<p>A long list</p>' * 5}</div>", ["dark, 390 px: scrollable-region-focusable"]),
        (
            "<p><font color='#cccccc'>Pale</font></p>",
            ["light, 1280 px: color-contrast", "light, 390 px: color-contrast"],
        ),
        ("<p><font color='#333333'>Pale</font></p>", ["dark, 1280 px: color-contrast", "dark, 390 px: color-contrast"]),
        ("</main><a href='#a'></a>", ["dark, 390 px: link-name", "light, 1280 px: link-name"]),
    ],
)
def test_problems_are_found_after_a_page_with_the_same_frame(
    window: BrowserWindow, fault: str, found: list[str]
) -> None:
    """The second page is checked less. Its problems are found in the windows and colour schemes that show them."""
    style = """<style>
        .small { display: none }
        @media (max-width: 400px) {
            .small { display: inline }
            .pale { color: #808080; background: #909090 }
            .region { width: 100px; height: 50px; overflow: auto }
        }
    </style>"""
    start = f"<html lang='en'><title>Payslips</title><main>{style}<h1>Payslips</h1>"
    checker = open_checker(window.context)
    window.page.set_content(start)
    assert checker.find_problems(window.page) == []
    window.page.set_content(start + fault)
    result = checker.find_problems(window.page)
    assert [item.partition(" (")[0] for item in sorted(result)] == found


def test_wrong_words_are_found() -> None:
    text = "Due on 2026-11-16: $12345.00 for 1 payslips and 2 day, basic_salary of Employee 12, SHG_NONE"
    assert len(text_problems(text)) == 7
    assert text_problems("Due on 16 Nov 2026: $12,345.00 for 1 payslip and 2 days, 21 employees") == []


def test_every_form_can_be_sent_without_javascript(browser: Browser, service: Service, sample: SampleCompany) -> None:
    window = open_window(browser, service.url, scripts=False)
    window.sign_in(sample.company.member)
    problems, forms = [], 0
    for path in paths_of(sample, COMPANY_PAGES):
        window.go(path)
        forms += window.page.locator("main form").count()
        problems += [f"{path}: {problem}" for problem in window.page.evaluate(FORM_PROBLEMS)]
    window.context.close()
    assert problems == []
    assert forms > 100


@pytest.mark.parametrize("pattern", COMPANY_PAGES)
def test_a_page_of_a_company_is_accessible(sample_window: BrowserWindow, sample: SampleCompany, pattern: str) -> None:
    result = walk(sample_window, paths_of(sample, [pattern], QUERIES))
    assert result == []


@pytest.mark.parametrize("pattern", EMPTY_COMPANY_PAGES)
def test_a_page_of_an_empty_company_is_accessible(
    empty_window: BrowserWindow, empty: SampleCompany, pattern: str
) -> None:
    result = walk(empty_window, paths_of(empty, [pattern]))
    assert result == []


def test_the_portal_is_accessible(window: BrowserWindow, sample: SampleCompany) -> None:
    company, ids = sample.company, sample.ids
    slips = company.member.get(f"/employees/{ids['employee_id']}/payslips").json()
    released = min((item["payslip"] for item in slips), key=lambda item: str(item["date"]))["id"]
    window.sign_in(company.member.colleague(company.id, "employee", ids["employee_id"]))
    result = walk(window, paths_of(replace(sample, ids={**ids, "payslip_id": released}), PORTAL_PAGES))
    assert result == []


def test_the_sign_in_pages_are_accessible(window: BrowserWindow, sample: SampleCompany) -> None:
    company, member = sample.company, sample.company.member.colleague(sample.company.id, "viewer")
    token = invited(signed_in_user(company.member), f"/companies/{company.id}/settings/users", "new.one@example.com")
    ask(signed_in_user(member), "another.one@example.com")
    code = make_code(signed_in_user(company.member), company, member)
    reset = reset_token(create_link(signed_in_user(company.member), company, member))
    links = [f"/invitation?token={token}", f"/reset-password?token={reset}", f"/email/confirm?token={code}"]
    paths = ["/sign-in", "/sign-in/forgotten", "/sign-in/sso", "/invitation", "/reset-password", *links]
    result = walk(window, paths)
    turned_on(member)
    window.go("/sign-in")
    window.page.get_by_label("Email").fill(member.email)
    window.page.get_by_label("Password").fill(PASSWORD)
    window.page.get_by_role("button", name="Sign in").click()
    window.page.wait_for_url("**/sign-in/code")
    assert result + walk(window, ["/sign-in/code"]) == []


def test_error_pages_are_accessible(window: BrowserWindow, sample: SampleCompany) -> None:
    window.sign_in(sample.company.member)
    company = f"/companies/{sample.company.id}"
    result = walk(window, [f"{company}/reports/variance?wave_id=", f"{company}/filings?month=soon"], status=422)
    assert result == []
    result = walk(window, ["/nothing", "/employees/999999999"], status=404)
    assert result == []


def test_files_are_not_html(sample: SampleCompany) -> None:
    user = signed_in_user(sample.company.member)
    files = [page.path for page in PAGES if page.method == "GET" and FILE_ROUTES.fullmatch(page.path)]
    for path in files:
        # Only an import with errors has a workbook with marked cells, and only selected CPF files are a ZIP.
        if not is_portal(path) and not path.endswith(("/marked", "/zip")):
            answer = user.get(sample.path(path, name="console.css"))
            assert answer.status_code == 200, path
            assert "text/html" not in answer.headers["content-type"], path
