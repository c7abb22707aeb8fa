"""Year end: the check of the whole company, previews, and the release of all certificates."""

from io import BytesIO
from typing import Any

import openpyxl
import pytest

from gaji.documents.tax_certificates.exports import divide_records
from gaji.payroll.calculation_definitions.rules import IR8A_ITEMS
from gaji.people.take_on.queries import DEDUCTION_ITEMS
from tests.documents.tax_certificates.certificate_client import (
    boxes,
    generate,
    list_certificates,
    pdf_text,
    release,
    review,
)
from tests.payroll.payment_runs.runs import FEBRUARY, done, hired, opened, paid
from tests.payroll.payslips.slips import draft, enter
from tests.support.company import FOREIGNER, Company
from tests.support.problems import assert_problem, field_errors
from tests.support.running import created

ADDRESS = {"type": "L", "block_no": "12", "st_name": "Jalan Besar", "postal_code": "208787"}
COMPLETE: dict[str, Any] = {"physical_address": ADDRESS, "job_title": "Cook"}


def check(company: Company, year: int = 2026) -> dict[str, Any]:
    answer = company.member.get(f"/clients/{company.id}/tax_certificates/check?year={year}")
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def codes(points: list[dict[str, str]]) -> list[str]:
    return [point["code"] for point in points]


def release_all(company: Company, year: int = 2026) -> Any:
    return company.member.post(f"/clients/{company.id}/tax_certificates/release", {"year": year})


def test_the_check_names_every_open_point_until_all_is_released(company: Company) -> None:
    company.member.call("PATCH", f"/clients/{company.id}", json={"uen": None})
    complete, incomplete = hired(company, **COMPLETE), hired(company)
    enter(company, f"employees/{incomplete}", "bonus", amount="500.00")
    enter(company, f"employees/{incomplete}", "directors_fee", amount="900.00")
    paid(company)
    run_id = opened(company, FEBRUARY)
    result = check(company)
    assert result["counts"] == {"missing": 2, "outdated": 0, "ready": 0, "released": 0}
    assert codes(result["points"]) == ["uen_missing", "run_open", "certificates_not_generated"]
    assert str(run_id) in result["points"][1]["message"]
    by_employee = {employee["employee_id"]: employee for employee in result["employees"]}
    assert codes(by_employee[complete]["points"]) == ["certificate_missing"]
    assert codes(by_employee[incomplete]["points"]) == [
        "address_missing",
        "job_title_missing",
        "declaration_date_missing",
        "approval_date_missing",
        "certificate_missing",
    ]
    assert result["complete"] is False


def enter_late(company: Company, payslip_id: int, calc_type: str, **inputs: object) -> int:
    """Enter a calculation of a finalised payslip and return its ID."""
    body = {"calc_type": calc_type, "calculation_details": inputs}
    answer = company.member.post(f"/payslips/{payslip_id}/calculations?late=true", body)
    return created(answer)


def test_dates_that_are_entered_after_the_payment_count(company: Company) -> None:
    employee_id = hired(company, **COMPLETE)
    payslip_id = draft(company, employee_id)
    for calc_type in ("bonus", "directors_fee"):
        enter(company, f"payslips/{payslip_id}", calc_type, amount="1000.00")
    paid(company)
    generate(company)
    missing = ["declaration_date_missing", "approval_date_missing", "certificate_not_released"]
    assert codes(check(company)["employees"][0]["points"]) == missing
    enter_late(company, payslip_id, "bonus", amount="1000.00", declaration_date="2026-01-20")
    enter_late(company, payslip_id, "directors_fee", amount="1000.00", approval_date="2026-01-15")
    assert codes(check(company)["employees"][0]["points"]) == ["certificate_outdated"]
    generate(company)
    assert codes(check(company)["employees"][0]["points"]) == ["certificate_not_released"]
    certificate = review(company, employee_id)
    assert certificate["bonus_declared"] == ["2026-01-20"]
    assert certificate["directors_fee_approved"] == ["2026-01-15"]
    enter_late(company, payslip_id, "bonus", amount="1000.00", declaration_date="2026-01-21")
    generate(company)
    assert review(company, employee_id)["bonus_declared"] == ["2026-01-21"]
    assert company.member.get(f"/employees/{employee_id}/retro_proposals").json() == [], "no amount differs"


