"""Custom items: every one is a formula, of its own or the one that its kind of input stands for."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

import numpy as np

from gaji.engine import formulas
from gaji.engine.catalogue import CalculationType, Catalogue, InputKind, CalculationKind
from gaji.engine.earnings.amounts import Amounts, line_cents
from gaji.engine.formulas import Formula, Reference, ColumnValues
from gaji.engine.input_columns import InputColumns
from gaji.engine.money import decimal_text
from gaji.law.columns import CENTS_PER_DOLLAR, Flags, any_nonzero
from gaji.law.quantities import MILLI

SCALE_BY_KIND = {
    InputKind.MONEY: CENTS_PER_DOLLAR,
    InputKind.QUANTITY: MILLI,
    InputKind.HALVES: MILLI,
    InputKind.PERCENTAGE: MILLI,
}
"""The kinds of inputs that are numbers, and how many parts of each make one."""


@dataclass(frozen=True)
class ItemProblem:
    """For whom an item cannot be computed, and why."""

    affected: Flags
    message: str


def formula_text(one: CalculationType) -> str:
    """The formula of a custom item.

    What is entered as an amount stands for itself; a rate is multiplied by its quantity; a percentage is of the sum of
    its items.
    """
    if (definition := one.definition) is None:
        raise ValueError(f"{one.name} is no custom item")
    match definition.input:
        case "fixed":
            return decimal_text(definition.amount_cents or 0)
        case "rate_quantity":
            return "rate * quantity"
        case "percentage":
            items = " + ".join(_item(name) for name in definition.percentage_of)
            return f"({items}) * percentage / 100"
        case "formula":
            return definition.formula or "0"
        case _:
            return "amount"


def reference_checker(catalogue: Catalogue) -> Callable[[Reference], bool]:
    """What a formula may name: earnings of the system, custom items, their inputs that are numbers, and own inputs."""

    def known(reference: Reference) -> bool:
        if reference.calculation is None:
            return reference.input in formulas.ITEM_INPUTS
        if reference.input is None:
            return reference.calculation in amounts
        one = catalogue.types.get(reference.calculation)
        return one is not None and reference.input in one.inputs_by_name and _is_number(one, reference.input)

    types = catalogue.types.values()
    amounts = {line.name for one in types if one.is_custom or one.kind == CalculationKind.EARNING for line in one.lines}
    return known


@lru_cache(maxsize=256)
def compile_custom_items(catalogue: Catalogue) -> "CustomItems":
    """The custom items of a catalogue, whose formulas are read once."""
    return CustomItems(catalogue)


class CustomItems:
    """The custom items of a client, ready to be computed."""

    def __init__(self, catalogue: Catalogue) -> None:
        known = reference_checker(catalogue)
        self._catalogue = catalogue
        self.formulas: Mapping[str, Formula] = {
            one.name: formulas.parse(formula_text(one), known) for one in catalogue.custom_types
        }
        self._order = formulas.evaluation_order(self.formulas)

    def lines(self, inputs: InputColumns, earnings: Amounts) -> tuple[Amounts, list[ItemProblem]]:
        """The amounts of the custom items that anyone has, none below zero, and what is wrong with them."""
        present = set(inputs.names)
        found: Amounts = {}
        problems: list[ItemProblem] = []
        for name in self._order:
            if name not in present:
                continue
            result = formulas.evaluate(
                self.formulas[name], self.values(name, inputs, earnings | found), person_count=inputs.person_count
            )
            amounts = np.where(inputs.has(name), np.maximum(result.amount_cents, 0), 0)
            found[name] = line_cents(inputs, name, amounts)
            problems += self._problems(name, result, inputs.has_line(name))
        return found, problems

    def values(self, name: str, inputs: InputColumns, amounts: Amounts) -> dict[Reference, ColumnValues]:
        """The numbers that the formula of an item is worked out with."""
        return {
            reference: self._value(name, reference, inputs, amounts) for reference in self.formulas[name].references
        }

    def _value(self, name: str, reference: Reference, inputs: InputColumns, amounts: Amounts) -> ColumnValues:
        if reference.calculation is not None and reference.input is None:
            none = np.zeros(inputs.person_count, dtype=np.int64)
            return ColumnValues(amounts.get(reference.calculation, none), scale=CENTS_PER_DOLLAR)
        calculation = reference.calculation or name
        one = self._catalogue.types[calculation]
        wanted = reference.input or ""
        kind = one.inputs_by_name[wanted].kind
        if kind == InputKind.MONEY:
            return ColumnValues(inputs.money_cents(calculation, wanted), scale=CENTS_PER_DOLLAR)
        column = inputs.quantity_millis(calculation, wanted)
        if one.definition is not None and one.definition.percentage is not None and wanted == "percentage":
            usual = int(Decimal(one.definition.percentage) * MILLI)
            column = np.where(inputs.is_entered(calculation, wanted), column, usual)
        return ColumnValues(column, scale=MILLI)

    def _problems(self, name: str, result: formulas.FormulaResult, shown: Flags) -> list[ItemProblem]:
        caption = self._catalogue.types[name].caption
        wrong = {
            f"{caption}: its formula divides by zero": shown & result.divides_by_zero,
            f"{caption}: the result of its formula is beyond all bounds": shown & result.out_of_range,
        }
        return [ItemProblem(who, message) for message, who in wrong.items() if any_nonzero(who)]


def _item(name: str) -> str:
    return f"calc.{name}" if name.isdigit() else name


def _is_number(one: CalculationType, name: str) -> bool:
    return one.inputs_by_name[name].kind in SCALE_BY_KIND
