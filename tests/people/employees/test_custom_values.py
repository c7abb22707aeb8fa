"""custom_fields of an employee: values by field ID, checked against the definitions."""

from typing import Any

import pytest

from tests.support.company import Company, attributes
from tests.support.problems import assert_problem, field_errors
from tests.support.races import while_changing


def options_of(company: Company, field_id: int) -> dict[str, str]:
    """Return the IDs of a dropdown's options as strings, by name."""
    listed = company.member.get(f"/clients/{company.id}/custom_employee_fields").json()
    fields = [element["custom_employee_field"] for element in listed]
    [field] = [field for field in fields if field["id"] == field_id]
    return {option["name"]: str(option["id"]) for option in field["options"]}


@pytest.mark.parametrize(
    ("kind", "supplied", "stored"),
    [
        ("text", "Bedok", "Bedok"),
        ("number", "12.50", "12.50"),
        ("number", 12, "12"),
        ("number", 12.5, "12.5"),
        ("number", -3, "-3"),
        ("date", "2026-03-31", "2026-03-31"),
        ("boolean", True, True),
        ("boolean", "false", False),
    ],
)
def test_values_of_every_type_but_boolean_read_back_as_strings(
    company: Company, kind: str, supplied: object, stored: object
) -> None:
    field_id = str(company.field(name="A field", type=kind))
    employee_id = company.hire(custom_fields={field_id: supplied})
    assert company.employee(employee_id)["custom_fields"] == {field_id: stored}
    assert company.listed()[0]["custom_fields"] == {field_id: stored}


def test_dropdown_values_are_ids(company: Company) -> None:
    field_id = company.field(name="Shirt", type="dropdown", options=["S", "L"])
    large = options_of(company, field_id)["L"]
    for supplied in (large, int(large)):
        employee_id = company.hire(custom_fields={str(field_id): supplied})
        assert company.employee(employee_id)["custom_fields"] == {str(field_id): large}
    assert field_errors(company.post(attributes(custom_fields={str(field_id): "999999999"}))) == {
        f"custom_fields.{field_id}": "999999999 is not an option of Shirt"
    }


@pytest.mark.parametrize(
    ("kind", "supplied"),
    [
        ("text", 5),
        ("text", "x" * 1001),
        ("number", "many"),
        ("number", "1_000"),
        ("number", "１２"),
        ("number", " 5"),
        ("number", "NaN"),
        ("number", True),
        ("number", "1e5"),
        ("number", "1" * 21),
        ("date", "31.3.2026"),
        ("boolean", "yes"),
        ("dropdown", "S"),
        ("dropdown", True),
        ("text", {"a": 1}),
    ],
)
def test_a_value_of_the_wrong_type_is_rejected_by_its_path(company: Company, kind: str, supplied: object) -> None:
    more = {"options": ["S", "L"]} if kind == "dropdown" else {}
    field_id = company.field(name="A field", type=kind, **more)
    before = company.member.service.fingerprint()
    assert list(field_errors(company.post(attributes(custom_fields={str(field_id): supplied})))) == [
        f"custom_fields.{field_id}"
    ]
    assert company.member.service.fingerprint() == before


@pytest.mark.parametrize("supplied", [1e300, 1e-300, 10**25])
def test_a_number_out_of_range_is_rejected(company: Company, supplied: float) -> None:
    field_id = company.field(name="A field", type="number")
    assert field_errors(company.post(attributes(custom_fields={str(field_id): supplied}))) == {
        f"custom_fields.{field_id}": "must be a number such as 12.5"
    }


def test_a_field_of_another_client_is_not_known(company: Company) -> None:
    theirs = Company.of(company.member).field(name="Theirs", type="text")
    supplied: dict[str, Any] = {str(theirs): "x", "nonsense": "x", "0": "x"}
    assert field_errors(company.post(attributes(custom_fields=supplied))) == {
        f"custom_fields.{key}": f"custom field {key} does not exist in this client" for key in supplied
    }
    assert field_errors(company.post(attributes(custom_fields=["x"]))) == {"custom_fields": "must be an object"}


def test_an_update_changes_what_is_supplied_and_null_clears(company: Company) -> None:
    first, second, third = (str(company.field(name=name, type="text")) for name in ("One", "Two", "Three"))
    employee_id = company.hire(custom_fields={first: "a", second: "b", third: "c"})
    company.patch(employee_id, custom_fields={second: "B", third: None})
    assert company.employee(employee_id)["custom_fields"] == {first: "a", second: "B"}
    company.patch(employee_id, custom_fields={first: ""})
    assert company.employee(employee_id)["custom_fields"] == {second: "B"}
    company.patch(employee_id, custom_fields=None)
    assert company.employee(employee_id)["custom_fields"] == {}


def test_a_required_field_is_required(company: Company) -> None:
    field_id = company.field(name="Locker", type="text", required=True)
    expected = {f"custom_fields.{field_id}": "Locker is required"}
    assert field_errors(company.post(attributes())) == expected
    assert field_errors(company.post(attributes(custom_fields={str(field_id): ""}))) == expected
    employee_id = company.hire(custom_fields={str(field_id): "12"})
    assert field_errors(company.patch(employee_id, custom_fields={str(field_id): None})) == expected
    assert company.patch(employee_id, first_name="Lim").status_code == 200


def test_a_concurrently_deleted_field_leaves_no_value_behind(company: Company) -> None:
    field_id = company.field(name="Locker", type="text")
    answer = while_changing(
        company.member.service,
        "DELETE FROM custom_employee_fields WHERE id = $1",
        field_id,
        request=lambda: company.post(attributes(custom_fields={str(field_id): "12"})),
    )
    assert field_errors(answer) == {
        f"custom_fields.{field_id}": f"custom field {field_id} does not exist in this client"
    }


def test_a_field_that_employees_have_values_in_cannot_be_deleted(company: Company) -> None:
    field_id = company.field(name="Locker", type="text")
    employee_id = company.hire(custom_fields={str(field_id): "12"})
    where = f"/custom_employee_fields/{field_id}"
    before = company.member.service.fingerprint()
    message = assert_problem(company.member.delete(where), 409)["message"]
    assert message == f"Employees have values in custom field {field_id}; clear them first"
    assert company.member.service.fingerprint() == before
    company.patch(employee_id, custom_fields={str(field_id): None})
    assert company.member.delete(where).status_code == 200