def test_a_date_that_is_entered_after_the_payment_can_change_the_year(company: Company) -> None:
    employee_id = hired(company, **COMPLETE)
    payslip_id = draft(company, employee_id)
    enter(company, f"payslips/{payslip_id}", "directors_fee", amount="1000.00")
    paid(company)
    generate(company)
    assert boxes(company, employee_id)["c"] == 1000
    calculation_id = enter_late(company, payslip_id, "directors_fee", amount="1000.00", approval_date="2025-12-19")
    generate(company)
    assert "c" not in boxes(company, employee_id)
    generate(company, 2025)
    assert boxes(company, employee_id, 2025)["c"] == 1000
    assert company.member.delete(f"/calculations/{calculation_id}?late=true").status_code == 200
    generate(company)
    assert boxes(company, employee_id)["c"] == 1000, "what was finalised"


def test_the_check_is_complete_when_all_certificates_are_released(company: Company) -> None:
    with_uen(company)
    employee_id = hired(company, **COMPLETE)
    paid(company)
    generate(company)
    assert codes(check(company)["employees"][0]["points"]) == ["certificate_not_released"]
    company.patch(employee_id, job_title="Head cook")
    assert check(company)["employees"][0]["state"] == "outdated"
    generate(company)
    assert release_all(company).status_code == 200
    result = check(company)
    assert result["complete"] is True, result
    assert result["counts"] == {"missing": 0, "outdated": 0, "ready": 0, "released": 1}
    assert check(company, 2024)["employees"] == []


def test_opening_balances_with_wages_but_without_income_are_an_open_point(company: Company) -> None:
    employee_id = hired(company, **COMPLETE)
    paid(company)
    generate(company)
    balances = f"/employees/{employee_id}/take_on_balances"
    wages = {"year": 2026, "ordinary_wages": "8300.00", "ordinary_wages_subject": "8000.00", "cpf_employee": "1600.00"}
    assert company.member.call("PUT", balances, json=wages).status_code == 200
    assert codes(check(company)["employees"][0]["points"]) == ["take_on_income_missing", "certificate_outdated"]
    assert company.member.call("PUT", balances, json={**wages, "ir8a": {"a": "8300.00"}}).status_code == 200
    assert codes(check(company)["employees"][0]["points"]) == ["certificate_outdated"]


def test_opening_balances_without_income_are_an_open_point_without_a_certificate_too(company: Company) -> None:
    """A foreigner has no CPF, so nothing is on a certificate yet."""
    employee_id = hired(company, **FOREIGNER, **COMPLETE)
    other = hired(company, **COMPLETE)
    wages = {"year": 2026, "ordinary_wages": "8300.00"}
    assert company.member.call("PUT", f"/employees/{employee_id}/take_on_balances", json=wages).status_code == 200
    result = check(company)
    [employee] = result["employees"]
    assert (employee["employee_id"], employee["certificate_id"], employee["state"]) == (employee_id, None, "missing")
    assert (employee["number"], employee["name"]) == (company.employee(employee_id)["number"], "Mei Ling Tan")
    assert codes(employee["points"]) == ["take_on_income_missing"]
    run_id = paid(company)
    generate(company)
    done(company, run_id, "unfinalise")
    points = {employee["employee_id"]: codes(employee["points"]) for employee in check(company)["employees"]}
    assert points == {employee_id: ["take_on_income_missing", "income_missing"], other: ["income_missing"]}
    company.leave(employee_id, "2026-06-30", ir21=True)
    assert codes(check(company)["employees"][0]["points"]) == ["income_missing"], "the wages are on the IR21"


def test_donations_and_premiums_are_not_the_income_of_opening_balances(company: Company) -> None:
    employee_id = hired(company, **COMPLETE)
    paid(company)
    generate(company)
    balances = f"/employees/{employee_id}/take_on_balances"
    wages = {"year": 2026, "ordinary_wages": "8300.00"}
    for item in DEDUCTION_ITEMS:
        assert company.member.call("PUT", balances, json={**wages, "ir8a": {item: "60.00"}}).status_code == 200
        assert "take_on_income_missing" in codes(check(company)["employees"][0]["points"])
    assert set(DEDUCTION_ITEMS) == set(IR8A_ITEMS["deduction"]), "as in custom items"


def test_all_certificates_are_released_or_none(company: Company) -> None:
    employee_ids = [hired(company), hired(company)]
    paid(company)
    assert "No certificates of 2026" in assert_problem(release_all(company), 409)["message"]
    ids = generate(company)
    company.patch(employee_ids[0], job_title="Cook")
    message = assert_problem(release_all(company), 409)["message"]
    assert message.startswith("1 certificate of 2026 is missing or out of date")
    assert not any(review(company, employee_id)["released"] for employee_id in employee_ids)
    assert generate(company) == ids
    assert release(company, ids[0]).status_code == 200
    answer = release_all(company)
    assert answer.json() == {
        "message": "1 certificate for 2026 has been released; 1 released before",
        "ids": [ids[1]],
    }
    assert release_all(company).json()["ids"] == []
    assert [len(list_certificates(company.member, employee_id)) for employee_id in employee_ids] == [1, 1]
    assert list(field_errors(release_all(company, 2190))) == ["year"]


