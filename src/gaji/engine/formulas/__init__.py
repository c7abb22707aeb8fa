"""The formulas of custom items: expressions over items and inputs, read once, worked out for whole columns of people.

1. `tokens` and `grammar`: from the text to a tree, or to a fault and its character; `names`: what a name means.
2. `order`: which formula comes first when one refers to another.
3. `evaluation`: the amounts of a batch, exact until the one rounding at the end (`ratios` does the sums).
4. `explanation`: how the amount of one person came about (`one_person`).

A formula is never run as code. What can be written, and every limit: docs/rules/formulas.md.

>>> from fractions import Fraction
>>> import numpy as np
>>> five_percent = read("basic_salary * 0.05", lambda reference: reference == Reference("basic_salary", None))
>>> salaries = {Reference("basic_salary", None): Values(np.array([500_000, 312_550]), scale=100)}
>>> evaluate(five_percent, salaries, people=2).amount_cents.tolist()
[25000, 15628]
>>> arithmetic(five_percent, {Reference("basic_salary", None): Fraction(5000)}, 25_000)
('5000.00 × 0.05 = 250.00',)
"""

from gaji.engine.formulas.evaluation import FormulaResult, ColumnValues, evaluate
from gaji.engine.formulas.explanation import arithmetic, branches
from gaji.engine.formulas.parser import parse
from gaji.engine.formulas.references import ITEM_INPUTS
from gaji.engine.formulas.order import CircularReference, evaluation_order
from gaji.engine.formulas.tokenizer import FormulaError
from gaji.engine.formulas.syntax_tree import Formula, Reference

__all__ = [
    "ITEM_INPUTS",
    "CircularReference",
    "Formula",
    "FormulaError",
    "Reference",
    "FormulaResult",
    "ColumnValues",
    "arithmetic",
    "branches",
    "evaluate",
    "evaluation_order",
    "parse",
]
