"""Tax certificates in the API: generation, release, lists, and the dirty mark when figures change."""

import re
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.documents.tax_certificates.certificate_client import (
    boxes,
    generate,
    generate_and_release,
    list_certificates,
    release,
    review,
)
from tests.payroll.payment_runs.runs import FEBRUARY, JANUARY, done, hired, opened, paid
from tests.payroll.payslips.slips import draft, enter
from tests.support.company import Company
from tests.support.problems import assert_problem, field_errors
from tests.support.running import Member, created


def certificate_of(company: Company, employee_id: int, year: int = 2026) -> int:
    """Generate and release an employee's certificate and return its id."""
    generate(company, year)
    certificate_id: int = review(company, employee_id, year)["id"]
    assert release(company, certificate_id).status_code == 200
    return certificate_id


def is_dirty(company: Company, employee_id: int, year: int = 2026) -> bool:
    """Return whether a certificate is dirty. Both lists must agree."""
    dirty: bool = review(company, employee_id, year)["dirty"]
    certificates = [
        certificate
        for certificate in list_certificates(company.member, employee_id)
        if certificate["name"] == f"IR8A {year}"
    ]
    assert all(certificate["dirty"] == dirty for certificate in certificates)
    return dirty


def test_it_works(company: Company) -> None:
    mei = hired(company, "4200.45")
    for end in (JANUARY, FEBRUARY):
        paid(company, end)
    [certificate_id] = generate(company)
    where = f"/tax_certificates/{certificate_id}"
    assert list_certificates(company.member, mei) == []
    assert (
        assert_problem(company.member.get(where), 404)["message"] == f"Tax certificate {certificate_id} does not exist"
    )
    answer = release(company, certificate_id)
    assert answer.json() == {"message": "The tax certificate has been released", "id": certificate_id}
    assert list_certificates(company.member, mei) == [
        {
            "id": certificate_id,
            "name": "IR8A 2026",
            "date": "2026-12-31",
            "worked_from": "2026-01-01",
            "worked_to": "2026-12-31",
            "dirty": False,
        }
    ]
    pdf = company.member.get(where, headers={"Content-Type": "application/pdf"})
    assert (pdf.status_code, pdf.headers["content-type"]) == (200, "application/pdf")
    assert pdf.content.startswith(b"%PDF-")
    assert boxes(company, mei) == {"a": 8400, "total": 8400, "cpf": 1680, "donation": 3}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, "is required"),
        ({"year": None}, "is required"),
        ({"year": "soon"}, "must be an integer"),
        ({"year": 1999}, "must be from 2000 to 2199"),
        ({"year": 2198}, "must not be after "),
    ],
)
def test_invalid_years_are_rejected(company: Company, body: dict[str, Any], expected: str) -> None:
    answer = company.member.post(f"/clients/{company.id}/tax_certificates", body)
    assert field_errors(answer)["year"].startswith(expected)
    answer = company.member.get(f"/clients/{company.id}/tax_certificates?year=soon")
    assert field_errors(answer) == {"year": "must be an integer"}


def test_unknown_attributes_are_warned_about(company: Company) -> None:
    answer = company.member.post(f"/clients/{company.id}/tax_certificates", {"year": "2026", "yaer": 1})
    assert answer.json()["ids"] == []
    assert answer.json()["warnings"] == {"yaer": "Unknown attribute, ignored. Did you mean year?"}


def test_only_employees_with_income_get_a_certificate(company: Company) -> None:
    mei = hired(company)
    hired(company, appointment_date="2026-03-01")
    paid(company)
    [certificate_id] = generate(company)
    assert review(company, mei)["id"] == certificate_id
    assert generate(company, 2025) == []


def test_a_viewer_cannot_generate_or_release(company: Company) -> None:
    hired(company)
    paid(company)
    [certificate_id] = generate(company)
    viewer = company.member.colleague(company.id, "viewer")
    assert_problem(viewer.post(f"/clients/{company.id}/tax_certificates", {"year": 2026}), 403)
    assert_problem(viewer.post(f"/tax_certificates/{certificate_id}/release"), 403)
    assert viewer.get(f"/clients/{company.id}/tax_certificates").status_code == 200


