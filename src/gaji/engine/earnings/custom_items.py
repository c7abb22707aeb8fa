"""Custom items. Each is evaluated as a formula: its own, or the one that its kind of input implies."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from functools import lru_cache

import numpy as np

from gaji.engine import formulas
from gaji.engine.attendance import Attendance
from gaji.engine.catalogue import CalculationKind, CalculationType, Catalogue, InputKind
from gaji.engine.earnings.amounts import Amounts, line_cents
from gaji.engine.earnings.basic_pay import BasicPay
from gaji.engine.earnings.dated_pay import DatedLines, dated_cents
from gaji.engine.earnings.other_earnings import is_prorated
from gaji.engine.formulas import ColumnValues, Formula, FormulaResult, Reference
from gaji.engine.input_columns import InputColumns
from gaji.engine.money import decimal_text
from gaji.law.columns import Flags, any_nonzero
from gaji.law.quantities import MILLI
from gaji.law.rounding import CENTS_PER_DOLLAR

SCALE_BY_KIND = {
    InputKind.MONEY: CENTS_PER_DOLLAR,
    InputKind.QUANTITY: MILLI,
    InputKind.HALVES: MILLI,
    InputKind.PERCENTAGE: MILLI,
}
"""The numeric kinds of inputs, with the number of integer units that make up one."""


class FormulaProblem(Enum):
    """Why a formula has no result."""

    DIVIDES_BY_ZERO = "divides_by_zero"
    OUT_OF_RANGE = "out_of_range"


PROBLEM_TEXTS: Mapping[FormulaProblem, str] = {
    FormulaProblem.DIVIDES_BY_ZERO: "the formula divides by zero",
    FormulaProblem.OUT_OF_RANGE: "the result of the formula is out of range",
}


@dataclass(frozen=True)
class ItemProblem:
    """Why an item cannot be calculated, and for which payslips."""

    item: str
    caption: str
    problem: FormulaProblem
    affected: Flags

    @property
    def message(self) -> str:
        """The problem as a payroll officer reads it."""
        return f"{self.caption}: {PROBLEM_TEXTS[self.problem]}"


def formula_text(item_type: CalculationType) -> str:
    """The formula of a custom item.

    An amount is used as entered, a rate is multiplied by its quantity, a percentage applies to the sum of its items.
    """
    if (definition := item_type.definition) is None:
        raise ValueError(f"{item_type.name} is not a custom item")
    match definition.input:
        case "fixed":
            return decimal_text(definition.amount_cents or 0)
        case "rate_quantity":
            return "rate * quantity"
        case "percentage":
            items = " + ".join(_reference_text(name) for name in definition.percentage_of)
            return f"({items}) * percentage / 100"
        case "formula":
            return definition.formula or "0"
        case _:
            return "amount"


def reference_checker(catalogue: Catalogue) -> Callable[[Reference], bool]:
    """Return a function that tells whether a formula may use a reference.

    Formulas may refer to earnings, custom items, their numeric inputs, and the inputs of the item itself.
    """

    def is_known(reference: Reference) -> bool:
        if reference.calculation is None:
            return reference.input in formulas.ITEM_INPUTS
        if reference.input is None:
            return reference.calculation in line_names
        item_type = catalogue.types.get(reference.calculation)
        return item_type is not None and _has_numeric_input(item_type, reference.input)

    line_names = {
        line.name
        for item_type in catalogue.types.values()
        if item_type.is_custom or item_type.kind == CalculationKind.EARNING
        for line in item_type.lines
    }
    return is_known


@lru_cache(maxsize=256)
def compile_custom_items(catalogue: Catalogue) -> "CustomItems":
    """Parse the formulas of a catalogue once."""
    return CustomItems(catalogue)


class CustomItems:
    """The custom items of a client, with parsed formulas."""

    def __init__(self, catalogue: Catalogue) -> None:
        is_known = reference_checker(catalogue)
        self._catalogue = catalogue
        self.formulas: Mapping[str, Formula] = {
            item_type.name: formulas.parse(formula_text(item_type), is_known) for item_type in catalogue.custom_types
        }
        self._order = formulas.evaluation_order(self.formulas)

    def lines(
        self,
        inputs: InputColumns,
        attendance: Attendance,
        basic_pay: BasicPay,
        earnings: Amounts,
        dated: DatedLines,
    ) -> tuple[Amounts, list[ItemProblem]]:
        """The amounts of the custom items in the batch, never negative, and the problems with them."""
        present = set(inputs.names)
        lines: Amounts = {}
        problems: list[ItemProblem] = []
        for name in self._order:
            if name not in present:
                continue
            result = formulas.evaluate(
                self.formulas[name], self.values(name, inputs, earnings | lines), person_count=inputs.person_count
            )
            amounts = np.where(inputs.has(name), np.maximum(result.amount_cents, 0), 0)
            if (item_type := self._catalogue.types[name]).prorated_by_default:
                prorated = is_prorated(inputs, basic_pay, item_type)
                amounts = np.where(prorated, attendance.prorated_cents(amounts), amounts)
            lines[name] = dated_cents(line_cents(inputs, name, amounts), dated.get(name, {}))
            problems += self._problems(name, result, inputs.has_line(name))
        return lines, problems

    def values(self, name: str, inputs: InputColumns, amounts: Amounts) -> dict[Reference, ColumnValues]:
        """The values of the references in an item's formula."""
        return {
            reference: self._values(name, reference, inputs, amounts) for reference in self.formulas[name].references
        }

    def _values(self, name: str, reference: Reference, inputs: InputColumns, amounts: Amounts) -> ColumnValues:
        if reference.calculation is not None and reference.input is None:
            zeros = np.zeros(inputs.person_count, dtype=np.int64)
            return ColumnValues(amounts.get(reference.calculation, zeros), scale=CENTS_PER_DOLLAR)
        calculation, input_name = reference.calculation or name, reference.input or ""
        item_type = self._catalogue.types[calculation]
        if item_type.inputs_by_name[input_name].kind == InputKind.MONEY:
            return ColumnValues(inputs.money_cents(calculation, input_name), scale=CENTS_PER_DOLLAR)
        column = inputs.quantity_millis(calculation, input_name)
        definition = item_type.definition
        if definition is not None and definition.percentage is not None and input_name == "percentage":
            default = int(Decimal(definition.percentage) * MILLI)
            column = np.where(inputs.is_entered(calculation, input_name), column, default)
        return ColumnValues(column, scale=MILLI)

    def _problems(self, name: str, result: FormulaResult, has_line: Flags) -> list[ItemProblem]:
        caption = self._catalogue.types[name].caption
        affected_payslips = {
            FormulaProblem.DIVIDES_BY_ZERO: has_line & result.divides_by_zero,
            FormulaProblem.OUT_OF_RANGE: has_line & result.out_of_range,
        }
        return [
            ItemProblem(name, caption, problem, affected)
            for problem, affected in affected_payslips.items()
            if any_nonzero(affected)
        ]


def _reference_text(name: str) -> str:
    return f"calc.{name}" if name.isdigit() else name


def _has_numeric_input(item_type: CalculationType, input_name: str) -> bool:
    field = item_type.inputs_by_name.get(input_name)
    return field is not None and field.kind in SCALE_BY_KIND
