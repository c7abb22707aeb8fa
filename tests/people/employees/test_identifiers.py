"""NRIC, FIN, Malaysian IC, passport and account numbers: checked, unique where they must be, encrypted, masked."""

import json
from typing import Any

import httpx
import pytest

from tests.support.company import BANK_ACCOUNT, Company, attributes, of_status
from tests.support.problems import field_errors
from tests.support.races import at_once
from tests.support.running import created

EVERY_SERIES = ["S9812387C", "T5717279C", "F1612347K", "G1612349N", "M2424771J"]
IDENTIFIERS = {
    "nric": "S9812387C",
    "fin": "M2424771J",
    "malaysian_ic": "881231-01-5566",
    "passport_number": "E1234567N",
}
MASKED = {
    "nric": "*****387C",
    "fin": "*****771J",
    "malaysian_ic": "**********5566",
    "passport_number": "*****567N",
}


@pytest.fixture
def known(company: Company) -> int:
    """An employee with every identifier."""
    return company.hire(**IDENTIFIERS, payment_method="eft_manual", bank_account=BANK_ACCOUNT)


def with_number(number: str) -> dict[str, Any]:
    """Return the attributes of the holder of an NRIC or a FIN."""
    return of_status("CITIZEN", nric=number) if number[0] in "ST" else of_status("FOREIGNER", fin=number)


@pytest.mark.parametrize("number", EVERY_SERIES)
def test_numbers_of_all_five_series_are_accepted(company: Company, number: str) -> None:
    employee = company.employee(created(company.post(with_number(number))))
    assert number in (employee["nric"], employee["fin"])


@pytest.mark.parametrize("number", EVERY_SERIES)
def test_a_wrong_check_letter_is_reported_for_all_five_series(company: Company, number: str) -> None:
    wrong = number[:-1] + ("A" if number[-1] != "A" else "B")
    name = "nric" if number[0] in "ST" else "fin"
    before = company.member.service.fingerprint()
    assert field_errors(company.post(with_number(wrong))) == {name: f"{wrong} has the wrong check letter"}
    assert company.member.service.fingerprint() == before


@pytest.mark.parametrize(
    ("name", "number", "message"),
    [
        ("nric", "G1612350T", "G1612350T is not a valid NRIC: S or T, seven digits and a letter"),
        ("nric", "S123456", "S123456 is not a valid NRIC: S or T, seven digits and a letter"),
        ("fin", "S1234567D", "S1234567D is not a valid FIN: F or G or M, seven digits and a letter"),
        ("nric", 1234567, "must be a string"),
        ("nric", "*****567D", "*****567D is not a valid NRIC: S or T, seven digits and a letter"),
    ],
)
def test_a_number_in_another_format_is_rejected(company: Company, name: str, number: object, message: str) -> None:
    assert field_errors(company.post(attributes(**{name: number})))[name] == message


def test_small_letters_spaces_and_hyphens_are_normalised(company: Company) -> None:
    employee_id = company.hire(nric=" s1234567-d ")
    assert company.employee(employee_id)["nric"] == "S1234567D"
    assert list(field_errors(company.post(attributes(nric="S1234567d")))) == ["nric"]


@pytest.mark.parametrize(("name", "number"), [("nric", "S9812387C"), ("fin", "M2424771J")])
def test_two_employees_of_a_client_cannot_share_one(company: Company, name: str, number: str) -> None:
    company.hire(**{name: number})
    other = company.hire()
    before = company.member.service.fingerprint()
    expected = {name: f"is the {name.upper()} of another employee of this client"}
    assert field_errors(company.post(attributes(**{name: number}))) == expected
    assert field_errors(company.patch(other, **{name: number.lower()})) == expected
    assert company.member.service.fingerprint() == before


def test_their_own_number_can_be_sent_again(company: Company, known: int) -> None:
    assert company.patch(known, **IDENTIFIERS).status_code == 200


def test_employees_of_two_clients_can_share_one(company: Company, known: int) -> None:
    other = Company.of(company.member).hire(nric=IDENTIFIERS["nric"])
    assert other != known
    rows = company.member.service.as_owner("SELECT nric_lookup FROM employees WHERE id IN ($1, $2)", known, other)
    assert len({row["nric_lookup"] for row in rows}) == 2


def test_a_malaysian_ic_and_a_passport_number_need_not_be_unique(company: Company, known: int) -> None:
    shared = {name: IDENTIFIERS[name] for name in ("malaysian_ic", "passport_number")}
    assert company.hire(**shared) != known


def test_of_two_concurrent_creates_with_one_nric_exactly_one_succeeds(company: Company) -> None:
    def ask(body: dict[str, Any]) -> httpx.Response:
        with company.member.http as http:
            return http.post(company.people, json=body)

    for number in ("S9812387C", "T5717279C", "S9912363Z"):
        body = {"employee": {"wave_id": company.wave_id, **attributes(nric=number)}}
        answers = at_once([lambda body=body: ask(body)] * 2)  # type: ignore[misc]
        assert sorted(answer.status_code for answer in answers) == [200, 422]
        [refused] = [answer for answer in answers if answer.status_code == 422]
        assert field_errors(refused) == {"nric": "is the NRIC of another employee of this client"}
    assert [employee["number"] for employee in company.listed()] == ["1", "2", "3"]