def test_employees_can_only_read_their_own_released_certificates(company: Company) -> None:
    mei, ravi = hired(company), hired(company)
    number = company.employee(mei)["number"]
    paid(company)
    generate(company)
    own_id, other_id = review(company, mei)["id"], review(company, ravi)["id"]
    employee = company.member.colleague(company.id, "employee", mei)
    assert list_certificates(employee, mei) == []
    assert_problem(employee.get(f"/tax_certificates/{own_id}"), 404)
    for certificate_id in (own_id, other_id):
        release(company, certificate_id)
    assert [certificate["id"] for certificate in list_certificates(employee, mei)] == [own_id]
    file = employee.get(f"/tax_certificates/{own_id}")
    assert file.status_code == 200
    assert re.search(rf'filename="IR8A-\d{{4}}-{number}\.pdf"', file.headers["content-disposition"])
    assert_problem(employee.get(f"/tax_certificates/{other_id}"), 404)
    assert_problem(employee.get(f"/employees/{ravi}/tax_certificates"), 404)
    assert_problem(employee.get(f"/clients/{company.id}/tax_certificates"), 404)
    assert_problem(employee.post(f"/tax_certificates/{own_id}/release"), 403)


def test_a_contractual_bonus_is_on_the_certificate_of_the_year_of_entitlement(company: Company) -> None:
    mei = hired(company, "4000.00")
    bonus = {"amount": "7500.90", "declaration_date": "2025-12-18", "contractual": True}
    enter(company, f"payslips/{draft(company, mei)}", "bonus", **bonus)
    paid(company)
    generate(company, 2025)
    generate(company, 2026)
    assert boxes(company, mei, 2025) == {"b": 7500, "total": 7500}
    assert review(company, mei, 2025)["amounts"] == {"b.contractual": "7500.90"}
    assert boxes(company, mei)["a"] == boxes(company, mei)["total"] == 4000
    worked = review(company, mei, 2025)
    assert (worked["worked_from"], worked["worked_to"]) == ("2026-01-01", "2026-01-01")


def test_unfinalising_a_run_marks_the_certificate_as_dirty(company: Company) -> None:
    mei = hired(company)
    paid(company)
    run_id = paid(company, FEBRUARY)
    certificate_id = certificate_of(company, mei)
    assert not is_dirty(company, mei)
    done(company, run_id, "unfinalise")
    assert is_dirty(company, mei)
    message = assert_problem(release(company, certificate_id), 409)["message"]
    assert message.endswith("generate the certificates of 2026 again first")
    assert company.member.get(f"/tax_certificates/{certificate_id}").status_code == 200
    assert generate(company) == [certificate_id]
    assert not is_dirty(company, mei)
    assert boxes(company, mei)["a"] == 4200


def test_a_changed_certificate_must_be_released_again(company: Company) -> None:
    mei = hired(company)
    paid(company)
    certificate_id = certificate_of(company, mei)
    paid(company, FEBRUARY)
    assert is_dirty(company, mei)
    answer = company.member.post(f"/clients/{company.id}/tax_certificates", {"year": 2026}).json()
    assert answer["ids"] == [certificate_id]
    assert answer["message"].endswith("; 1 released before has changed and must be released again")
    assert list_certificates(company.member, mei) == []
    assert_problem(company.member.get(f"/tax_certificates/{certificate_id}"), 404)
    assert release(company, certificate_id).status_code == 200
    assert boxes(company, mei)["a"] == 8400


def test_an_unchanged_certificate_stays_released(company: Company) -> None:
    mei = hired(company)
    run_id = paid(company)
    certificate_id = certificate_of(company, mei)
    before = company.member.get(f"/tax_certificates/{certificate_id}").content
    done(company, run_id, "unfinalise")
    assert is_dirty(company, mei)
    done(company, run_id, "finalise")
    assert not is_dirty(company, mei)
    assert generate(company) == [certificate_id]
    [certificate] = list_certificates(company.member, mei)
    assert not certificate["dirty"]
    assert company.member.get(f"/tax_certificates/{certificate_id}").content == before


