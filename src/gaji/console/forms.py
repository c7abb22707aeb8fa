"""Forms derived from request schemas.

A form shows current values or submitted ones, and turns what was submitted into the body that the API would get.
"""

import re
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from typing import Any

from gaji.console import glossary
from gaji.console.error_messages import can_be_late, error_headline, error_text, validation_headline
from gaji.console.glossary import FieldText, label
from gaji.core.amounts import DecimalNumber, NonNegativeAmount
from gaji.core.constants import CONSTANT_LISTS
from gaji.core.error_codes import NOT_APPLICABLE, REQUIRED, REQUIRED_WHEN
from gaji.core.errors import Conflict, Errors, FieldError, GajiError, NotFound, ValidationError
from gaji.core.external_references import REFERENCE_NAMES
from gaji.core.field_types import Boolean, DateType, Integer, OneOf, Text
from gaji.core.validation import Attribute, Condition, Group
from gaji.people.employees.days_by_year import DaysByYear, days_by_year_text
from gaji.people.employees.schemas import RaceType

AMOUNT = re.compile(r"(?:S?\$)?\s*(\d{1,3}(?:,\d{3})+(?:\.\d*)?|\d+(?:\.\d*)?)")
"""An amount, with an optional dollar sign and optional commas."""
FILLER_WORDS = frozenset({"the", "a", "an", "of", "its"})
RECORD_ID = re.compile(r"(?:^|\.)([0-9]+)(?:\.|$)")
"""The ID of a record in the name of a field."""
Options = Sequence[tuple[str, str]]
Values = Mapping[str, Any]
NO_TEXT = FieldText()


@dataclass(frozen=True)
class Field:
    """One form field, ready to be rendered."""

    name: str
    """The dotted path of the attribute."""
    label: str
    kind: str = "text"
    """`select`, `checkbox` or the type of an input element."""
    value: str = ""
    default: str = ""
    """The value that applies if the field is left blank."""
    hint: str = ""
    hints: Sequence[tuple[str, str]] = ()
    """Further hints, each with the condition in which it applies. Without a script, all are shown."""
    required: bool = False
    options: Options = ()
    references_records: bool = False
    """The options are the IDs of all records that may be chosen. Any other ID is not found."""
    max_length: int | None = None
    condition: str = ""
    """When the field applies: the name of another field and its values, such as `type=L,F`. A script reads it too."""
    required_if: str = ""
    """When the field is required, in the form of `condition`, or `type=*` for any value."""
    error: str = ""
    error_character: int | None = None
    """The character of the value that the error is about, counted from 1."""
    wide: bool = False
    autocomplete: str = ""
    is_amount: bool = False
    """Money: commas and a dollar sign are accepted."""

    @property
    def id(self) -> str:
        """The ID of the element in the page."""
        return self.name.replace(".", "-")

    def applies(self, values: Mapping[str, str]) -> bool:
        """Return whether the field applies, given the values of the other fields."""
        sibling, _, wanted = self.condition.partition("=")
        return not self.condition or values.get(sibling) in wanted.split(",")

    def to_body_value(self, submitted: str) -> Any:
        """Return the JSON value for the submitted text."""
        if self.kind == "checkbox":
            return submitted == "true"
        text = submitted.strip()
        if self.references_records:
            require_known_ids([text], [value for value, _ in self.options], self.label)
        if self.is_amount and (amount := AMOUNT.fullmatch(text)):
            text = amount[1].replace(",", "")
        return text or None


@dataclass(frozen=True)
class FormError:
    """An error as the summary at the top of a form lists it."""

    field_id: str
    """Empty if the form has no field for it."""
    label: str
    text: str


