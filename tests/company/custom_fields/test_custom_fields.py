"""Custom employee fields: list, create, change, delete."""

from typing import Any

import pytest

from tests.support.company import Company
from tests.support.problems import assert_problem, field_errors
from tests.support.races import at_once

FIELDS = {"id", "name", "type", "required", "options", "client_id", "created_at", "updated_at"}


def where(company: Company) -> str:
    return f"/clients/{company.id}/custom_employee_fields"


def fields(company: Company) -> list[dict[str, Any]]:
    return [element["custom_employee_field"] for element in company.member.get(where(company)).json()]


def refusal(company: Company, supplied: dict[str, Any]) -> dict[str, str]:
    """Return the errors of a create that is rejected, after checking that it changed nothing."""
    before = company.member.service.fingerprint()
    errors = field_errors(company.member.post(where(company), supplied))
    assert company.member.service.fingerprint() == before
    return errors


def test_it_works(company: Company) -> None:
    answer = company.member.post(where(company), {"name": "Locker", "type": "text", "required": True})
    assert answer.json() == {"message": "The custom field has been created", "id": answer.json()["id"]}
    [element] = company.member.get(where(company)).json()
    assert list(element) == ["custom_employee_field"]
    field = element["custom_employee_field"]
    assert set(field) == FIELDS
    assert {name: field[name] for name in ("id", "name", "type", "required", "options", "client_id")} == {
        "id": answer.json()["id"],
        "name": "Locker",
        "type": "text",
        "required": True,
        "options": [],
        "client_id": company.id,
    }


@pytest.mark.parametrize("kind", ["text", "number", "date", "boolean", "dropdown"])
def test_every_type_is_possible(company: Company, kind: str) -> None:
    more = {"options": ["S"]} if kind == "dropdown" else {}
    company.field(name="A field", type=kind, **more)
    [field] = fields(company)
    assert (field["type"], field["required"]) == (kind, False)


def test_options_are_given_as_names_or_objects_and_get_ids(company: Company) -> None:
    company.field(name="Shirt", type="dropdown", options=["S", {"name": "M"}])
    company.field(name="Shoe", type="dropdown", options=["S"])
    shirt, shoe = fields(company)
    assert [set(option) for option in shirt["options"]] == [{"id", "name"}] * 2
    assert [option["name"] for option in shirt["options"]] == ["S", "M"]
    ids = [option["id"] for field in (shirt, shoe) for option in field["options"]]
    assert len(set(ids)) == 3


@pytest.mark.parametrize(
    ("supplied", "expected"),
    [
        ({}, {"name": "is required", "type": "is required"}),
        ({"name": " ", "type": "text"}, {"name": "is required"}),
        ({"name": "A", "type": "colour"}, {"type": "must be one of text, number, date, boolean, dropdown"}),
        ({"name": "A", "type": "dropdown"}, {"options": "is required when type is dropdown"}),
        ({"name": "A", "type": "dropdown", "options": []}, {"options": "is required when type is dropdown"}),
        ({"name": "A", "type": "text", "options": ["S"]}, {"options": "is only allowed when type is dropdown"}),
        ({"name": "A", "type": "text", "required": "no"}, {"required": "must be true or false"}),
        ({"name": "A", "type": "dropdown", "options": ["S", "S"]}, {"options": "must not have the same name twice"}),
        ({"name": "A", "type": "dropdown", "options": "S"}, {"options": "must be an array"}),
        (
            {"name": 5, "type": "dropdown", "options": ["", {"name": 7}, {"id": "x", "name": "M"}, 8]},
            {
                "name": "must be a string",
                "options.0": "must be 1 to 255 characters",
                "options.1.name": "must be a string",
                "options.2.id": "must be an integer",
                "options.3": "must be a string",
            },
        ),
        (
            {"name": "A", "type": "dropdown", "options": [{"id": 999999999, "name": "S"}]},
            {"options.0.id": "option 999999999 does not exist in this field"},
        ),
    ],
)
def test_every_error_is_named(company: Company, supplied: dict[str, Any], expected: dict[str, str]) -> None:
    assert refusal(company, supplied) == expected


def test_names_are_unique_in_a_client_whatever_their_capitals_and_other_errors_are_named_too(company: Company) -> None:
    company.field(name="Locker", type="text")
    assert refusal(company, {"name": "LOCKER", "type": "colour"}) == {
        "name": "LOCKER is already in use",
        "type": "must be one of text, number, date, boolean, dropdown",
    }
    other = company.field(name="Desk", type="text")
    assert list(field_errors(company.member.patch(f"/custom_employee_fields/{other}", {"name": "locker"}))) == ["name"]
    assert company.member.patch(f"/custom_employee_fields/{other}", {"name": "DESK"}).status_code == 200
    assert Company.of(company.member).field(name="Locker", type="text")


def test_of_two_concurrent_creates_with_one_name_one_succeeds(company: Company) -> None:
    body = {"name": "Locker", "type": "text"}
    answers = at_once([lambda: company.member.post(where(company), body)] * 2)
    assert sorted(answer.status_code for answer in answers) == [200, 422]
    assert len(fields(company)) == 1


