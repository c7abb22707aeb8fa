"""The names in a formula: what they refer to, and errors for unknown names.

| Name | Refers to |
|---|---|
| `quantity` | an input of the item itself: `amount`, `rate`, `quantity`, `percentage` |
| `basic_salary`, `calc.basic_salary`, `calc.12` | the amount of an item on the payslip |
| `basic_salary.days_input`, `calc.basic_salary.days_input`, `calc.12.quantity` | an input of an item |

>>> parse_reference("calc.basic_salary.days_input")
Reference(calculation='basic_salary', input='days_input')
"""

import difflib
from collections.abc import Callable, Sequence

from gaji.engine.formulas.syntax_tree import Reference
from gaji.engine.formulas.tokenizer import FormulaError, Token

ITEM_INPUTS = ("amount", "rate", "quantity", "percentage")
PREFIX = "calc"
MIN_SIMILARITY = 0.7

IsKnown = Callable[[Reference], bool]


def parse_reference(name: str) -> Reference | None:
    """Parse a name, without checking whether it exists. None if it is not a valid name."""
    if name in ITEM_INPUTS:
        return Reference(None, name)
    parts = name.split(".")
    match parts[1:] if parts[0] == PREFIX else parts:
        case [calculation]:
            return Reference(calculation, None)
        case [calculation, input_name]:
            return Reference(calculation, input_name)
    return None


def resolve(token: Token, is_known: IsKnown, suggestions: Sequence[str]) -> Reference:
    """Return the reference of a name. Raises FormulaError, with a suggestion, if it does not exist."""
    reference = parse_reference(token.text)
    if reference is not None and is_known(reference):
        return reference
    message = _unknown_name_message(token.text, reference, is_known)
    suggestion = suggest(token.text, suggestions)
    raise FormulaError(token.position, f"{message}; did you mean {suggestion}?" if suggestion else message)


def suggest(name: str, suggestions: Sequence[str]) -> str | None:
    """Return the suggestion that is most similar to a name, if any is similar enough."""
    lower_name = name.lower()
    for text in (lower_name, lower_name.removeprefix(f"{PREFIX}.")):
        if close := difflib.get_close_matches(text, suggestions, n=1, cutoff=MIN_SIMILARITY):
            return close[0]
    return None


def _unknown_name_message(name: str, reference: Reference | None, is_known: IsKnown) -> str:
    if reference is None:
        return f"`{name}` is not a valid name; write an item as basic_salary or calc.12, its input as calc.12.quantity"
    if reference.calculation is None:
        return f"this item has no input `{reference.input}`"
    if reference.input is not None and is_known(Reference(reference.calculation, None)):
        return f"the item `{reference.calculation}` has no input `{reference.input}`"
    return f"unknown item `{reference.calculation}`"