@dataclass(frozen=True)
class Form:
    """Fields with their errors, and a summary of the errors."""

    fields: Sequence[Field]
    headline: str = ""
    errors: Sequence[FormError] = ()
    can_be_late: bool = False
    """Whether it was rejected because of a finalised period, and can be recorded as late."""

    def section(self, *names: str) -> list[Field]:
        """Return the fields with these names, and the fields of the groups with these names, in this order."""
        return [field for name in names for field in self._by_name.get(name, ())]

    @cached_property
    def _by_name(self) -> Mapping[str, Sequence[Field]]:
        """The fields by name, and those of a group by the name of the group too."""
        by_name: dict[str, list[Field]] = {}
        for field in self.fields:
            parts = field.name.split(".")
            for length in range(1, len(parts) + 1):
                by_name.setdefault(".".join(parts[:length]), []).append(field)
        return by_name

    def rest(self, *names: str) -> list[Field]:
        """Return the fields that `section` does not return for these names."""
        listed = {field.name for field in self.section(*names)}
        return [field for field in self.fields if field.name not in listed]

    def is_changed(self, submitted: Mapping[str, str], *names: str) -> bool:
        """Return whether something else was submitted for these fields or groups."""
        return any(submitted.get(field.name, "").strip() != field.value for field in self.section(*names))

    def without(self, *names: str) -> "Form":
        """Return the form without these fields."""
        return replace(self, fields=self.rest(*names))

    def with_values(self, submitted: Mapping[str, str]) -> "Form":
        """Return the form with the submitted values."""
        return replace(self, fields=[replace(field, value=submitted.get(field.name, "")) for field in self.fields])

    def with_errors(
        self,
        error: GajiError,
        paths: Mapping[str, str] | None = None,
        texts: Mapping[str, str] = glossary.ERRORS,
    ) -> "Form":
        """Return the form with each error at its field.

        `paths` names the field for errors whose path is not the name of a field, by the start of the path. Different
        errors at the same field are joined.
        """
        errors = error.errors if isinstance(error, ValidationError | Conflict) else Errors()
        fields = {field.name: field for field in self.fields}
        messages: dict[str, list[str]] = {}
        for path, field_error in errors.items():
            text = self._error_text(field_error, fields, texts)
            for name in self._required_fields(field_error) or [field_name(path, fields, paths or {})]:
                at_field = messages.setdefault(name, [])
                if text not in at_field:
                    at_field.append(text)
        joined = {name: "; ".join(lines) for name, lines in messages.items()}
        summary = [
            FormError(fields[name].id, fields[name].label, text) if name in fields else FormError("", label(name), text)
            for name, text in joined.items()
        ]
        characters = {path: field_error.params.get("character") for path, field_error in errors.items()}
        return Form(
            [
                replace(field, error=joined.get(field.name, ""), error_character=characters.get(field.name))
                for field in self.fields
            ],
            validation_headline(len(summary)) if isinstance(error, ValidationError) else error_headline(error),
            summary,
            can_be_late(error),
        )

    def _required_fields(self, error: FieldError) -> list[str]:
        """Return the fields that have to be filled in if a whole group is missing, so that all are marked at once."""
        is_missing = error.kind in (REQUIRED, REQUIRED_WHEN)
        in_group = [field for field in self.fields if field.name.startswith(f"{error.path}.")]
        return [field.name for field in in_group if field.required_if] if is_missing else []

    def _error_text(self, error: FieldError, fields: Mapping[str, Field], texts: Mapping[str, str]) -> str:
        """Return the message of an error. Conditions name the options of the other field."""
        group, dot, _ = error.path.rpartition(".")
        other = fields.get(f"{group}{dot}{error.params.get('attribute')}")
        if other is not None and other.kind == "checkbox" and error.params.get("value") == "true":
            return error_text(replace(error, params={**error.params, "ticked": True}), fields, texts)
        condition = fields[error.path].condition if error.path in fields else ""
        if error.kind is not NOT_APPLICABLE or not condition:
            return error_text(error, fields, texts)
        sibling, _, values = condition.partition("=")
        options = dict(fields[sibling].options) if sibling in fields else {}
        value = " or ".join(options.get(value, value) for value in values.split(","))
        return error_text(replace(error, params={**error.params, "value": value}), fields, texts)

    def to_body(self, submitted: Mapping[str, str]) -> dict[str, Any]:
        """Return what was submitted as a request body. Blank is null, and so is a group whose fields are all blank.

        Raises NotFound if a value or the name of a field refers to a record that the form does not offer.
        """
        known = {field.name for field in self.fields}
        for name in submitted.keys() - known:
            if match := RECORD_ID.search(name):
                raise NotFound(f"{label(name[: match.start()]) or 'Record'} {match[1][:20]} does not exist")
        body: dict[str, Any] = {}
        for field in self.fields:
            group, _, name = field.name.rpartition(".")
            target = body.setdefault(group, {}) if group else body
            target[name] = field.to_body_value(submitted.get(field.name, ""))
        checkboxes = {field.name for field in self.fields if field.kind == "checkbox"}
        return {
            name: _blank_to_none(name, value, checkboxes) if isinstance(value, dict) else value
            for name, value in body.items()
        }


