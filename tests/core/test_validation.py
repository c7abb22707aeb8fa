"""Request schemas: all errors at once, and warnings for unknown attributes."""

from datetime import date
from decimal import Decimal
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaji.company.clients.schemas import CLIENT
from gaji.core.error_codes import REQUIRED_WHEN
from gaji.core.errors import Errors, ValidationError
from gaji.core.field_types import Boolean, DateType, Integer, OneOf, Text, parse_integer
from gaji.core.validation import Attribute, Group, Schema, merge_changes, suggest

names = st.sampled_from("abcd")
values = st.none() | st.integers(0, 3) | st.text(max_size=2)
objects: st.SearchStrategy[dict[str, Any]] = st.recursive(
    st.dictionaries(names, values), lambda children: st.dictionaries(names, values | children), max_leaves=8
)


class HomeInput(msgspec.Struct, frozen=True, kw_only=True):
    street: str
    unit: str | None


class PersonInput(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    born: date | None
    children: int
    married: bool
    size: int | None
    home: HomeInput


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
            Group(
                (Attribute("street", Text(), "A street.", default=""), Attribute("unit", Text(), "A unit.")),
                struct=HomeInput,
            ),
            "An address.",
            default={},
        ),
    ),
    struct=PersonInput,
)


def errors_of(body: dict[str, Any]) -> dict[str, str]:
    """Return the messages for a body that is not valid."""
    with pytest.raises(ValidationError) as caught:
        PERSON.parse_create(body)
    return caught.value.errors.messages()


@given(objects)
def test_an_empty_change_changes_nothing(current: dict[str, Any]) -> None:
    assert merge_changes(current, {}) == current


@given(objects, objects)
def test_applying_a_change_twice_is_the_same_as_once(current: dict[str, Any], change: dict[str, Any]) -> None:
    once = merge_changes(current, change)
    assert merge_changes(once, change) == once


@given(objects, objects)
def test_only_named_attributes_change(current: dict[str, Any], change: dict[str, Any]) -> None:
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
def test_merging_modifies_neither_argument(current: dict[str, Any], change: dict[str, Any]) -> None:
    before = repr(current), repr(change)
    merge_changes(current, change)
    assert (repr(current), repr(change)) == before


@given(st.integers(-(10**18), 10**18))
def test_an_integer_may_be_a_number_or_a_string(number: int) -> None:
    assert parse_integer(number) == parse_integer(str(number)) == parse_integer(Decimal(number)) == number


@pytest.mark.parametrize(
    "value",
    [True, None, "", " 1", "1 ", "1.0", "+1", "0x1", "１", "1e3", [], {}, Decimal("1.5"), Decimal("NaN"), "9" * 20],
)
def test_nothing_else_is_an_integer(value: object) -> None:
    assert parse_integer(value) is None


@pytest.mark.parametrize("value", [Decimal("Infinity"), Decimal("1E+999999"), Decimal("1E-999999")])
def test_decimals_that_are_out_of_range_are_not_integers(value: Decimal) -> None:
    assert parse_integer(value) is None


def test_missing_attributes_have_their_defaults() -> None:
    home = HomeInput(street="", unit=None)
    expected = PersonInput(name="Tan", born=None, children=0, married=False, size=None, home=home)
    assert PERSON.parse_create({"name": "Tan"}).data == expected


def test_all_errors_are_reported_at_once_by_dotted_path() -> None:
    body = {"name": "Tan Ah Kow", "born": "2026-02-30", "children": 21, "married": 1, "size": 4, "home": {"unit": 5}}
    assert errors_of(body) == {
        "name": "must be 1 to 5 characters",
        "born": "2026-02-30 is not a valid calendar date",
        "children": "must be from 0 to 20",
        "married": "must be true or false",
        "size": "must be one of 1, 2, 3",
        "home.unit": "must be a string",
    }


