"""Corrections after the release: revised certificates, and amended sets that list what changed."""

from collections.abc import Sequence
from datetime import date
from typing import Any

import pytest
from msgspec.structs import replace

from gaji.company.clients.queries import Employer
from gaji.core import clock
from gaji.documents.tax_certificates.certificate import CertificateContent, IdentifiedContent
from gaji.documents.tax_certificates.exports import is_accepted
from gaji.documents.tax_certificates.figures import IncomeFigures
from gaji.documents.tax_certificates.versions import CertificateVersion, find_replacement, list_changes, without_income
from gaji.people.employees.tax_identity import EmployeeParticulars
from tests.documents.tax_certificates.certificate_client import generate, pdf_text, review
from tests.documents.tax_certificates.test_year_end import files_path, release_all, with_uen
from tests.payroll.payment_runs.runs import FEBRUARY, done, hired, paid
from tests.support.company import Company

MEI = EmployeeParticulars("1", "Mei Ling Tan", "NRIC", date(1990, 4, 12), "F", "Singapore", "Cook", ["12 Ubi Road"])


def content(amounts: dict[str, int], employee: EmployeeParticulars) -> CertificateContent:
    year = (date(2026, 1, 1), date(2026, 12, 31))
    return CertificateContent(Employer("Kopi"), employee, *year, None, None, IncomeFigures(amounts), {}, [])


def identified(amounts: dict[str, int], nric: str | None = "S1234567D", **changes: Any) -> IdentifiedContent:
    return IdentifiedContent(content(amounts, replace(MEI, **changes)), nric)


def released(number: int, what: IdentifiedContent, set_number: int | None = None) -> CertificateVersion:
    return CertificateVersion(7, number, 3, what, date(2027, 1, number), set_number)


def texts(before: IdentifiedContent, after: IdentifiedContent) -> list[tuple[str, str | None, str | None]]:
    return [(change.item, change.before, change.after) for change in list_changes(before, after)]


def test_changes_name_the_box_or_the_detail_with_both_values() -> None:
    before = identified({"a": 2_400_000, "b.contractual": 800_050})
    after = identified({"a": 3_000_000, "cpf": 100}, "T0000001E", name="Mei Tan", job_title="")
    assert texts(before, after) == [
        ("a", "24000.00", "30000.00"),
        ("b.contractual", "8000.50", "0.00"),
        ("cpf", "0.00", "1.00"),
        ("identifier", "*****567D", "*****001E"),
        ("name", "Mei Ling Tan", "Mei Tan"),
        ("job_title", "Cook", None),
    ]


def test_an_address_or_a_nationality_needs_no_amendment() -> None:
    before = identified({"a": 100})
    assert texts(before, identified({"a": 100}, address=["1 Other Road"], nationality="Malaysia")) == []


@pytest.mark.parametrize(
    ("versions", "replaced"),
    [
        ([], None),
        ([released(1, identified({"a": 2}))], None),
        ([released(1, identified({"a": 1}))], 1),
        ([released(1, identified({"a": 1})), released(2, identified({"a": 2}))], 1),
        ([released(1, identified({"a": 1})), released(2, identified({"a": 3}))], 2),
    ],
)
def test_a_certificate_replaces_the_last_version_that_says_something_else(
    versions: Sequence[CertificateVersion], replaced: int | None
) -> None:
    replacement = find_replacement(identified({"a": 2}), versions)
    assert (replacement and replacement.version.version) == replaced


def test_a_record_that_is_taken_back_has_no_amounts() -> None:
    assert texts(identified({"a": 150}), without_income(identified({"a": 150}))) == [("a", "1.50", "0.00")]


def test_iras_takes_records_of_four_back_years() -> None:
    this_year = clock.today().year
    accepted = [year for year in range(this_year - 8, this_year + 2) if is_accepted(year)]
    assert accepted == list(range(this_year - 5, this_year))


def sets(company: Company) -> list[dict[str, Any]]:
    answer = company.member.get(f"/clients/{company.id}/tax_certificates/sets?year=2026")
    assert answer.status_code == 200, answer.text
    return [element["set"] for element in answer.json()]


