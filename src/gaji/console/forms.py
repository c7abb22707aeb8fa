"""Forms: what a person fills in, derived from the catalogue that says what can be written.

A form is made from what is so, or from what was typed; it gives the body that the API would get.
"""

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from gaji.console.rendering import words
from gaji.core.constants import LISTS
from gaji.core.errors import INVALID, Conflict, Errors, NotFound, ValidationError
from gaji.core.validation import Attribute, Boolean, Condition, DateType, Group, Integer, OneOf, Text
from gaji.people.employees.rules import Race

CONDITION = re.compile(r" when ([a-z_]+) is ([A-Za-z0-9_]+)$")
"""How a fault names the neighbour that it depends on."""
AMOUNT = re.compile(r"(?:S?\$)?\s*(\d{1,3}(?:,\d{3})+(?:\.\d*)?|\d+(?:\.\d*)?)")
"""An amount as people write it, with what they write around it."""
UNTOLD = frozenset({"the", "a", "an", "of", "its"})
"""Words of a hint that say nothing beside a label."""
WAVE = re.compile(r"\b(w)ave(s?)\b", re.IGNORECASE)
RECORD = re.compile(r"(?:^|\.)([0-9]+)(?:\.|$)")
"""The id of a record in the name of a field."""
Options = Sequence[tuple[str, str]]
Values = Mapping[str, Any]


@dataclass(frozen=True)
class Field:
    """One field of a form, ready to be shown."""

    name: str
    """The dotted path of the attribute."""
    label: str
    kind: str = "text"
    """The type of the input; `select` and `checkbox` are shown in their own ways."""
    value: str = ""
    usual: str = ""
    """What it is unless someone says otherwise."""
    hint: str = ""
    required: bool = False
    options: Options = ()
    of_records: bool = False
    """Whether its options are the ids of records of the company, so that any other id is nobody's here."""
    most: int | None = None
    needs: str = ""
    """When it means anything: a neighbour and its values, for the script that hides what does not."""
    fault: str = ""
    wide: bool = False
    autocomplete: str = ""
    amount: bool = False
    """It is money, which people write with commas and a dollar sign too."""

    @property
    def id(self) -> str:
        """Its name in the page."""
        return self.name.replace(".", "-")

    def applies(self, values: Mapping[str, str]) -> bool:
        """Whether it means anything beside the values of its neighbours."""
        neighbour, _, wanted = self.needs.partition("=")
        return not self.needs or values.get(neighbour) in wanted.split(",")

    def body_value(self, typed: str) -> Any:
        """What the typed text stands for in a body."""
        if self.kind == "checkbox":
            return typed == "true"
        text = typed.strip()
        if self.of_records:
            require_records([text], [value for value, _ in self.options], self.label)
        if self.amount and (written := AMOUNT.fullmatch(text)):
            text = written[1].replace(",", "")
        return text or None


@dataclass(frozen=True)
class Form:
    """Fields, and what was wrong with them."""

    fields: Sequence[Field]
    message: str = ""
    faults: Sequence[tuple[str, str, str]] = field(default_factory=tuple)
    """The id of each field with a fault, its label and the fault; no id for what no field is about."""

    def section(self, *names: str) -> list[Field]:
        """The fields with these names, and those inside of groups with these names, in this order."""
        return [one for name in names for one in self.fields if one.name == name or one.name.startswith(f"{name}.")]

    def rest(self, *names: str) -> list[Field]:
        """All the others."""
        taken = {one.name for one in self.section(*names)}
        return [one for one in self.fields if one.name not in taken]

    def filled(self, typed: Mapping[str, str]) -> "Form":
        """The same with what was typed."""
        return replace(self, fields=[replace(one, value=typed.get(one.name, "")) for one in self.fields])

    def with_faults(self, error: ValidationError) -> "Form":
        """The same with the faults at their fields."""
        known = {one.name: one for one in self.fields}
        faults = {name: self._in_words(name, text) for name, text in error.errors.items()}
        told = [
            (known[name].id, known[name].label, text) if name in known else ("", words(name) or "Because", text)
            for name, text in faults.items()
        ]
        faulty = [replace(one, fault=faults.get(one.name, "")) for one in self.fields]
        return Form(faulty, error.message, told)

    def _in_words(self, name: str, text: str) -> str:
        """A fault as a form says it: a neighbour that it is about by its label, and its value by what was chosen."""
        group = name.rpartition(".")[0]
        condition = CONDITION.search(text)
        if condition is None:
            return text
        path = f"{group}.{condition[1]}" if group else condition[1]
        neighbour = next((one for one in self.fields if one.name == path), None)
        if neighbour is None:
            return text
        chosen = dict(neighbour.options).get(condition[2], condition[2])
        return f"{text[: condition.start()]} when {neighbour.label} is “{chosen}”{text[condition.end() :]}"

    def body(self, typed: Mapping[str, str]) -> dict[str, Any]:
        """What was typed as a body: blank is null, and a group without anything in it is null whole.

        Raises NotFound for a record that the form is not about, whether a value or the name of a field says so.
        """
        known = {one.name for one in self.fields}
        for name in typed.keys() - known:
            if found := RECORD.search(name):
                raise NotFound(f"There is no {words(name[: found.start()]) or 'record'} {found[1][:20]}")
        body: dict[str, Any] = {}
        for one in self.fields:
            group, _, name = one.name.rpartition(".")
            place = body.setdefault(group, {}) if group else body
            place[name] = one.body_value(typed.get(one.name, ""))
        checkboxes = {one.name for one in self.fields if one.kind == "checkbox"}
        return {
            name: _group(name, value, checkboxes) if isinstance(value, dict) else value for name, value in body.items()
        }


