"""Resolve the entries of payslips: merge the calculations of all levels, the most specific level winning.

This runs for tens of thousands of payslips at once. It needs one query, and merges what many employees have in common
only once.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from typing import NamedTuple

import asyncpg
import msgspec

from gaji.core.threads import run_in_thread_if_many
from gaji.db.tenancy import Transaction
from gaji.engine.catalogue import PRORATE, SYSTEM_TYPES
from gaji.engine.payslip_input import CalculationEntry, EntryPart
from gaji.payroll.calculations import repository
from gaji.payroll.calculations.history import INITIAL, calculation_on, decode_history, encode_history
from gaji.payroll.calculations.inheritance import (
    Calculation,
    CalculationOwner,
    DatedChange,
    InputValues,
    merge_inputs,
)
from gaji.payroll.calculations.regular_hours.schedule import WEEK_HOURS, complete_week
from gaji.payroll.profiles.queries import EmployeeProfile, ProfileAssignment, group_by_employee

PayslipKey = tuple[int | None, int, bool]
"""The ID of a payslip (None if it is not stored), its employee, and whether it is special."""

PaidDays = tuple[date, date]
"""The first and the last day that a payslip pays for. Values that change between them are divided into parts."""

BASIC = "basic_salary"
LEAVE_TYPES = ("unpaid_leave", "leave_encashment", "excess_leave", "national_service_leave")
"""Types that leave adds to a payslip without an entry."""
SUPPRESSED = CalculationEntry({}, recurring=False, skip=True)
NO_OWNER = CalculationOwner(0)

_decode_inputs = msgspec.json.Decoder(InputValues).decode
_decode_history = msgspec.json.Decoder(dict[str, dict[str, str | bool | None]]).decode


class LayerRow(NamedTuple):
    """The calculation of one type at one level. The inputs stay JSON, so that equal rows are found quickly."""

    inputs_json: str
    skip: bool | None = None
    multiplier: str | None = None
    deleted: bool = False
    history: str | None = None
    """The dated changes as JSON. None if the calculation has none."""


Layer = dict[str, LayerRow]
"""The calculations of one level, by type."""
DatedKey = tuple[str, tuple[LayerRow, ...], LayerRow | None, bool, str, str]
"""What an entry with dated changes depends on: type, chain, payslip row, special, and the first and last paid day."""


class LayerData(NamedTuple):
    """The layers of some employees and payslips, by owner."""

    client: Layer
    profiles: Mapping[int, Layer]
    employee_profiles: Mapping[int, tuple[EmployeeProfile, ...]]
    employees: Mapping[int, Layer]
    hours_histories: Mapping[int, str]
    """The history of the regular hours as JSON, by employee. Only of employees whose own hours apply."""
    payslips: Mapping[int, Layer]


async def resolve_entries(
    tx: Transaction,
    client_id: int,
    payslips: Sequence[PayslipKey],
    as_of: date,
    types: Sequence[str] | None = None,
    paid_days: Sequence[PaidDays] | None = None,
) -> list[dict[str, CalculationEntry]]:
    """Return the entries of each payslip, of all types or of some, with the regular hours of a day.

    The values are those of the last day that each payslip pays for, with parts if they change before. Without paid
    days, they are the values of the day.
    """
    days = paid_days or [(as_of, as_of)] * len(payslips)
    employee_ids = list({employee_id for _, employee_id, _ in payslips})
    payslip_ids = [payslip_id for payslip_id, _, _ in payslips if payslip_id is not None]
    resolver = Resolver(await load_layers(tx, client_id, employee_ids, payslip_ids, types), as_of.isoformat())

    def resolve() -> list[dict[str, CalculationEntry]]:
        return [
            resolver.payslip_entries(payslip_id, employee_id, special, slip_days)
            for (payslip_id, employee_id, special), slip_days in zip(payslips, days, strict=True)
        ]

    return await run_in_thread_if_many(len(payslips), resolve)


async def load_first_dates(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> dict[int, dict[str, date]]:
    """Load the first date on which each calculation of employees changes, by employee and type.

    Changes at the level of the employee and of the employee's profiles count.
    """
    layers = await load_layers(tx, client_id, employee_ids, [])
    return {employee_id: _first_dates(layers, employee_id) for employee_id in employee_ids}


def _first_dates(layers: LayerData, employee_id: int) -> dict[str, date]:
    first_dates: dict[str, date] = {}
    for calc_type, day in sorted(list_change_dates(layers, employee_id), reverse=True):
        first_dates[calc_type] = day
    return first_dates


def list_change_dates(layers: LayerData, employee_id: int) -> list[tuple[str, date]]:
    """List the types that change for an employee, each with the dates of its changes."""
    rows = list(layers.employees.get(employee_id, {}).items())
    for profile in layers.employee_profiles.get(employee_id, ()):
        layer = layers.profiles.get(profile.profile_id, {})
        rows += [(name, row) for name, row in layer.items() if profile.applies(name)]
    days = [(calc_type, day) for calc_type, row in rows for day in decode_history(row.history)]
    if (hours := layers.hours_histories.get(employee_id)) is not None:
        days += [(WEEK_HOURS, day) for day in _decode_history(hours)]
    return [(calc_type, date.fromisoformat(day)) for calc_type, day in days if day]


async def load_layers(
    tx: Transaction,
    client_id: int,
    employee_ids: Sequence[int],
    payslip_ids: Sequence[int],
    types: Sequence[str] | None = None,
) -> LayerData:
    """Load the layers of these employees and payslips, of all types or of some."""
    rows = await repository.load_layer_rows(tx, client_id, employee_ids, payslip_ids, types)
    return await run_in_thread_if_many(len(rows), lambda: _group_layers(rows))


def _group_layers(rows: Sequence[asyncpg.Record]) -> LayerData:
    client: Layer = {}
    profiles: dict[int, Layer] = defaultdict(dict)
    employees: dict[int, Layer] = defaultdict(dict)
    payslips: dict[int, Layer] = defaultdict(dict)
    histories: dict[int, str] = {}
    assignments: list[ProfileAssignment] = []
    for row in rows:
        kind, employee_id = row["kind"], row["employee_id"]
        if kind == repository.HISTORY_ROW:
            histories[employee_id] = row["data"]
            continue
        if kind == repository.PROFILE_ROW:
            assignments.append(ProfileAssignment(row["mapping_id"], employee_id, row["profile_id"], row["data"]))
            continue
        if employee_id is None:
            profile_id = row["profile_id"]
            layer = client if profile_id is None else profiles[profile_id]
        else:
            payslip_id = row["payslip_id"]
            layer = employees[employee_id] if payslip_id is None else payslips[payslip_id]
        layer[row["type"]] = LayerRow(row["data"], row["skip"], row["multiplier"], row["deleted"], row["history"])
    return LayerData(
        client=client,
        profiles=profiles,
        employee_profiles=group_by_employee(assignments),
        employees=employees,
        hours_histories=histories,
        payslips=payslips,
    )


@dataclass(frozen=True)
class InheritedLayer:
    """The merged calculations of the client and some profiles, shared by the employees who have these profiles."""

    chains: Mapping[str, tuple[LayerRow, ...]]
    """By type, the most general level first."""
    entries: Mapping[str, CalculationEntry]
    """The entries of an employee without own calculations, of the types without dated changes."""
    dated_types: frozenset[str]
    """The types with dated changes."""
    special: bool
    merged: dict[tuple[str, LayerRow], CalculationEntry | None] = field(default_factory=dict)
    """Entries of employees with own calculations, to be reused."""

    def merge_own(self, calc_type: str, row: LayerRow) -> CalculationEntry | None:
        """Return the entry of an employee with this own calculation."""
        key = calc_type, row
        if key not in self.merged:
            chain = (*self.chains.get(calc_type, ()), row)
            self.merged[key] = _merge_chain(calc_type, chain, None, special=self.special)
        return self.merged[key]


class Resolver:
    """Merges the layers of payslips, and reuses merged layers that payslips have in common."""

    def __init__(self, layers: LayerData, day: str) -> None:
        self._layers = layers
        self._day = day
        self._hours_rows: dict[str, LayerRow] = {}
        self._inherited_layers: dict[tuple[tuple[EmployeeProfile, ...], bool], InheritedLayer] = {}
        self._dated_entries: dict[DatedKey, CalculationEntry | None] = {}

    def payslip_entries(
        self, payslip_id: int | None, employee_id: int, special: bool, paid_days: PaidDays | None = None
    ) -> dict[str, CalculationEntry]:
        """Return the entries of a payslip. Without paid days, the values are those of the resolver's day."""
        layers = self._layers
        inherited = self._inherited_layer(layers.employee_profiles.get(employee_id, ()), special)
        employee_layer = layers.employees.get(employee_id, {})
        history = layers.hours_histories.get(employee_id)
        payslip_layer = layers.payslips.get(payslip_id) if payslip_id is not None else None
        if payslip_layer is not None or (history is not None and WEEK_HOURS in employee_layer):
            return self._merge_all(inherited, employee_layer, history, payslip_layer or {}, paid_days)
        entries: dict[str, CalculationEntry | None] = dict(inherited.entries)
        dated = dict.fromkeys(inherited.dated_types)
        for calc_type, row in employee_layer.items():
            if row.history is None and calc_type not in dated:
                entries[calc_type] = inherited.merge_own(calc_type, row)
            else:
                dated[calc_type] = None
        own_rows = employee_layer
        if history is not None:
            own_rows = {**employee_layer, WEEK_HOURS: (row := self._hours_row(history))}
            if row.history is None and WEEK_HOURS not in dated:
                entries[WEEK_HOURS] = inherited.merge_own(WEEK_HOURS, row)
            else:
                dated[WEEK_HOURS] = None
        for calc_type in dated:
            chain = _append(inherited.chains.get(calc_type, ()), own_rows.get(calc_type))
            entries[calc_type] = self._dated_entry(calc_type, chain, None, special, paid_days)
        return _without_none(entries)

    def _merge_all(
        self,
        inherited: InheritedLayer,
        employee_layer: Layer,
        history: str | None,
        payslip_layer: Layer,
        paid_days: PaidDays | None,
    ) -> dict[str, CalculationEntry]:
        """Merge every level, for a payslip with own calculations or an employee with regular hours in two places."""
        chains = dict(inherited.chains)
        hours_layer = {} if history is None else {WEEK_HOURS: self._hours_row(history)}
        for layer in (employee_layer, hours_layer):
            for calc_type, row in layer.items():
                chains[calc_type] = (*chains.get(calc_type, ()), row)
        return _without_none(
            {
                calc_type: self._dated_entry(
                    calc_type, chains.get(calc_type, ()), payslip_layer.get(calc_type), inherited.special, paid_days
                )
                for calc_type in dict.fromkeys((*chains, *payslip_layer))
            }
        )

    def _inherited_layer(self, profiles: tuple[EmployeeProfile, ...], special: bool) -> InheritedLayer:
        if (known := self._inherited_layers.get((profiles, special))) is not None:
            return known
        chains: dict[str, tuple[LayerRow, ...]] = {calc_type: (row,) for calc_type, row in self._layers.client.items()}
        for profile in profiles:
            for calc_type, row in self._layers.profiles.get(profile.profile_id, {}).items():
                if profile.applies(calc_type):
                    chains[calc_type] = (*chains.get(calc_type, ()), row)
        dated = frozenset(calc_type for calc_type, chain in chains.items() if _is_dated(chain))
        entries = {
            calc_type: _merge_chain(calc_type, chain, None, special=special)
            for calc_type, chain in chains.items()
            if calc_type not in dated
        }
        layer = InheritedLayer(chains, _without_none(entries), dated, special)
        self._inherited_layers[profiles, special] = layer
        return layer

    def _dated_entry(
        self,
        calc_type: str,
        chain: tuple[LayerRow, ...],
        payslip_row: LayerRow | None,
        special: bool,
        paid_days: PaidDays | None,
    ) -> CalculationEntry | None:
        """Return the entry of a chain whose rows may have dated changes."""
        if not _is_dated(chain):
            return _merge_chain(calc_type, chain, payslip_row, special=special)
        if paid_days is None:
            first = last = self._day
        else:
            first, last = (day.isoformat() for day in paid_days)
        if special:
            first = last
        key = calc_type, chain, payslip_row, special, first, last
        if key not in self._dated_entries:
            self._dated_entries[key] = _merge_dated_chain(*key)
        return self._dated_entries[key]

    def _hours_row(self, history: str) -> LayerRow:
        """Return the regular hours as the calculation of a level."""
        if (known := self._hours_rows.get(history)) is not None:
            return known
        changes = _decode_history(history)
        inputs = {name: value for name, value in changes.pop(INITIAL, {}).items() if value is not None}
        dated = encode_history({day: DatedChange(change) for day, change in changes.items()})
        return self._hours_rows.setdefault(history, LayerRow(msgspec.json.encode(inputs).decode(), history=dated))


