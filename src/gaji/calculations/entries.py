"""The entries of payslips: for each payslip what all levels say about each calculation, the closest of each input.

For tens of thousands of payslips at once: a handful of queries, and what many employees have in common is merged once.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import date
from typing import NamedTuple

import msgspec

from gaji.calculation_definitions import catalogue as definitions
from gaji.calculations import inherited_store, store, week_hours
from gaji.calculations.levels import Values, layered
from gaji.calculations.possible import can_be_skipped
from gaji.clients.service import client_features
from gaji.db.tenancy import Transaction
from gaji.engine.cases import Entry
from gaji.engine.catalogue import SYSTEM, Catalogue
from gaji.profiles.applied import Applied, profiles_of

Payslip = tuple[int | None, int, bool]
"""Its id (none for one that is not kept), its employee, and whether it is special."""

_decode = msgspec.json.Decoder(Values).decode
_decode_history = msgspec.json.Decoder(dict[str, dict[str, str | bool | None]]).decode


class Said(NamedTuple):
    """What a level says about a type; the inputs as JSON, so that equals are found quickly."""

    inputs: str
    skip: bool | None = None
    multiplier: str | None = None
    deleted: bool = False


Row = dict[str, Said]
"""What one level says, by type."""


async def catalogue(tx: Transaction, client_id: int) -> Catalogue:
    """The catalogue of a client: the system's types and the client's own."""
    return await definitions.catalogue(tx, client_id)


async def entries(tx: Transaction, client_id: int, payslips: Sequence[Payslip], on: date) -> list[dict[str, Entry]]:
    """For each payslip its entries; regular hours are those of the day `on`."""
    employee_ids = list({employee_id for _, employee_id, _ in payslips})
    loaded = await _load(tx, client_id, employee_ids, [one for one, _, _ in payslips if one is not None])
    merger = Merger(loaded, on.isoformat())
    return [merger.entries(payslip_id, employee_id, special) for payslip_id, employee_id, special in payslips]


class Loaded(NamedTuple):
    """What is kept of some payslips, by whose it is."""

    client: Row
    profiles: Mapping[int, Row]
    applied: Mapping[int, tuple[Applied, ...]]
    employees: Mapping[int, Row]
    hours: Mapping[int, str]
    """By employee, the history of the regular hours."""
    payslips: Mapping[int, Row]
    hours_are_inherited: bool


async def _load(tx: Transaction, client_id: int, employee_ids: Sequence[int], payslip_ids: Sequence[int]) -> Loaded:
    client: Row = {}
    profiles: dict[int, Row] = defaultdict(dict)
    for profile_id, name, *said in await store.far(tx, client_id):
        (client if profile_id is None else profiles[profile_id])[name] = Said(*said)
    employees: dict[int, Row] = defaultdict(dict)
    slips: dict[int, Row] = defaultdict(dict)
    for employee_id, payslip_id, name, *said in await store.near(tx, client_id, employee_ids, payslip_ids):
        (employees[employee_id] if payslip_id is None else slips[payslip_id])[name] = Said(*said)
    hours = dict(await inherited_store.histories(tx, client_id, employee_ids))
    both = any(week_hours.TYPE in employees[one] for one in hours.keys() & employees.keys())
    return Loaded(
        client=client,
        profiles=profiles,
        applied=await profiles_of(tx, client_id, employee_ids) if profiles else {},
        employees=employees,
        hours=hours,
        payslips=slips,
        hours_are_inherited=not both or (await client_features(tx, client_id))["regular_hours_v2"],
    )


class Merged(NamedTuple):
    """What several levels say about a type."""

    inputs: Values
    skip: bool
    multiplier: str | None


class Merger:
    """Merges the levels of one payslip after the other, and remembers what it has merged."""

    def __init__(self, loaded: Loaded, day: str) -> None:
        self._loaded = loaded
        self._day = day
        self._hours: dict[str, str] = {}
        self._far: dict[tuple[Applied, ...], dict[str, tuple[Said, ...]]] = {}
        self._entries: dict[tuple[str, tuple[Said, ...], bool, bool], Entry | None] = {}

    def entries(self, payslip_id: int | None, employee_id: int, special: bool) -> dict[str, Entry]:
        """The entries of a payslip."""
        chains = dict(self._farther(self._loaded.applied.get(employee_id, ())))
        for level in self._of_employee(employee_id):
            for name, said in level.items():
                chains[name] = (*chains.get(name, ()), said)
        slip = self._loaded.payslips.get(payslip_id, {}) if payslip_id is not None else {}
        found = {name: self._entry(name, chain, slip.get(name), special) for name, chain in chains.items()}
        for name, said in slip.items():
            if name not in chains:
                found[name] = self._entry(name, (), said, special)
        return {name: entry for name, entry in found.items() if entry is not None}

    def _farther(self, applied: tuple[Applied, ...]) -> dict[str, tuple[Said, ...]]:
        """What the client and these profiles say, the farthest first."""
        if (known := self._far.get(applied)) is not None:
            return known
        found: dict[str, tuple[Said, ...]] = {name: (said,) for name, said in self._loaded.client.items()}
        for profile in applied:
            for name, said in self._loaded.profiles.get(profile.profile_id, {}).items():
                if profile.applies(name):
                    found[name] = (*found.get(name, ()), said)
        return self._far.setdefault(applied, found)

    def _of_employee(self, employee_id: int) -> tuple[Row, ...]:
        """What the employee's own calculations say, and their regular hours; the closest of these last."""
        own = self._loaded.employees.get(employee_id, {})
        history = self._loaded.hours.get(employee_id)
        if history is None:
            return (own,)
        if (inputs := self._hours.get(history)) is None:
            now = week_hours.at(_decode_history(history), self._day)
            inputs = self._hours.setdefault(history, msgspec.json.encode(now).decode())
        hours = {week_hours.TYPE: Said(inputs)}
        return (own, hours) if self._loaded.hours_are_inherited else (hours, own)

    def _entry(self, name: str, farther: tuple[Said, ...], slip: Said | None, special: bool) -> Entry | None:
        chain = farther if slip is None else (*farther, slip)
        key = name, chain, slip is None, special
        if key not in self._entries:
            self._entries[key] = _entry(name, chain, entered_here=slip is not None, special=special)
        return self._entries[key]


def _entry(name: str, chain: Sequence[Said], *, entered_here: bool, special: bool) -> Entry | None:
    """The entry of a chain, the farthest first; none where it is deleted or says nothing."""
    if chain[-1].deleted:
        return None
    one = SYSTEM.get(name)
    inputs: Values = {}
    for said in chain:
        inputs = layered(inputs, _decode(said.inputs), one.alternatives if one else ())
    if name == week_hours.TYPE:
        inputs = week_hours.applicable(inputs)
        return Entry(inputs) if inputs else None
    skip = next((said.skip for said in reversed(chain) if said.skip is not None), False)
    # A once-off payslip has only what was entered for it.
    left_out = special and not entered_here and can_be_skipped(one)
    return Entry(
        inputs=inputs,
        recurring=len(chain) > 1 or not entered_here,
        skip=skip or left_out,
        multiplier=next((said.multiplier for said in reversed(chain) if said.multiplier is not None), None),
    )
