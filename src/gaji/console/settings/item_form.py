"""The form of a custom item."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from gaji.console.forms import Field, Form, build_form, condition_text, field_text, labelled_field
from gaji.core.validation import Condition
from gaji.payroll.calculation_definitions.rules import without_default_treatment
from gaji.payroll.calculation_definitions.schemas import CALCULATION_DEFINITION, FIXED, FORMULA, PERCENTAGE

DERIVED = ("taxable", "sdl", "funds", "gross_rate")
"""Attributes that follow from the kind of the item if they are blank."""
YES_NO = (("true", "Yes"), ("false", "No"))
ERROR_FIELDS = {"percentage_of": "percentage_of"}
"""All items of a percentage are in one field."""


def item_form(values: Mapping[str, Any]) -> Form:
    """Return the form with the values of an item. Values that follow from its kind are left blank."""
    explicit = {**values, **without_default_treatment(dict(values))} if values else {}
    fields = build_form("custom_item", CALCULATION_DEFINITION.attributes, explicit).fields
    general = [replace(field, kind="select", options=YES_NO) if field.name in DERIVED else field for field in fields]
    amounts = [
        _amount_field("amount", FIXED, values.get("amount")),
        _amount_field("percentage", PERCENTAGE, values.get("percentage")),
        _amount_field("percentage_of", PERCENTAGE, ", ".join(values.get("percentage_of") or ())),
        replace(_amount_field("formula", FORMULA, values.get("formula")), wide=True),
    ]
    return Form([*general[:3], *amounts, *general[3:]])


def item_body(form: Form, submitted: Mapping[str, str]) -> dict[str, Any]:
    """Return the submitted form as a request body."""
    body = form.to_body(submitted)
    names = [name.strip() for name in (body["percentage_of"] or "").split(",") if name.strip()]
    return {**body, "percentage_of": names or None}


def _amount_field(name: str, condition: Condition, value: Any) -> Field:
    return labelled_field("custom_item", name, value=field_text(value), condition=condition_text(condition))
