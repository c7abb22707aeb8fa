"""The names in a formula: what each stands for, and what to say of one that stands for nothing.

| Written | Stands for |
|---|---|
| `quantity` | an input of the item that the formula belongs to: `amount`, `rate`, `quantity`, `percentage` |
| `basic_salary`, `calc.basic_salary`, `calc.12` | the amount of an item on the payslip |
| `basic_salary.days_input`, `calc.basic_salary.days_input`, `calc.12.quantity` | an input of an item |

>>> reference("calc.basic_salary.days_input")
Reference(calculation='basic_salary', input='days_input')
"""

import difflib
from collections.abc import Callable, Sequence

from gaji.engine.formulas.tokenizer import FormulaError, Token
from gaji.engine.formulas.syntax_tree import Reference

ITEM_INPUTS = ("amount", "rate", "quantity", "percentage")
PREFIX = "calc"
CLOSE_ENOUGH = 0.7

IsKnown = Callable[[Reference], bool]


def parse_reference(name: str) -> Reference | None:
    """What a name stands for, whether or not there is such a thing; None where it has the form of no name."""
    if name in ITEM_INPUTS:
        return Reference(None, name)
    parts = name.split(".")
    match parts[1:] if parts[0] == PREFIX else parts:
        case [calculation]:
            return Reference(calculation, None)
        case [calculation, own_input]:
            return Reference(calculation, own_input)
    return None


def resolve(token: Token, known: IsKnown, suggestions: Sequence[str]) -> Reference:
    """What a name stands for; raises FormulaFault, with the near miss, where there is no such thing."""
    meant = parse_reference(token.text)
    if meant is not None and known(meant):
        return meant
    raise FormulaError(token.position, _missing(token.text, meant, known) + _did_you_mean(token.text, suggestions))


def suggest(name: str, suggestions: Sequence[str]) -> str | None:
    """The suggestion that was probably meant."""
    lowered = name.lower()
    for written in (lowered, lowered.removeprefix(f"{PREFIX}.")):
        if close := difflib.get_close_matches(written, suggestions, n=1, cutoff=CLOSE_ENOUGH):
            return close[0]
    return None


def _missing(name: str, meant: Reference | None, known: IsKnown) -> str:
    if meant is None:
        return f"`{name}` is no name: an item is written basic_salary or calc.12, its input calc.12.quantity"
    if meant.calculation is None:
        return f"this item has no input `{meant.input}`"
    if meant.input is not None and known(Reference(meant.calculation, None)):
        return f"the item `{meant.calculation}` has no input `{meant.input}`"
    return f"there is no item `{meant.calculation}`"


def _did_you_mean(name: str, suggestions: Sequence[str]) -> str:
    close = suggest(name, suggestions)
    return f"; did you mean {close}?" if close else ""
