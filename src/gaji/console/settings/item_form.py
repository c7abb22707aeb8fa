"""The form of a custom item."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from gaji.console.forms import Field, Form, build_form
from gaji.core.validation import Condition
from gaji.payroll.calculation_definitions.rules import CALCULATION_DEFINITION, FIXED, FORMULA, PERCENTAGE, without_default_treatment

FOLLOWING = ("taxable", "sdl", "funds", "gross_rate")
"""What follows from the kind of the item where nothing is said."""
YES_NO = (("true", "Yes"), ("false", "No"))
LABELS = {"kind": "Kind", "input": "Amount comes from", "cpf": "CPF", "taxable": "On form IR8A", "ir8a": "IR8A item"}
LABELS |= {"sdl": "Counts for SDL", "funds": "Counts for self-help funds", "gross_rate": "In the gross rate of pay"}
HINTS = {
    "name": "As it stands on payslips; no other item has it.",
    "kind": "",
    "input": "",
    "cpf": "Left open: ordinary wages for income and allowances.",
    "taxable": "Left open: yes for income, allowances and benefits.",
    "sdl": "Left open: as for CPF.",
    "funds": "Left open: as for CPF.",
    "gross_rate": "Left open: yes for allowances.",
    "ir8a": "Left open: the usual one of its kind.",
}
BODY_AT = {"percentage_of": "percentage_of"}
"""The items of a percentage are in one field."""


def item_form(values: Mapping[str, Any]) -> Form:
    """The form with the values of an item; what it follows from its kind is left open, so that it goes on following."""
    said = {**values, **without_default_treatment(dict(values))} if values else {}
    made = [_open(one) for one in build_form(CALCULATION_DEFINITION.attributes, said, labels=LABELS, hints=HINTS).fields]
    amounts = [
        _field("amount", "Amount", "In dollars, on every payslip.", FIXED, values),
        _field("percentage", "Percentage", "Unless an employee has their own.", PERCENTAGE, values),
        Field(
            "percentage_of",
            "Percentage of",
            value=", ".join(values.get("percentage_of") or ()),
            hint="Names of items with commas between them; left open, the basic salary.",
            needs=_needs(PERCENTAGE),
        ),
        replace(
            _field("formula", "Formula", "Such as basic_salary * 0.05 or max(0, amount - 20).", FORMULA, values),
            wide=True,
        ),
    ]
    return Form([*made[:3], *amounts, *made[3:]])


def body_of(form: Form, typed: Mapping[str, str]) -> dict[str, Any]:
    """What was typed as the API takes it."""
    body = form.body(typed)
    names = [name.strip() for name in (body["percentage_of"] or "").split(",") if name.strip()]
    return {**body, "percentage_of": names or None}


def _open(one: Field) -> Field:
    """A box that is ticked or not cannot be left open; a choice can."""
    if one.name not in FOLLOWING:
        return one
    return replace(one, kind="select", options=YES_NO)


def _field(name: str, label: str, hint: str, condition: Condition, values: Mapping[str, Any]) -> Field:
    value = values.get(name)
    return Field(name, label, value="" if value is None else str(value), hint=hint, needs=_needs(condition))


def _needs(condition: Condition) -> str:
    return f"{condition.attribute}={','.join(map(str, condition.values))}"
