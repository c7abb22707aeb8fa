"""Lists that the database sorts, by the links in their headings."""

import re

from tests.console.console_user import ConsoleUser
from tests.console.test_settings_webhooks import add, path_of
from tests.payroll.payment_runs.runs import hired, paid
from tests.support.company import Company
from tests.support.running import created

ROW = re.compile(r'<th scope="row">(?:<a [^>]*>)?([^<]+)')


def rows(user: ConsoleUser, path: str, sort: str) -> list[str]:
    """Return the headings of the rows after sorting, and check that the column is marked."""
    page = user.get(f"{path}{'&' if '?' in path else '?'}sort={sort}").text
    direction = "descending" if sort.startswith("-") else "ascending"
    assert page.count("aria-sort=") == page.count(f'aria-sort="{direction}"') == 1, (path, sort)
    return [heading.strip() for heading in ROW.findall(page)]


def test_the_employees_of_a_profile_are_sorted(owner: ConsoleUser, company: Company) -> None:
    profile_id = created(company.member.post(f"/clients/{company.id}/profiles", {"name": "Drivers"}))
    for name, number in (("Zul", "9"), ("Aisha", "10")):
        employee = f"/employees/{hired(company, first_name=name, number=number)}/profile_mappings"
        created(company.member.post(employee, {"profile_id": profile_id}))
    path = f"/companies/{company.id}/settings/profiles/{profile_id}/mappings"
    assert rows(owner, path, "name") == rows(owner, path, "-number") == ["Aisha Tan", "Zul Tan"]
    assert rows(owner, path, "-name") == rows(owner, path, "number") == ["Zul Tan", "Aisha Tan"]


def test_tax_certificates_are_sorted(owner: ConsoleUser, company: Company) -> None:
    for name, number in (("Zul", "9"), ("Aisha", "10")):
        hired(company, first_name=name, number=number)
    paid(company)
    path = f"/companies/{company.id}/tax_certificates"
    assert owner.post(path, {"year": "2026"}).status_code == 303
    path += "?year=2026"
    assert rows(owner, path, "name") == rows(owner, path, "-number") == ["Aisha Tan", "Zul Tan"]
    assert rows(owner, path, "-name") == rows(owner, path, "number") == ["Zul Tan", "Aisha Tan"]
    [_, aisha] = re.findall(r'name="certificate_id" value="(\d+)"', owner.get(f"{path}&sort=-name").text)
    assert owner.post(path.partition("?")[0], {"year": "2026", "certificate_id": aisha}).status_code == 303
    assert rows(owner, path, "-state") == ["Aisha Tan", "Zul Tan"]


def test_the_audit_log_is_sorted(owner: ConsoleUser, company: Company) -> None:
    employee_id = hired(company, first_name="Aisha")
    company.patch(employee_id, job_title="Driver")
    path = f"/companies/{company.id}/settings/changes?kind=employees"
    newest, oldest = rows(owner, path, "-when"), rows(owner, path, "when")
    assert len(newest) == 2
    assert newest == oldest[::-1]
    page = owner.get(f"{path}&sort=when").text
    assert page.index("added") < page.index("Driver")
    assert len(rows(owner, path, "who")) == 2


def test_deliveries_of_a_webhook_are_sorted(owner: ConsoleUser, company: Company) -> None:
    path = f"{path_of(company)}/{add(owner, company)['id']}"
    assert owner.post(f"{path}/test", {}, page=f"{path}/edit").status_code == 303
    for column in ("message", "last_attempt", "attempts", "state"):
        assert rows(owner, f"{path}/edit", column) == rows(owner, f"{path}/edit", f"-{column}") == ["Test message"]


def test_unknown_columns_are_ignored(owner: ConsoleUser, company: Company) -> None:
    hired(company)
    for path in ("settings/changes", "retro_proposals", "tax_certificates"):
        answer = owner.get(f"/companies/{company.id}/{path}?sort=-id%3B")
        assert answer.status_code == 200
        assert "aria-sort" not in answer.text
