"""Payroll numbers: unique in a client, assigned without gaps or supplied by the caller."""

from typing import Any

import httpx
import pytest

from tests.support.company import Company, attributes
from tests.support.problems import field_errors
from tests.support.races import Request, at_once, while_changing
from tests.support.running import Member

MANUAL = {"employee_number_mode": "EMPLOYEE_NUMBER_MANUAL"}


def numbers(company: Company) -> list[str]:
    return [employee["number"] for employee in company.listed()]


def create_request(company: Company, **supplied: Any) -> Request:
    body = {"employee": {"wave_id": company.wave_id, **attributes(**supplied)}}

    def send() -> httpx.Response:
        with company.member.http as http:
            return http.post(company.people, json=body)

    return send


def test_automatic_numbers_count_from_1(company: Company) -> None:
    answers = [company.post(attributes()) for _ in range(3)]
    assert [answer.json()["number"] for answer in answers] == ["1", "2", "3"]
    assert numbers(company) == ["1", "2", "3"]


def test_every_client_counts_for_itself(company: Company) -> None:
    company.hire()
    other = Company.of(company.member)
    other.hire()
    assert (numbers(company), numbers(other)) == (["1"], ["1"])


def test_a_create_that_fails_takes_no_number(company: Company) -> None:
    company.hire(nric="S1234567D")
    for supplied in (attributes(gender="X"), attributes(nric="S1234567D"), attributes(wave_id=999_999_999)):
        assert company.post(supplied).status_code == 422
    company.hire()
    assert numbers(company) == ["1", "2"]


def test_a_manual_number_in_automatic_mode_is_kept_and_skipped_later(company: Company) -> None:
    for number in ("2", "3", "E-17", "007"):
        assert company.post(attributes(number=number)).json()["number"] == number
    for _ in range(3):
        company.hire()
    assert numbers(company) == ["2", "3", "E-17", "007", "1", "4", "5"]


def test_a_manually_changed_number_is_skipped_later(company: Company) -> None:
    employee_id = company.hire()
    company.patch(employee_id, number="2")
    company.hire()
    company.hire()
    assert numbers(company) == ["2", "3", "4"]


def test_hundreds_of_manual_numbers_are_skipped_quickly(company: Company) -> None:
    company.hire(number="1")
    columns = (
        "client_id, first_name, name_format, payment_method, birthdate, legal_status, pr_cpf_rates, gender, race, "
        "religion, sdl_exempt, cpf_exempt, employment_act_group"
    )
    company.member.service.as_owner(
        f"INSERT INTO employees (id, number, {columns}) SELECT 1000000000 + n, n::text, {columns} "
        "FROM employees CROSS JOIN generate_series(2, 300) n WHERE client_id = $1",
        company.id,
    )
    answer = company.post(attributes())
    assert answer.json()["number"] == "301"
    assert answer.elapsed.total_seconds() < 3
    assert company.post(attributes()).json()["number"] == "302"


def test_in_manual_mode_the_number_is_required(account: Member) -> None:
    company = Company.of(account, **MANUAL)
    before = account.service.fingerprint()
    for supplied in (attributes(), attributes(number="")):
        assert list(field_errors(company.post(supplied))) == ["number"]
    assert field_errors(company.post(attributes())) == {
        "number": "is required when employee_number_mode is EMPLOYEE_NUMBER_MANUAL"
    }
    assert account.service.fingerprint() == before
    employee_id = company.hire(number="A1")
    assert field_errors(company.patch(employee_id, number=None)) == {
        "number": "is required when employee_number_mode is EMPLOYEE_NUMBER_MANUAL"
    }


def test_in_automatic_mode_null_keeps_the_number(company: Company) -> None:
    employee_id = company.hire()
    assert company.patch(employee_id, number=None).json()["number"] == "1"


@pytest.mark.parametrize("mode", [{}, MANUAL])
def test_a_number_is_unique_in_a_client(account: Member, mode: dict[str, str]) -> None:
    company = Company.of(account, **mode)
    company.hire(number="7")
    second = company.hire(number="8")
    before = account.service.fingerprint()
    expected = {"number": "is the number of another employee of this client"}
    assert field_errors(company.post(attributes(number="7"))) == expected
    assert field_errors(company.patch(second, number="7")) == expected
    assert account.service.fingerprint() == before
    assert company.patch(second, number="8").json()["number"] == "8"
    assert Company.of(account, **mode).hire(number="7")


@pytest.mark.parametrize("number", ["x" * 51, 17, "a\nb"])
def test_a_number_is_text_of_up_to_50_characters(company: Company, number: object) -> None:
    assert list(field_errors(company.post(attributes(number=number)))) == ["number"]


def test_50_concurrent_creates_get_50_consecutive_numbers(company: Company) -> None:
    answers = at_once([create_request(company) for _ in range(50)])
    assert {answer.status_code for answer in answers} == {200}
    assert sorted(int(answer.json()["number"]) for answer in answers) == list(range(1, 51))
    assert sorted(int(number) for number in numbers(company)) == list(range(1, 51))


def test_creates_that_fail_in_between_leave_no_gap(company: Company) -> None:
    company.hire(nric="S1234567D")
    good = [create_request(company) for _ in range(30)]
    clashing = [create_request(company, nric="S9812387C") for _ in range(5)]
    invalid = [create_request(company, race="ELF") for _ in range(5)] + [
        create_request(company, nric="S1234567D") for _ in range(5)
    ]
    mixed = [request for group in zip(good, [*clashing, *invalid, *good[15:]], strict=False) for request in group]
    answers = at_once(list(dict.fromkeys(mixed)))
    statuses = [answer.status_code for answer in answers]
    assert set(statuses) == {200, 422}
    assert statuses.count(200) == 31
    assert sorted(int(number) for number in numbers(company)) == list(range(1, 33))


def test_concurrent_manual_numbers_are_never_assigned_twice(company: Company) -> None:
    by_hand = [create_request(company, number=str(number)) for number in range(5, 25, 2)]
    answers = at_once(
        [request for pair in zip(by_hand, [create_request(company) for _ in by_hand], strict=True) for request in pair]
    )
    refused_by_hand = [answer for answer in answers if answer.status_code != 200]
    assert all(list(field_errors(answer)) == ["number"] for answer in refused_by_hand)
    assert [answer.status_code for answer in answers[1::2]] == [200] * len(by_hand)
    assigned = numbers(company)
    assert len(assigned) == len(set(assigned)) == len(answers) - len(refused_by_hand)


def test_a_number_that_is_being_assigned_manually_is_waited_for_and_skipped(company: Company) -> None:
    employee_id = company.hire(number="A1")
    answer = while_changing(
        company.member.service,
        "WITH held AS (INSERT INTO employee_numbers VALUES ($2, 0) ON CONFLICT (client_id) "
        "DO UPDATE SET last_number = excluded.last_number) UPDATE employees SET number = '1' WHERE id = $1",
        employee_id,
        company.id,
        request=create_request(company),
    )
    assert answer.json()["number"] == "2"
