"""The heading of a sheet: which column is which, and which keys mean nothing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gaji.core.errors import Errors
from gaji.core.validation import MAX_NAME_LENGTH, suggest
from gaji.engine.catalogue import Catalogue
from gaji.imports.employees.columns import CUSTOM, Column
from gaji.imports.employees.cell_errors import CellFaults
from gaji.imports.employees.xlsx_reader import Sheet
from gaji.payroll.bulk_input.entities import CALCULATION_PREFIX, CALC_PARTS
from gaji.payroll.calculations import input_parsing
from gaji.payroll.calculations.input_parsing import FieldPath
from gaji.payroll.calculations.rules import find_enterable_type


@dataclass(frozen=True)
class Heading:
    """The columns of a sheet, as far as they are known."""

    columns: Sequence[tuple[int, Column]]
    """Where in the cells of a row each is, from 0."""

    def place(self, key: str) -> int | None:
        """Where in the cells of a row a column is."""
        return next((place for place, column in self.columns if column.key == key), None)

    def has_all_of(self, group: str, known: Mapping[str, Column]) -> bool:
        """Whether all columns of a group are there."""
        wanted = {key for key in known if key.startswith(f"{group}.")}
        return wanted <= {column.key for _, column in self.columns}


def read(sheet: Sheet, known: Mapping[str, Column], catalogue: Catalogue, faults: CellFaults) -> Heading:
    """The heading of a sheet; keys that mean nothing, or are there twice, are faults of their cells."""
    found: dict[str, tuple[int, Column]] = {}
    for place, (key, number) in enumerate(sheet.keys):
        if key in found:
            faults.add((sheet.header, number), "is there twice; leave one of the two columns out")
        elif key in known:
            found[key] = (place, known[key])
        else:
            faults.add((sheet.header, number), _unknown(key, known, catalogue))
    return Heading(list(found.values()))


def _unknown(key: str, known: Mapping[str, Column], catalogue: Catalogue) -> str:
    parts = key.split(".")
    if parts[0] == CALCULATION_PREFIX:
        return _unknown_input(parts, catalogue)
    if parts[0] == CUSTOM:
        return "there is no such custom field in this client"
    close = suggest(key, list(known)) if len(key) <= MAX_NAME_LENGTH else None
    return "is no attribute of an employee" + (f"; did you mean {close}?" if close else "")


def _unknown_input(parts: Sequence[str], catalogue: Catalogue) -> str:
    if len(parts) != CALC_PARTS or not all(parts):
        return "must be calc.<calculation>.<input>"
    faults: Errors = Errors()
    one = find_enterable_type(catalogue, parts[1], parts[1], faults)
    if one is not None:
        input_parsing.parse_inputs(one, FieldPath("employee"), {parts[2]: None}, faults)
    return next(iter(faults.values()))
