"""Which formula comes first, when one refers to the amount of another."""

from collections.abc import Mapping, Sequence
from graphlib import CycleError, TopologicalSorter

from gaji.engine.formulas.syntax_tree import Formula


class CircularReference(ValueError):
    """Formulas refer to each other in a circle, so that none of them can come first."""

    def __init__(self, keys: Sequence[str]) -> None:
        first, *others = keys
        told = ", which refers to ".join([*others, first]) if others else "itself"
        super().__init__(f"{first} refers to {told}")
        self.keys = tuple(keys)


def evaluation_order(formulas: Mapping[str, Formula]) -> list[str]:
    """The keys, each after those whose amount its formula takes; raises Circle.

    An input of an item is there before anything is computed: who takes only that need not come later.
    """
    taken = {key: _taken(formula, formulas) for key, formula in formulas.items()}
    try:
        return list(TopologicalSorter(taken).static_order())
    except CycleError as error:
        # Each node of the circle is taken by the next one, and the last is the first again.
        raise CircularReference(_from_smallest(error.args[1][:0:-1])) from None


def _taken(formula: Formula, formulas: Mapping[str, Formula]) -> list[str]:
    """The items among these whose amount the formula takes, always in the same order."""
    amounts = {reference.calculation for reference in formula.references if reference.input is None}
    return sorted(formulas.keys() & amounts)


def _from_smallest(circle: list[str]) -> list[str]:
    """The same circle, told from the same item however it was found."""
    begin = circle.index(min(circle, key=lambda key: (len(key), key)))
    return circle[begin:] + circle[:begin]
