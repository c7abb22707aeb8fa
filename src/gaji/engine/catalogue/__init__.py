"""The catalogue of calculation types: the system's own and a client's custom items, said once.

Validation, the payslip, CPF and tax treatment, discovery, forms and spreadsheet columns are derived from it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from hashlib import sha256

import msgspec

from gaji.engine.catalogue.accounts import NETT_PAY, LedgerAccounts
from gaji.engine.catalogue.inputs import LEVELS, InputField, InputKind, StoredValue
from gaji.engine.catalogue.types import (
    CUSTOM_INPUTS,
    CUSTOM_SECTIONS,
    DEFAULT_ACCOUNTS,
    SYSTEM_TYPES,
    WEEKDAYS,
    CalculationType,
    CpfTreatment,
    ItemDefinition,
    CalculationKind,
    PayslipLine,
    PayslipSection,
    Treatment,
    custom_type,
)


@dataclass(frozen=True, eq=False)
class Catalogue:
    """The types of one client, in the order in which payslips show them. The same definitions give the same object."""

    types: Mapping[str, CalculationType]

    @cached_property
    def lines(self) -> Mapping[str, PayslipLine]:
        """Every line that a payslip can have, by its name."""
        return {line.name: line for one in self.types.values() for line in one.lines}

    @cached_property
    def line_names_by_section(self) -> Mapping[PayslipSection, Sequence[str]]:
        """The names of the lines of each section, in order."""
        found: dict[PayslipSection, list[str]] = {section: [] for section in PayslipSection}
        for name, line in self.lines.items():
            found[line.section].append(name)
        return found

    @cached_property
    def custom_types(self) -> Sequence[CalculationType]:
        """The client's own types."""
        return [one for one in self.types.values() if one.is_custom]

    @cached_property
    def definitions_json(self) -> bytes:
        """The custom items as the client defined them, as JSON."""
        return msgspec.json.encode([one.definition for one in self.custom_types if one.definition])

    @cached_property
    def version(self) -> str:
        """The same custom items have the same."""
        return sha256(self.definitions_json).hexdigest()[:12]


def build_catalogue(definitions: Sequence[ItemDefinition] = ()) -> Catalogue:
    """The catalogue of a client with these custom items."""
    return _of(tuple(sorted(definitions, key=lambda d: d.id)))


@lru_cache(maxsize=256)
def _of(definitions: tuple[ItemDefinition, ...]) -> Catalogue:
    return Catalogue({**SYSTEM_TYPES, **{str(one.id): custom_type(one) for one in definitions}})


__all__ = [
    "CUSTOM_INPUTS",
    "CUSTOM_SECTIONS",
    "DEFAULT_ACCOUNTS",
    "LEVELS",
    "NETT_PAY",
    "SYSTEM_TYPES",
    "WEEKDAYS",
    "LedgerAccounts",
    "CalculationType",
    "Catalogue",
    "CpfTreatment",
    "ItemDefinition",
    "InputField",
    "InputKind",
    "StoredValue",
    "CalculationKind",
    "PayslipLine",
    "PayslipSection",
    "Treatment",
    "custom_type",
    "build_catalogue",
]
