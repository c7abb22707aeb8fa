"""Checks and defaults of custom items."""

from collections.abc import Mapping, Set
from typing import Any

from gaji.core.error_codes import NAME_TAKEN, NOT_APPLICABLE
from gaji.core.errors import ErrorCode, Errors
from gaji.core.validation import Record, Rule

WAGE_KINDS = ("income", "allowance")
"""The kinds that can be wages."""
IR8A_ITEMS = {
    **dict.fromkeys(
        WAGE_KINDS, ("a", "b", "c", "d1_transport", "d1_entertainment", "d1_other", "d2", "d3", "d4", "d5", "e")
    ),
    "benefit": ("d8", "d9", "f"),
    "deduction": ("donation", "mosque", "insurance"),
    "employer_contribution": ("d6", "d7"),
}
"""The allowed items of form IR8A, by kind."""
DEFAULT_IR8A_ITEMS = {"income": "a", "allowance": "d1_other", "benefit": "d9"}
"""By kind, the item of form IR8A if the custom item is taxable. The other kinds are never taxable."""
DEFAULT_PERCENTAGE_OF = ("basic_salary",)

NOT_AN_ITEM = ErrorCode("not_an_item", "must be the name of a payslip item, or the number of a custom item")
UNKNOWN_ITEM = ErrorCode("unknown_item", "payslip item {item} does not exist in this client")
IR8A_ITEM_NOT_ALLOWED = ErrorCode("ir8a_item_not_allowed", "must be one of {allowed} when kind is {item_kind}")
NOT_ALLOWED_FOR_KIND = ErrorCode("not_allowed_for_kind", "is not allowed when kind is {item_kind}")


def default_treatment(record: Mapping[str, Any]) -> Record:
    """Return the default of each treatment, given the rest of the record."""
    kind = record["kind"]
    cpf = record["cpf"] or ("ordinary" if kind in WAGE_KINDS else "none")
    taxable = kind in DEFAULT_IR8A_ITEMS if record["taxable"] is None else record["taxable"]
    return {
        "cpf": "ordinary" if kind in WAGE_KINDS else "none",
        "taxable": kind in DEFAULT_IR8A_ITEMS,
        "sdl": kind in WAGE_KINDS and cpf != "none",
        "funds": kind in WAGE_KINDS and cpf != "none",
        # Employment Act 1968, s. 2: allowances belong to the gross rate of pay unless it names them as excluded.
        "gross_rate": kind == "allowance",
        "ir8a": DEFAULT_IR8A_ITEMS.get(kind) if taxable else None,
    }


def without_default_treatment(record: Record) -> Record:
    """Clear the treatments that equal their defaults, so that they follow a change of the other attributes."""
    return record | {name: None for name, value in default_treatment(record).items() if record[name] == value}


def check_treatment(record: Record, errors: Errors) -> None:
    """Fill in default treatments, and reject treatments that an item of this kind cannot have."""
    kind = record["kind"]
    if kind is None:
        return
    for name, value in default_treatment(record).items():
        if record[name] is None and name not in errors:
            record[name] = value
    if kind not in WAGE_KINDS:
        for name, allowed in (("cpf", "none"), ("sdl", False), ("funds", False), ("gross_rate", False)):
            if record[name] not in (allowed, None):
                errors.add_if_absent(name, NOT_APPLICABLE, attribute="kind", value=" or ".join(WAGE_KINDS))
    if record["taxable"] and kind not in DEFAULT_IR8A_ITEMS:
        errors.add_if_absent("taxable", NOT_APPLICABLE, attribute="kind", value=" or ".join(DEFAULT_IR8A_ITEMS))
    _check_ir8a(record, errors)


def fill_percentage_of(record: Record, errors: Errors) -> None:
    """Set the default items of a percentage."""
    if record["input"] == "percentage" and record["percentage_of"] is None and "percentage_of" not in errors:
        record["percentage_of"] = list(DEFAULT_PERCENTAGE_OF)


def unique_name_rule(other_names: Set[str]) -> Rule:
    """Return the rule that no other custom item has the same name. `other_names` are in lower case."""

    def check(record: Record, errors: Errors) -> None:
        name = record["name"]
        if name and name.strip().lower() in other_names:
            errors.add_if_absent("name", NAME_TAKEN, name=name.strip())

    return check


def _check_ir8a(record: Record, errors: Errors) -> None:
    kind, item = record["kind"], record["ir8a"]
    if item is None or "ir8a" in errors:
        return
    allowed = IR8A_ITEMS.get(kind, ())
    if kind in DEFAULT_IR8A_ITEMS and not record["taxable"]:
        errors.add("ir8a", NOT_APPLICABLE, attribute="taxable", value="true")
    elif not allowed:
        errors.add("ir8a", NOT_ALLOWED_FOR_KIND, item_kind=kind)
    elif item not in allowed:
        errors.add("ir8a", IR8A_ITEM_NOT_ALLOWED, allowed=allowed, item_kind=kind)