def _blank_to_none(name: str, group: dict[str, Any], checkboxes: set[str]) -> dict[str, Any] | None:
    is_filled = any(f"{name}.{child}" in checkboxes or value is not None for child, value in group.items())
    return group if is_filled else None


def field_name(path: str, fields: Collection[str], paths: Mapping[str, str]) -> str:
    """Return the field for an error path: itself, or the entry for the longest start of the path.

    Otherwise, return the first field of the group that the path names, or the path.

    >>> field_name("options.2.name", ["name"], {"options": "option.1", "options.2.": "option.new1"})
    'option.new1'
    >>> field_name("bank_account", ["name", "bank_account.bank_id", "bank_account.account_number"], {})
    'bank_account.bank_id'
    """
    if path in fields:
        return path
    starts = (path[:length] for length in range(len(path), -1, -1))
    in_group = (name for name in fields if name.startswith(f"{path}."))
    return next((paths[start] for start in starts if start in paths), next(in_group, path))


def require_known_ids(submitted: Iterable[str], known: Container[str], noun: str) -> None:
    """Raise NotFound for the ID of a record that is not known. Text that is not an ID is left to validation."""
    for text in submitted:
        if text.isascii() and text.isdigit() and text not in known:
            raise NotFound(f"{noun[:1].upper()}{noun[1:]} {text[:20]} does not exist")


def build_form(
    name: str,
    attributes: Sequence[Attribute],
    values: Values,
    options: Mapping[str, Options] | None = None,
    *,
    show_descriptions: bool = True,
) -> Form:
    """Return the form for these attributes, with their values and the glossary's texts for the form of this name.

    `options` lists the records to choose from, for attributes that are IDs of records.
    """
    texts = FormTexts(glossary.FORMS.get(name, {}), show_descriptions)
    return Form(list(_build_fields(attributes, values, options or {}, texts)))


@dataclass(frozen=True)
class FormTexts:
    """The labels and hints of a form."""

    by_field: Mapping[str, FieldText]
    """The glossary's texts."""
    show_descriptions: bool
    """Whether the description of an attribute is the hint of a field without one."""

    def label_and_hint(self, name: str, description: str) -> tuple[str, str]:
        """Return the label and the hint of a field."""
        text, usual_label = self.by_field.get(name, NO_TEXT), label(name)
        hint = hint_from_description(description, usual_label) if self.show_descriptions else ""
        return text.label or usual_label, hint if text.hint is None else text.hint


def labelled_field(form: str, name: str, **attributes: Any) -> Field:
    """Return a field with the glossary's texts, for attributes that have no field of their own."""
    text = glossary.FORMS[form].get(name, FieldText())
    return Field(name, text.label or label(name), hint=text.hint or "", **attributes)


@lru_cache(maxsize=1_000)
def hint_from_description(description: str, label: str) -> str:
    """Return the description as a hint, unless it only repeats the label.

    >>> hint_from_description("Postal code.", "Postal code"), hint_from_description("With the unit.", "Level")
    ('', 'With the unit.')
    """
    words = set(re.findall(r"\w+", description.lower())) - FILLER_WORDS
    return "" if words <= set(re.findall(r"\w+", label.lower())) else description


