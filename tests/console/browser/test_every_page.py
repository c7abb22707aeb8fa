"""Every page of the console in a real Chromium, from the table of pages, so that a new one is looked at too.

Each is opened once, and then looked at in the light on a screen and in the dark on a phone: for what axe finds serious
or critical, and for what nobody wants of any page.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from types import MappingProxyType

import pytest

from gaji.console.employee_tabs import TABS
from gaji.console.payment_runs import CONFIRMED_STEPS
from gaji.console.routes import PAGES
from gaji.reports.registry import REPORTS
from tests.console.browser.accessibility import DARK_AND_NARROW, LIGHT_AND_WIDE, Look, page_problems
from tests.console.browser.windows import BrowserWindow
from tests.console.console_user import PASSWORD, signed_in_user
from tests.console.sample_company import SampleCompany, create_sample_company
from tests.console.test_settings_users import invited
from tests.console.test_two_factor import turned_on
from tests.payroll.payment_runs.runs import done, listed
from tests.support.company import Company
from tests.support.running import Service

NO_PAGE = re.compile(r"/console/{name}|.*\.pdf|.*/export")
"""Files: they are no pages, and a test here sees to that."""
NAMES: Mapping[str, Iterable[str]] = {"step": CONFIRMED_STEPS, "report": REPORTS}
"""What stands in a path instead of a record, with everything that it can be."""
QUERIES: Mapping[str, Sequence[str]] = {
    "/employees/{employee_id}": [f"tab={tab}" for tab in TABS],
    "/companies/{client_id}/filings": ["month=2026-01"],
    "/companies/{client_id}/leave": ["month=2026-02"],
    "/companies/{client_id}/tax_certificates": ["year=2026"],
    "/companies/{client_id}/bulk_input": ["wave={wave_id}&input=calc.bonus.amount"],
    "/companies/{client_id}/reports/{report}": [
        "made=1&start_date=2026-01-01&end_date=2026-02-28&date=2026-02-28&wave_id={wave_id}&period_offset={offset}"
    ],
}
"""What pages show more of when they are asked."""
BOTH = (LIGHT_AND_WIDE, DARK_AND_NARROW)


def is_own(path: str) -> bool:
    """Whether a page is one of an employee's own."""
    return path.split("/")[1] == "own"


LOOKS = [page for page in PAGES if page.method == "GET" and not NO_PAGE.fullmatch(page.path)]
PUBLIC = [page.path for page in LOOKS if page.public]
OWN = [page.path for page in LOOKS if is_own(page.path)]
OF_OFFICERS = [page.path for page in LOOKS if page.path not in (*PUBLIC, *OWN)]


@pytest.fixture(scope="module")
def kept(service: Service) -> SampleCompany:
    """SampleCompany with a payslip and a tax certificate that the employee sees."""
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


def paths_of(
    kept: SampleCompany, patterns: Iterable[str], queries: Mapping[str, Sequence[str]] = MappingProxyType({})
) -> list[str]:
    """These pages with the records of a sample company, each with everything that it can be asked for."""
    return [
        kept.path(f"{pattern}?{query}" if query else pattern, **dict(zip(names, values, strict=True)))
        for pattern in patterns
        for names in [[name for name in NAMES if f"{{{name}}}" in pattern]]
        for values in product(*(NAMES[name] for name in names))
        for query in ["", *queries.get(pattern, ())]
    ]


def walk(someone: BrowserWindow, paths: Iterable[str], looks: Sequence[Look] = BOTH, status: int = 200) -> list[str]:
    """Go to each of them, and gather what is wrong with it."""
    found = []
    for path in paths:
        answer = someone.page.goto(path)
        if answer is None or answer.status != status:
            found.append(f"{path}: answers {answer and answer.status}")
        else:
            found += [f"{path}: {fault}" for fault in page_problems(someone.page, *looks)]
    return found


def test_there_are_pages_to_look_at() -> None:
    assert len(OF_OFFICERS) > 40
    assert len(OWN) > 4
    assert PUBLIC == ["/sign-in", "/sign-in/code", "/invitation"]


def test_everyone_can_use_the_pages_of_a_company(someone: BrowserWindow, kept: SampleCompany) -> None:
    someone.sign_in(kept.company.member)
    found = walk(someone, paths_of(kept, OF_OFFICERS, QUERIES))
    assert found == []


def test_everyone_can_use_the_pages_of_a_company_in_which_nothing_is(someone: BrowserWindow, service: Service) -> None:
    member = service.new_account()
    client_id = member.new_client()
    empty = SampleCompany(Company(member, client_id, wave_id=0), {"client_id": client_id})
    there = [path for path in OF_OFFICERS if set(re.findall(r"{(\w+)}", path)) <= {"client_id", *NAMES}]
    someone.sign_in(member)
    found = walk(someone, paths_of(empty, there), [DARK_AND_NARROW])
    assert found == []


def test_everyone_can_use_the_pages_of_their_own(someone: BrowserWindow, kept: SampleCompany) -> None:
    company, ids = kept.company, kept.ids
    slips = company.member.get(f"/employees/{ids['employee_id']}/payslips").json()
    released = min((one["payslip"] for one in slips), key=lambda one: str(one["date"]))["id"]
    someone.sign_in(company.member.colleague(company.id, "employee", ids["employee_id"]))
    found = walk(someone, paths_of(replace(kept, ids={**ids, "payslip_id": released}), OWN))
    assert found == []


def test_everyone_can_sign_in(someone: BrowserWindow, kept: SampleCompany) -> None:
    company, member = kept.company, kept.company.member.colleague(kept.company.id, "viewer")
    token = invited(signed_in_user(company.member), f"/companies/{company.id}/settings/users", "new.one@example.com")
    found = walk(someone, ["/sign-in", f"/invitation?token={token}"])
    turned_on(member)
    someone.go("/sign-in")
    someone.page.get_by_label("Email").fill(member.email)
    someone.page.get_by_label("Password").fill(PASSWORD)
    someone.page.get_by_role("button", name="Sign in").click()
    someone.page.wait_for_url("**/sign-in/code")
    assert found + walk(someone, ["/sign-in/code"]) == []


def test_everyone_can_use_what_says_that_something_is_wrong(someone: BrowserWindow, kept: SampleCompany) -> None:
    someone.sign_in(kept.company.member)
    company = f"/companies/{kept.company.id}"
    found = walk(someone, [f"{company}/reports/variance?made=1", f"{company}/filings?month=soon"], status=422)
    assert found == []
    found = walk(someone, ["/nothing", "/employees/999999999"], status=404)
    assert found == []


def test_files_are_no_pages(kept: SampleCompany) -> None:
    one = signed_in_user(kept.company.member)
    files = [page.path for page in PAGES if page.method == "GET" and NO_PAGE.fullmatch(page.path)]
    for path in files:
        if not is_own(path):
            answer = one.get(kept.path(path, name="console.css"))
            assert answer.status_code == 200, path
            assert "text/html" not in answer.headers["content-type"], path
