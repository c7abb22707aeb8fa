"""A client's own items once more: each worked out when it is first asked for."""

from collections.abc import Callable, Mapping
from fractions import Fraction

from gaji.engine.payslip_input import CalculationEntry
from gaji.engine.catalogue import ItemDefinition
from tests.engine import plain_formula
from tests.law.plain_pay import to_the_cent

ZERO = Fraction(0)
MOST = Fraction(10**12 - 1, 100)
Multiplied = Callable[[str, Fraction], Fraction]


class CustomItems:
    """The custom items of one payslip."""

    def __init__(
        self,
        definitions: Mapping[str, ItemDefinition],
        entries: Mapping[str, CalculationEntry],
        lines: Mapping[str, Fraction],
        multiplied: Multiplied,
    ) -> None:
        self.definitions, self.entries, self.lines, self.multiplied = definitions, entries, lines, multiplied
        self.impossible = False
        self._found: dict[str, Fraction] = {}

    def amounts(self) -> dict[str, Fraction]:
        """The amount of every item that has an entry, none below zero."""
        return {number: self.amount(number) for number in self.definitions if number in self.entries}

    def amount(self, name: str) -> Fraction:
        """The amount of an item on the payslip."""
        if name not in self.definitions:
            return self.lines.get(name, ZERO)
        entry = self.entries.get(name)
        if entry is None or entry.skip:
            return ZERO
        if name not in self._found:
            exact = max(to_the_cent(self._exact(self.definitions[name], entry)), ZERO)
            self._found[name] = self.multiplied(name, exact)
        return self._found[name]

    def _exact(self, one: ItemDefinition, entry: CalculationEntry) -> Fraction:
        def number(name: str, otherwise: str = "0") -> Fraction:
            return Fraction(str(entry.inputs.get(name, otherwise)))

        match one.input:
            case "fixed":
                return Fraction(one.amount_cents or 0, 100)
            case "rate_quantity":
                return number("rate") * number("quantity")
            case "percentage":
                share = number("percentage", one.percentage or "0") / 100
                return share * sum((self.amount(name) for name in one.percentage_of), ZERO)
            case "formula":
                return self._formula(one, entry)
        return number("amount")

    def _formula(self, one: ItemDefinition, entry: CalculationEntry) -> Fraction:
        def look_up(item: str, name: str | None) -> Fraction:
            if name is None:
                return self.amount(item)
            of = entry if item == "" else self.entries.get(item)
            return Fraction(str(of.inputs.get(name, "0"))) if of else ZERO

        try:
            exact = plain_formula.work_out(one.formula or "", look_up)
        except ZeroDivisionError:
            self.impossible = True
            return ZERO
        if abs(to_the_cent(exact)) > MOST:
            self.impossible = True
            return ZERO
        return exact
