"""The search for pages, people, companies and actions."""

import re

import pytest

from tests.console.company_list_page import UEN
from tests.console.console_user import ConsoleUser, page_text, signed_in_user
from tests.payroll.payment_runs.runs import hired
from tests.support.company import Company


def found(user: ConsoleUser, query: str) -> dict[str, str]:
    """Return the text of the search results by path."""
    page = user.get(f"/search?{query}").text
    results = re.findall(r'<li><a href="([^"]*)">(.*?)</a></li>', page)
    return {path: " ".join(re.sub(r"<[^>]+>", " ", text).split()) for path, text in results}


def test_search_finds_pages_people_companies_and_actions(bureau: tuple[Company, Company, ConsoleUser]) -> None:
    late, empty, user = bureau
    [employee] = late.listed()
    # Also from another company of the user.
    assert found(user, f"company={empty.id}&q=siti+am") == {
        f"/employees/{employee['id']}": "Siti Aminah 1 · Tampines Bakery"
    }
    assert found(user, f"company={late.id}&q=add")[f"/companies/{late.id}/employees/new"] == "Add employee"
    assert found(user, f"company={late.id}&q=audit") == {
        f"/companies/{late.id}/settings/changes": "Audit log",
        "/account/changes": "Account changes",
    }
    assert found(user, "q=queens") == {f"/companies/{empty.id}": "Queenstown Clinic Owner"}
    assert found(user, f"q={UEN.lower()}") == {f"/companies/{empty.id}": "Queenstown Clinic Owner"}
    assert set(found(user, "only=companies")) == {f"/companies/{late.id}", f"/companies/{empty.id}"}
    for path in found(user, f"company={late.id}"):
        assert user.get(path).status_code == 200, path
    assert "Nothing found" in page_text(user.get("/search?q=zzz"))


def test_search_says_how_many_companies_it_leaves_out(bureau: tuple[Company, Company, ConsoleUser]) -> None:
    late, _, user = bureau
    assert "more compan" not in page_text(user.get("/search?only=companies"))
    for number in range(11):
        Company.of(late.member, name=f"Simei Traders {number}")
    assert len(found(user, "only=companies")) == 12
    assert "1 more company. Type a name or UEN to find it" in page_text(user.get("/search?only=companies"))
    for number in range(11, 14):
        Company.of(late.member, name=f"Simei Traders {number}")
    assert "4 more companies. Type a name or UEN to find them" in page_text(user.get("/search"))
    page = page_text(user.get("/search?only=companies&q=simei"))
    assert "2 more companies. Type more of the name to find them" in page
    assert "Companies, by name or UEN" in page


def test_search_lists_a_company_of_the_name_before_pages_of_others(
    bureau: tuple[Company, Company, ConsoleUser],
) -> None:
    bakery, _, user = bureau
    tours = Company.of(bakery.member, name="Tampines Tours")
    results = list(found(user, "q=tampines+ba"))
    assert results[0] == f"/companies/{bakery.id}"
    assert f"/companies/{tours.id}/payment_runs" in results


def test_search_lists_people_by_their_names_first(bureau: tuple[Company, Company, ConsoleUser]) -> None:
    late, empty, user = bureau
    late.hire(first_name="Aaron", last_name="Lim", job_title="Accountant")
    late.hire(first_name="Adam", last_name="Stanley")
    late.hire(first_name="Wei Ling", last_name="Tan")
    hired(empty, first_name="Tanya", last_name="Goh")
    names = [text.split(" · ")[0].rstrip("0123456789 ") for text in found(user, f"company={late.id}&q=TAN").values()]
    assert names == ["Wei Ling Tan", "Tanya Goh", "Aaron Lim", "Adam Stanley"]


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("cpf", "/filings"),
        ("levy", "/filings"),
        ("template", "/settings/payslip_template"),
        ("overtime", "/bulk_input"),
        ("working hours", "/employees"),
        ("weekly", "/waves/new"),
        ("logo", "/settings/payslip_options"),
        ("late", "/filings"),
        ("leave", "/leave"),
        ("release", "/payment_runs"),
        ("finalise", "/payment_runs"),
        ("pay run", "/payment_runs"),
        ("salary", "/employees"),
    ],
)
def test_pages_are_found_by_what_is_on_them(company: Company, query: str, path: str) -> None:
    assert f"/companies/{company.id}{path}" in found(signed_in_user(company.member), f"company={company.id}&q={query}")


def test_the_work_of_all_companies_and_the_own_sign_in_are_found(company: Company) -> None:
    user = signed_in_user(company.member)
    for query, path in {
        "cpf": "/companies?show=late_filings",
        "late": "/companies?show=attention",
        "waiting": "/companies?show=attention",
        "unpaid": "/companies?show=attention",
        "open pay run": "/companies?sort=pay_date",
        "finalise": "/companies?sort=pay_date",
        "leave": "/companies?show=approvals",
        "not released": "/companies?show=unreleased",
        "overdue payments": "/companies?show=unpaid",
        "unpaid wages": "/companies?show=unpaid",
        "late pay run": "/companies?show=late_runs",
        "email": "/email",
        "sessions": "/devices",
        "passkey": "/passkeys",
    }.items():
        assert path in found(user, f"q={query}"), query
        assert user.get(path).status_code == 200, path


def test_a_company_and_a_page_are_found_together(bureau: tuple[Company, Company, ConsoleUser]) -> None:
    late, empty, user = bureau
    filings = {f"/companies/{late.id}/filings": "Filings Tampines Bakery"}
    assert found(user, "q=tampines+filings") == filings
    assert found(user, f"company={empty.id}&q=cpf+bakery").items() >= filings.items()


def test_every_settings_page_is_found_by_its_name(company: Company) -> None:
    user = signed_in_user(company.member)
    page = user.get(f"/companies/{company.id}/settings").text
    pages = dict(re.findall(r'<a class="card link" href="([^"]*)"><span><strong>([^<]*)<', page))
    assert len(pages) > 10
    assert pages.items() <= found(user, f"company={company.id}").items()


def test_search_shows_only_what_the_user_may_see(
    bureau: tuple[Company, Company, ConsoleUser], company: Company
) -> None:
    late, _, _ = bureau
    foreign = signed_in_user(company.member)
    assert "Siti" not in str(found(foreign, f"company={late.id}&q=siti"))
    viewer = signed_in_user(late.member.colleague(late.id, "viewer"))
    assert "Add employee" not in found(viewer, f"company={late.id}").values()
    employee_id = late.listed()[0]["id"]
    employee = signed_in_user(late.member.colleague(late.id, "employee", employee_id))
    assert employee.get("/search?q=siti").status_code == 404
