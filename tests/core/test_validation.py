"""Attributes: how a body is read, with every fault at once and every stray name noticed."""

from datetime import date
from decimal import Decimal
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaji.company.clients.rules import CLIENT
from gaji.core.errors import ValidationError
from gaji.core.validation import (
    Attribute,
    Boolean,
    Schema,
    DateType,
    Group,
    Integer,
    OneOf,
    Text,
    merge_changes,
    suggest,
    parse_integer,
)

names = st.sampled_from("abcd")
values = st.none() | st.integers(0, 3) | st.text(max_size=2)
objects: st.SearchStrategy[dict[str, Any]] = st.recursive(
    st.dictionaries(names, values), lambda children: st.dictionaries(names, values | children), max_leaves=8
)

PERSON = Schema(
    "person",
    (
        Attribute("name", Text(min_length=1, max_length=5), "A name.", required=True),
        Attribute("born", DateType(), "A day."),
        Attribute("children", Integer(maximum=20), "How many.", default=0),
        Attribute("married", Boolean(), "Whether.", default=False),
        Attribute("size", OneOf((1, 2, 3), "size"), "A size."),
        Attribute(
            "home",
            Group((Attribute("street", Text(), "A street.", default=""), Attribute("unit", Text(), "A unit."))),
            "An address.",
            default={},
        ),
    ),
)


def faults(body: dict[str, Any]) -> dict[str, str]:
    with pytest.raises(ValidationError) as refusal:
        PERSON.parse_create(body)
    return refusal.value.errors


@given(objects)
def test_a_change_that_says_nothing_changes_nothing(current: dict[str, Any]) -> None:
    assert merge_changes(current, {}) == current


@given(objects, objects)
def test_a_change_made_twice_is_the_change_made_once(current: dict[str, Any], change: dict[str, Any]) -> None:
    once = merge_changes(current, change)
    assert merge_changes(once, change) == once


@given(objects, objects)
def test_what_a_change_does_not_name_stays_and_what_it_names_is_there(
    current: dict[str, Any], change: dict[str, Any]
) -> None:
    result = merge_changes(current, change)
    assert set(result) == set(current) | set(change)
    for name in result:
        if name not in change:
            assert result[name] == current[name]
        elif not isinstance(change[name], dict):
            assert result[name] == change[name]
        elif isinstance(current.get(name), dict):
            assert result[name] == merge_changes(current[name], change[name])
        else:
            assert result[name] == change[name]


@given(objects, objects)
def test_laying_a_change_over_a_record_leaves_both_as_they_were(
    current: dict[str, Any], change: dict[str, Any]
) -> None:
    before = repr(current), repr(change)
    merge_changes(current, change)
    assert (repr(current), repr(change)) == before


@given(st.integers(-(10**18), 10**18))
def test_a_whole_number_may_come_as_a_number_or_as_text(number: int) -> None:
    assert parse_integer(number) == parse_integer(str(number)) == parse_integer(Decimal(number)) == number


@pytest.mark.parametrize(
    "value",
    [True, None, "", " 1", "1 ", "1.0", "+1", "0x1", "１", "1e3", [], {}, Decimal("1.5"), Decimal("NaN"), "9" * 20],
)
def test_nothing_else_is_a_whole_number(value: object) -> None:
    assert parse_integer(value) is None


@pytest.mark.parametrize("value", [Decimal("Infinity"), Decimal("1E+999999"), Decimal("1E-999999")])
def test_numbers_beyond_all_bounds_are_no_whole_numbers(value: Decimal) -> None:
    assert parse_integer(value) is None


def test_what_is_not_given_has_its_default() -> None:
    assert PERSON.parse_create({"name": "Tan"}).record == {
        "name": "Tan",
        "born": None,
        "children": 0,
        "married": False,
        "size": None,
        "home": {"street": "", "unit": None},
    }


def test_every_fault_is_named_at_once_by_its_dotted_path() -> None:
    body = {"name": "Tan Ah Kow", "born": "2026-02-30", "children": 21, "married": 1, "size": 4, "home": {"unit": 5}}
    assert faults(body) == {
        "name": "must be 1 to 5 characters",
        "born": "2026-02-30 is not a day of the calendar",
        "children": "must be from 0 to 20",
        "married": "must be true or false",
        "size": "must be one of 1, 2, 3",
        "home.unit": "must be a string",
    }


