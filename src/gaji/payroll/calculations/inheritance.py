"""Levels: whose a calculation is, and how the inputs of several levels become one.

From the farthest to the closest: client, profile, employee, payslip. The closest wins, input by input.

>>> merge_inputs({"amount": "500.00", "declaration_date": "2026-03-01"}, {"months": "1.5"}, ("amount", "months"))
{'declaration_date': '2026-03-01', 'months': '1.5'}
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from gaji.engine.catalogue import StoredValue

InputValues = dict[str, StoredValue]


@dataclass(frozen=True, slots=True)
class CalculationOwner:
    """Whose a calculation is; a payslip's names its employee too."""

    client_id: int
    profile_id: int | None = None
    employee_id: int | None = None
    payslip_id: int | None = None

    @property
    def level(self) -> str:
        """The level by its name."""
        if self.payslip_id is not None:
            return "payslip"
        if self.employee_id is not None:
            return "employee"
        return "client" if self.profile_id is None else "profile"


@dataclass(frozen=True, slots=True)
class Calculation:
    """One row: what one level says about one type."""

    owner: CalculationOwner
    type: str
    inputs: InputValues = field(default_factory=dict)
    skip: bool | None = None
    """None where this level says nothing about it."""
    deleted: bool = False
    multiplier: str | None = None
    id: int | None = None
    """None for one that is not saved as a row of its own: a new one, or the inherited calculation of an employee."""
    created_at: str = ""
    updated_at: str = ""


CalculationChain = Sequence[Calculation]
"""What each level says about one type, the farthest first."""


def merge_inputs(farther: Mapping[str, StoredValue], closer: Mapping[str, StoredValue], alternatives: Sequence[str] = ()) -> InputValues:
    """The inputs of two levels in one; of alternatives the closer level's drops those of the farther."""
    if alternatives and any(one in closer for one in alternatives):
        farther = {name: value for name, value in farther.items() if name not in alternatives}
    return {**farther, **closer}


def effective_inputs(chain: CalculationChain, alternatives: Sequence[str] = ()) -> InputValues:
    """The inputs of all levels of a chain in one."""
    found: InputValues = {}
    for calculation in chain:
        found = merge_inputs(found, calculation.inputs, alternatives)
    return found


def effective_skip(chain: CalculationChain) -> bool:
    """Whether the closest level that says anything about it skips the item."""
    return next((one.skip for one in reversed(chain) if one.skip is not None), False)


def effective_multiplier(chain: CalculationChain) -> str | None:
    """The multiplier of the closest level that has one."""
    return next((one.multiplier for one in reversed(chain) if one.multiplier is not None), None)
