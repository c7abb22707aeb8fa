"""Permissions of every page, taken from the list of pages."""

import re

import pytest

from gaji.console.pages import Page
from gaji.console.routes import PAGES
from tests.console.console_user import ConsoleUser, page_forms, page_text, signed_in_user, signed_out_user
from tests.console.sample_company import SampleCompany, create_sample_company
from tests.support.case_tables import for_every
from tests.support.company import Company
from tests.support.running import Service

pytestmark = pytest.mark.slow

# What is about oneself: the same for everyone who is signed in, or self-service.
OWN = re.compile(
    r"/|/companies|/companies/steps.*|/companies/(cpf|payment)_files.*|/search|/console/.*|/sign-(in|in/code|in/forgotten|in/passkey.*|in/code/passkey.*|out)|/invitation|/reset-password|/password|/email.*"
    r"|/sign-in/sso|/sso/.*|/single-sign-on.*|/two-steps.*|/passkeys.*|/confirm-identity.*|/unsent-form|/devices.*|/api-keys.*|/access-log|/own.*|/account/.*"
)
STEPS = ("calculate", "finalise", "unfinalise", "release", "delete", "posted", "mark_not_paid")


def of_companies(method: str) -> list[Page]:
    """The pages about companies."""
    return [page for page in PAGES if page.method == method and not OWN.fullmatch(page.path)]


def filled(sample: SampleCompany) -> dict[str, str]:
    """A form that would do something on most pages."""
    return {
        "calc_type": "basic_salary",
        "name": "Forged",
        "from": "2026-02-11",
        "type_id": str(sample.ids["type_id"]),
        "email": "forged@example.com",
        "role": "owner",
    }


LOOKS, ACTS = of_companies("GET"), of_companies("POST")
WRITING_LOOKS = re.compile(
    r".*/(new|edit|details|correct|bulk_input|import|import/{uuid}|marked|personal_data\.\w+)|/payment_runs/{payment_run_id}/{step}"
)


@pytest.fixture(scope="module")
def sample(service: Service) -> SampleCompany:
    """SampleCompany that the tests of this module only look at."""
    return create_sample_company(Company.of(service.new_account()))


@pytest.fixture(scope="module")
def viewing_user(sample: SampleCompany) -> ConsoleUser:
    """Someone who may only look."""
    return signed_in_user(sample.company.member.colleague(sample.company.id, "viewer"))


@pytest.fixture(scope="module")
def owner(sample: SampleCompany) -> ConsoleUser:
    """The owner of the company."""
    return signed_in_user(sample.company.member)


@pytest.fixture(scope="module")
def signed_out(service: Service) -> ConsoleUser:
    """Someone who is not signed in."""
    return signed_out_user(service)


@pytest.fixture(scope="module")
def foreign(service: Service) -> ConsoleUser:
    """Someone of another account, with a company of their own."""
    company = Company.of(service.new_account())
    company.hire()
    return signed_in_user(company.member)


def test_the_list_of_pages_is_not_empty() -> None:
    assert len(LOOKS) > 15
    assert len(ACTS) > 15


@for_every("page", LOOKS, lambda page: page.path)
def test_viewers_see_pages_without_forms(sample: SampleCompany, viewing_user: ConsoleUser, page: Page) -> None:
    answer = viewing_user.get(sample.path(page.path))
    if WRITING_LOOKS.fullmatch(page.path):
        assert answer.status_code == 403
        assert "Ask an owner" in page_text(answer) or "Only an administrator" in page_text(answer)
        return
    assert answer.status_code == 200
    assert [form for form in page_forms(answer) if form[0] != "get"] == []
    assert not re.search(
        r'href="[^"]*/(new|edit|details|import|bulk_input|finalise|unfinalise|release|delete)"', answer.text
    )
    assert not re.search(r'class="[^"]*\bdanger\b', answer.text)


@for_every("page", LOOKS, lambda page: page.path)
def test_owners_see_every_page(sample: SampleCompany, owner: ConsoleUser, page: Page) -> None:
    answer = owner.get(sample.path(page.path))
    # The import of the sample has no errors to mark.
    assert answer.status_code == (404 if page.path.endswith("/marked") else 200), page_text(answer)


@for_every("page", ACTS, lambda page: page.path)
def test_forged_forms_of_viewers_are_rejected(sample: SampleCompany, viewing_user: ConsoleUser, page: Page) -> None:
    before = sample.company.member.service.fingerprint()
    for step in STEPS if "{step}" in page.path else ("",):
        answer = viewing_user.post(sample.path(page.path, step=step), filled(sample), page="/password")
        assert answer.status_code == 403, (step, page_text(answer))
    after = sample.company.member.service.fingerprint()
    changed = {name for name in after if after[name] != before[name]}
    assert changed <= {"console_sessions", "sign_in_attempts"}


@for_every("page", LOOKS, lambda page: page.path)
def test_pages_of_another_account_are_not_found(sample: SampleCompany, foreign: ConsoleUser, page: Page) -> None:
    if page.path == "/companies/new":
        return
    answer = foreign.get(sample.path(page.path))
    assert answer.status_code == 404
    assert sample.company.member.email not in answer.text
    assert "It may have been deleted" in page_text(answer)


@for_every("page", ACTS, lambda page: page.path)
def test_forms_of_another_account_are_not_found(sample: SampleCompany, foreign: ConsoleUser, page: Page) -> None:
    if page.path == "/companies/new":
        return
    assert foreign.post(sample.path(page.path), filled(sample), page="/password").status_code == 404


@for_every("page", [*LOOKS, *ACTS], lambda page: f"{page.method} {page.path}")
def test_without_a_session_pages_redirect_to_sign_in(
    sample: SampleCompany, signed_out: ConsoleUser, page: Page
) -> None:
    answer = signed_out.browser.request(page.method, sample.path(page.path))
    assert answer.status_code == 303
    assert answer.headers["location"].startswith("/sign-in")


def test_payroll_officers_can_change_and_employees_cannot_see_a_company(sample: SampleCompany) -> None:
    member, company = sample.company.member, sample.company
    payroll = signed_in_user(member.colleague(company.id, "payroll"))
    assert payroll.get(f"/companies/{company.id}/employees/new").status_code == 200
    employee = signed_in_user(member.colleague(company.id, "employee", sample.ids["employee_id"]))
    assert employee.get(f"/companies/{company.id}").status_code == 404


def test_removing_a_role_applies_from_the_next_page(sample: SampleCompany) -> None:
    member = sample.company.member.colleague(sample.company.id, "payroll")
    user = signed_in_user(member)
    assert user.get(f"/companies/{sample.company.id}").status_code == 200
    member.service.as_owner(
        "DELETE FROM memberships m USING users u WHERE u.id = m.user_id AND u.email = $1", member.email
    )
    assert user.get(f"/companies/{sample.company.id}").status_code == 404


@pytest.mark.parametrize("path", ["/employees/x", "/employees/0", "/companies/99999999999999999999", "/payslips/%00"])
def test_invalid_identifiers_are_not_found(viewing_user: ConsoleUser, path: str) -> None:
    assert viewing_user.get(path).status_code == 404