@pytest.mark.parametrize(
    "day", ["2026-3-31", "31/03/2026", "20260331", "2026-03-31T00:00:00", "２０２６-03-31", 20260331, "x"]
)
def test_a_malformed_date_is_a_fault_that_names_the_attribute(day: object) -> None:
    assert faults({"name": "Tan", "born": day}) == {"born": "must be a date such as 2026-03-31"}


def test_a_date_is_read() -> None:
    assert PERSON.parse_create({"name": "Tan", "born": "2024-02-29"}).record["born"] == date(2024, 2, 29)


@pytest.mark.parametrize("blank", ["", "  ", None])
def test_blank_is_no_value_where_one_is_required(blank: str | None) -> None:
    assert faults({"name": blank}) == {"name": "is required"}


@pytest.mark.parametrize("given_value", ["a\x00b", "a\nb", "a\x7fb", "a\u2028b", "a\ud800b"])
def test_control_characters_and_stray_surrogates_are_refused(given_value: str) -> None:
    assert faults({"name": given_value}) == {"name": "must not contain control characters"}


def test_null_clears_and_the_whole_record_is_checked() -> None:
    current = PERSON.parse_create({"name": "Tan", "children": 3, "home": {"unit": "#01-01"}}).record
    changed = PERSON.parse_update({"children": None, "home": {"unit": None}}, current).record
    assert (changed["children"], changed["home"]) == (0, {"street": "", "unit": None})
    with pytest.raises(ValidationError):
        PERSON.parse_update({"name": None}, current)


def test_rules_over_the_whole_record_add_their_faults() -> None:
    def married_people_are_born(record: dict[str, Any], found: dict[str, str]) -> None:
        if record["married"] and record["born"] is None:
            found["born"] = "is required when married is true"

    strict = Schema("person", PERSON.attributes, rules=[married_people_are_born])
    with pytest.raises(ValidationError) as refusal:
        strict.parse_create({"married": "true"})
    assert refusal.value.errors == {"name": "is required", "born": "is required when married is true"}


def test_warnings_name_unknown_attributes_and_leave_read_only_ones_alone() -> None:
    reading = PERSON.parse_create({"name": "Tan", "nmae": 1, "id": 7, "updated_at": "x", "home": {"sreet": 1, "id": 2}})
    assert set(reading.warnings) == {"nmae", "home.sreet", "home.id"}
    assert reading.warnings["home.sreet"] == "Unknown attribute, ignored. Did you mean street?"


@given(st.text())
def test_a_near_miss_is_a_known_name_or_nothing(name: str) -> None:
    assert suggest(name, ["nric", "race"]) in ("nric", "race", None)


@given(st.dictionaries(st.sampled_from(["name", "born", "children", "married", "size", "home", "x"]), values | objects))
def test_any_body_is_read_or_refused_with_faults(body: dict[str, Any]) -> None:
    errors = {"": "nothing was refused"}
    try:
        record = PERSON.parse_create(body).record
    except ValidationError as refusal:
        errors = refusal.errors
        record = {one.name: None for one in PERSON.attributes}
    assert errors
    assert all(isinstance(fault, str) for fault in errors.values())
    assert list(record) == [one.name for one in PERSON.attributes]


@pytest.mark.parametrize("catalogue", [PERSON, CLIENT], ids=lambda catalogue: catalogue.resource)
def test_the_schema_of_a_body_is_json_schema(catalogue: Schema) -> None:
    for partial in (False, True):
        jsonschema.Draft202012Validator.check_schema(catalogue.json_schema(partial=partial))


@pytest.mark.parametrize(
    "body",
    [
        {"name": "Tan"},
        {"name": "Tan", "born": None, "children": 2, "married": "true", "size": 3, "home": {"unit": "#1"}},
    ],
)
def test_the_schema_admits_what_the_check_admits(body: dict[str, Any]) -> None:
    PERSON.parse_create(body)
    jsonschema.validate(body, PERSON.json_schema())


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"name": ""},
        {"name": 5},
        {"name": "Tan", "size": 4},
        {"name": "Tan", "home": {"unit": 5}},
        {"name": "a\x00"},
    ],
)
def test_the_schema_refuses_what_the_check_refuses(body: dict[str, Any]) -> None:
    assert faults(body)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(body, PERSON.json_schema())