def test_runs_of_another_year_only_count_for_income_of_this_year(company: Company) -> None:
    company = Company(
        company.member, company.id, company.wave(frequency="monthly", last_day_of_month=31, first_end_date="2025-12-31")
    )
    mei = hired(company, appointment_date="2025-12-01")
    paid(company, "2025-12-31")
    generate_and_release(company, 2025)
    paid(company, JANUARY)
    assert not is_dirty(company, mei, 2025)
    bonus = {"amount": "500.00", "declaration_date": "2025-12-30", "contractual": True}
    enter(company, f"payslips/{draft(company, mei)}", "bonus", **bonus)
    paid(company, FEBRUARY)
    assert is_dirty(company, mei, 2025)
    generate(company, 2025)
    assert boxes(company, mei, 2025)["b"] == 500


def test_a_certificate_without_income_is_removed(company: Company) -> None:
    mei = hired(company)
    run_id = paid(company)
    certificate_of(company, mei)
    done(company, run_id, "unfinalise")
    answer = company.member.post(f"/clients/{company.id}/tax_certificates", {"year": 2026}).json()
    assert answer["ids"] == []
    assert answer["message"].endswith("; 1 without income in the year has been removed")
    assert list_certificates(company.member, mei) == []


def test_take_on_balances_count_and_changes_mark_the_certificate(company: Company) -> None:
    mei = hired(company, "5000.50")
    where = f"/employees/{mei}/take_on_balances"
    taken_on = {"year": 2026, "cpf_employee": "6000.00", "ir8a": {"a": "30000.60", "d1_transport": "300.05"}}
    assert company.member.call("PUT", where, json=taken_on).status_code == 200
    paid(company)
    certificate_of(company, mei)
    dollars = boxes(company, mei)
    assert (dollars["a"], dollars["d"], dollars["total"]) == (35001, 300, 35301)
    assert dollars["cpf"] == 7000
    company.member.call("PUT", where, json={**taken_on, "ir8a": {"a": "1.00"}})
    assert is_dirty(company, mei)
    company.member.call("PUT", where, json=taken_on)
    assert not is_dirty(company, mei)


def test_changes_of_the_days_worked_mark_the_certificate(company: Company) -> None:
    mei = hired(company, appointment_date="2026-01-12")
    paid(company)
    certificate_of(company, mei)
    assert review(company, mei)["worked_from"] == "2026-01-12"
    company.leave(mei, "2026-09-30")
    assert is_dirty(company, mei)
    company.act(mei, "undo_end_service")
    assert not is_dirty(company, mei)
    company.leave(mei, "2026-09-30")
    generate(company)
    assert review(company, mei)["worked_to"] == "2026-09-30"


def test_someone_cleared_with_an_ir21_gets_no_certificate(company: Company) -> None:
    mei, arun = hired(company), hired(company, first_name="Arun")
    paid(company)
    certificate_of(company, arun)
    company.leave(arun, "2026-03-31")
    assert is_dirty(company, arun)
    generate(company)
    certificate_of(company, arun)
    company.leave(arun, "2026-03-31", ir21=True)
    assert is_dirty(company, arun)
    assert generate(company) == [review(company, mei)["id"]]
    assert list_certificates(company.member, arun) == []


def test_the_income_of_a_new_service_after_an_ir21_is_on_a_certificate(company: Company) -> None:
    arun = hired(company, "4000.00", first_name="Arun")
    paid(company)
    company.leave(arun, "2026-01-31", ir21=True)
    assert generate(company) == []
    company.act(arun, "reinstate", appointment_date="2026-02-01")
    paid(company, FEBRUARY)
    generate(company)
    assert boxes(company, arun)["a"] == 4000
    assert (review(company, arun)["worked_from"], review(company, arun)["worked_to"]) == ("2026-02-01", "2026-12-31")


