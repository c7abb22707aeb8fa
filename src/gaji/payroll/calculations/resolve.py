"""The entries of payslips: for each payslip what all levels say about each calculation, the closest of each input.

For tens of thousands of payslips at once: a handful of queries, and what many employees have in common is merged once.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import NamedTuple

import msgspec

from gaji.company.clients.service import client_features
from gaji.db.tenancy import Transaction
from gaji.engine.catalogue import SYSTEM_TYPES, Catalogue
from gaji.engine.payslip_input import CalculationEntry
from gaji.payroll.calculation_definitions import queries as definitions
from gaji.payroll.calculations import week_hours
from gaji.payroll.calculations import repository
from gaji.payroll.calculations.inheritance import InputValues, merge_inputs
from gaji.payroll.calculations.possible import can_be_skipped
from gaji.payroll.profiles.queries import EmployeeProfile, group_by_employee

PayslipKey = tuple[int | None, int, bool]
"""Its id (none for one that is not kept), its employee, and whether it is special."""

FROM_LEAVE = ("unpaid_leave", "leave_encashment")
"""What leave brings to a payslip where nothing is entered."""
SUPPRESSED = CalculationEntry({}, recurring=False, skip=True)

_decode = msgspec.json.Decoder(InputValues).decode
_decode_history = msgspec.json.Decoder(dict[str, dict[str, str | bool | None]]).decode


Said = tuple[str, bool | None, str | None, bool]
"""What a level says about a type: inputs as JSON, so that equals are found quickly; skip, multiplier, deleted."""
Level = dict[str, Said]
"""What one level says, by type."""


async def catalogue(tx: Transaction, client_id: int) -> Catalogue:
    """The catalogue of a client: the system's types and the client's own."""
    return await definitions.load_catalogue(tx, client_id)


async def resolve_entries(
    tx: Transaction, client_id: int, payslips: Sequence[PayslipKey], on: date, types: Sequence[str] | None = None
) -> list[dict[str, CalculationEntry]]:
    """For each payslip its entries, of all types or of some; regular hours are those of the day `on`."""
    employee_ids = list({employee_id for _, employee_id, _ in payslips})
    loaded = await load_layers(tx, client_id, employee_ids, [one for one, _, _ in payslips if one is not None], types)
    merger = Resolver(loaded, on.isoformat())
    return [merger.entries(payslip_id, employee_id, special) for payslip_id, employee_id, special in payslips]


class LayerData(NamedTuple):
    """What is kept of some payslips, by whose it is."""

    client: Level
    profiles: Mapping[int, Level]
    applied: Mapping[int, tuple[EmployeeProfile, ...]]
    employees: Mapping[int, Level]
    hours: Mapping[int, str]
    """By employee, the history of the regular hours."""
    payslips: Mapping[int, Level]
    hours_are_inherited: bool


async def load_layers(
    tx: Transaction,
    client_id: int,
    employee_ids: Sequence[int],
    payslip_ids: Sequence[int],
    types: Sequence[str] | None = None,
) -> LayerData:
    """What is kept of these employees and payslips, of all types or of some."""
    client: Level = {}
    profiles: dict[int, Level] = defaultdict(dict)
    employees: dict[int, Level] = defaultdict(dict)
    slips: dict[int, Level] = defaultdict(dict)
    hours: dict[int, str] = {}
    mappings: list[tuple[int, int, int, str]] = []
    rows = await repository.said(tx, client_id, employee_ids, payslip_ids, types)
    for profile_id, employee_id, payslip_id, name, inputs, skip, multiplier, deleted in rows:
        if name is None:
            if profile_id is None:
                hours[employee_id] = inputs
            else:
                mappings.append((payslip_id, employee_id, profile_id, inputs))
            continue
        if employee_id is None:
            level = client if profile_id is None else profiles[profile_id]
        else:
            level = employees[employee_id] if payslip_id is None else slips[payslip_id]
        level[name] = (inputs, skip, multiplier, deleted)
    both = any(week_hours.TYPE in employees[one] for one in hours.keys() & employees.keys())
    return LayerData(
        client=client,
        profiles=profiles,
        applied=group_by_employee(mappings),
        employees=employees,
        hours=hours,
        payslips=slips,
        hours_are_inherited=not both or (await client_features(tx, client_id))["regular_hours_v2"],
    )


@dataclass(frozen=True)
class Farther:
    """What the client and some profiles say, merged once for all who have the same; and what was merged with it."""

    chains: Mapping[str, tuple[Said, ...]]
    """By type, the farthest level first."""
    entries: Mapping[str, CalculationEntry]
    """Those of an employee for whom nothing is entered."""
    special: bool
    merged: dict[tuple[str, Said], CalculationEntry | None] = field(default_factory=dict)

    def with_own(self, name: str, said: Said) -> CalculationEntry | None:
        """The entry of an employee who says this about a type."""
        key = name, said
        if key not in self.merged:
            self.merged[key] = _entry(name, (*self.chains.get(name, ()), said), None, special=self.special)
        return self.merged[key]


class Resolver:
    """Merges the levels of one payslip after the other, and remembers what it has merged."""

    def __init__(self, loaded: LayerData, day: str) -> None:
        self._loaded = loaded
        self._day = day
        self._hours: dict[str, Said] = {}
        self._farther: dict[tuple[tuple[EmployeeProfile, ...], bool], Farther] = {}

    def entries(self, payslip_id: int | None, employee_id: int, special: bool) -> dict[str, CalculationEntry]:
        """The entries of a payslip."""
        loaded = self._loaded
        farther = self._of(loaded.applied.get(employee_id, ()), special)
        own = loaded.employees.get(employee_id, {})
        history = loaded.hours.get(employee_id)
        slip = loaded.payslips.get(payslip_id) if payslip_id is not None else None
        if slip is not None or (history is not None and week_hours.TYPE in own):
            return self._whole(farther, own, history, slip or {})
        found: dict[str, CalculationEntry | None] = dict(farther.entries)
        for name, said in own.items():
            found[name] = farther.with_own(name, said)
        if history is not None:
            found[week_hours.TYPE] = farther.with_own(week_hours.TYPE, self._hours_now(history))
        return _without_nothing(found)

    def _whole(self, farther: Farther, own: Level, history: str | None, slip: Level) -> dict[str, CalculationEntry]:
        """The entries of a payslip that says something itself, or whose employee has regular hours in two places."""
        chains = dict(farther.chains)
        hours = {} if history is None else {week_hours.TYPE: self._hours_now(history)}
        for level in (own, hours) if self._loaded.hours_are_inherited else (hours, own):
            for name, said in level.items():
                chains[name] = (*chains.get(name, ()), said)
        names = dict.fromkeys((*chains, *slip))
        return _without_nothing(
            {name: _entry(name, chains.get(name, ()), slip.get(name), special=farther.special) for name in names}
        )

    def _of(self, applied: tuple[EmployeeProfile, ...], special: bool) -> Farther:
        if (known := self._farther.get((applied, special))) is not None:
            return known
        chains: dict[str, tuple[Said, ...]] = {name: (said,) for name, said in self._loaded.client.items()}
        for profile in applied:
            for name, said in self._loaded.profiles.get(profile.profile_id, {}).items():
                if profile.applies(name):
                    chains[name] = (*chains.get(name, ()), said)
        entries = {name: _entry(name, chain, None, special=special) for name, chain in chains.items()}
        return self._farther.setdefault((applied, special), Farther(chains, _without_nothing(entries), special))

    def _hours_now(self, history: str) -> Said:
        """What the history of regular hours says of the day."""
        if (known := self._hours.get(history)) is not None:
            return known
        inputs = week_hours.at(_decode_history(history), self._day)
        return self._hours.setdefault(history, (msgspec.json.encode(inputs).decode(), None, None, False))


def _without_nothing(found: Mapping[str, CalculationEntry | None]) -> dict[str, CalculationEntry]:
    return {name: entry for name, entry in found.items() if entry is not None}


def _entry(name: str, farther: Sequence[Said], slip: Said | None, *, special: bool) -> CalculationEntry | None:
    """The entry of a chain and of what the payslip itself says; none where it is deleted or says nothing.

    What leave would bring by itself has to be told that it is deleted.
    """
    chain = farther if slip is None else (*farther, slip)
    if slip is not None and slip[3]:
        return SUPPRESSED if name in FROM_LEAVE else None
    one = SYSTEM_TYPES.get(name)
    text, skip, multiplier, _ = chain[0]
    inputs: InputValues = _decode(text)
    for text, closer_skip, closer_multiplier, _ in chain[1:]:
        inputs = merge_inputs(inputs, _decode(text), one.alternatives if one else ())
        skip = skip if closer_skip is None else closer_skip
        multiplier = multiplier if closer_multiplier is None else closer_multiplier
    if name == week_hours.TYPE:
        inputs = week_hours.applicable(inputs)
        return CalculationEntry(inputs) if inputs else None
    # A once-off payslip has only what was entered for it.
    left_out = special and slip is None and can_be_skipped(one)
    return CalculationEntry(inputs, recurring=bool(farther), skip=left_out or bool(skip), multiplier=multiplier)
