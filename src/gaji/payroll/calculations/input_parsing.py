"""The inputs of a calculation: read by what its type says of each, laid over what was there, and checked together."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gaji.core.errors import INVALID, Errors
from gaji.core.validation import MAX_NAME_LENGTH, suggest
from gaji.engine.catalogue import CalculationType, InputField, StoredValue
from gaji.payroll.calculations import week_hours
from gaji.payroll.calculations.inheritance import InputValues, merge_inputs

MOST_NAMED = 50
"""Of unknown inputs: a huge body must not make a huge answer."""
WHERE = {"client": "a client", "profile": "a profile", "employee": "an employee", "payslip": "a payslip"}

Changes = dict[str, StoredValue | None]
"""Inputs as they are kept; None clears one."""


@dataclass(frozen=True)
class FieldPath:
    """Where inputs are written: on which level, and under which path errors are told."""

    level: str
    path: str = "calculation_details"

    def of(self, name: str) -> str:
        """The path of an input."""
        return f"{self.path}.{name[:MAX_NAME_LENGTH]}"


def parse_inputs(one: CalculationType, place: FieldPath, given: Mapping[str, Any], errors: Errors) -> Changes:
    """The inputs that were given, each as it is kept."""
    changes: Changes = {}
    unknown = [name for name in given if name not in one.inputs_by_name]
    for name in unknown[:MOST_NAMED]:
        errors.add(place.of(name), INVALID, reason=f"{one.name} has no such input{_meant(one, name)}")
    for name, value in given.items():
        if name in one.inputs_by_name:
            changes[name] = _read(one.inputs_by_name[name], place, value, errors)
    return changes


def apply_changes(current: Mapping[str, StoredValue], changes: Changes) -> InputValues:
    """What was there with the changes laid over it."""
    whole = {**current, **changes}
    return {name: value for name, value in whole.items() if value is not None}


def check_alternatives(one: CalculationType, inputs: InputValues, changes: Changes, place: FieldPath, errors: Errors) -> None:
    """Of inputs that exclude each other only one can stand in a calculation."""
    present = [name for name in one.alternatives if name in inputs]
    if len(present) < 2:
        return
    for name in present:
        if changes.get(name) is not None:
            others = [other for other in present if other != name]
            errors.setdefault(
                place.of(name), f"excludes {' and '.join(others)}; to change over, send {' and '.join(others)} as null"
            )


def check_regular_hours(
    inputs: InputValues, farther: InputValues, changes: Changes, features: Mapping[str, bool], place: FieldPath, errors: Errors
) -> InputValues:
    """The regular hours without what no longer applies; what was given and does not apply is a fault."""
    apply = week_hours.applicable(merge_inputs(farther, inputs))
    for name, value in changes.items():
        if value is not None and name not in apply:
            errors.setdefault(place.of(name), f"is only possible when {week_hours.why_not(name, apply)}")
    if changes.get("leave_any_day") and not features["leave_any_day"]:
        errors.setdefault(place.of("leave_any_day"), "is only possible when the client has the feature leave_any_day")
    return {name: value for name, value in inputs.items() if name in apply}


def _read(one: InputField, place: FieldPath, value: object, errors: Errors) -> StoredValue | None:
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    if place.level not in one.levels:
        places = " or ".join(WHERE[level] for level in one.levels)
        errors.add(place.of(one.name), INVALID, reason=f"can only be entered for {places}")
        return None
    try:
        return one.parse(value)
    except ValueError as error:
        errors.add(place.of(one.name), INVALID, reason=str(error))
        return None


def _meant(one: CalculationType, name: str) -> str:
    close = suggest(name, list(one.inputs_by_name)) if len(name) <= MAX_NAME_LENGTH else None
    if close:
        return f"; did you mean {close}?"
    if not one.inputs:
        return "; nothing is entered for it"
    return f"; its inputs are {', '.join(one.inputs_by_name)}" if len(one.inputs) <= 12 else ""