def test_a_correction_after_the_release_makes_an_amended_set(company: Company) -> None:
    with_uen(company)
    mei, arun = hired(company), hired(company, "3000.00", first_name="Arun")
    run_id = paid(company)
    ids = generate(company)
    assert sets(company) == []
    release_all(company)
    [first] = sets(company)
    assert (first["number"], first["amended"], first["record_count"], first["revisions"]) == (1, False, 2, [])
    before = company.member.get(f"{files_path(company)}/ir8a_2026_1.json").content

    assert release_all(company).json()["message"].startswith("0 certificates for 2026 have been released; 2 released")
    assert len(sets(company)) == 1

    done(company, run_id, "unfinalise")
    body = {"calc_type": "bonus", "calculation_details": {"amount": "500.00", "declaration_date": "2026-01-15"}}
    [slip] = [
        element["payslip"]["id"]
        for element in company.member.get(f"/payment_runs/{run_id}/payslips").json()
        if element["payslip"]["employee_id"] == arun
    ]
    assert company.member.post(f"/payslips/{slip}/calculations", body).status_code == 200
    done(company, run_id, "finalise")
    assert generate(company) == ids
    assert review(company, mei)["replaces"] is None
    replaces = review(company, arun)["replaces"]
    assert (replaces["version"], replaces["released_on"]) == (1, first["released_at"][:10])
    assert {change["item"]: (change["before"], change["after"]) for change in replaces["changes"]}[
        "b.non_contractual"
    ] == ("0.00", "500.00")
    answer = release_all(company).json()
    assert answer["message"] == "1 certificate for 2026 has been released; 1 released before; set 2 amends 1 record"
    pdf = pdf_text(company.member.get(f"/tax_certificates/{ids[1]}").content)
    assert "Revised" in pdf
    assert "Replaces the certificate of" in pdf
    assert "b Bonus: Non-contractual 0.00 500.00" in pdf

    amended = sets(company)[1]
    [revision] = amended["revisions"]
    assert (revision["record"], revision["employee_id"], revision["changes"]) == ("revised", arun, replaces["changes"])
    listed = [element["file"] for element in company.member.get(f"{files_path(company)}?year=2026").json()]
    assert [(file["name"], file["set"], file["records"]) for file in listed] == [
        ("ir8a_2026_1.json", 1, 2),
        ("ir8a_2026_1.xlsx", 1, 2),
        ("ir8a_2026_amended_1_1.json", 2, 1),
        ("ir8a_2026_amended_1_1.xlsx", 2, 1),
    ]
    assert company.member.get(f"{files_path(company)}/ir8a_2026_1.json").content == before
    document = company.member.get(f"{files_path(company)}/ir8a_2026_amended_1_1.json").json()
    assert document["amendment"] == 1
    [record] = document["records"]
    assert (record["record"], record["employee_id"], record["boxes"]["b"]) == ("revised", arun, 500)
    assert record["changes"] == replaces["changes"]
    assert company.member.get(f"{files_path(company)}/ir8a_2026_amended_1_1.xlsx").content.startswith(b"PK")


def test_what_should_not_have_been_reported_is_taken_back(company: Company) -> None:
    with_uen(company)
    mei, arun = hired(company), hired(company, "3000.00", first_name="Arun")
    run_id = paid(company)
    generate(company)
    release_all(company)
    done(company, run_id, "unfinalise")
    assert company.member.patch(f"/employees/{mei}", {"nric": "T0000001E"}).status_code == 200
    for payslip in company.member.get(f"/payment_runs/{run_id}/payslips").json():
        if payslip["payslip"]["employee_id"] == arun:
            body = {"calc_type": "basic_salary", "skip": True}
            answer = company.member.post(f"/payslips/{payslip['payslip']['id']}/calculations", body)
            assert answer.status_code == 200, answer.text
    done(company, run_id, "finalise")
    generate(company)
    assert release_all(company).json()["message"].endswith("set 2 amends 2 records")
    document = company.member.get(f"{files_path(company)}/ir8a_2026_amended_1_1.json").json()
    shown = [(record["record"], record["employee_id"], record["boxes"]["a"]) for record in document["records"]]
    assert shown == [("revised", mei, 0), ("original", mei, 4200), ("revised", arun, 0)]
    assert [record["identifier"] for record in document["records"][:2]] != [document["records"][1]["identifier"]] * 2
    paid(company, FEBRUARY)
    generate(company)
    release_all(company)
    third = sets(company)[2]
    assert {(revision["record"], revision["employee_id"]) for revision in third["revisions"]} == {
        ("revised", mei),
        ("revised", arun),
    }