def test_identifiers_are_encrypted_at_rest(company: Company, known: int) -> None:
    [row] = company.member.service.as_owner(
        "SELECT to_jsonb(e)::text AS text, e.* FROM employees e WHERE id = $1", known
    )
    for value in (*IDENTIFIERS.values(), BANK_ACCOUNT["account_number"]):
        assert value not in row["text"]
        assert value.encode().hex() not in row["text"]
    for name in (*IDENTIFIERS, "account_number"):
        assert len(row[f"{name}_sealed"]) > 28
    assert {name: row[f"{name}_masked"] for name in MASKED} == MASKED
    vault = company.member.service.vault
    assert row["nric_lookup"] == vault.identifier_hash(company.id, "nric", IDENTIFIERS["nric"])


def test_they_are_not_stored_in_plain_text(company: Company, known: int) -> None:
    company.patch(known, nric="T5717279C", bank_account={"account_number": "9988776655"})
    company.member.post(
        company.people,
        {"employee": {"wave_id": company.wave_id, **attributes(nric="S9912369I")}},
        headers={"Idempotency-Key": "secret"},
    )
    dump = json.dumps(company.member.service.rows())
    for value in (*IDENTIFIERS.values(), BANK_ACCOUNT["account_number"], "T5717279C", "9988776655", "S9912369I"):
        assert value not in dump
        assert value.encode().hex() not in dump


def test_the_audit_log_has_them_masked(company: Company, known: int) -> None:
    company.patch(known, nric="T5717279C")
    company.member.delete(f"/employees/{known}")
    rows = company.member.service.as_owner(
        "SELECT action, before, after FROM audit_log WHERE row_id = $1 AND action LIKE 'employees.%' ORDER BY id", known
    )
    assert [row["action"] for row in rows] == ["employees.insert", "employees.update", "employees.delete"]
    made, changed, gone = ({side: row[side] and json.loads(row[side]) for side in ("before", "after")} for row in rows)
    assert (made["after"]["nric_sealed"], made["after"]["nric_lookup"]) == ("hidden", "hidden")
    assert made["after"]["fin_masked"] == MASKED["fin"]
    hidden = {"nric_sealed": "hidden", "nric_lookup": "hidden"}
    assert changed == {
        "before": {**hidden, "nric_masked": MASKED["nric"]},
        "after": {**hidden, "nric_masked": "*****279C"},
    }
    assert gone["before"]["account_number_masked"] == "******2891"


def test_a_key_that_hides_identifiers_sees_the_last_4_characters(company: Company, known: int) -> None:
    hiding = company.member.with_another_key(hide_identifiers=True)
    single = hiding.get(f"/employees/{known}").json()["employee"]
    [listed] = [element["employee"] for element in hiding.get(company.people).json()]
    plain = company.employee(known)
    assert single == listed
    assert {name: single[name] for name in MASKED} == MASKED
    assert single["bank_account"] == {**BANK_ACCOUNT, "account_number": "******2891"}
    hidden = {*MASKED, "bank_account"}
    assert {name: value for name, value in single.items() if name not in hidden} == {
        name: value for name, value in plain.items() if name not in hidden
    }
    assert {name: plain[name] for name in IDENTIFIERS} == IDENTIFIERS


def test_masked_values_that_are_sent_back_do_not_take_the_place_of_the_real_ones(company: Company, known: int) -> None:
    hiding = company.member.with_another_key(hide_identifiers=True)
    read = hiding.get(f"/employees/{known}").json()
    before = company.member.service.fingerprint()
    assert set(field_errors(hiding.patch(f"/employees/{known}", read))) == {
        "nric",
        "fin",
        "malaysian_ic",
        "passport_number",
        "bank_account.account_number",
    }
    assert company.member.service.fingerprint() == before


def test_a_sealed_value_moved_to_another_row_does_not_open(company: Company, known: int) -> None:
    other = company.hire()
    company.member.service.as_owner(
        "UPDATE employees SET nric_sealed = (SELECT nric_sealed FROM employees WHERE id = $1) WHERE id = $2",
        known,
        other,
    )
    answer = company.member.get(f"/employees/{other}")
    assert answer.status_code == 500
    assert IDENTIFIERS["nric"] not in answer.text
    company.member.delete(f"/employees/{other}")


@pytest.mark.parametrize(
    ("sent", "stored", "masked"),
    [
        ("9123 4567", "+6591234567", "*******4567"),
        ("+65 8123-4567", "+6581234567", "*******4567"),
        ("s9812387c", "S9812387C", "*****387C"),
        ("M2424771J", "M2424771J", "*****771J"),
        ("202699999ehr1", "202699999EHR1", "*********EHR1"),
    ],
)
def test_a_paynow_number_is_normalised_encrypted_and_masked(
    company: Company, sent: str, stored: str, masked: str
) -> None:
    employee_id = company.hire(paynow=sent)
    assert company.employee(employee_id)["paynow"] == stored
    hiding = company.member.with_another_key(hide_identifiers=True)
    shown = hiding.get(f"/employees/{employee_id}").json()["employee"]
    assert shown["paynow"] == masked
    assert list(field_errors(hiding.patch(f"/employees/{employee_id}", {"paynow": masked}))) == ["paynow"]
    assert company.patch(employee_id, paynow=None).status_code == 200
    assert company.employee(employee_id)["paynow"] is None


@pytest.mark.parametrize("number", ["61234567", "+1 9123 4567", "S9812387D", "202699999X", "9123456"])
def test_another_paynow_number_is_an_error(company: Company, number: str) -> None:
    employee_id = company.hire()
    errors = field_errors(company.patch(employee_id, paynow=number))
    assert errors == {"paynow": f"{number} is not a Singapore mobile number, NRIC, FIN or UEN"}
