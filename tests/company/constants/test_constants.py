"""GET /constants and GET /constants/:list"""

import pytest

from gaji.core.constants import CONSTANT_LISTS, one_of
from tests.support.problems import assert_problem
from tests.support.running import Member


def test_it_works(account: Member) -> None:
    answer = account.get("/constants")
    assert answer.status_code == 200
    assert set(answer.json()) == set(CONSTANT_LISTS)


def test_every_list_is_an_array_of_values_with_their_names(account: Member) -> None:
    for name, entries in account.get("/constants").json().items():
        assert entries, name
        for entry in entries:
            assert list(entry) == ["value", "name"]
            assert isinstance(entry["value"], str | int)
            assert entry["name"]
        values = [entry["value"] for entry in entries]
        assert len(values) == len(set(values)), name
        assert len({type(value) for value in values}) == 1, name


@pytest.mark.parametrize("name", sorted(CONSTANT_LISTS))
def test_one_list_is_the_same_as_in_all_of_them(account: Member, name: str) -> None:
    assert account.get(f"/constants/{name}").json() == account.get("/constants").json()[name]


@pytest.mark.parametrize(
    "name",
    ["nationality", "country_code", "race", "religion", "bank_id", "termination_code", "legal_status", "gender"],
)
def test_the_documented_lists_exist(name: str) -> None:
    assert name in CONSTANT_LISTS


def test_countries_are_two_letters_of_iso_3166(account: Member) -> None:
    values = {entry["value"] for entry in account.get("/constants/country_code").json()}
    assert {"SG", "MY", "CN", "IN"} <= values
    assert all(len(value) == 2 and value.isupper() for value in values)


def test_a_bank_is_its_clearing_code_as_an_integer(account: Member) -> None:
    banks = {entry["value"]: entry["name"] for entry in account.get("/constants/bank_id").json()}
    assert "DBS" in banks[7171]
    assert all(isinstance(value, int) and 1000 <= value <= 9999 for value in banks)


def test_the_termination_codes_are_the_agreed_ones(account: Member) -> None:
    values = [entry["value"] for entry in account.get("/constants/termination_code").json()]
    assert values == [*range(1, 13), 99]


def test_an_unknown_list_is_not_found_and_the_answer_helps(account: Member) -> None:
    assert "Did you mean gender?" in assert_problem(account.get("/constants/gendr"), 404)["message"]
    assert "religion" in assert_problem(account.get("/constants/xyz"), 404)["message"]


def test_an_attribute_takes_its_values_from_the_list() -> None:
    assert list(one_of("gender").values) == [entry.value for entry in CONSTANT_LISTS["gender"]]