@pytest.mark.parametrize(
    "day", ["2026-3-31", "31/03/2026", "20260331", "2026-03-31T00:00:00", "２０２６-03-31", 20260331, "x"]
)
def test_a_malformed_date_is_an_error(day: object) -> None:
    assert errors_of({"name": "Tan", "born": day}) == {"born": "must be a date such as 2026-03-31"}


def test_a_date_is_parsed() -> None:
    assert PERSON.parse_create({"name": "Tan", "born": "2024-02-29"}).data.born == date(2024, 2, 29)


@pytest.mark.parametrize("blank", ["", "  ", None])
def test_a_required_attribute_must_not_be_blank(blank: str | None) -> None:
    assert errors_of({"name": blank}) == {"name": "is required"}


@pytest.mark.parametrize("text", ["a\x00b", "a\nb", "a\x7fb", "a\u2028b", "a\ud800b"])
def test_control_characters_and_surrogates_are_errors(text: str) -> None:
    assert errors_of({"name": text}) == {"name": "must not contain control characters"}


def test_null_clears_a_value_and_the_whole_record_is_validated() -> None:
    person = PERSON.parse_create({"name": "Tan", "children": 3, "home": {"unit": "#01-01"}}).data
    current = msgspec.to_builtins(person, builtin_types=(date,))
    changed = PERSON.parse_update({"children": None, "home": {"unit": None}}, current).data
    assert (changed.children, changed.home) == (0, HomeInput(street="", unit=None))
    with pytest.raises(ValidationError):
        PERSON.parse_update({"name": None}, current)


def test_rules_over_the_whole_record_add_their_errors() -> None:
    def birthdate_rule(record: dict[str, Any], errors: Errors) -> None:
        if record["married"] and record["born"] is None:
            errors.add("born", REQUIRED_WHEN, attribute="married", value=True)

    strict = Schema("person", PERSON.attributes, rules=[birthdate_rule], struct=PersonInput)
    with pytest.raises(ValidationError) as caught:
        strict.parse_create({"married": "true"})
    messages = caught.value.errors.messages()
    assert messages == {"name": "is required", "born": "is required when married is true"}


def test_warnings_name_unknown_attributes_but_not_read_only_ones() -> None:
    validated = PERSON.parse_create(
        {"name": "Tan", "nmae": 1, "id": 7, "updated_at": "x", "home": {"sreet": 1, "id": 2}}
    )
    assert set(validated.warnings) == {"nmae", "home.sreet", "home.id"}
    assert validated.warnings["home.sreet"] == "Unknown attribute, ignored. Did you mean street?"


@given(st.text())
def test_a_suggestion_is_a_known_name_or_none(name: str) -> None:
    assert suggest(name, ["nric", "race"]) in ("nric", "race", None)


@given(st.dictionaries(st.sampled_from(["name", "born", "children", "married", "size", "home", "x"]), values | objects))
def test_any_body_is_valid_or_has_errors(body: dict[str, Any]) -> None:
    errors = Errors()
    try:
        validated = PERSON.parse_create(body)
    except ValidationError as error:
        errors = error.errors
    assert all(errors.messages().values())
    assert errors or isinstance(validated.data, PersonInput)


@pytest.mark.parametrize("schema", [PERSON, CLIENT], ids=lambda schema: schema.resource)
def test_the_schema_of_a_body_is_valid_json_schema(schema: Schema[Any]) -> None:
    for partial in (False, True):
        jsonschema.Draft202012Validator.check_schema(schema.json_schema(partial=partial))


@pytest.mark.parametrize(
    "body",
    [
        {"name": "Tan"},
        {"name": "Tan", "born": None, "children": 2, "married": True, "size": 3, "home": {"unit": "#1"}},
    ],
)
def test_the_json_schema_accepts_what_validation_accepts(body: dict[str, Any]) -> None:
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
def test_the_json_schema_rejects_what_validation_rejects(body: dict[str, Any]) -> None:
    assert errors_of(body)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(body, PERSON.json_schema())