def _append(chain: tuple[LayerRow, ...], row: LayerRow | None) -> tuple[LayerRow, ...]:
    return chain if row is None else (*chain, row)


def _is_dated(chain: Sequence[LayerRow]) -> bool:
    return any(row.history is not None for row in chain)


def _merge_dated_chain(
    calc_type: str,
    chain: tuple[LayerRow, ...],
    payslip_row: LayerRow | None,
    special: bool,
    first: str,
    last: str,
) -> CalculationEntry | None:
    """Return the entry of a chain on the last day, with its parts since the first day if its values change between."""
    changes = {day for row in chain for day in decode_history(row.history) if first < day <= last}
    parts: list[tuple[str, CalculationEntry | None]] = []
    for start in sorted({first, *changes}) if _is_divisible(calc_type) else [last]:
        rows = _rows_on(calc_type, chain, start)
        exists = bool(rows) or payslip_row is not None
        entry = _merge_chain(calc_type, rows, payslip_row, special=special) if exists else None
        if not parts or parts[-1][1] != entry:
            parts.append((start, entry))
    closing = parts[-1][1]
    if len(parts) == 1 or not _is_paid_in_parts(calc_type, [entry for _, entry in parts if entry is not None]):
        return closing
    return msgspec.structs.replace(closing or SUPPRESSED, parts=[_part(start, entry) for start, entry in parts])