def test_a_certificate_that_is_released_twice_stays_released(company: Company) -> None:
    hired(company)
    paid(company)
    [certificate_id] = generate(company)
    assert release(company, certificate_id).json()["message"] == "The tax certificate has been released"
    again = release(company, certificate_id)
    assert again.status_code == 200
    assert again.json() == {"message": "The tax certificate was released before", "id": certificate_id}


def test_a_preview_is_marked_as_a_draft_until_the_release(company: Company) -> None:
    employee_id = hired(company)
    paid(company)
    [certificate_id] = generate(company)
    preview = f"/tax_certificates/{certificate_id}/preview"
    answer = company.member.get(preview)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/pdf"
    assert "DRAFT" in pdf_text(answer.content)
    assert "4,200" in pdf_text(answer.content)
    assert_problem(company.member.get(f"/tax_certificates/{certificate_id}"), 404)
    release(company, certificate_id)
    released = company.member.get(preview).content
    assert "DRAFT" not in pdf_text(released)
    assert released == company.member.get(f"/tax_certificates/{certificate_id}").content
    assert review(company, employee_id)["released"] is True


def with_uen(company: Company) -> None:
    """Give the company a UEN, which files of certificates need."""
    assert company.member.call("PATCH", f"/clients/{company.id}", json={"uen": "202699999E"}).status_code == 200


def files_path(company: Company) -> str:
    return f"/clients/{company.id}/tax_certificates/files"


def test_released_certificates_are_exported_as_json_and_xlsx(company: Company) -> None:
    with_uen(company)
    first, second = hired(company, **COMPLETE), hired(company, "3000.50", first_name="Ravi")
    enter(company, f"employees/{second}", "bonus", amount="500.00", declaration_date="2026-01-15")
    paid(company)
    assert company.member.get(f"{files_path(company)}?year=2026").json() == []
    ids = generate(company)
    message = assert_problem(company.member.get(f"{files_path(company)}?year=2026"), 409)["message"]
    assert message.endswith("2 of 2 are not released at all; release all certificates first")
    release_all(company)
    listed = [element["file"] for element in company.member.get(f"{files_path(company)}?year=2026").json()]
    assert [(file["name"], file["part"], file["parts"], file["records"]) for file in listed] == [
        ("ir8a_2026_1.json", 1, 1, 2),
        ("ir8a_2026_1.xlsx", 1, 1, 2),
    ]
    document = company.member.get(f"{files_path(company)}/ir8a_2026_1.json").json()
    assert (document["form"], document["year"], document["year_of_assessment"]) == ("IR8A", 2026, 2027)
    assert [record["certificate_id"] for record in document["records"]] == ids
    for employee_id, record in zip((first, second), document["records"], strict=True):
        reviewed = review(company, employee_id)
        assert {name: record[name] for name in ("boxes", "amounts", "bonus_declared")} == {
            name: reviewed[name] for name in ("boxes", "amounts", "bonus_declared")
        }
        assert record["identifier"] == company.employee(employee_id)["nric"]
    content = company.member.get(f"{files_path(company)}/ir8a_2026_1.xlsx").content
    header, *rows = openpyxl.load_workbook(BytesIO(content)).active.iter_rows(values_only=True)
    for record, row in zip(document["records"], rows, strict=True):
        cells = dict(zip(header, row, strict=True))
        assert cells["name"] == record["name"]
        assert cells["boxes.total"] == record["boxes"]["total"]
        assert cells["amounts.a"] == record["amounts"]["a"]


def test_files_of_a_set_stay_as_they_were_released(company: Company) -> None:
    with_uen(company)
    employee_id = hired(company, **COMPLETE)
    paid(company)
    generate(company)
    release_all(company)
    paths = [f"{files_path(company)}/ir8a_2026_1.{extension}" for extension in ("json", "xlsx")]
    released = [company.member.get(path).content for path in paths]
    nric = company.employee(employee_id)["nric"]
    stored = company.member.service.as_owner(
        "SELECT content_sealed FROM tax_certificate_files WHERE client_id = $1", company.id
    )
    assert len(stored) == len(paths)
    assert nric.encode() in released[0]
    assert not any(nric.encode() in row["content_sealed"] for row in stored)
    company.patch(employee_id, last_name="Lim")
    generate(company)
    release_all(company)
    assert [company.member.get(path).content for path in paths] == released
    # Sets that were released before files were stored are encoded when they are read.
    company.member.service.as_owner("DELETE FROM tax_certificate_files WHERE client_id = $1", company.id)
    assert company.member.get(paths[0]).content == released[0]
    listed = [element["file"] for element in company.member.get(f"{files_path(company)}?year=2026").json()]
    assert [(file["name"], file["set"], file["parts"], file["records"]) for file in listed] == [
        ("ir8a_2026_1.json", 1, 1, 1),
        ("ir8a_2026_1.xlsx", 1, 1, 1),
        ("ir8a_2026_amended_1_1.json", 2, 1, 1),
        ("ir8a_2026_amended_1_1.xlsx", 2, 1, 1),
    ]


