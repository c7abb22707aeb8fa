"""Parse the inputs of a calculation by its type, apply them to the current inputs, and check them together."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from gaji.core.error_codes import NOT_APPLICABLE, REQUIRED_WHEN
from gaji.core.errors import ErrorCode, Errors
from gaji.core.field_types import MAX_LISTED_VALUES
from gaji.core.validation import MAX_NAME_LENGTH, add_input_error, suggest
from gaji.engine.catalogue import CYCLE, CYCLE_START, CalculationType, InputField, StoredValue
from gaji.engine.invalid_input import InvalidInput
from gaji.law.months import Month
from gaji.payroll.calculations.inheritance import InputChanges, InputValues, merge_inputs
from gaji.payroll.calculations.regular_hours.schedule import complete_week, unmet_condition

MAX_UNKNOWN_INPUTS = 50
"""Unknown inputs that are reported. Limits the size of the response to a large body."""
LEVEL_NOUNS = {"client": "a client", "profile": "a profile", "employee": "an employee", "payslip": "a payslip"}

UNKNOWN_INPUT = ErrorCode("unknown_input", "is not an input of {calc_type}")
UNKNOWN_INPUT_CHOICES = ErrorCode("unknown_input_choices", "is not an input of {calc_type}; the inputs are {inputs}")
NO_INPUTS = ErrorCode("no_inputs", "is not an input of {calc_type}, which has no inputs")
WRONG_LEVEL = ErrorCode("wrong_level", "can only be entered for {levels}")
EXCLUDES_INPUTS = ErrorCode("excludes_inputs", "cannot be combined with {others}; to switch, send {others} as null")
ENDS_BEFORE_IT_STARTS = ErrorCode("ends_before_it_starts", "must not be before for_from {first}")
OVERTIME_PERIOD_IN_FUTURE = ErrorCode("overtime_period_in_future", "is after {month}, the month of the payslip")
MONTH_IN_FUTURE = ErrorCode("month_in_future", "is after {month}, the month of the payslip")
FEATURE_REQUIRED = ErrorCode("feature_required", "is only allowed when the client has the feature {feature}")

MONTH_INPUTS = {"overtime_period": OVERTIME_PERIOD_IN_FUTURE, "taken_in": MONTH_IN_FUTURE}
"""The inputs that are a month up to that of the payslip."""


@dataclass(frozen=True)
class FieldPath:
    """The level at which inputs are written, and the path under which their errors are reported."""

    level: str
    path: str = "calculation_details"

    def input_path(self, name: str) -> str:
        """Return the path of an input."""
        return f"{self.path}.{name[:MAX_NAME_LENGTH]}"


def parse_inputs(
    calculation_type: CalculationType, field_path: FieldPath, inputs: Mapping[str, Any], errors: Errors
) -> InputChanges:
    """Return the valid inputs, and add an error for each of the others."""
    fields = calculation_type.inputs_by_name
    for name in [name for name in inputs if name not in fields][:MAX_UNKNOWN_INPUTS]:
        _add_unknown_input(calculation_type, field_path, name, errors)
    return {
        name: _parse_input(fields[name], field_path, value, errors) for name, value in inputs.items() if name in fields
    }


def apply_changes(current: Mapping[str, StoredValue], changes: InputChanges) -> InputValues:
    """Return the current inputs with the changes applied."""
    changed = {**current, **changes}
    return {name: value for name, value in changed.items() if value is not None}


def check_alternatives(
    calculation_type: CalculationType,
    inputs: InputValues,
    changes: InputChanges,
    field_path: FieldPath,
    errors: Errors,
) -> None:
    """Reject more than one of the inputs that exclude each other."""
    present = [name for name in calculation_type.alternatives if name in inputs]
    for name in present:
        others = [other for other in present if other != name]
        if others and changes.get(name) is not None:
            errors.add_if_absent(field_path.input_path(name), EXCLUDES_INPUTS, others=" and ".join(others))


def check_day_range(inputs: InputValues, field_path: FieldPath, errors: Errors) -> None:
    """Reject days that an item is for and that end before they start."""
    first, last = inputs.get("for_from"), inputs.get("for_to")
    if isinstance(first, str) and isinstance(last, str) and last < first:
        errors.add_if_absent(field_path.input_path("for_to"), ENDS_BEFORE_IT_STARTS, first=first)


def check_regular_hours(
    inputs: InputValues,
    inherited: InputValues,
    changes: InputChanges,
    features: Mapping[str, bool],
    field_path: FieldPath,
    errors: Errors,
) -> None:
    """Reject changed inputs that do not apply to the week that results."""
    week, rejected = complete_week(merge_inputs(inherited, inputs)), set(errors)
    for name, value in changes.items():
        condition = unmet_condition(name, week) if value is not None else None
        if condition and field_path.input_path(condition[0]) not in rejected:
            attribute, expected = condition
            errors.add_if_absent(field_path.input_path(name), NOT_APPLICABLE, attribute=attribute, value=expected)
    if CYCLE in week and CYCLE_START not in week:
        errors.add_if_absent(field_path.input_path(CYCLE_START), REQUIRED_WHEN, attribute=CYCLE, value="entered")
    if changes.get("leave_any_day") and not features["leave_any_day"]:
        errors.add_if_absent(field_path.input_path("leave_any_day"), FEATURE_REQUIRED, feature="leave_any_day")


def check_months(changes: InputChanges, payslip_date: date, field_path: FieldPath, errors: Errors) -> None:
    """Reject months after that of the payslip."""
    month = Month.from_date(payslip_date)
    for name, code in MONTH_INPUTS.items():
        entered = changes.get(name)
        if entered is not None and Month.parse(str(entered)) > month:
            errors.add_if_absent(field_path.input_path(name), code, month=str(month))


def _parse_input(field: InputField, field_path: FieldPath, value: object, errors: Errors) -> StoredValue | None:
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    if field_path.level not in field.levels:
        levels = " or ".join(LEVEL_NOUNS[level] for level in field.levels)
        errors.add(field_path.input_path(field.name), WRONG_LEVEL, levels=levels)
        return None
    try:
        return field.parse(value)
    except InvalidInput as error:
        add_input_error(errors, field_path.input_path(field.name), error)
        return None


def _add_unknown_input(calculation_type: CalculationType, field_path: FieldPath, name: str, errors: Errors) -> None:
    path, calc_type = field_path.input_path(name), calculation_type.name
    names = list(calculation_type.inputs_by_name)
    suggestion = suggest(name, names) if len(name) <= MAX_NAME_LENGTH else None
    if not names:
        errors.add(path, NO_INPUTS, calc_type=calc_type)
    elif suggestion is None and len(names) <= MAX_LISTED_VALUES:
        errors.add(path, UNKNOWN_INPUT_CHOICES, calc_type=calc_type, inputs=names)
    else:
        errors.add(path, UNKNOWN_INPUT, calc_type=calc_type, suggestion=suggestion)