def _is_divisible(calc_type: str) -> bool:
    """Return whether values that change within a period are paid in parts. Of custom items, the engine decides."""
    system_type = SYSTEM_TYPES.get(calc_type)
    return system_type is None or calc_type in (BASIC, WEEK_HOURS) or PRORATE in system_type.inputs_by_name


def _is_paid_in_parts(calc_type: str, existing: Sequence[CalculationEntry]) -> bool:
    """Return whether an item may be prorated, according to the last values with which it exists."""
    system_type = SYSTEM_TYPES.get(calc_type)
    if system_type is None or calc_type in (BASIC, WEEK_HOURS) or system_type.prorated_by_default:
        return True
    return existing[-1].inputs.get(PRORATE) is True


def _rows_on(calc_type: str, chain: Sequence[LayerRow], day: str) -> list[LayerRow]:
    """Return the rows of a chain that exist on a day, with their values on that day."""
    rows = (row if row.history is None else _row_on(calc_type, row, day) for row in chain)
    return [row for row in rows if row is not None]


@lru_cache(maxsize=10_000)
def _row_on(calc_type: str, row: LayerRow, day: str) -> LayerRow | None:
    stored = Calculation(
        NO_OWNER,
        calc_type,
        _decode_inputs(row.inputs_json),
        row.skip,
        row.deleted,
        row.multiplier,
        history=decode_history(row.history),
    )
    current = calculation_on(stored, day)
    if current is None:
        return None
    return LayerRow(msgspec.json.encode(current.inputs).decode(), current.skip, current.multiplier, current.deleted)


