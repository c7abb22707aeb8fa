"""What can be said of a custom item, and what follows where nothing is said."""

from collections.abc import Mapping, Set
from typing import Any

from gaji.core.constants import one_of
from gaji.core.errors import INVALID, Errors
from gaji.core.validation import Attribute, Boolean, Record, Rule, Schema, Text, when
from gaji.engine.catalogue import CpfTreatment, ItemDefinition, InputField, InputKind, Treatment
from gaji.payroll.calculation_definitions.kinds import FormulaText, Items, Number, amount_cents

EARNED = ("income", "allowance")
"""The kinds that can be wages."""
IR8A = {
    **dict.fromkeys(
        EARNED, ("a", "b", "c", "d1_transport", "d1_entertainment", "d1_other", "d2", "d3", "d4", "d5", "e")
    ),
    "benefit": ("d8", "d9", "f"),
    "deduction": ("donation", "mosque", "insurance"),
    "employer_contribution": ("d6", "d7"),
}
"""By kind, the items of form IR8A that it can go to."""
USUAL_IR8A = {"income": "a", "allowance": "d1_other", "benefit": "d9"}
"""By kind, the item that it goes to when it is taxable and nothing else is said; the other kinds are never taxable."""
USUAL_ITEMS = ("basic_salary",)
NAME_TAKEN = "is the name of another custom item of this client"

FIXED, PERCENTAGE, FORMULA = when("input", "fixed"), when("input", "percentage"), when("input", "formula")


def usual(record: Mapping[str, Any]) -> Record:
    """What each treatment is where nothing is said about it, given the rest of the record."""
    kind = record["kind"]
    cpf = record["cpf"] or ("ordinary" if kind in EARNED else "none")
    taxable = kind in USUAL_IR8A if record["taxable"] is None else record["taxable"]
    return {
        "cpf": "ordinary" if kind in EARNED else "none",
        "taxable": kind in USUAL_IR8A,
        "sdl": kind in EARNED and cpf != "none",
        "funds": kind in EARNED and cpf != "none",
        # Employment Act 1968, s. 2: allowances belong to the gross rate of pay unless it names them as excluded.
        "gross_rate": kind == "allowance",
        "ir8a": USUAL_IR8A.get(kind) if taxable else None,
    }


def without_default_treatment(record: Record) -> Record:
    """A record without the treatments that are the usual ones, so that they follow when the rest of it changes."""
    return record | {name: None for name, value in usual(record).items() if record[name] == value}


def check_treatment(record: Record, errors: Errors) -> None:
    """Fill in what was not said, and refuse what an item of this kind cannot be."""
    kind = record["kind"]
    if kind is None:
        return
    for name, value in usual(record).items():
        if record[name] is None and name not in errors:
            record[name] = value
    if kind not in EARNED:
        for name, nothing in (("cpf", "none"), ("sdl", False), ("funds", False), ("gross_rate", False)):
            if record[name] not in (nothing, None):
                errors.setdefault(name, f"is only possible when kind is {' or '.join(EARNED)}")
    if record["taxable"] and kind not in USUAL_IR8A:
        errors.setdefault("taxable", f"is only possible when kind is {', '.join(USUAL_IR8A)}")
    _check_ir8a(record, errors)


def check_items(record: Record, errors: Errors) -> None:
    """A percentage is of the basic salary unless other items are named."""
    if record["input"] == "percentage" and record["percentage_of"] is None and "percentage_of" not in errors:
        record["percentage_of"] = list(USUAL_ITEMS)


def _check_ir8a(record: Record, errors: Errors) -> None:
    kind, item = record["kind"], record["ir8a"]
    if item is None or "ir8a" in errors:
        return
    if kind in USUAL_IR8A and not record["taxable"]:
        errors.add("ir8a", INVALID, reason="is only possible when taxable is true")
    elif item not in IR8A.get(kind, ()):
        possible = ", ".join(IR8A.get(kind, ()))
        named = f"must be one of {possible}" if possible else "is not possible"
        errors.add("ir8a", INVALID, reason=f"{named} when kind is {kind}")


def among(other_names: Set[str]) -> Rule:
    """That no other custom item of the client has this name."""

    def check(record: Record, errors: Errors) -> None:
        if record["name"] and record["name"].strip().lower() in other_names:
            errors.setdefault("name", NAME_TAKEN)

    return check


def definition(definition_id: int, record: Mapping[str, Any]) -> ItemDefinition:
    """The definition that the engine goes by."""
    return ItemDefinition(
        id=definition_id,
        name=record["name"],
        kind=record["kind"],
        input=record["input"],
        treatment=Treatment(
            CpfTreatment(record["cpf"]), record["sdl"], record["funds"], record["gross_rate"], record["ir8a"] or None
        ),
        amount_cents=amount_cents(record["amount"]),
        percentage=record["percentage"],
        percentage_of=tuple(record["percentage_of"] or ()),
        formula=record["formula"],
    )


CALCULATION_DEFINITION = Schema(
    "calculation_definition",
    (
        Attribute("name", Text(min_length=1), "Name, unique in the client.", required=True, example="Night shift"),
        Attribute("kind", one_of("calculation_kind"), "What it is.", required=True, example="allowance"),
        Attribute(
            "input", one_of("calculation_input"), "How its amount comes about.", required=True, example="rate_quantity"
        ),
        Attribute("cpf", one_of("calculation_cpf"), "Which wages it is; ordinary for income and allowances."),
        Attribute("taxable", Boolean(), "Whether it is on form IR8A; true for income, allowances and benefits."),
        Attribute("sdl", Boolean(), "Whether it counts for the skills development levy; as for CPF unless given."),
        Attribute("funds", Boolean(), "Whether it counts for the self-help funds; as for CPF unless given."),
        Attribute("gross_rate", Boolean(), "Whether it belongs to the gross rate of pay; allowances do unless given."),
        Attribute("ir8a", one_of("ir8a_item"), "The item of form IR8A that it goes to."),
        Attribute(
            "amount",
            Number(InputField("amount", InputKind.MONEY, "")),
            "The amount of every payslip.",
            required_if=FIXED,
            only_if=FIXED,
        ),
        Attribute(
            "percentage",
            Number(InputField("percentage", InputKind.PERCENTAGE, "")),
            "How many hundredths, unless a calculation enters its own.",
            only_if=PERCENTAGE,
        ),
        Attribute("percentage_of", Items(), "The items that the percentage is of.", only_if=PERCENTAGE),
        Attribute("formula", FormulaText(), "The formula.", required_if=FORMULA, only_if=FORMULA),
    ),
    rules=(check_treatment, check_items),
)