def _build_fields(
    attributes: Sequence[Attribute],
    values: Values,
    options: Mapping[str, Options],
    texts: FormTexts,
    prefix: str = "",
    group_condition: str = "",
) -> Iterator[Field]:
    for attribute in attributes:
        if attribute.name in REFERENCE_NAMES:
            continue
        name, value = prefix + attribute.name, values.get(attribute.name)
        condition = _condition(attribute, prefix) or group_condition
        if isinstance(attribute.type, Group):
            required = [f"{name}.{child.name}" for child in attribute.type.attributes if child.required]
            # A group that may be left blank needs these fields once the first of them has a value.
            any_value = f"{required[0]}=*" if required else ""
            required_if = condition_text(attribute.required_if, prefix) if attribute.required_if else any_value
            children = _build_fields(attribute.type.attributes, value or {}, options, texts, f"{name}.", condition)
            yield from (
                replace(child, required_if=required_if) if child.name in required else child for child in children
            )
        elif (input_values := _input_values(attribute, value, options.get(name))) is not None:
            field_label, hint = texts.label_and_hint(name, attribute.description)
            yield Field(
                name,
                field_label,
                hint=hint,
                condition=condition,
                # A group can be left blank, so its fields are not marked as required.
                required=attribute.required and not prefix,
                required_if=condition_text(attribute.required_if, prefix) if attribute.required_if else "",
                **input_values,
            )


def attribute_texts(attributes: Sequence[Attribute], values: Values, prefix: str = "") -> dict[str, str]:
    """Return the texts that a form has for these values, by the name of the field."""
    texts: dict[str, str] = {}
    for attribute in attributes:
        name, value = prefix + attribute.name, values.get(attribute.name)
        if isinstance(attribute.type, Group):
            texts |= attribute_texts(attribute.type.attributes, value or {}, f"{name}.")
        else:
            texts[name] = _attribute_text(attribute, value)
    return texts


def _attribute_text(attribute: Attribute, value: Any) -> str:
    """Return a value, or the default, as the text of the field of an attribute."""
    if isinstance(attribute.type, DaysByYear):
        return days_by_year_text(value or {})
    return field_text(attribute.default if value is None else value)


def _input_values(attribute: Attribute, value: Any, options: Options | None) -> dict[str, Any] | None:
    """Return the values of a `Field` that depend on the type of the attribute. None if it has no field."""
    text = _attribute_text(attribute, value)
    values = {"value": text, "default": field_text(attribute.default)}
    if options is not None:
        return {**values, "kind": "select", "options": options, "references_records": True}
    match attribute.type:
        case Boolean():
            return {**values, "kind": "checkbox"}
        case DateType():
            return {**values, "kind": "date"}
        case OneOf(allowed, list_name):
            return {**values, "kind": "select", "options": _list_options(tuple(allowed), list_name)}
        case RaceType(OneOf(allowed, list_name)):
            choices = _list_options(tuple(allowed), list_name)
            is_listed = not text or text in {choice for choice, _ in choices}
            return {**values, "kind": "select", "options": choices if is_listed else [*choices, (text, text)]}
        case DaysByYear():
            return {"value": text}
        case Integer() | DecimalNumber():
            return values
        case NonNegativeAmount():
            return {**values, "is_amount": True}
        case Text(max_length=max_length):
            return {**values, "max_length": max_length}
    return None


@cache
def _list_options(values: tuple[str | int, ...], list_name: str) -> Options:
    names = {entry.value: entry.name for entry in CONSTANT_LISTS[list_name]}
    return [(str(value), names.get(value, str(value))) for value in values]


def _condition(attribute: Attribute, prefix: str) -> str:
    condition = attribute.only_if or attribute.required_if
    return condition_text(condition, prefix) if condition else ""


def condition_text(condition: Condition, prefix: str = "") -> str:
    """Return a condition in the form that fields and the script use.

    >>> condition_text(Condition("type", ("L", "F")), "address.")
    'address.type=L,F'
    >>> condition_text(Condition("enabled", (True,)))
    'enabled=true'
    """
    return f"{prefix}{condition.attribute}={','.join(field_text(value) for value in condition.values)}"


def field_text(value: Any) -> str:
    """Return a JSON value as the text of a field."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)
