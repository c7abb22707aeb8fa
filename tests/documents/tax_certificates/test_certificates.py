"""Tax certificates over HTTP: generated, released, listed, and marked when their figures change."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.documents.tax_certificates.asking import boxes, generate, listed, release, released, reviewed
from tests.payroll.payment_runs.runs import FEBRUARY, JANUARY, done, hired, opened, paid
from tests.payroll.payslips.slips import draft, enter
from tests.support.company import Company
from tests.support.problems import faults, refused
from tests.support.running import created


def certificate_of(company: Company, employee_id: int, year: int = 2026) -> int:
    """The id of an employee's certificate, released."""
    generate(company, year)
    certificate_id: int = reviewed(company, employee_id, year)["id"]
    assert release(company, certificate_id).status_code == 200
    return certificate_id


def is_dirty(company: Company, employee_id: int, year: int = 2026) -> bool:
    """Whether a certificate is marked, which both lists say alike where both have it."""
    dirty: bool = reviewed(company, employee_id, year)["dirty"]
    shown = [one for one in listed(company.member, employee_id) if one["name"] == f"IR8A {year}"]
    assert all(one["dirty"] == dirty for one in shown)
    return dirty


def test_it_works(company: Company) -> None:
    mei = hired(company, "4200.45")
    for end in (JANUARY, FEBRUARY):
        paid(company, end)
    [certificate_id] = generate(company)
    where = f"/tax_certificates/{certificate_id}"
    assert listed(company.member, mei) == []
    assert refused(company.member.get(where), 404)["message"] == f"There is no tax certificate {certificate_id}"
    answer = release(company, certificate_id)
    assert answer.json() == {"message": "The tax certificate has been released", "id": certificate_id}
    assert listed(company.member, mei) == [
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
def test_a_year_that_is_none_is_refused(company: Company, body: dict[str, Any], expected: str) -> None:
    answer = company.member.post(f"/clients/{company.id}/tax_certificates", body)
    assert faults(answer)["year"].startswith(expected)
    answer = company.member.get(f"/clients/{company.id}/tax_certificates?year=soon")
    assert faults(answer) == {"year": "must be an integer"}


def test_what_is_not_known_in_the_body_is_named(company: Company) -> None:
    answer = company.member.post(f"/clients/{company.id}/tax_certificates", {"year": "2026", "yaer": 1})
    assert answer.json()["ids"] == []
    assert answer.json()["warnings"] == {"yaer": "Unknown attribute, ignored. Did you mean year?"}


def test_only_those_with_income_of_the_year_have_one(company: Company) -> None:
    mei = hired(company)
    hired(company, appointment_date="2026-03-01")
    paid(company)
    [certificate_id] = generate(company)
    assert reviewed(company, mei)["id"] == certificate_id
    assert generate(company, 2025) == []


def test_who_may_only_look_generates_and_releases_nothing(company: Company) -> None:
    hired(company)
    paid(company)
    [certificate_id] = generate(company)
    viewer = company.member.colleague(company.id, "viewer")
    refused(viewer.post(f"/clients/{company.id}/tax_certificates", {"year": 2026}), 403)
    refused(viewer.post(f"/tax_certificates/{certificate_id}/release"), 403)
    assert viewer.get(f"/clients/{company.id}/tax_certificates").status_code == 200


def test_employees_see_their_own_when_it_is_released_and_nobody_elses(company: Company) -> None:
    mei, ravi = hired(company), hired(company)
    paid(company)
    generate(company)
    own, other = reviewed(company, mei)["id"], reviewed(company, ravi)["id"]
    employee = company.member.colleague(company.id, "employee", mei)
    assert listed(employee, mei) == []
    refused(employee.get(f"/tax_certificates/{own}"), 404)
    for certificate_id in (own, other):
        release(company, certificate_id)
    assert [one["id"] for one in listed(employee, mei)] == [own]
    assert employee.get(f"/tax_certificates/{own}").status_code == 200
    refused(employee.get(f"/tax_certificates/{other}"), 404)
    refused(employee.get(f"/employees/{ravi}/tax_certificates"), 404)
    refused(employee.get(f"/clients/{company.id}/tax_certificates"), 404)
    refused(employee.post(f"/tax_certificates/{own}/release"), 403)


def test_a_bonus_is_on_the_certificate_of_the_year_in_which_it_was_declared(company: Company) -> None:
    mei = hired(company, "4000.00")
    enter(company, f"payslips/{draft(company, mei)}", "bonus", amount="7500.90", declaration_date="2025-12-18")
    paid(company)
    generate(company, 2025)
    generate(company, 2026)
    assert boxes(company, mei, 2025) == {"b": 7500, "total": 7500}
    assert reviewed(company, mei, 2025)["bonus_declared"] == ["2025-12-18"]
    assert boxes(company, mei)["a"] == boxes(company, mei)["total"] == 4000
    worked = reviewed(company, mei, 2025)
    assert (worked["worked_from"], worked["worked_to"]) == ("2026-01-01", "2026-01-01")


def test_to_unfinalise_a_run_marks_the_certificate_until_it_is_generated_again(company: Company) -> None:
    mei = hired(company)
    paid(company)
    run_id = paid(company, FEBRUARY)
    certificate_id = certificate_of(company, mei)
    assert not is_dirty(company, mei)
    done(company, run_id, "unfinalise")
    assert is_dirty(company, mei)
    message = refused(release(company, certificate_id), 409)["message"]
    assert message.endswith("generate the certificates of 2026 again first")
    assert company.member.get(f"/tax_certificates/{certificate_id}").status_code == 200
    assert generate(company) == [certificate_id]
    assert not is_dirty(company, mei)
    assert boxes(company, mei)["a"] == 4200


def test_a_released_certificate_with_other_figures_is_to_be_released_again(company: Company) -> None:
    mei = hired(company)
    paid(company)
    certificate_id = certificate_of(company, mei)
    paid(company, FEBRUARY)
    assert is_dirty(company, mei)
    answer = company.member.post(f"/clients/{company.id}/tax_certificates", {"year": 2026}).json()
    assert answer["ids"] == [certificate_id]
    assert answer["message"].endswith("; 1 had been released, say something else now, and are to be released again")
    assert listed(company.member, mei) == []
    refused(company.member.get(f"/tax_certificates/{certificate_id}"), 404)
    assert release(company, certificate_id).status_code == 200
    assert boxes(company, mei)["a"] == 8400


def test_a_released_certificate_that_says_the_same_stays_released(company: Company) -> None:
    mei = hired(company)
    run_id = paid(company)
    certificate_id = certificate_of(company, mei)
    before = company.member.get(f"/tax_certificates/{certificate_id}").content
    for action in ("unfinalise", "finalise"):
        done(company, run_id, action)
        assert is_dirty(company, mei)
    assert generate(company) == [certificate_id]
    [shown] = listed(company.member, mei)
    assert not shown["dirty"]
    assert company.member.get(f"/tax_certificates/{certificate_id}").content == before


def test_a_run_of_another_year_changes_nothing_unless_it_pays_what_was_declared_in_this_one(company: Company) -> None:
    company = Company(
        company.member, company.id, company.wave(frequency="monthly", last_day_of_month=31, first_end_date="2025-12-31")
    )
    mei = hired(company, appointment_date="2025-12-01")
    paid(company, "2025-12-31")
    released(company, 2025)
    paid(company, JANUARY)
    assert not is_dirty(company, mei, 2025)
    enter(company, f"payslips/{draft(company, mei)}", "bonus", amount="500.00", declaration_date="2025-12-30")
    paid(company, FEBRUARY)
    assert is_dirty(company, mei, 2025)
    generate(company, 2025)
    assert boxes(company, mei, 2025)["b"] == 500


def test_a_certificate_without_any_income_left_is_removed(company: Company) -> None:
    mei = hired(company)
    run_id = paid(company)
    certificate_of(company, mei)
    done(company, run_id, "unfinalise")
    answer = company.member.post(f"/clients/{company.id}/tax_certificates", {"year": 2026}).json()
    assert answer["ids"] == []
    assert answer["message"].endswith("; 1 of employees without income of the year have been removed")
    assert listed(company.member, mei) == []


def test_what_was_taken_on_counts_and_marks_when_it_changes(company: Company) -> None:
    mei = hired(company, "5000.50")
    where = f"/employees/{mei}/take_on_balances"
    taken_on = {"year": 2026, "cpf_employee": "6000.00", "ir8a": {"a": "30000.60", "d1_transport": "300.05"}}
    assert company.member.call("PUT", where, json=taken_on).status_code == 200
    paid(company)
    certificate_of(company, mei)
    found = boxes(company, mei)
    assert (found["a"], found["d"], found["total"]) == (35001, 300, 35301)
    assert found["cpf"] == 7000
    company.member.call("PUT", where, json={**taken_on, "ir8a": {"a": "1.00"}})
    assert is_dirty(company, mei)
    company.member.call("PUT", where, json=taken_on)
    assert not is_dirty(company, mei)


def test_the_days_worked_are_those_of_the_year_and_mark_when_they_change(company: Company) -> None:
    mei = hired(company, appointment_date="2026-01-12")
    paid(company)
    certificate_of(company, mei)
    assert reviewed(company, mei)["worked_from"] == "2026-01-12"
    company.leave(mei, "2026-09-30")
    assert is_dirty(company, mei)
    company.act(mei, "undo_end_service")
    assert not is_dirty(company, mei)
    company.leave(mei, "2026-09-30")
    generate(company)
    assert reviewed(company, mei)["worked_to"] == "2026-09-30"


def test_a_custom_item_that_goes_to_another_box_marks_all_certificates(company: Company) -> None:
    item = {"name": "Night shift", "kind": "allowance", "input": "per_employee"}
    definition_id = created(company.member.post(f"/clients/{company.id}/calculation_definitions", item))
    mei = hired(company, "4000.00")
    enter(company, f"employees/{mei}", str(definition_id), amount="88.80")
    paid(company)
    certificate_of(company, mei)
    assert reviewed(company, mei)["amounts"]["d1_other"] == "88.80"
    where = f"/calculation_definitions/{definition_id}"
    assert company.member.patch(where, {"name": "Night shifts"}).status_code == 200
    assert not is_dirty(company, mei)
    assert company.member.patch(where, {"ir8a": "a"}).status_code == 200
    assert is_dirty(company, mei)
    generate(company)
    assert boxes(company, mei)["a"] == 4088


def test_every_kind_of_item_finds_its_box(company: Company) -> None:
    mei = hired(company, "4500.00", race="MALAY", religion="ISLAM")
    slip = f"payslips/{draft(company, mei)}"
    for calc_type, given in {
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
        enter(company, slip, calc_type, **given)
    paid(company)
    generate(company)
    amounts = reviewed(company, mei)["amounts"]
    assert {place: amount for place, amount in amounts.items() if place not in ("cpf", "donation", "mosque")} == {
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
    # Wages of 10,951.35 for the fund: 26.00, of which the mosques get 17.50 and Mendaki 8.50.
    assert (amounts["mosque"], amounts["donation"]) == ("17.50", "18.60")
    assert boxes(company, mei)["d"] == 2901


def test_generating_and_releasing_are_in_the_audit_log_with_what_was_released_before(company: Company) -> None:
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


def test_identity_numbers_are_kept_encrypted(company: Company) -> None:
    mei = hired(company)
    nric = company.employee(mei)["nric"]
    paid(company)
    generate(company)
    [row] = company.member.service.as_owner("SELECT t::text AS row FROM tax_certificates t WHERE employee_id = $1", mei)
    assert nric not in row["row"]
    assert nric[-4:] in row["row"]


def test_generating_waits_for_whoever_is_changing_what_certificates_go_by(company: Company) -> None:
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
    first = reviewed(company, company.listed()[0]["id"])
    assert first["dirty"] == (first["boxes"]["a"] == 4200)


def test_the_list_comes_in_pages_where_pages_are_asked_for(company: Company) -> None:
    for _ in range(2):
        hired(company)
    paid(company)
    ids = generate(company)
    answer = company.member.get(f"/clients/{company.id}/tax_certificates?page=2&per_page=1")
    assert [one["id"] for one in answer.json()] == ids[1:]
    assert answer.headers["x-total-count"] == "2"
