"""The history of a recurring calculation: values without a date, and changes that hold from a date on.

A change holds what was sent for its date, so changes can be entered in any order. The values of a day are those without
a date, with the changes up to that day applied in the order of their dates. A change that ends the calculation forgets
everything before it. The calculation exists again if the same or a later change has inputs.

>>> from gaji.payroll.calculations.inheritance import CalculationOwner
>>> initial = {"amount": "100.00", "prorate": True}
>>> stored = Calculation(CalculationOwner(1, employee_id=4), "transport_allowance", initial)
>>> stored = replace(stored, history={"2026-11-16": DatedChange({"amount": "150.00"}), "2027-01-01": ENDED})
>>> calculation_on(stored, "2026-11-15").inputs
{'amount': '100.00', 'prorate': True}
>>> calculation_on(stored, "2026-11-16").inputs
{'amount': '150.00', 'prorate': True}
>>> calculation_on(stored, "2027-01-01") is None
True
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date

import msgspec
from msgspec import UNSET

from gaji.core.errors import ErrorCode
from gaji.engine.catalogue import SYSTEM_TYPES
from gaji.payroll.calculations.inheritance import (
    Calculation,
    DatedChange,
    History,
    InputValues,
    merge_inputs,
)

INITIAL = ""
"""The key of values without a date. It sorts before every date."""
MAX_CHANGES = 200
"""Dated changes of one calculation."""
TOO_MANY_CHANGES = ErrorCode("too_many_changes", "a calculation can have at most {maximum} dated changes")
ENDED = DatedChange(ended=True)
NO_HISTORY: History = {}


def calculation_on(calculation: Calculation, day: str) -> Calculation | None:
    """Return a stored calculation with its values on a day, which is an ISO date. None if it does not exist then."""
    if not calculation.history:
        return calculation
    current: Calculation | None = calculation
    for valid_from in sorted(calculation.history):
        if valid_from > day:
            break
        current = _apply(calculation, current, valid_from)
    return current


def calculations_on(calculations: Iterable[Calculation], day: str) -> list[Calculation]:
    """Return the stored calculations that exist on a day, with their values on that day."""
    resolved = (calculation_on(calculation, day) for calculation in calculations)
    return [calculation for calculation in resolved if calculation is not None]


def change_on(calculation: Calculation, valid_from: date, change: DatedChange) -> Calculation:
    """Return a stored calculation with a change on a date. What the same date changes otherwise stays."""
    day = valid_from.isoformat()
    return replace(calculation, history={**calculation.history, day: _combine(calculation.history.get(day), change)})


def has_room_on(calculation: Calculation, valid_from: date) -> bool:
    """Return whether a stored calculation can have a change on a date, given the limit."""
    return len(calculation.history) < MAX_CHANGES or valid_from.isoformat() in calculation.history


def start_on(calculation: Calculation, valid_from: date, change: DatedChange) -> Calculation:
    """Return a new calculation that exists from a date on."""
    return replace(calculation, history={INITIAL: ENDED, valid_from.isoformat(): change})


def end_on(calculation: Calculation, valid_from: date) -> Calculation | None:
    """Return a stored calculation that ends on a date, without its later changes. None if it exists on no day."""
    day = valid_from.isoformat()
    earlier = {other: change for other, change in calculation.history.items() if other < day}
    exists = calculation_on(replace(calculation, history=earlier), day) is not None
    return _if_in_force(replace(calculation, history={**earlier, day: ENDED} if exists else earlier))


def without_change(calculation: Calculation, valid_from: str) -> Calculation | None:
    """Return a stored calculation without its change on a date. None if it exists on no day."""
    rest = {day: change for day, change in calculation.history.items() if day != valid_from}
    return _if_in_force(replace(calculation, history=rest))


def next_start(calculation: Calculation, day: str) -> str | None:
    """Return the first date after a day on which a stored calculation changes and exists."""
    later = (valid_from for valid_from in sorted(calculation.history) if valid_from > day)
    return next((start for start in later if calculation_on(calculation, start) is not None), None)


def is_in_force_from(calculation: Calculation, day: str) -> bool:
    """Return whether a stored calculation exists on a day or later."""
    return calculation_on(calculation, day) is not None or next_start(calculation, day) is not None


def encode_history(history: History) -> str | None:
    """Return the history as it is stored."""
    return msgspec.json.encode(history, order="sorted").decode() if history else None


def decode_history(stored: str | None) -> History:
    """Return a stored history."""
    return NO_HISTORY if stored is None else _decode(stored)


_decode = msgspec.json.Decoder(dict[str, DatedChange]).decode


def apply_inputs(before: InputValues, change: DatedChange, alternatives: Sequence[str]) -> InputValues:
    """Return inputs with a change applied. An alternative that is set replaces the others."""
    changes = change.inputs or {}
    entered: InputValues = {name: value for name, value in changes.items() if value is not None}
    merged = merge_inputs(before, entered, alternatives)
    return {name: value for name, value in merged.items() if name in entered or name not in changes}


def _apply(stored: Calculation, current: Calculation | None, valid_from: str) -> Calculation | None:
    change = stored.history[valid_from]
    if change.inputs is None:
        return None if change.ended else current
    before = current
    if before is None or change.ended:
        before = replace(stored, inputs={}, skip=None, multiplier=None)
    system_type = SYSTEM_TYPES.get(stored.type)
    return replace(
        before,
        inputs=apply_inputs(before.inputs, change, system_type.alternatives if system_type else ()),
        skip=before.skip if change.skip is UNSET else change.skip,
        multiplier=before.multiplier if change.multiplier is UNSET else change.multiplier,
        valid_from=valid_from or None,
    )


def _combine(first: DatedChange | None, second: DatedChange) -> DatedChange:
    if first is None:
        return second
    return DatedChange(
        {**(first.inputs or {}), **(second.inputs or {})},
        first.skip if second.skip is UNSET else second.skip,
        first.multiplier if second.multiplier is UNSET else second.multiplier,
        first.ended or second.ended,
    )


def _if_in_force(calculation: Calculation) -> Calculation | None:
    history = calculation.history
    exists = INITIAL not in history or any(change.inputs is not None for change in history.values())
    return calculation if exists else None