def test_an_update_changes_only_what_is_supplied(company: Company) -> None:
    field_id = company.field(name="Shirt", type="dropdown", options=["S", "L"])
    [before] = fields(company)
    answer = company.member.patch(f"/custom_employee_fields/{field_id}", {"required": True, "nmae": "x"})
    assert answer.json() == {
        "message": "The custom field has been updated",
        "id": field_id,
        "warnings": {"nmae": "Unknown attribute, ignored. Did you mean name?"},
    }
    [after] = fields(company)
    assert {**after, "required": False, "updated_at": before["updated_at"]} == before
    assert after["required"] is True


def test_what_was_read_can_be_sent_back(company: Company) -> None:
    company.field(name="Shirt", type="dropdown", options=["S", "L"])
    company.field(name="Locker", type="text")
    before = fields(company)
    for field in before:
        answer = company.member.patch(f"/custom_employee_fields/{field['id']}", {"custom_employee_field": field})
        assert set(answer.json()) == {"message", "id"}
    after = [{**field, "updated_at": old["updated_at"]} for field, old in zip(fields(company), before, strict=True)]
    assert after == before


def test_options_keep_their_ids_and_new_ones_get_theirs(company: Company) -> None:
    field_id = company.field(name="Shirt", type="dropdown", options=["S", "M", "L"])
    small, _, large = fields(company)[0]["options"]
    change = {"options": [{"id": large["id"], "name": "Large"}, small, "XL"]}
    assert company.member.patch(f"/custom_employee_fields/{field_id}", change).status_code == 200
    options = fields(company)[0]["options"]
    assert options[:2] == [{"id": large["id"], "name": "Large"}, small]
    assert options[2]["name"] == "XL"
    assert options[2]["id"] not in (small["id"], large["id"])
    twice = {"options": [small, {"id": small["id"], "name": "Small"}]}
    assert field_errors(company.member.patch(f"/custom_employee_fields/{field_id}", twice)) == {
        "options": "must not have the same id twice"
    }


def test_another_type_drops_the_options(company: Company) -> None:
    field_id = company.field(name="Shirt", type="dropdown", options=["S"])
    assert company.member.patch(f"/custom_employee_fields/{field_id}", {"type": "text"}).status_code == 200
    assert (fields(company)[0]["type"], fields(company)[0]["options"]) == ("text", [])
    assert field_errors(company.member.patch(f"/custom_employee_fields/{field_id}", {"type": "dropdown"})) == {
        "options": "is required when type is dropdown"
    }


def test_the_type_of_a_field_in_use_cannot_change(company: Company) -> None:
    field_id = company.field(name="Locker", type="text")
    company.hire(custom_fields={str(field_id): "12"})
    before = company.member.service.fingerprint()
    answer = company.member.patch(f"/custom_employee_fields/{field_id}", {"type": "number"})
    message = assert_problem(answer, 409)["message"]
    assert message == f"Employees have values in custom field {field_id}, so its type cannot change"
    assert company.member.service.fingerprint() == before
    assert company.member.patch(f"/custom_employee_fields/{field_id}", {"name": "Box"}).status_code == 200


def test_an_option_in_use_cannot_be_removed(company: Company) -> None:
    field_id = company.field(name="Shirt", type="dropdown", options=["S", "L"])
    small, large = fields(company)[0]["options"]
    employee_id = company.hire(custom_fields={str(field_id): small["id"]})
    before = company.member.service.fingerprint()
    answer = company.member.patch(f"/custom_employee_fields/{field_id}", {"options": [large]})
    message = assert_problem(answer, 409)["message"]
    assert message == f"Employees have the option S ({small['id']}); change their value before you remove it"
    assert company.member.service.fingerprint() == before
    company.patch(employee_id, custom_fields={str(field_id): large["id"]})
    assert company.member.patch(f"/custom_employee_fields/{field_id}", {"options": [large]}).status_code == 200


def test_a_field_without_values_can_be_deleted(company: Company) -> None:
    field_id = company.field(name="Locker", type="text")
    company.hire()
    path = f"/custom_employee_fields/{field_id}"
    assert company.member.delete(path).json() == {"message": "The custom field has been deleted"}
    assert fields(company) == []
    assert_problem(company.member.delete(path), 404)
    assert_problem(company.member.patch(path, {"name": "x"}), 404)


def test_a_viewer_reads_and_cannot_write(company: Company) -> None:
    field_id = company.field(name="Locker", type="text")
    viewer = company.member.colleague(company.id, "viewer")
    assert len(viewer.get(where(company)).json()) == 1
    before = company.member.service.fingerprint()
    for answer in (
        viewer.post(where(company), {"name": "x", "type": "text"}),
        viewer.patch(f"/custom_employee_fields/{field_id}", {"name": "x"}),
        viewer.delete(f"/custom_employee_fields/{field_id}"),
    ):
        assert_problem(answer, 403)
    assert company.member.service.fingerprint() == before


def test_fields_are_listed_in_ascending_id_order_and_paged(company: Company) -> None:
    ids = [company.field(name=name, type="text") for name in "cab"]
    assert [field["id"] for field in fields(company)] == ids
    answer = company.member.get(f"{where(company)}?page=2&per_page=2")
    assert [element["custom_employee_field"]["id"] for element in answer.json()] == ids[2:]
    assert answer.headers["x-total-count"] == "3"
