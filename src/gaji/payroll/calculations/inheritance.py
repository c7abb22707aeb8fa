"""Owners of calculations, and how the inputs of several levels are merged.

The levels, from the most general to the most specific: client, profile, employee, payslip. For each input, the most
specific level wins.

>>> merge_inputs({"amount": "500.00", "declaration_date": "2026-03-01"}, {"months": "1.5"}, ("amount", "months"))
{'declaration_date': '2026-03-01', 'months': '1.5'}
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import msgspec
from msgspec import UNSET, UnsetType

from gaji.engine.catalogue import StoredValue

InputValues = dict[str, StoredValue]
"""Inputs as they are stored."""
InputChanges = dict[str, StoredValue | None]
"""Inputs to change. None clears an input."""


@dataclass(frozen=True, slots=True)
class CalculationOwner:
    """The owner of a calculation. A payslip's owner has its employee too."""

    client_id: int
    profile_id: int | None = None
    employee_id: int | None = None
    payslip_id: int | None = None

    @property
    def level(self) -> str:
        """The level: client, profile, employee or payslip."""
        if self.payslip_id is not None:
            return "payslip"
        if self.employee_id is not None:
            return "employee"
        return "client" if self.profile_id is None else "profile"


class DatedChange(msgspec.Struct, frozen=True, omit_defaults=True):
    """A change of a calculation from a date on. Only what it holds changes. Stored as JSON."""

    inputs: InputChanges | None = None
    """Null clears an input. None if the change has no values: it only ends the calculation."""
    skip: bool | UnsetType | None = UNSET
    multiplier: str | UnsetType | None = UNSET
    ended: bool = False
    """Whether the values before this date no longer apply."""


History = Mapping[str, DatedChange]
"""Changes by ISO date. Under the empty string: the calculation has no values before its first date."""


@dataclass(frozen=True, slots=True)
class Calculation:
    """The calculation of one type at one level. `history.calculation_on` returns its values on a day."""

    owner: CalculationOwner
    type: str
    inputs: InputValues = field(default_factory=dict)
    skip: bool | None = None
    """None inherits the value of the level above."""
    deleted: bool = False
    multiplier: str | None = None
    id: int | None = None
    """None for a calculation without a row of its own: a new one, or the inherited calculation of an employee."""
    created_at: str = ""
    updated_at: str = ""
    history: History = field(default_factory=dict)
    """The changes of a recurring calculation that hold from a date on."""
    valid_from: str | None = None
    """The date since which the values hold. None if they have no date."""
    external_id: str | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)


CalculationChain = Sequence[Calculation]
"""The calculations of one type at all levels, the most general first."""


def merge_inputs(
    inherited: Mapping[str, StoredValue], overrides: Mapping[str, StoredValue], alternatives: Sequence[str] = ()
) -> InputValues:
    """Merge the inputs of two levels. An overriding alternative replaces all inherited alternatives."""
    if alternatives and any(name in overrides for name in alternatives):
        inherited = {name: value for name, value in inherited.items() if name not in alternatives}
    return {**inherited, **overrides}


def effective_inputs(chain: CalculationChain, alternatives: Sequence[str] = ()) -> InputValues:
    """Merge the inputs of all levels of a chain."""
    inputs: InputValues = {}
    for calculation in chain:
        inputs = merge_inputs(inputs, calculation.inputs, alternatives)
    return inputs


def effective_skip(chain: CalculationChain) -> bool:
    """Return whether the item is skipped: the value of the most specific level that has one."""
    return next((calculation.skip for calculation in reversed(chain) if calculation.skip is not None), False)


def effective_multiplier(chain: CalculationChain) -> str | None:
    """Return the multiplier of the most specific level that has one."""
    multipliers = (calculation.multiplier for calculation in reversed(chain))
    return next((multiplier for multiplier in multipliers if multiplier is not None), None)


def find_own(chain: CalculationChain, owner: CalculationOwner) -> Calculation | None:
    """Return the owner's own row in a chain, if any."""
    rows = (calculation for calculation in chain if calculation.id is not None)
    return next((calculation for calculation in rows if calculation.owner == owner), None)


def inputs_json(inputs: Mapping[str, StoredValue | None]) -> dict[str, str | None]:
    """Return inputs as the API shows them: strings, booleans as `"true"` and `"false"`.

    >>> inputs_json({"amount": "180.00", "prorate": True})
    {'amount': '180.00', 'prorate': 'true'}
    """
    return {
        name: ("true" if value else "false") if isinstance(value, bool) else value for name, value in inputs.items()
    }
