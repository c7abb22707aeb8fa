"""The catalogue of calculation types: those of the system and a client's custom items.

Validation, payslips, CPF and tax treatment, discovery, forms and spreadsheet columns are derived from it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from hashlib import sha256

import msgspec

from gaji.engine.catalogue.accounts import NETT_PAY, LedgerAccounts
from gaji.engine.catalogue.inputs import LEVELS, InputField, InputKind, StoredValue, cycle_hours
from gaji.engine.catalogue.types import (
    CUSTOM_INPUTS,
    CUSTOM_SECTIONS,
    CYCLE,
    CYCLE_START,
    DEFAULT_ACCOUNTS,
    FOREIGN_WORKER_LEVY,
    PRORATE,
    SYSTEM_TYPES,
    WEEKDAYS,
    CalculationKind,
    CalculationType,
    CpfTreatment,
    ItemDefinition,
    PayslipLine,
    PayslipSection,
    Treatment,
    custom_type,
)


@dataclass(frozen=True, eq=False)
class Catalogue:
    """The calculation types of one client, in the order of payslips. Equal definitions give the same object."""

    types: Mapping[str, CalculationType]

    @cached_property
    def lines(self) -> Mapping[str, PayslipLine]:
        """Every line that a payslip can have, by name."""
        return {line.name: line for item_type in self.types.values() for line in item_type.lines}

    @cached_property
    def line_names_by_section(self) -> Mapping[PayslipSection, Sequence[str]]:
        """The names of the lines of each section, in order."""
        names: dict[PayslipSection, list[str]] = {section: [] for section in PayslipSection}
        for name, line in self.lines.items():
            names[line.section].append(name)
        return names

    @cached_property
    def custom_types(self) -> Sequence[CalculationType]:
        """The client's custom items."""
        return [item_type for item_type in self.types.values() if item_type.is_custom]

    @cached_property
    def tracked_names(self) -> frozenset[str]:
        """The items of which what was deducted is tracked, such as loans."""
        return frozenset(item_type.name for item_type in self.types.values() if item_type.tracked)

    @cached_property
    def definitions_json(self) -> bytes:
        """The definitions of the custom items as JSON."""
        return msgspec.json.encode([item_type.definition for item_type in self.custom_types if item_type.definition])

    @cached_property
    def version(self) -> str:
        """A hash of the definitions of the custom items."""
        return sha256(self.definitions_json).hexdigest()[:12]


def build_catalogue(definitions: Sequence[ItemDefinition] = ()) -> Catalogue:
    """Return the catalogue of a client with these custom items."""
    return _cached_catalogue(tuple(sorted(definitions, key=lambda definition: definition.id)))


@lru_cache(maxsize=256)
def _cached_catalogue(definitions: tuple[ItemDefinition, ...]) -> Catalogue:
    return Catalogue({**SYSTEM_TYPES, **{str(definition.id): custom_type(definition) for definition in definitions}})


__all__ = [
    "CUSTOM_INPUTS",
    "CUSTOM_SECTIONS",
    "CYCLE",
    "CYCLE_START",
    "DEFAULT_ACCOUNTS",
    "FOREIGN_WORKER_LEVY",
    "LEVELS",
    "NETT_PAY",
    "PRORATE",
    "SYSTEM_TYPES",
    "WEEKDAYS",
    "CalculationKind",
    "CalculationType",
    "Catalogue",
    "CpfTreatment",
    "InputField",
    "InputKind",
    "ItemDefinition",
    "LedgerAccounts",
    "PayslipLine",
    "PayslipSection",
    "StoredValue",
    "Treatment",
    "build_catalogue",
    "custom_type",
    "cycle_hours",
]
