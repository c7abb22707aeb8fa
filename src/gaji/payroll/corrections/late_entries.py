"""Entries of a finalised payslip with what was entered for it later. Pure."""

from typing import TypeVar

from msgspec.structs import replace

from gaji.engine.catalogue import SYSTEM_TYPES, StoredValue
from gaji.engine.payslip_input import CalculationEntry, EntryPart
from gaji.payroll.calculations.inheritance import merge_inputs
from gaji.payroll.snapshots.queries import EntryChange, PayslipEntry

NOTHING = PayslipEntry({})
Value = TypeVar("Value")


def with_late_entry(
    name: str, stored: CalculationEntry | None, current: CalculationEntry | None, change: EntryChange
) -> CalculationEntry | None:
    """Return the stored entry with what was entered for the payslip since, and nothing else that is new.

    `current` has today's values of all levels. Values that the payslip no longer overrides are taken from it.
    """
    frozen, live = change.frozen or NOTHING, change.live or NOTHING
    if stored is None or current is None or frozen.deleted or live.deleted:
        return current
    return replace(
        stored,
        inputs=_merge(name, stored.inputs, current.inputs, frozen, live),
        skip=bool(_choose(live.skip, frozen.skip, current.skip, stored.skip)),
        multiplier=_choose(live.multiplier, frozen.multiplier, current.multiplier, stored.multiplier),
        parts=[_part(name, part, current, frozen, live) for part in stored.parts],
    )


def _part(name: str, part: EntryPart, current: CalculationEntry, frozen: PayslipEntry, live: PayslipEntry) -> EntryPart:
    return replace(
        part,
        inputs=_merge(name, part.inputs or {}, current.inputs, frozen, live),
        skip=bool(_choose(live.skip, frozen.skip, current.skip, part.skip)),
        multiplier=_choose(live.multiplier, frozen.multiplier, current.multiplier, part.multiplier),
    )


def _merge(
    name: str,
    stored: dict[str, StoredValue],
    current: dict[str, StoredValue],
    frozen: PayslipEntry,
    live: PayslipEntry,
) -> dict[str, StoredValue]:
    system_type = SYSTEM_TYPES.get(name)
    alternatives = system_type.alternatives if system_type else ()
    overridden = set(frozen.inputs)
    if not overridden.isdisjoint(alternatives):
        overridden.update(alternatives)
    inherited = {key: value for key, value in stored.items() if key not in overridden}
    inherited |= {key: current[key] for key in overridden if key in current}
    return merge_inputs(inherited, live.inputs, alternatives)


def _choose(live: Value | None, frozen: Value | None, current: Value, stored: Value) -> Value:
    """The value that is entered now, or today's inherited one if it was entered before, or the stored one."""
    if live is not None:
        return live
    return stored if frozen is None else current
