"""Appendix 8A and 8B: recorded benefits and share gains on certificates, exports and form IR21."""

from io import BytesIO
from typing import Any

import openpyxl

from tests.documents.tax_certificates.certificate_client import (
    boxes,
    generate,
    generate_and_release,
    list_certificates,
    pdf_text,
    release,
    review,
)
from tests.documents.tax_certificates.test_year_end import with_uen
from tests.payroll.payment_runs.runs import hired, paid
from tests.payroll.payslips.slips import enter
from tests.support.company import Company, of_status
from tests.support.problems import assert_problem
from tests.support.running import created

CAR: dict[str, Any] = {
    "category": "car",
    "provided_from": "2026-01-01",
    "provided_to": "2026-12-31",
    "car_type": "new",
    "cost": "120000.00",
    "parf_rebate": "24000.00",
    "running_costs": "10450.00",
}
FLAT: dict[str, Any] = {
    "category": "residence",
    "provided_from": "2026-01-01",
    "provided_to": "2026-03-31",
    "address": "12 Tiong Bahru Road",
    "rent": "15000.00",
    "paid_by_employee": "2000.00",
}
OPTION: dict[str, Any] = {
    "plan": "option",
    "company_name": "Merlion Holdings Ltd",
    "grant_date": "2024-03-01",
    "exercise_date": "2026-08-15",
    "market_value": "10",
    "price": "5",
    "shares": "100",
}


def record(company: Company, employee_id: int, resource: str, body: dict[str, Any]) -> int:
    return created(company.member.post(f"/employees/{employee_id}/{resource}", body))


def test_records_are_on_the_certificate_with_its_payslips(company: Company) -> None:
    employee_id = hired(company)
    enter(company, f"employees/{employee_id}", "benefit_in_kind", amount="100.50", category="Gym")
    paid(company)
    car_id = record(company, employee_id, "benefits_in_kind", CAR)
    record(company, employee_id, "benefits_in_kind", FLAT)
    record(company, employee_id, "benefits_in_kind", CAR | {"provided_from": "2025-01-01", "provided_to": "2025-12-31"})
    gain_id = record(company, employee_id, "share_gains", OPTION)
    record(company, employee_id, "share_gains", OPTION | {"exercise_date": "2025-12-31"})
    [certificate_id] = generate_and_release(company)
    # 8,592.86 for the car, 13,000 for the flat and 100.50 on the payslip; 500 for the shares.
    assert boxes(company, employee_id)["d"] == 22193
    reviewed = review(company, employee_id)
    assert (reviewed["amounts"]["d8"], reviewed["amounts"]["d9"]) == ("500.00", "21693.36")
    appendix = reviewed["appendix_8a"]
    assert [benefit["category"] for benefit in appendix["benefits"]] == ["car", "residence"]
    assert appendix["sections"] == {
        "residence": "13000.00",
        "utilities_and_housekeeping": "0.00",
        "hotel": "0.00",
        "others": "8592.86",
    }
    assert (appendix["without_record"], appendix["total"], appendix["ir8a"]) == ("100.50", "21693.36", 21693)
    assert reviewed["appendix_8b"]["sections"] == {"10(1)(b)": "500.00", "10(1)(g)": "0.00"}
    explained = company.member.get(f"/tax_certificates/{certificate_id}/explanation").json()["boxes"]
    by_box = {box["box"]: box for box in explained}
    assert (by_box["d8"]["amount"], by_box["d9"]["amount"]) == ("500.00", "21693.36")
    assert [(source["type"], source["id"]) for source in by_box["d8"]["records"]] == [("share_gain", gain_id)]
    [car, _] = by_box["d9"]["records"]
    assert (car["id"], car["amount"], car["source"]) == (car_id, "8592.86", "IRAS, car and car-related benefits")
    assert car["arithmetic"] == ["round_cents(3 ÷ 7 × ((120000.00 − 24000.00) ÷ 10 + 10450.00)) = 8592.86"]
    text = pdf_text(company.member.get(f"/tax_certificates/{certificate_id}").content)
    for part in ("Appendix 8A, 2026", "12 Tiong Bahru Road", "8,592.86", "21,693.36", "Appendix 8B, 2026", "500.00"):
        assert part in text


def test_a_change_of_a_record_makes_the_certificate_outdated(company: Company) -> None:
    employee_id = hired(company)
    paid(company)
    [certificate_id] = generate_and_release(company)
    for resource, body in (("benefits_in_kind", CAR), ("share_gains", OPTION)):
        record_id = record(company, employee_id, resource, body)
        assert list_certificates(company.member, employee_id)[0]["dirty"] is True
        assert_problem(release(company, certificate_id), 409)
        generate_and_release(company)
        assert company.member.delete(f"/{resource}/{record_id}").status_code == 200
        assert list_certificates(company.member, employee_id)[0]["dirty"] is True
        generate_and_release(company)
    other_year = OPTION | {"exercise_date": "2025-08-15"}
    record(company, employee_id, "share_gains", other_year)
    assert list_certificates(company.member, employee_id)[0]["dirty"] is False


def test_the_export_has_the_appendices(company: Company) -> None:
    with_uen(company)
    employee_id = hired(company)
    paid(company)
    record(company, employee_id, "benefits_in_kind", FLAT)
    record(company, employee_id, "share_gains", OPTION)
    generate(company)
    certificates = f"/clients/{company.id}/tax_certificates"
    assert company.member.post(f"{certificates}/release", {"year": 2026}).status_code == 200
    files = f"{certificates}/files"
    [exported] = company.member.get(f"{files}/ir8a_2026_1.json").json()["records"]
    reviewed = review(company, employee_id)
    assert {name: exported[name] for name in ("appendix_8a", "appendix_8b")} == {
        name: reviewed[name] for name in ("appendix_8a", "appendix_8b")
    }
    book = openpyxl.load_workbook(BytesIO(company.member.get(f"{files}/ir8a_2026_1.xlsx").content))
    assert book.sheetnames == ["IR8A 2026", "Appendix 8A 2026", "Appendix 8B 2026"]
    header, benefit = book["Appendix 8A 2026"].iter_rows(values_only=True)
    cells = dict(zip(header, benefit, strict=True))
    assert (cells["employee_id"], cells["address"], cells["days"]) == (employee_id, FLAT["address"], 90)
    assert cells["taxable_value"] == "13000.00"
    header, gain = book["Appendix 8B 2026"].iter_rows(values_only=True)
    assert dict(zip(header, gain, strict=True))["gain"] == "500.00"


def test_a_leaver_has_the_records_on_form_ir21_and_not_on_the_certificate(company: Company) -> None:
    employee_id = created(company.post(of_status("FOREIGNER", appointment_date="2026-01-01")))
    enter(company, f"employees/{employee_id}", "basic_salary", fixed_amount="6000.00")
    paid(company)
    record(company, employee_id, "benefits_in_kind", FLAT)
    company.leave(employee_id, "2026-03-31", ir21=True)
    record(company, employee_id, "share_gains", OPTION | {"exercise_date": "2026-02-28", "deemed": True})
    text = pdf_text(company.member.get(f"/employees/{employee_id}/ir21.pdf").content)
    for part in ("Appendix 8A, 2026", "13,000.00", "Appendix 8B, 2026", "deemed"):
        assert part in text
    assert generate(company) == []


def test_someone_with_records_only_has_a_certificate(company: Company) -> None:
    employee_id = company.hire()
    record(company, employee_id, "share_gains", OPTION)
    generate(company)
    assert boxes(company, employee_id) == {"d": 500, "total": 500}