def _group(name: str, value: dict[str, Any], checkboxes: set[str]) -> dict[str, Any] | None:
    filled = any(one is not None for child, one in value.items() if f"{name}.{child}" not in checkboxes)
    return value if filled or any(f"{name}.{child}" in checkboxes for child in value) else None


def require_records(chosen: Iterable[str], known: Container[str], called: str) -> None:
    """Refuse the id of a record that a company does not have; what is no id at all is left to be told as a fault."""
    for one in chosen:
        if one.isascii() and one.isdigit() and one not in known:
            raise NotFound(f"There is no {called.lower()} {one[:20]}")


def as_validation_error(error: ValidationError | Conflict, message: str = "") -> ValidationError:
    """What a form shows of a refusal: a conflict is about no field."""
    return (
        error
        if isinstance(error, ValidationError)
        else ValidationError(Errors.single("", INVALID, reason=error.message), message or "That is not possible now")
    )


def build_form(
    attributes: Sequence[Attribute],
    values: Values,
    options: Mapping[str, Options] | None = None,
    labels: Mapping[str, str] | None = None,
    hints: Mapping[str, str] | None = None,
) -> Form:
    """The form for these attributes with the values that they have; options for those that are ids of records."""
    made = _fields(attributes, values, options or {})
    return Form(
        [
            replace(one, label=(labels or {}).get(one.name, one.label), hint=(hints or {}).get(one.name, one.hint))
            for one in made
        ]
    )


def hint_of(description: str, label: str) -> str:
    """A description as a hint beside a label: in the words of the console, and none that only repeats the label.

    >>> hint_of("Postal code.", "Postal code"), hint_of("Waves may have pay dates.", "Pay dates")
    ('', 'Pay frequencies may have pay dates.')
    """
    told = set(re.findall(r"\w+", description.lower())) - UNTOLD
    return "" if told <= set(re.findall(r"\w+", label.lower())) else WAVE.sub(_frequency, description)


def _frequency(wave: re.Match[str]) -> str:
    return ("Pay" if wave[1].isupper() else "pay") + (" frequencies" if wave[2] else " frequency")


def _fields(
    attributes: Sequence[Attribute], values: Values, options: Mapping[str, Options], prefix: str = "", needs: str = ""
) -> Iterator[Field]:
    for one in attributes:
        name, value = prefix + one.name, values.get(one.name)
        own_needs = _needs(one, prefix) or needs
        if isinstance(one.type, Group):
            yield from _fields(one.type.attributes, value or {}, options, f"{name}.", own_needs)
        elif (made := _field(one, name, value, options.get(name))) is not None:
            # Nothing in a group is needed before there is anything in it.
            yield replace(made, needs=own_needs, required=one.required and not prefix)


def _field(one: Attribute, name: str, value: Any, options: Options | None) -> Field | None:
    made = Field(name, words(name), hint=hint_of(one.description, words(name)), usual=_shown(one.default))
    shown = _shown(one.default if value is None else value)
    if options is not None:
        return replace(made, kind="select", value=shown, options=options, of_records=True)
    match one.type:
        case Boolean():
            return replace(made, kind="checkbox", value=shown)
        case DateType():
            return replace(made, kind="date", value=shown)
        case OneOf(values, list_name):
            return replace(made, kind="select", value=shown, options=_options(tuple(values), list_name))
        case Race(OneOf(values, list_name)):
            choices = _options(tuple(values), list_name)
            known = shown in {choice for choice, _ in choices} or not shown
            return replace(made, kind="select", value=shown, options=choices if known else [*choices, (shown, shown)])
        case Integer():
            return replace(made, value=shown)
        case Text(max_length=most):
            return replace(made, value=shown, most=most)
    return None


@cache
def _options(values: tuple[str | int, ...], list_name: str) -> Options:
    names = {entry.value: entry.name for entry in LISTS[list_name]}
    return [(str(value), names.get(value, str(value))) for value in values]


def _needs(one: Attribute, prefix: str) -> str:
    condition: Condition | None = one.only_if or one.required_if
    return f"{prefix}{condition.attribute}={','.join(str(value) for value in condition.values)}" if condition else ""


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)
