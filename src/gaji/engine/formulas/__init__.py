"""Formulas of custom items: expressions over items and inputs, parsed once and evaluated for columns of employees.

1. `tokenizer` and `parser`: from text to a syntax tree, or an error with its character; `references`: what names mean.
2. `order`: the order of formulas that refer to each other.
3. `evaluation`: the amounts of a batch, exact until one rounding at the end, with the arithmetic of `ratios`.
4. `explanation`: the arithmetic of one employee, with the values of `scalar_evaluation`.

A formula is never executed as code. Syntax and limits: docs/rules/formulas.md.

>>> from fractions import Fraction
>>> import numpy as np
>>> five_percent = parse("basic_salary * 0.05", lambda reference: reference == Reference("basic_salary", None))
>>> salaries = {Reference("basic_salary", None): ColumnValues(np.array([500_000, 312_550]), scale=100)}
>>> evaluate(five_percent, salaries, person_count=2).amount_cents.tolist()
[25000, 15628]
>>> arithmetic(five_percent, {Reference("basic_salary", None): Fraction(5000)}, 25_000)
('5000.00 × 0.05 = 250.00',)
"""

from gaji.engine.formulas.evaluation import ColumnValues, FormulaResult, evaluate
from gaji.engine.formulas.explanation import arithmetic, branches
from gaji.engine.formulas.order import CircularReference, evaluation_order
from gaji.engine.formulas.parser import parse
from gaji.engine.formulas.reasons import reason
from gaji.engine.formulas.references import ITEM_INPUTS
from gaji.engine.formulas.syntax_tree import Formula, Reference
from gaji.engine.formulas.tokenizer import FormulaError

__all__ = [
    "ITEM_INPUTS",
    "CircularReference",
    "ColumnValues",
    "Formula",
    "FormulaError",
    "FormulaResult",
    "Reference",
    "arithmetic",
    "branches",
    "evaluate",
    "evaluation_order",
    "parse",
    "reason",
]
