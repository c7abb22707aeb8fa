"""physical_address: the attributes of each type, and a change of type."""

from typing import Any

import pytest

from tests.support.company import Company, attributes
from tests.support.problems import field_errors

LOCAL = {
    "block_no": "203A",
    "st_name": "Bedok North Road",
    "level_no": "11",
    "unit_no": "123",
    "postal_code": "461203",
}
LINES = {
    "address_line1": "12 Jalan Besar",
    "address_line2": "Taman Sentosa",
    "address_line3": "Johor Bahru",
    "tx_uf_postal_code": "80150",
}
COUNTRY = {"country_code": "MY"}
APPLIES: dict[str, dict[str, str]] = {"L": LOCAL, "F": {**LINES, **COUNTRY}, "C": LINES, "N": {}}
CHILDREN = {**LOCAL, **LINES, **COUNTRY}
CONDITIONS = {**dict.fromkeys(LOCAL, "L"), **dict.fromkeys(LINES, "F or C"), "country_code": "F"}


def full_address(kind: str | None, **supplied: str) -> dict[str, Any]:
    """Return an address as it reads back: attributes that do not apply are null."""
    return {"type": kind, **dict.fromkeys(CHILDREN), **supplied}


@pytest.mark.parametrize("kind", list(APPLIES))
def test_an_address_of_every_type_reads_back(company: Company, kind: str) -> None:
    employee_id = company.hire(physical_address={"type": kind, **APPLIES[kind]})
    assert company.employee(employee_id)["physical_address"] == full_address(kind, **APPLIES[kind])


@pytest.mark.parametrize("kind", list(APPLIES))
def test_every_child_but_the_type_is_optional(company: Company, kind: str) -> None:
    employee_id = company.hire(physical_address={"type": kind})
    assert company.employee(employee_id)["physical_address"] == full_address(kind)


def test_the_address_itself_is_optional(company: Company) -> None:
    assert company.employee(company.hire())["physical_address"] == full_address(None)


@pytest.mark.parametrize(
    ("kind", "name"), [(kind, name) for kind in APPLIES for name in CHILDREN if name not in APPLIES[kind]]
)
def test_attributes_that_do_not_apply_to_a_type_are_rejected(company: Company, kind: str, name: str) -> None:
    """Among them: address lines on a type L."""
    before = company.member.service.fingerprint()
    answer = company.post(attributes(physical_address={"type": kind, name: CHILDREN[name]}))
    assert field_errors(answer) == {f"physical_address.{name}": f"is only allowed when type is {CONDITIONS[name]}"}
    assert company.member.service.fingerprint() == before


def test_the_type_is_required(company: Company) -> None:
    for address in ({}, {"st_name": "Bedok North Road"}, {"type": None}):
        assert (
            field_errors(company.post(attributes(physical_address=address)))["physical_address.type"] == "is required"
        )


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ({"type": "X"}, {"physical_address.type": "must be one of L, F, C, N"}),
        (
            {"type": "F", "country_code": "XX"},
            {"physical_address.country_code": "is not in the list /constants/country_code"},
        ),
        ({"type": "L", "postal_code": 461203}, {"physical_address.postal_code": "must be a string"}),
        ({"type": "L", "block_no": "x" * 21}, {"physical_address.block_no": "must be at most 20 characters"}),
        ("203A Bedok North Road", {"physical_address": "must be an object"}),
    ],
)
def test_errors_are_named_by_their_path(company: Company, address: Any, expected: dict[str, str]) -> None:
    assert field_errors(company.post(attributes(physical_address=address))) == expected


def test_an_update_changes_one_line(company: Company) -> None:
    employee_id = company.hire(physical_address={"type": "L", **LOCAL})
    company.patch(employee_id, physical_address={"unit_no": "456", "level_no": None})
    assert company.employee(employee_id)["physical_address"] == full_address(
        "L", **{key: value for key, value in {**LOCAL, "unit_no": "456"}.items() if key != "level_no"}
    )


def test_a_change_of_type_drops_what_no_longer_applies(company: Company) -> None:
    employee_id = company.hire(physical_address={"type": "L", **LOCAL})
    steps: list[tuple[dict[str, str], dict[str, Any]]] = [
        ({"type": "F", **LINES, **COUNTRY}, full_address("F", **LINES, **COUNTRY)),
        ({"type": "C"}, full_address("C", **LINES)),
        ({"type": "N"}, full_address("N")),
        ({"type": "L", "block_no": "1"}, full_address("L", block_no="1")),
    ]
    for change, expected in steps:
        assert company.patch(employee_id, physical_address=change).status_code == 200
        assert company.employee(employee_id)["physical_address"] == expected


def test_an_update_that_supplies_what_does_not_apply_is_rejected(company: Company) -> None:
    employee_id = company.hire(physical_address={"type": "L", **LOCAL})
    assert field_errors(company.patch(employee_id, physical_address={"address_line1": "x"})) == {
        "physical_address.address_line1": "is only allowed when type is F or C"
    }
    assert field_errors(company.patch(employee_id, physical_address={"type": "F", "st_name": "x"})) == {
        "physical_address.st_name": "is only allowed when type is L"
    }


def test_null_clears_the_address(company: Company) -> None:
    employee_id = company.hire(physical_address={"type": "L", **LOCAL})
    company.patch(employee_id, physical_address=None)
    assert company.employee(employee_id)["physical_address"] == full_address(None)
    again = company.patch(employee_id, physical_address={"st_name": "x"})
    assert field_errors(again)["physical_address.type"] == "is required"
