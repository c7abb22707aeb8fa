"""POST /clients"""

from typing import Any

import pytest

from tests.support.problems import field_errors
from tests.support.running import Member, created


def test_it_works(account: Member) -> None:
    answer = account.post("/clients", {"name": "Kopi Trading"})
    assert answer.json() == {"message": "The client has been created", "id": answer.json()["id"]}
    assert isinstance(answer.json()["id"], int)


def test_attributes_default_when_absent(account: Member) -> None:
    client = account.get(f"/clients/{account.new_client()}").json()["client"]
    del client["created_at"], client["updated_at"], client["id"]
    assert client == {
        "name": "Kopi Trading",
        "physical_address": {"unit_no": "", "complex": "", "st_name": "", "postal_code": ""},
        "uen": None,
        "cpf_submission_number": None,
        "bank_account": None,
        "employee_number_mode": "EMPLOYEE_NUMBER_AUTOMATIC",
        "prorate_allowances": True,
        "wage_apportionment": "working_days",
        "ns_direct_scheme": True,
        "external_id": None,
        "metadata": {},
        "features": {
            "custom_wave_names": False,
            "pay_dates": False,
            "regular_hours_v2": True,
            "leave_any_day": False,
            "payslip_passwords": False,
            "payslip_attachments": False,
        },
    }


def test_every_attribute_reads_back_as_it_was_written(account: Member) -> None:
    written = {
        "name": "Kopi Trading Pte Ltd",
        "physical_address": {
            "unit_no": "#08-15",
            "complex": "Ubi Techpark",
            "st_name": "10 Ubi Crescent",
            "postal_code": "408564",
        },
        "uen": "202699999E",
        "cpf_submission_number": "202699999EPTE01",
        "bank_account": {
            "bank_id": 7171,
            "account_number": "001-234567-8",
            "branch_code": "001",
            "account_name": "Kopi Trading Pte Ltd",
            "company_id": "KOPI01",
        },
        "employee_number_mode": "EMPLOYEE_NUMBER_MANUAL",
        "features": {
            "custom_wave_names": True,
            "pay_dates": True,
            "regular_hours_v2": False,
            "leave_any_day": True,
            "payslip_passwords": True,
            "payslip_attachments": True,
        },
    }
    client_id = account.new_client(**written)
    read = account.get(f"/clients/{client_id}").json()["client"]
    assert {name: read[name] for name in written} == written


@pytest.mark.parametrize(
    ("supplied", "stored"),
    [
        ("202699999e", "202699999E"),
        (" 202699999E ", "202699999E"),
        ("53125226D", "53125226D"),
        ("T01FC6132D", "T01FC6132D"),
    ],
)
def test_a_uen_is_checked_and_kept_in_its_compact_form(account: Member, supplied: str, stored: str) -> None:
    client_id = account.new_client(uen=supplied)
    assert account.get(f"/clients/{client_id}").json()["client"]["uen"] == stored


@pytest.mark.parametrize(
    ("attribute", "supplied", "value"),
    [
        ("uen", "202699999A", "202699999A"),
        ("uen", "T99LL1234a", "T99LL1234A"),
        ("cpf_submission_number", "234567891APTE01", "234567891A"),
    ],
)
def test_a_uen_with_another_check_letter_is_saved_with_a_warning(
    account: Member, attribute: str, supplied: str, value: str
) -> None:
    answer = account.post("/clients", {"name": "Kopi", attribute: supplied})
    warning = f"{value} does not have the check letter of a UEN; compare it with the register"
    assert answer.json()["warnings"] == {attribute: warning}
    client_id = created(answer)
    assert account.get(f"/clients/{client_id}").json()["client"][attribute] == supplied.upper()
    other = account.patch(f"/clients/{client_id}", {"name": "Teh"})
    assert "warnings" not in other.json()


def test_a_cpf_submission_number_that_begins_with_another_uen_is_saved_with_a_warning(account: Member) -> None:
    body = {"name": "Kopi", "uen": "202699998N", "cpf_submission_number": "202699999EPTE01"}
    answer = account.post("/clients", body)
    warning = "begins with 202699999E, but the UEN of the company is 202699998N"
    assert answer.json()["warnings"] == {"cpf_submission_number": warning}
    path = f"/clients/{created(answer)}"
    assert "warnings" not in account.patch(path, {"name": "Teh"}).json()
    assert "warnings" not in account.patch(path, {"uen": "202699999E"}).json()
    assert account.patch(path, {"uen": "202699998N"}).json()["warnings"] == {"cpf_submission_number": warning}


@pytest.mark.parametrize("supplied", ["S1234567DPTE01", "G1612350T-PTE-02"])
def test_a_cpf_submission_number_can_be_that_of_a_person(account: Member, supplied: str) -> None:
    answer = account.post("/clients", {"name": "Kopi", "cpf_submission_number": supplied})
    assert "warnings" not in answer.json()
    read = account.get(f"/clients/{created(answer)}").json()["client"]
    assert read["cpf_submission_number"] == supplied.replace("-", "")


@pytest.mark.parametrize("supplied", ["nonsense", "2026999E", "2026999999E", "202699999", "x" * 21])
def test_an_invalid_uen_is_rejected(account: Member, supplied: str) -> None:
    assert list(field_errors(account.post("/clients", {"name": "Kopi", "uen": supplied}))) == ["uen"]


@pytest.mark.parametrize("supplied", ["202699999E", "S1234567APTE01", "202699999EPTE1", "PTE01"])
def test_a_cpf_submission_number_is_a_uen_a_payment_type_and_a_serial_number(account: Member, supplied: str) -> None:
    answer = account.post("/clients", {"name": "Kopi", "cpf_submission_number": supplied})
    assert list(field_errors(answer)) == ["cpf_submission_number"]


@pytest.mark.parametrize("missing", ["bank_id", "account_number", "branch_code"])
def test_a_bank_account_needs_bank_number_and_branch(account: Member, missing: str) -> None:
    bank: dict[str, Any] = {"bank_id": 7171, "account_number": "0012345678", "branch_code": "001"}
    del bank[missing]
    answer = account.post("/clients", {"name": "Kopi", "bank_account": bank})
    assert field_errors(answer) == {f"bank_account.{missing}": "is required"}


def test_the_account_number_is_encrypted_in_the_database(account: Member) -> None:
    client_id = account.new_client(bank_account={"bank_id": 7171, "account_number": "0012345678", "branch_code": "001"})
    [row] = account.service.as_owner("SELECT * FROM clients WHERE id = $1", client_id)
    assert b"0012345678" not in row["account_number_sealed"]
    assert row["account_number_masked"] == "******5678"
    assert "0012345678" not in str(row)


def test_an_account_number_moved_to_another_client_does_not_open(account: Member) -> None:
    bank = {"bank_id": 7171, "account_number": "0012345678", "branch_code": "001"}
    first, other = account.new_client(bank_account=bank), account.new_client(bank_account=bank)
    account.service.as_owner(
        "UPDATE clients SET account_number_sealed = (SELECT account_number_sealed FROM clients WHERE id = $1) "
        "WHERE id = $2",
        first,
        other,
    )
    assert account.get(f"/clients/{first}").status_code == 200
    assert account.get(f"/clients/{other}").status_code == 500