def test_moving_a_custom_item_to_another_box_marks_all_certificates(company: Company) -> None:
    item = {"name": "Night shift", "kind": "allowance", "input": "per_employee"}
    definition_id = created(company.member.post(f"/clients/{company.id}/calculation_definitions", item))
    mei = hired(company, "4000.00")
    enter(company, f"employees/{mei}", str(definition_id), amount="88.80")
    paid(company)
    certificate_of(company, mei)
    assert review(company, mei)["amounts"]["d1_other"] == "88.80"
    where = f"/calculation_definitions/{definition_id}"
    assert company.member.patch(where, {"name": "Night shifts"}).status_code == 200
    assert not is_dirty(company, mei)
    assert company.member.patch(where, {"ir8a": "a"}).status_code == 200
    assert is_dirty(company, mei)
    generate(company)
    assert boxes(company, mei)["a"] == 4088


def test_every_kind_of_item_goes_to_its_box(company: Company) -> None:
    mei = hired(company, "4500.00", race="MALAY", religion="ISLAM")
    slip = f"payslips/{draft(company, mei)}"
    for calc_type, inputs in {
        "transport_allowance": {"amount": "150.60"},
        "commission": {"commission_input": "800.25"},
        "annual_wage_supplement": {"amount": "4000.00"},
        "directors_fee": {"amount": "1000.75", "approval_date": "2026-01-15"},
        "gratuity": {"amount": "1500.50"},
        "retrenchment_benefit": {"amount": "20000.00"},
        "benefit_in_kind": {"amount": "450.50", "category": "car"},
        "donation": {"amount": "10.10"},
        "insurance": {"amount": "55.01"},
    }.items():
        enter(company, slip, calc_type, **inputs)
    paid(company)
    generate(company)
    amounts = review(company, mei)["amounts"]
    assert {key: amount for key, amount in amounts.items() if key not in ("cpf", "donation", "mosque")} == {
        "a": "4500.00",
        "b.contractual": "4000.00",
        "c": "1000.75",
        "d1_transport": "150.60",
        "d2": "800.25",
        "d4.gratuity": "1500.50",
        "d4.compensation": "20000.00",
        "d9": "450.50",
        "insurance": "55.01",
    }
    # MBMF on wages of 10,951.35 is 26.00: 17.50 for the Mosque Building Fund and 8.50 for Mendaki.
    assert (amounts["mosque"], amounts["donation"]) == ("17.50", "18.60")
    assert boxes(company, mei)["d"] == 2901


def test_generation_and_release_are_in_the_audit_log(company: Company) -> None:
    mei = hired(company)
    paid(company)
    certificate_id = certificate_of(company, mei)
    paid(company, FEBRUARY)
    generate(company)
    rows = company.member.service.as_owner(
        "SELECT action, row_id, before::text, after::text FROM audit_log WHERE client_id = $1 "
        "AND action LIKE 'tax_certificate%' ORDER BY id",
        company.id,
    )
    assert [row["action"] for row in rows] == [
        "tax_certificate_years.insert",
        "tax_certificates.update",
        "tax_certificates.update",
        "tax_certificate_years.update",
    ]
    assert [row["row_id"] for row in rows[1:3]] == [certificate_id] * 2
    assert '"a":420000' in rows[2]["before"].replace(" ", "")
    assert '"a":840000' in rows[2]["after"].replace(" ", "")
    assert "hidden" in rows[2]["before"]


def test_identity_numbers_are_encrypted(company: Company) -> None:
    mei = hired(company)
    nric = company.employee(mei)["nric"]
    paid(company)
    generate(company)
    [row] = company.member.service.as_owner("SELECT t::text AS row FROM tax_certificates t WHERE employee_id = $1", mei)
    assert nric not in row["row"]
    assert nric[-4:] in row["row"]


def test_generation_waits_for_concurrent_changes(company: Company) -> None:
    hired(company)
    paid(company)
    run_id = opened(company, FEBRUARY)
    lock = "SELECT pg_advisory_xact_lock(hashtextextended('tax certificates', $1))"
    with ThreadPoolExecutor(2) as threads:
        with company.member.service.holding(lock, company.id):
            generating = threads.submit(generate, company)
            company.member.service.wait_until_blocked(1)
            finalising = threads.submit(done, company, run_id, "finalise")
            company.member.service.wait_until_blocked(2)
        generating.result()
        finalising.result()
    first = review(company, company.listed()[0]["id"])
    assert first["dirty"] == (first["boxes"]["a"] == 4200)


