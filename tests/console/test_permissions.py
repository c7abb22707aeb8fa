"""Who may see and do what: every page, from the table of pages, so that a new one is looked at too."""

import re

import pytest

from gaji.console.pages import Page
from gaji.console.routes import PAGES
from tests.console.console_user import ConsoleUser, page_forms, page_text, signed_in_user, signed_out_user
from tests.console.sample_company import SampleCompany, create_sample_company
from tests.support.company import Company
from tests.support.running import Service

# What is about oneself: the same for everyone who is signed in, or self-service.
OWN = re.compile(
    r"/|/companies|/console/.*|/sign-(in|in/code|out)|/invitation|/password|/two-steps.*|/api-keys.*|/own.*"
)
STEPS = ("calculate", "finalise", "unfinalise", "release", "delete", "posted")


def of_companies(method: str) -> list[Page]:
    """The pages about companies."""
    return [page for page in PAGES if page.method == method and not OWN.fullmatch(page.path)]


def filled(kept: SampleCompany) -> dict[str, str]:
    """A form that would do something on most pages."""
    return {
        "calc_type": "basic_salary",
        "name": "Forged",
        "from": "2026-02-11",
        "type_id": str(kept.ids["type_id"]),
        "email": "forged@example.com",
        "role": "owner",
    }


LOOKS, ACTS = of_companies("GET"), of_companies("POST")
WRITING_LOOKS = re.compile(
    r".*/(new|edit|details|bulk_input|import|import/{uuid})|/payment_runs/{payment_run_id}/{step}"
)


@pytest.fixture(scope="module")
def kept(service: Service) -> SampleCompany:
    """SampleCompany that the tests of this module only look at."""
    return create_sample_company(Company.of(service.new_account()))


@pytest.fixture(scope="module")
def looking(kept: SampleCompany) -> ConsoleUser:
    """Someone who may only look."""
    return signed_in_user(kept.company.member.colleague(kept.company.id, "viewer"))


@pytest.fixture(scope="module")
def foreign(service: Service) -> ConsoleUser:
    """Someone of another account, with a company of their own."""
    company = Company.of(service.new_account())
    company.hire()
    return signed_in_user(company.member)


def test_there_are_pages_to_look_at() -> None:
    assert len(LOOKS) > 15
    assert len(ACTS) > 15


@pytest.mark.parametrize("page", LOOKS, ids=lambda page: page.path)
def test_everyone_of_a_company_sees_its_pages_and_a_viewer_no_way_to_change_anything(
    kept: SampleCompany, looking: ConsoleUser, page: Page
) -> None:
    answer = looking.get(kept.path(page.path))
    if WRITING_LOOKS.fullmatch(page.path):
        assert answer.status_code == 403
        assert "Ask an owner" in page_text(answer) or "Only an administrator" in page_text(answer)
        return
    assert answer.status_code == 200
    assert [one for one in page_forms(answer) if one[0] != "get"] == []
    assert not re.search(r'href="[^"]*/(new|edit|details|import|finalise|unfinalise|release|delete)"', answer.text)


@pytest.mark.parametrize("page", LOOKS, ids=lambda page: page.path)
def test_an_owner_sees_every_page(kept: SampleCompany, page: Page) -> None:
    one = signed_in_user(kept.company.member)
    answer = one.get(kept.path(page.path))
    assert answer.status_code == 200, page_text(answer)


@pytest.mark.parametrize("page", ACTS, ids=lambda page: page.path)
def test_what_a_viewer_sends_by_hand_is_refused(kept: SampleCompany, looking: ConsoleUser, page: Page) -> None:
    before = kept.company.member.service.fingerprint()
    for step in STEPS if "{step}" in page.path else ("",):
        answer = looking.post(kept.path(page.path, step=step), filled(kept), page="/password")
        assert answer.status_code == 403, (step, page_text(answer))
    after = kept.company.member.service.fingerprint()
    for contents in (before, after):
        for table in ("console_sessions", "sign_in_attempts"):
            contents.pop(table)
    assert before == after


@pytest.mark.parametrize("page", LOOKS, ids=lambda page: page.path)
def test_the_pages_of_another_account_are_not_there(kept: SampleCompany, foreign: ConsoleUser, page: Page) -> None:
    if page.path == "/companies/new":
        return
    answer = foreign.get(kept.path(page.path))
    assert answer.status_code == 404
    assert kept.company.member.email not in answer.text
    assert "It may have been deleted" in page_text(answer)


@pytest.mark.parametrize("page", ACTS, ids=lambda page: page.path)
def test_nor_can_anything_be_done_there(kept: SampleCompany, foreign: ConsoleUser, page: Page) -> None:
    if page.path == "/companies/new":
        return
    assert foreign.post(kept.path(page.path), filled(kept), page="/password").status_code == 404


@pytest.mark.parametrize("page", [*LOOKS, *ACTS], ids=lambda page: f"{page.method} {page.path}")
def test_without_signing_in_one_is_led_to_the_sign_in(kept: SampleCompany, page: Page) -> None:
    one = signed_out_user(kept.company.member.service)
    answer = one.browser.request(page.method, kept.path(page.path))
    assert answer.status_code == 303
    assert answer.headers["location"].startswith("/sign-in")


def test_a_payroll_officer_may_change_and_an_employee_sees_no_company(kept: SampleCompany) -> None:
    member, company = kept.company.member, kept.company
    payroll = signed_in_user(member.colleague(company.id, "payroll"))
    assert payroll.get(f"/companies/{company.id}/employees/new").status_code == 200
    employee = signed_in_user(member.colleague(company.id, "employee", kept.ids["employee_id"]))
    assert employee.get(f"/companies/{company.id}").status_code == 404


def test_a_role_that_is_taken_away_is_gone_with_the_next_page(kept: SampleCompany) -> None:
    member = kept.company.member.colleague(kept.company.id, "payroll")
    one = signed_in_user(member)
    assert one.get(f"/companies/{kept.company.id}").status_code == 200
    member.service.as_owner(
        "DELETE FROM memberships m USING users u WHERE u.id = m.user_id AND u.email = $1", member.email
    )
    assert one.get(f"/companies/{kept.company.id}").status_code == 404


@pytest.mark.parametrize("path", ["/employees/x", "/employees/0", "/companies/99999999999999999999", "/payslips/%00"])
def test_what_cannot_be_an_identifier_is_not_found(looking: ConsoleUser, path: str) -> None:
    assert looking.get(path).status_code == 404
