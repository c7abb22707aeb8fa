"""Companies of the same name are told apart by their UEN."""

from collections.abc import Sequence
from urllib.parse import urlencode

import pytest

from gaji.company.clients.service import ClientMembership
from gaji.console.company_names import company_folders, company_name
from tests.console.company_steps_pages import form_fields, reviewed, rows_of, sent
from tests.console.console_user import page_text, signed_in_user
from tests.payroll.payment_runs.runs import hired, opened, paid, until_ready
from tests.support.company import BANK_ACCOUNT, Company
from tests.support.running import Service

UENS = ("202699999E", "202699998N")
NAMES = [f"Tampines Bakery · UEN {uen}" for uen in UENS]


def companies_named(*names_and_uens: tuple[str, str | None]) -> list[ClientMembership]:
    """Return companies with the IDs 1, 2 and so on."""
    return [
        ClientMembership(number, name, "owner", uen=uen) for number, (name, uen) in enumerate(names_and_uens, start=1)
    ]


@pytest.fixture
def bakeries(service: Service) -> Sequence[Company]:
    """Two companies of the same name, each with an employee who was not paid yet, and one of another name."""
    member = service.new_account()
    bakeries = [
        Company.of(member, name="Tampines Bakery", uen=uen, cpf_submission_number=f"{uen}PTE01") for uen in UENS
    ]
    Company.of(member, name="Yishun Clinic", uen="201912345D")
    for bakery in bakeries:
        hired(bakery)
    return bakeries


def test_the_uen_is_shown_if_another_company_has_the_name() -> None:
    [company] = companies_named(("Bedok Tailors", UENS[0]))
    assert company_name(company) == "Bedok Tailors"
    without_uen = ClientMembership(1, "Bedok Tailors", "owner", has_repeated_name=True)
    assert company_name(without_uen) == "Bedok Tailors"


def test_folders_of_zip_files_have_the_uen_and_are_unique() -> None:
    folders = company_folders(
        companies_named(
            ("Bedok Tailors", UENS[0]),
            ("Bedok Tailors", UENS[1]),
            ("Bedok Tailors", None),
            ("BEDOK/TAILORS", None),
            ("Bedok Tailors", UENS[1]),
            ("...", None),
        )
    )
    assert list(folders.values()) == [
        f"Bedok Tailors ({UENS[0]})",
        f"Bedok Tailors ({UENS[1]})",
        "Bedok Tailors",
        "BEDOK TAILORS (2)",
        f"Bedok Tailors ({UENS[1]}) (2)",
        "Company",
    ]


def test_steps_name_companies_of_the_same_name_with_their_uen(bakeries: Sequence[Company]) -> None:
    user = signed_in_user(bakeries[0].member)
    for bakery in bakeries:
        until_ready(bakery, opened(bakery))
    review = reviewed(user, "finalise", *bakeries)
    assert set(NAMES) <= rows_of(review).keys()
    question = sent(user, form_fields(review))
    for name in NAMES:
        assert f"{name}, 31 Jan 2026" in page_text(question)
    outcome = sent(user, form_fields(review), confirmed=["yes"])
    assert set(rows_of(outcome)) == set(NAMES)


@pytest.mark.parametrize("page", ["payment_files", "cpf_files", "steps"])
def test_lists_of_several_companies_name_them_with_their_uen(bakeries: Sequence[Company], page: str) -> None:
    user = signed_in_user(bakeries[0].member)
    for bakery in bakeries:
        hired(bakery, payment_method="eft_manual", bank_account=BANK_ACCOUNT)
        paid(bakery)
    query = urlencode([("client_id", bakery.id) for bakery in bakeries])
    assert set(NAMES) <= rows_of(user.get(f"/companies/{page}?{query}")).keys()


def test_search_and_the_list_name_companies_of_the_same_name_with_their_uen(bakeries: Sequence[Company]) -> None:
    user = signed_in_user(bakeries[0].member)
    for path in ("/companies", "/search?only=companies", "/search?q=tampines+filings", "/api-keys"):
        text = page_text(user.get(path))
        for name in NAMES:
            assert name in text, path
        assert "Yishun Clinic · UEN" not in text, path