def test_the_list_can_be_paged(company: Company) -> None:
    for _ in range(2):
        hired(company)
    paid(company)
    ids = generate(company)
    answer = company.member.get(f"/clients/{company.id}/tax_certificates?page=2&per_page=1")
    assert [certificate["id"] for certificate in answer.json()] == ids[1:]
    assert answer.headers["x-total-count"] == "2"


def test_decembers_salary_that_is_paid_in_january_is_income_of_december(account: Member) -> None:
    company = Company.of(account, features={"pay_dates": True})
    pay_dates = {"enabled": True, "type": "fixed", "when": "next", "day": 7}
    assert account.patch(f"/waves/{company.wave_id}", {"pay_dates": pay_dates}).status_code == 200
    mei = hired(company, "5000.00", appointment_date="2025-12-01")
    enter(company, f"payslips/{draft(company, mei)}", "bonus", amount="700.00", declaration_date="2025-12-20")
    paid(company, "2025-12-31")
    paid(company)
    generate(company, 2025)
    assert boxes(company, mei, 2025) == {"a": 5000, "total": 5000, "cpf": 1140, "donation": 2}
    generate(company)
    assert boxes(company, mei)["b"] == 700
    assert boxes(company, mei)["a"] == 5000


def test_a_week_over_new_year_is_divided_between_the_years(company: Company) -> None:
    wave_id = company.wave(frequency="weekly", first_end_date="2026-01-04")
    mei = company.hire(wave_id=wave_id, appointment_date="2025-12-29")
    enter(company, f"employees/{mei}", "basic_salary", fixed_amount="1000.00")
    run_id = created(
        company.member.post(
            f"/clients/{company.id}/payment_runs", {"wave_id": wave_id, "period_end_date": "2026-01-04"}
        )
    )
    done(company, run_id, "finalise")
    for year, salary in ((2025, 600), (2026, 400)):
        generate(company, year)
        assert boxes(company, mei, year)["a"] == salary


def test_the_explanation_of_a_box_lists_its_payslips_and_the_rule(company: Company) -> None:
    mei = hired(company, "4000.00")
    enter(company, f"payslips/{draft(company, mei)}", "bonus", amount="700.00", declaration_date="2025-12-20")
    for end in (JANUARY, FEBRUARY):
        paid(company, end)
    certificate_id = certificate_of(company, mei)
    answer = company.member.get(f"/tax_certificates/{certificate_id}/explanation")
    assert answer.status_code == 200, answer.text
    assert answer.headers["x-rules-version"]
    explanation = answer.json()
    assert explanation["dirty"] is False
    amounts = review(company, mei)["amounts"]
    assert {box["box"]: box["amount"] for box in explanation["boxes"]} == amounts
    by_box = {box["box"]: box for box in explanation["boxes"]}
    assert [(line["date"], line["item"], line["amount"]) for line in by_box["a"]["payslips"]] == [
        (JANUARY, "basic_salary", "4000.00"),
        (FEBRUARY, "basic_salary", "4000.00"),
    ]
    assert by_box["a"]["rules"] == ["Salary belongs to the year in which it was earned, whenever it is paid."]
    assert by_box["b.non_contractual"]["rules"] == [
        "A bonus that is not contractual belongs to the year in which it is paid."
    ]
    employee = company.member.colleague(company.id, "employee", mei)
    assert_problem(employee.get(f"/tax_certificates/{certificate_id}/explanation"), 403)


def test_days_that_end_before_they_start_are_rejected(company: Company) -> None:
    mei = hired(company)
    body = {
        "calc_type": "directors_fee",
        "calculation_details": {"amount": 100, "for_from": "2026-02-01", "for_to": "2026-01-31"},
    }
    answer = company.member.post(f"/payslips/{draft(company, mei)}/calculations", body)
    assert field_errors(answer) == {"calculation_details.for_to": "must not be before for_from 2026-02-01"}
