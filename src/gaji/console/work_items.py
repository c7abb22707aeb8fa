"""Overtime, rest days and public holidays as pay items of their own.

The API has them as inputs of the basic salary of a payslip. People look for them by their names.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

CalculationType = Mapping[str, Any]
BASIC_SALARY = "basic_salary"


@dataclass(frozen=True)
class WorkItem:
    """Some inputs of the basic salary that are entered together."""

    name: str
    caption: str
    effect: str
    """What it pays."""
    inputs: Sequence[str]
    lines: Sequence[str]
    """The payslip lines that it pays."""


WORK_ITEMS: Mapping[str, WorkItem] = {
    item.name: item
    for item in (
        WorkItem(
            "overtime",
            "Overtime",
            "Each hour is paid at 1.5 times the hourly basic rate. More than 72 hours in a month give a warning.",
            ("overtime_hours_input", "overtime_hours_previous_input", "overtime_period", "overtime_payable_on"),
            ("overtime", "overtime_previous"),
        ),
        WorkItem(
            "rest_day_work",
            "Rest-day work",
            "At the employer's request, up to half a day is paid as one day and a whole day as two. At the employee's "
            "request, it is paid as half a day and as one day. All at the daily basic rate. Enter hours beyond the "
            "normal hours as overtime.",
            ("rest_day_employer_days", "rest_day_employee_days"),
            ("rest_day_pay",),
        ),
        WorkItem(
            "public_holiday_work",
            "Public-holiday work",
            "Each holiday worked is paid one more day at the basic rate. A holiday on a day off is paid one day at the "
            "gross rate, if the employee gets no other day off for it.",
            ("public_holiday_days", "public_holiday_off_days"),
            ("public_holiday_pay", "public_holiday_off_pay"),
        ),
    )
}


@dataclass(frozen=True)
class EnteredItem:
    """A pay item that was entered on a payslip, or the part of it that is shown as an item of its own."""

    calculation_id: int
    payslip_id: int
    name: str
    """The name of its form."""
    inputs: Mapping[str, Any]
    amounts: Sequence[str]
    replaces_recurring: bool = False
    """Whether its inputs replace those of a recurring pay item."""


def stored_type(calculation_type: CalculationType) -> str:
    """Return the type under which the API stores a pay item."""
    if calculation_type["calc_type"] in WORK_ITEMS:
        return BASIC_SALARY
    return str(calculation_type["calculation_def_id"] or calculation_type["calc_type"])


def with_work_items(types: Iterable[CalculationType]) -> list[CalculationType]:
    """Return the types of pay items, with each work item before the basic salary, which has the other inputs."""
    return [part for item_type in types for part in _split_type(item_type)]


def _split_type(item_type: CalculationType) -> list[CalculationType]:
    if item_type["calc_type"] != BASIC_SALARY:
        return [item_type]
    names = {name for item in WORK_ITEMS.values() for name in item.inputs}
    basic_salary = {**item_type, "inputs": [field for field in item_type["inputs"] if field["name"] not in names]}
    return [*(_work_item_type(item_type, item) for item in WORK_ITEMS.values()), basic_salary]


def _work_item_type(item_type: CalculationType, item: WorkItem) -> CalculationType:
    inputs = [field for field in item_type["inputs"] if field["name"] in item.inputs]
    return {**item_type, "calc_type": item.name, "name": item.caption, "effect": item.effect, "inputs": inputs}


def own_inputs(calculation: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the inputs that were entered at the level of a calculation, without those that it inherits."""
    inputs: Mapping[str, Any] = calculation["overrides"] if calculation["calculation_id"] else calculation["inputs"]
    return inputs


def recurring_amounts(calculation: Mapping[str, Any]) -> list[str]:
    """Return the amounts of a recurring pay item on the current draft, without those of work items."""
    work_lines = {line for item in WORK_ITEMS.values() for line in item.lines}
    return [amount for line, amount in calculation["outputs"].items() if line not in work_lines]


def entered_items(calculations: Iterable[Mapping[str, Any]]) -> list[EnteredItem]:
    """Return the pay items that were entered on a payslip, with work items apart from the basic salary."""
    entered = [calculation for calculation in calculations if calculation["id"] and calculation["payslip_id"]]
    return [item for calculation in entered if _has_effect(calculation) for item in _split_calculation(calculation)]


def _has_effect(calculation: Mapping[str, Any]) -> bool:
    """Return whether a calculation of a payslip says anything, after its inputs were perhaps cleared."""
    pays_alone = not calculation["calculation_id"] and calculation["outputs"]
    return bool(own_inputs(calculation) or calculation["skip"] or calculation["multiplier"] or pays_alone)


def _split_calculation(calculation: Mapping[str, Any]) -> list[EnteredItem]:
    name, outputs = str(calculation.get("system_type") or calculation["calculation_def_id"]), calculation["outputs"]
    remaining = dict(own_inputs(calculation))
    ids = (calculation["id"], calculation["payslip_id"])
    is_override = bool(calculation["calculation_id"])
    if name != BASIC_SALARY:
        return [EnteredItem(*ids, name, remaining, list(outputs.values()), is_override)]
    items = []
    for item in WORK_ITEMS.values():
        inputs = {key: remaining.pop(key) for key in item.inputs if key in remaining}
        amounts = [outputs[line] for line in item.lines if line in outputs]
        items += [EnteredItem(*ids, item.name, inputs, amounts)] if inputs else []
    amounts = [outputs[name]] if name in outputs else []
    return [EnteredItem(*ids, name, remaining, amounts, is_override), *items] if remaining or not items else items
