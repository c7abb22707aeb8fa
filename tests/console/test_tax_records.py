"""Benefits in kind and share gains of an employee in the console."""

from tests.console.console_user import ConsoleUser, page_text
from tests.documents.tax_certificates.certificate_client import generate
from tests.documents.tax_certificates.test_year_end import release_all, with_uen
from tests.payroll.payment_runs.runs import hired, paid
from tests.support.company import Company

CAR = {
    "category": "car",
    "provided_from": "2026-01-01",
    "provided_to": "2026-12-31",
    "car_type": "new",
    "cost": "$120,000.00",
    "parf_rebate": "24,000",
    "running_costs": "10450",
    # Fields of other categories, which a browser without scripts sends too.
    "employees_sharing": "1",
    "furnishing": "none",
    "paid_by_employee": "0",
}
OPTION = {
    "plan": "option",
    "company_name": "Merlion Holdings Ltd",
    "grant_date": "2024-03-01",
    "exercise_date": "2026-08-15",
    "market_value": "10",
    "price": "5",
    "shares": "100",
}


def test_officers_record_change_and_delete_benefits(owner: ConsoleUser, company: Company) -> None:
    employee_id = company.hire()
    tab, path = f"/employees/{employee_id}?tab=certificates", f"/employees/{employee_id}/benefits_in_kind"
    assert "No benefits in kind" in page_text(owner.get(tab))
    failed = owner.post(f"{path}/new", CAR | {"provided_to": "2027-01-31", "cost": ""})
    assert failed.status_code == 422
    text = page_text(failed)
    assert "must be in the same calendar year as “From”" in text
    assert "is required when Car is “Bought new”" in text
    saved = owner.post(f"{path}/new", CAR)
    assert saved.status_code == 303, page_text(saved)
    assert "Car 1 Jan 2026 to 31 Dec 2026" in page_text(owner.get(tab))
    assert "$8,592.86" in page_text(owner.get(tab))
    [element] = company.member.get(path).json()
    edit = f"{path}/{element['benefit_in_kind']['id']}/edit"
    assert 'value="120000.00"' in owner.get(edit).text
    hotel = {
        "category": "hotel",
        "amount": "800",
        "description": "First weeks",
        "provided_from": "2026-02-01",
        "provided_to": "2026-02-08",
    }
    assert owner.post(edit, hotel).status_code == 303
    assert "Hotel accommodation First weeks 1 Feb 2026 to 8 Feb 2026" in page_text(owner.get(tab))
    assert owner.post(edit.replace("/edit", "/delete"), page=edit).status_code == 303
    assert company.member.get(path).json() == []


def test_officers_record_share_gains_that_are_explained(owner: ConsoleUser, company: Company) -> None:
    employee_id = company.hire()
    tab, path = f"/employees/{employee_id}?tab=certificates", f"/employees/{employee_id}/share_gains"
    failed = owner.post(f"{path}/new", OPTION | {"exercise_date": "2024-02-01"})
    assert "must not be before “Granted on” (1 Mar 2024)" in page_text(failed)
    assert owner.post(f"{path}/new", OPTION).status_code == 303
    assert "Merlion Holdings Ltd 1 Mar 2024 15 Aug 2026 100 $500.00" in page_text(owner.get(tab))
    [certificate_id] = generate(company)
    explained = page_text(owner.get(f"/companies/{company.id}/tax_certificates?explain={certificate_id}"))
    assert "The gain of an option is income of the year in which it is exercised." in explained
    assert "floor_cents(max(10 − 5, 0) × 100) = 500.00 $500.00" in explained
    [element] = company.member.get(path).json()
    edit = f"{path}/{element['share_gain']['id']}/edit"
    assert owner.post(edit, OPTION | {"shares": "50"}).status_code == 303
    assert "$250.00" in page_text(owner.get(tab))
    assert owner.post(edit.replace("/edit", "/delete"), page=edit).status_code == 303
    assert "No share gains" in page_text(owner.get(tab))


def test_the_year_end_page_has_the_files_and_changes_of_released_sets(owner: ConsoleUser, company: Company) -> None:
    with_uen(company)
    employee_id = hired(company)
    paid(company)
    page = f"/companies/{company.id}/tax_certificates/check?year=2026"
    assert "The certificate has not been generated" in page_text(owner.get(page))
    for job_title in ("Cook", "Head cook"):
        company.patch(employee_id, job_title=job_title)
        generate(company)
        release_all(company)
    answer = owner.get(page)
    assert answer.status_code == 200
    text = page_text(answer)
    assert "First set 1 record, released" in text
    assert "Amended set 1 1 record, released" in text
    assert "Designation Cook Head cook" in text
    for name in ("ir8a_2026_1.json", "ir8a_2026_amended_1_1.xlsx"):
        file = owner.get(f"/companies/{company.id}/tax_certificates?file={name}")
        assert name in answer.text
        assert name in file.headers["content-disposition"]
