"""The form for the pay items of an employee, a payslip or a profile."""

from collections.abc import Mapping, Sequence
from typing import Any

from gaji.console.forms import Field, Form, field_text, hint_from_description, require_known_ids
from gaji.console.glossary import label
from gaji.console.request import PageRequest
from gaji.payroll.calculation_definitions import service as calculation_types
from gaji.payroll.calculations.regular_hours.schedule import WEEK_HOURS

CalculationType = Mapping[str, Any]
DETAILS = "calculation_details"
EFFECTIVE_DATE = Field(
    "effective_date", "Effective from", kind="date", hint="Required if the employee has finalised payslips."
)
VALID_FROM = Field(
    "valid_from",
    "Valid from",
    kind="date",
    hint="If blank: from the start of the current draft. A date within the pay period pays each part by its own days.",
)
PAY_TYPES = {
    "fixed_amount": "monthly",
    "daily_rate": "daily",
    "days_input": "daily",
    "hourly_rate": "hourly",
    "hours_input": "hourly",
}
"""The pay type that each input of the basic salary belongs to."""
YES_NO = (("true", "Yes"), ("false", "No"))


async def pay_item_values(
    request: PageRequest, client_id: int, level: str, calculations: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """Return what a page needs to list pay items and to enter one: the types, and the form for the chosen type."""
    types = await calculation_types.list_types(request.tenant, client_id)
    types_by_name = {str(calculation_type["calc_type"]): calculation_type for calculation_type in types}
    chosen = types_by_name.get(request.query.get("enter", "") or request.form.get("calc_type", ""))
    return {
        "calculations": calculations,
        "types": [calculation_type for calculation_type in types if inputs_at_level(calculation_type, level)],
        "chosen": chosen,
        "form": calculation_form(chosen, level, calculations) if chosen else None,
        "captions": {name: calculation_type["name"] for name, calculation_type in types_by_name.items()},
    }


def calculation_body(request: PageRequest, form: Form | None) -> dict[str, Any]:
    """Return the submitted pay item as a request body. Raises NotFound for an item that the company does not have."""
    calc_type = request.form.get("calc_type", "")
    if form is None:
        require_known_ids([calc_type], (), "item")
    body = {"calc_type": calc_type, **(form.to_body(request.form) if form else {})}
    details = body.get(DETAILS) or {}
    if form and calc_type == WEEK_HOURS:
        # The form shows the hours in force, from whatever level. Only what differs was entered.
        in_force = {field.name: field.value for field in form.fields}
        details = {
            name: value for name, value in details.items() if field_text(value) != in_force.get(f"{DETAILS}.{name}")
        }
    elif form and VALID_FROM in form.fields:
        details = _sent_details(form, details)
    return {**body, DETAILS: details}


def _sent_details(form: Form, details: Mapping[str, Any]) -> dict[str, Any]:
    """Return the inputs that were entered or cleared. Fields that were blank and still are say nothing."""
    filled = {field.name for field in form.fields if field.value}
    return {name: value for name, value in details.items() if value is not None or f"{DETAILS}.{name}" in filled}


def inputs_at_level(calculation_type: CalculationType, level: str) -> list[Mapping[str, Any]]:
    """Return the inputs that can be entered at a level."""
    return [item_input for item_input in calculation_type["inputs"] if level in item_input["levels"]]


def calculation_form(calculation_type: CalculationType, level: str, calculations: Sequence[Mapping[str, Any]]) -> Form:
    """Return the form for the inputs of a type, with the values that are entered at this level or inherited."""
    name = str(calculation_type["calculation_def_id"] or calculation_type["calc_type"])
    current = next((calculation for calculation in calculations if _type_name(calculation) == name), None)
    entered: Mapping[str, Any] = {}
    inherited: Mapping[str, Any] = {}
    if current is not None:
        is_regular_hours = name == WEEK_HOURS and current["id"] is None and current["employee_id"] is not None
        if is_regular_hours or (current["id"] and not current["calculation_id"]):
            entered = current["inputs"]
        elif current["calculation_id"]:
            entered = current["overrides"]
        inherited = {key: value for key, value in current["inputs"].items() if key not in entered}
    fields = [
        _build_field(item_input, entered.get(item_input["name"]), inherited.get(item_input["name"]))
        for item_input in inputs_at_level(calculation_type, level)
    ]
    if name == WEEK_HOURS:
        return Form([*fields, EFFECTIVE_DATE])
    return Form([*fields, VALID_FROM] if level in ("employee", "profile") else fields)


def input_label(name: str) -> str:
    """Return the label of an input of a pay item.

    >>> input_label("overtime_hours_input")
    'Overtime hours'
    """
    return label(name.removesuffix("_input"))


def _build_field(item_input: Mapping[str, Any], value: Any, inherited: Any) -> Field:
    name = item_input["name"]
    hint = hint_from_description(item_input["description"], input_label(name))
    if inherited is not None:
        hint = f"{hint} If blank: {field_text(inherited)}."
    options = [(choice, label(choice)) for choice in item_input.get("allowed_values", ())]
    kind = {"date": "date", "boolean": "select", "choice": "select"}.get(item_input["type"], "text")
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


def _type_name(calculation: Mapping[str, Any]) -> str:
    return str(calculation.get("system_type") or calculation["calculation_def_id"])