@pytest.mark.parametrize("name", ["ir8a_2026_1.csv", "ir8a_2026_2.json", "ir8a_0000_1.json", "x" * 300])
def test_an_unknown_file_is_not_found(company: Company, name: str) -> None:
    hired(company)
    paid(company)
    generate(company)
    release_all(company)
    assert_problem(company.member.get(f"{files_path(company)}/{name}"), 404)


@pytest.mark.parametrize(("count", "sizes"), [(0, []), (2000, [2000]), (2001, [2000, 1]), (4000, [2000, 2000])])
def test_a_file_has_at_most_2000_records(count: int, sizes: list[int]) -> None:
    parts = divide_records([{"certificate_id": number} for number in range(count)])
    assert [len(part) for part in parts] == sizes
    assert [record["certificate_id"] for part in parts for record in part] == list(range(count))


def test_an_employee_without_income_any_more_is_an_open_point(company: Company) -> None:
    employee_id = hired(company)
    run_id = paid(company)
    generate(company)
    done(company, run_id, "unfinalise")
    [employee] = check(company)["employees"]
    assert (employee["employee_id"], employee["state"]) == (employee_id, "outdated")
    assert codes(employee["points"]) == ["income_missing"]


def test_all_pages_agree_on_what_is_out_of_date(company: Company) -> None:
    employee_id = hired(company, **COMPLETE)
    run_id = paid(company)
    [certificate_id] = generate(company)
    company.patch(employee_id, job_title="Head cook")
    assert review(company, employee_id)["dirty"] is True
    assert check(company)["employees"][0]["state"] == "outdated"
    assert_problem(release(company, certificate_id), 409)
    assert_problem(release_all(company), 409)
    company.patch(employee_id, job_title="Cook")
    for action in ("unfinalise", "finalise"):
        done(company, run_id, action)
    assert review(company, employee_id)["dirty"] is False
    assert check(company)["employees"][0]["state"] == "ready"
    assert release_all(company).status_code == 200
    assert len(company.member.get(f"{files_path(company)}?year=2026").json()) == 2
    employee = company.member.colleague(company.id, "employee", employee_id)
    assert [certificate["dirty"] for certificate in list_certificates(employee, employee_id)] == [False]


def test_a_company_without_a_uen_has_no_files_until_it_is_added(company: Company) -> None:
    hired(company)
    paid(company)
    generate(company)
    release_all(company)
    listed = [element["file"] for element in company.member.get(f"{files_path(company)}?year=2026").json()]
    expected = {"uen": "is required on the client: the file identifies the employer by it"}
    assert [file["errors"] for file in listed] == [expected, expected]
    path = f"{files_path(company)}/ir8a_2026_1.json"
    assert field_errors(company.member.get(path)) == expected
    with_uen(company)
    assert company.member.get(path).json()["employer"]["uen"] == "202699999E"


def test_released_certificates_are_printed_together(company: Company) -> None:
    path = f"/clients/{company.id}/tax_certificates/forms.pdf?year=2026"
    hired(company), hired(company, "3000.00", first_name="Ravi")
    paid(company)
    ids = generate(company)
    assert "0 certificates released" in assert_problem(company.member.get(path), 404)["message"]
    release(company, ids[1])
    text = pdf_text(company.member.get(path).content)
    assert ("3,000" in text, "4,200" in text) == (True, False)
    release_all(company)
    answer = company.member.get(path)
    assert answer.headers["content-type"] == "application/pdf"
    text = pdf_text(answer.content)
    assert text.count("remuneration for the year ended") == 2
    assert text.index("4,200") < text.index("3,000")
    assert "DRAFT" not in text
    assert_problem(company.member.get(f"{path}&part=2"), 404)
    assert list(field_errors(company.member.get(f"{path}&part=0"))) == ["part"]


def test_the_check_says_whether_submission_is_mandatory(company: Company) -> None:
    for _ in range(4):
        hired(company)
    left = hired(company, appointment_date="2025-01-01")
    company.leave(left, "2025-12-31")
    assert (check(company)["employee_count"], check(company)["must_submit"]) == (4, False)
    assert check(company, 2025)["employee_count"] == 1
    company.hire(appointment_date="2026-12-31")
    assert (check(company)["employee_count"], check(company)["must_submit"]) == (5, True)
