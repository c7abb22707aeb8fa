"""The catalogue of calculation types: the system's own and a client's custom items, said once.

Validation, the payslip, CPF and tax treatment, discovery, forms and spreadsheet columns are derived from it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from hashlib import sha256

import msgspec

from gaji.engine.catalogue.accounts import NETT_PAY, Accounts
from gaji.engine.catalogue.inputs import LEVELS, Input, InputKind, Kept
from gaji.engine.catalogue.types import (
    CUSTOM_INPUTS,
    CUSTOM_SECTIONS,
    LEDGER,
    SYSTEM,
    WEEKDAYS,
    CalculationType,
    Cpf,
    Definition,
    Kind,
    Line,
    Section,
    Treatment,
    custom_type,
)


@dataclass(frozen=True, eq=False)
class Catalogue:
    """The types of one client, in the order in which payslips show them. The same definitions give the same object."""

    types: Mapping[str, CalculationType]

    @cached_property
    def lines(self) -> Mapping[str, Line]:
        """Every line that a payslip can have, by its name."""
        return {line.name: line for one in self.types.values() for line in one.lines}

    @cached_property
    def by_section(self) -> Mapping[Section, Sequence[str]]:
        """The names of the lines of each section, in order."""
        found: dict[Section, list[str]] = {section: [] for section in Section}
        for name, line in self.lines.items():
            found[line.section].append(name)
        return found

    @cached_property
    def custom(self) -> Sequence[CalculationType]:
        """The client's own types."""
        return [one for one in self.types.values() if one.is_custom]

    @cached_property
    def definitions(self) -> bytes:
        """The custom items as the client defined them, as JSON."""
        return msgspec.json.encode([one.definition for one in self.custom if one.definition])

    @cached_property
    def version(self) -> str:
        """The same custom items have the same."""
        return sha256(self.definitions).hexdigest()[:12]


def of(definitions: Sequence[Definition] = ()) -> Catalogue:
    """The catalogue of a client with these custom items."""
    return _of(tuple(sorted(definitions, key=lambda d: d.id)))


@lru_cache(maxsize=256)
def _of(definitions: tuple[Definition, ...]) -> Catalogue:
    return Catalogue({**SYSTEM, **{str(one.id): custom_type(one) for one in definitions}})


__all__ = [
    "CUSTOM_INPUTS",
    "CUSTOM_SECTIONS",
    "LEDGER",
    "LEVELS",
    "NETT_PAY",
    "SYSTEM",
    "WEEKDAYS",
    "Accounts",
    "CalculationType",
    "Catalogue",
    "Cpf",
    "Definition",
    "Input",
    "InputKind",
    "Kept",
    "Kind",
    "Line",
    "Section",
    "Treatment",
    "custom_type",
    "of",
]
