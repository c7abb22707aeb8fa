"""The order of evaluation of formulas that refer to each other's amounts."""

from collections.abc import Mapping, Sequence
from graphlib import CycleError, TopologicalSorter

from gaji.engine.formulas.syntax_tree import Formula


class CircularReference(ValueError):
    """Formulas refer to each other in a cycle. `keys` are the items of the cycle."""

    def __init__(self, keys: Sequence[str]) -> None:
        first, *others = keys
        path = ", which refers to ".join([*others, first]) if others else "itself"
        super().__init__(f"{first} refers to {path}")
        self.keys = tuple(keys)


def evaluation_order(formulas: Mapping[str, Formula]) -> list[str]:
    """Sort the keys so that each comes after the items whose amounts its formula uses. Raises CircularReference.

    Inputs of items are known before any amount is calculated, so they do not affect the order.
    """
    dependencies = {key: _dependencies(formula, formulas) for key, formula in formulas.items()}
    try:
        return list(TopologicalSorter(dependencies).static_order())
    except CycleError as error:
        # In the reported cycle each node is a dependency of the next, and the first node is repeated at the end.
        raise CircularReference(_from_smallest(error.args[1][:0:-1])) from None


def _dependencies(formula: Formula, formulas: Mapping[str, Formula]) -> list[str]:
    """The items among these whose amounts the formula uses, sorted for a stable order."""
    amounts = {reference.calculation for reference in formula.references if reference.input is None}
    return sorted(formulas.keys() & amounts)


def _from_smallest(cycle: list[str]) -> list[str]:
    """Rotate a cycle to its smallest key, so that the message does not depend on where it was found."""
    start = cycle.index(min(cycle, key=lambda key: (len(key), key)))
    return cycle[start:] + cycle[:start]
