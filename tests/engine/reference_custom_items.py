"""A reference implementation of custom items. Each is calculated when it is first used."""

from collections.abc import Callable, Mapping
from fractions import Fraction

from gaji.engine.catalogue import ItemDefinition
from gaji.engine.payslip_input import CalculationEntry
from tests.engine import reference_formula
from tests.law.reference_pay import round_to_cent

ZERO = Fraction(0)
MAX_AMOUNT = Fraction(10**12 - 1, 100)
Multiplied = Callable[[str, Fraction], Fraction]


class ReferenceCustomItems:
    """The custom items of one payslip."""

    def __init__(
        self,
        definitions: Mapping[str, ItemDefinition],
        entries: Mapping[str, CalculationEntry],
        lines: Mapping[str, Fraction],
        multiplied: Multiplied,
        prorated: Multiplied,
        dated: Mapping[str, Fraction],
    ) -> None:
        self.definitions, self.entries, self.lines = definitions, entries, lines
        self.multiplied, self.prorated = multiplied, prorated
        self.has_problem = False
        self._amounts = {number: round_to_cent(amount) for number, amount in dated.items()}
        """Those of items that change within the period are known from the start."""

    def amounts(self) -> dict[str, Fraction]:
        """The amount of every item that has an entry, never negative."""
        return {number: self.amount(number) for number in self.definitions if number in self.entries}

    def amount(self, name: str) -> Fraction:
        """The amount of an item on the payslip."""
        if name not in self.definitions:
            return self.lines.get(name, ZERO)
        if name in self._amounts:
            return self._amounts[name]
        entry = self.entries.get(name)
        if entry is None or entry.skip:
            return ZERO
        if name not in self._amounts:
            rounded = max(round_to_cent(self._exact(self.definitions[name], entry)), ZERO)
            self._amounts[name] = self.multiplied(name, self.prorated(name, rounded))
        return self._amounts[name]

    def _exact(self, definition: ItemDefinition, entry: CalculationEntry) -> Fraction:
        def number(name: str, default: str = "0") -> Fraction:
            return Fraction(str(entry.inputs.get(name, default)))

        match definition.input:
            case "fixed":
                return Fraction(definition.amount_cents or 0, 100)
            case "rate_quantity":
                return number("rate") * number("quantity")
            case "percentage":
                share = number("percentage", definition.percentage or "0") / 100
                return share * sum((self.amount(name) for name in definition.percentage_of), ZERO)
            case "formula":
                return self._formula(definition, entry)
        return number("amount")

    def _formula(self, definition: ItemDefinition, entry: CalculationEntry) -> Fraction:
        def look_up(item: str, name: str | None) -> Fraction:
            if name is None:
                return self.amount(item)
            item_entry = entry if item == "" else self.entries.get(item)
            return Fraction(str(item_entry.inputs.get(name, "0"))) if item_entry else ZERO

        try:
            exact = reference_formula.evaluate(definition.formula or "", look_up)
        except ZeroDivisionError:
            self.has_problem = True
            return ZERO
        if abs(round_to_cent(exact)) > MAX_AMOUNT:
            self.has_problem = True
            return ZERO
        return exact
