"""The form for the pay items of an employee, a payslip or a profile."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from gaji.console import glossary
from gaji.console.forms import Field, Form, field_text, hint_from_description, require_known_ids
from gaji.console.glossary import FieldText, input_label, label
from gaji.console.request import PageRequest
from gaji.console.week_form import DETAILS, week_changes, week_fields
from gaji.console.work_items import (
    BASIC_SALARY,
    WORK_ITEMS,
    own_inputs,
    stored_type,
    with_work_items,
)
from gaji.core.error_codes import REQUIRED
from gaji.core.errors import ErrorCode, Errors, FieldError, ValidationError
from gaji.payroll.calculation_definitions import service as calculation_types
from gaji.payroll.calculations.regular_hours.schedule import WEEK_HOURS
from gaji.payroll.calculations.validate import NO_LEVY_RATE

CalculationType = Mapping[str, Any]
EFFECTIVE_DATE = Field(
    "effective_date", "Effective from", kind="date", hint="Required if the employee has finalised payslips."
)
VALID_FROM = Field(
    "valid_from",
    "Valid from",
    kind="date",
    hint="If blank: from the first day of the earliest pay period that is not finalised. Within a pay period, the days "
    "before this date are paid with the old values and the days from it on with the new ones.",
)
PAY_TYPES = {
    "fixed_amount": "monthly",
    "daily_rate": "daily",
    "days_input": "daily",
    "hourly_rate": "hourly",
    "hours_input": "hourly",
}
"""The pay type that each input of the basic salary belongs to."""
SALARY_AMOUNTS = {"monthly": "fixed_amount", "daily": "daily_rate", "hourly": "hourly_rate"}
"""The amount of the basic salary, by pay type."""
WITHOUT_EFFECT = ErrorCode("without_effect", "has no effect on {pay_type} pay")
RECURRING_HINTS = {
    f"{DETAILS}.days_input": "The days of every pay period, with paid public holidays. If they differ, leave this "
    "blank and enter them for each period as a once-off basic salary or in Bulk input.",
    f"{DETAILS}.hours_input": "The hours of every pay period, with paid public holidays. If they differ, leave this "
    "blank and enter them for each period as a once-off basic salary or in Bulk input.",
}
AMOUNTS = ("amount", "commission_input")
"""Inputs without which an item pays or deducts nothing, if its other inputs only describe them."""
AMOUNT_DETAILS = (
    "prorate",
    "description",
    "category",
    "commission_for",
    "contractual",
    "entitlement_date",
    "approval_date",
    "approved_in_advance",
    "for_from",
    "for_to",
)
LEVY_CHOICES = ("skill", "tier")
"""The choices on which the rate of a levy depends. Only some sectors have tiers."""
YES_NO = (("true", "Yes"), ("false", "No"))


async def pay_item_values(
    request: PageRequest,
    client_id: int,
    level: str,
    calculations: Sequence[Mapping[str, Any]],
    enter: str,
    valid_from: str = "",
    *,
    special: bool = False,
) -> dict[str, Any]:
    """Return what a page needs to list pay items and to enter one: the types, and the form for the chosen type.

    `enter` is the name of the chosen type. `valid_from` is the date that the form proposes for a change. `special` is
    for a once-off payslip, which pays no recurring items.
    """
    types = await calculation_types.list_types(request.tenant, client_id)
    offered = with_work_items(types) if level == "payslip" else types
    types_by_name = {str(calculation_type["calc_type"]): calculation_type for calculation_type in offered}
    chosen = types_by_name.get(enter)
    can_replace = level == "payslip" and not special
    return {
        "calculations": calculations,
        "types": [item_type for item_type in offered if _is_offered(item_type, level, calculations)],
        "chosen": chosen,
        "form": calculation_form(chosen, level, calculations, valid_from) if chosen else None,
        "replaces_recurring": can_replace and chosen is not None and _replaces_recurring(chosen, calculations),
        "captions": {name: calculation_type["name"] for name, calculation_type in types_by_name.items()},
    }


def _replaces_recurring(chosen: CalculationType, calculations: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether inputs on a payslip replace those of a recurring pay item. Work items are paid in addition."""
    current = find_calculation(calculations, stored_type(chosen))
    if current is None or chosen["calc_type"] in WORK_ITEMS:
        return False
    is_paid = not current["skip"] and any(current["inputs"].values())
    return _is_override(current) or (not current["id"] and is_paid)