def _part(start: str, entry: CalculationEntry | None) -> EntryPart:
    day = date.fromisoformat(start)
    return EntryPart(day) if entry is None else EntryPart(day, entry.inputs, entry.skip, entry.multiplier)


def _without_none(entries: Mapping[str, CalculationEntry | None]) -> dict[str, CalculationEntry]:
    return {calc_type: entry for calc_type, entry in entries.items() if entry is not None}


def _merge_chain(
    calc_type: str, inherited: Sequence[LayerRow], payslip_row: LayerRow | None, *, special: bool
) -> CalculationEntry | None:
    """Return the entry of a chain, or None if the payslip deletes it.

    The engine adds entries for leave on its own, so a deleted one is suppressed instead. Without an entry of regular
    hours it uses the default week.
    """
    if payslip_row is not None and payslip_row.deleted:
        return SUPPRESSED if calc_type in LEAVE_TYPES else None
    chain = inherited if payslip_row is None else (*inherited, payslip_row)
    system_type = SYSTEM_TYPES.get(calc_type)
    alternatives = system_type.alternatives if system_type else ()
    inputs: InputValues = _decode_inputs(chain[0].inputs_json)
    skip, multiplier = chain[0].skip, chain[0].multiplier
    for row in chain[1:]:
        inputs = merge_inputs(inputs, _decode_inputs(row.inputs_json), alternatives)
        skip = skip if row.skip is None else row.skip
        multiplier = multiplier if row.multiplier is None else row.multiplier
    if calc_type == WEEK_HOURS:
        return CalculationEntry(complete_week(inputs)) if inputs else None
    # A special payslip has only its own calculations.
    skipped_by_rule = special and payslip_row is None and (system_type is None or system_type.skippable)
    return CalculationEntry(
        inputs, recurring=bool(inherited), skip=skipped_by_rule or bool(skip), multiplier=multiplier
    )