def _is_override(current: Mapping[str, Any] | None) -> bool:
    """Return whether a calculation was entered at the level of the form and inherits what was not entered."""
    return current is not None and bool(current["id"] and current["calculation_id"])


def _is_offered(item_type: CalculationType, level: str, calculations: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether an item can be chosen. Working hours have a form of their own wherever they have dates."""
    if item_type["calc_type"] == WEEK_HOURS:
        return level == "payslip" and not hours_are_dated(calculations)
    return bool(inputs_at_level(item_type, level))


def hours_are_dated(calculations: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether the working hours are those of the employee, which change on effective dates."""
    hours = find_calculation(calculations, WEEK_HOURS)
    return hours is not None and hours["id"] is None and hours["employee_id"] is not None


def calculation_body(request: PageRequest, chosen: CalculationType | None, form: Form | None) -> dict[str, Any]:
    """Return the submitted pay item as a request body. Raises NotFound for an item that the company does not have."""
    if chosen is None or form is None:
        calc_type = request.form.get("calc_type", "")
        require_known_ids([calc_type], (), "item")
        return {"calc_type": calc_type, DETAILS: {}}
    body = form.to_body(request.form)
    if chosen["calc_type"] == WEEK_HOURS:
        details = week_changes(form, request.form)
    else:
        details = _sent_details(form, body.get(DETAILS) or dict.fromkeys(_input_names(form)))
    if chosen["calc_type"] in WORK_ITEMS and not details:
        raise ValidationError(Errors.single(f"{DETAILS}.{_input_names(form)[0]}", REQUIRED))
    _reject_without_effect(form, request.form)
    _require_amount(form, request.form)
    calc_type = BASIC_SALARY if chosen["calc_type"] in WORK_ITEMS else str(chosen["calc_type"])
    return {**body, "calc_type": calc_type, DETAILS: details}


def _require_amount(form: Form, submitted: Mapping[str, str]) -> None:
    """Raise ValidationError if an amount that is marked as required, perhaps with the chosen pay type, is blank."""
    fields = {field.name: field for field in form.fields}
    pay_type = fields.get(f"{DETAILS}.pay_type", Field("", ""))
    salary = SALARY_AMOUNTS.get(submitted.get(pay_type.name) or pay_type.default)
    for field in form.fields:
        is_required = field.required or (field.required_if and field.name == f"{DETAILS}.{salary}")
        if is_required and not submitted.get(field.name, "").strip():
            raise ValidationError(Errors.single(field.name, REQUIRED))


def _reject_without_effect(form: Form, submitted: Mapping[str, str]) -> None:
    """Raise ValidationError if an input of the basic salary was changed that belongs to another pay type."""
    chosen = next((field for field in form.fields if field.name == f"{DETAILS}.pay_type"), None)
    pay_type = (submitted.get(chosen.name) or chosen.default) if chosen else ""
    if chosen is None or pay_type not in SALARY_AMOUNTS:
        return
    errors = Errors()
    for field in form.fields:
        text = submitted.get(field.name, "").strip()
        if text not in ("", field.value) and not field.applies({chosen.name: pay_type}):
            errors.add(field.name, WITHOUT_EFFECT, pay_type=pay_type)
    if errors:
        raise ValidationError(errors)


def move_levy_error(form: Form, errors: Errors) -> Errors:
    """Return the errors with a missing levy rate at a choice that is blank, instead of at the amount."""
    error = errors.get(f"{DETAILS}.amount")
    if error is None or error.kind is not NO_LEVY_RATE:
        return errors
    choices = form.section(*(f"{DETAILS}.{name}" for name in LEVY_CHOICES))
    blank = next((field.name for field in choices if not (field.value or field.default)), None)
    if blank is None:
        return errors
    others = {path: other for path, other in errors.items() if other is not error}
    return Errors({**others, blank: FieldError(blank, error.kind, {**error.params, "is_blank": True})})


def _input_names(form: Form) -> list[str]:
    return [field.name.removeprefix(f"{DETAILS}.") for field in form.section(DETAILS)]


def _sent_details(form: Form, details: Mapping[str, Any]) -> dict[str, Any]:
    """Return the inputs that were entered or cleared. Fields that were blank and still are say nothing."""
    filled = {field.name for field in form.fields if field.value}
    return {name: value for name, value in details.items() if value is not None or f"{DETAILS}.{name}" in filled}


def inputs_at_level(calculation_type: CalculationType, level: str) -> list[Mapping[str, Any]]:
    """Return the inputs that can be entered at a level."""
    return [item_input for item_input in calculation_type["inputs"] if level in item_input["levels"]]


def calculation_form(
    calculation_type: CalculationType, level: str, calculations: Sequence[Mapping[str, Any]], valid_from: str = ""
) -> Form:
    """Return the form for the inputs of a type, with the values that are entered at this level or inherited."""
    name = stored_type(calculation_type)
    current = find_calculation(calculations, name)
    inputs = inputs_at_level(calculation_type, level)
    if name == WEEK_HOURS:
        fields = week_fields(_build_field, current["inputs"] if current else {}, inputs)
    else:
        entered, inherited = _values_by_origin(current)
        fields = [_build_field(field, entered.get(field["name"]), inherited.get(field["name"])) for field in inputs]
        if name == BASIC_SALARY and level == "employee":
            fields = [_with_required_salary(field) for field in fields]
            fields = [replace(field, hint=RECURRING_HINTS.get(field.name, field.hint)) for field in fields]
        elif level in ("employee", "payslip") and _needs_amount(inputs) and not _is_override(current):
            fields = [_with_required_amount(field) for field in fields]
    if level not in ("employee", "profile"):
        return Form(fields)
    is_dated_week = name == WEEK_HOURS and level == "employee" and hours_are_dated(calculations)
    return Form([*fields, replace(EFFECTIVE_DATE if is_dated_week else VALID_FROM, value=valid_from)])


def _needs_amount(inputs: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether an item with these inputs pays and deducts nothing without an amount."""
    names = {str(item_input["name"]) for item_input in inputs}
    return not names.isdisjoint(AMOUNTS) and names <= {*AMOUNTS, *AMOUNT_DETAILS}


def _with_required_amount(field: Field) -> Field:
    """Mark an amount as required, unless it is inherited."""
    is_amount = field.name.removeprefix(f"{DETAILS}.") in AMOUNTS
    return replace(field, required=True) if is_amount and not field.default else field


def _with_required_salary(field: Field) -> Field:
    """Mark an amount of the basic salary as required with its pay type, unless the employee inherits one."""
    amounts = SALARY_AMOUNTS.values()
    is_amount = field.name.removeprefix(f"{DETAILS}.") in amounts
    return replace(field, required_if=field.condition) if is_amount and not field.default else field


def _values_by_origin(current: Mapping[str, Any] | None) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """Return the inputs that were entered at the level of the form, and those that it inherits."""
    if current is None:
        return {}, {}
    entered = own_inputs(current) if current["id"] else {}
    return entered, {key: value for key, value in current["inputs"].items() if key not in entered}


def find_calculation(calculations: Sequence[Mapping[str, Any]], name: str) -> Mapping[str, Any] | None:
    """Return the calculation of a type, if there is one."""
    return next((calculation for calculation in calculations if calculation_name(calculation) == name), None)


def _build_field(item_input: Mapping[str, Any], value: Any, inherited: Any) -> Field:
    name = item_input["name"]
    hint = glossary.FORMS["pay_item"].get(name, FieldText()).hint
    if hint is None:
        hint = hint_from_description(item_input["description"], input_label(name))
    if inherited is not None:
        hint = f"{hint} If blank: {field_text(inherited)}."
    options = [(choice, label(choice)) for choice in item_input.get("allowed_values", ())]
    kind = {"date": "date", "boolean": "select", "choice": "select", "month": "month"}.get(item_input["type"], "text")
    return Field(
        name=f"{DETAILS}.{name}",
        label=input_label(name),
        kind=kind,
        value=field_text(value),
        default=field_text(inherited if inherited is not None else item_input.get("default")),
        hint=hint,
        options=options or YES_NO if kind == "select" else (),
        condition=f"{DETAILS}.pay_type={PAY_TYPES[name]}" if name in PAY_TYPES else "",
        is_amount=item_input["type"] == "money",
    )


def calculation_name(calculation: Mapping[str, Any]) -> str:
    """Return the name of a calculation's type, by which its form is found."""
    return str(calculation.get("system_type") or calculation["calculation_def_id"])
