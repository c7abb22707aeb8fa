"""Whether the custom items of a client can be computed together: every name means something, and none is a circle."""

from collections.abc import Mapping

from gaji.core.validation import Faults, Record, Rule, near_miss
from gaji.engine import catalogue as engine
from gaji.engine import formulas
from gaji.engine.catalogue import Catalogue, Definition
from gaji.engine.earnings.custom import NUMBERS, formula_text, known_names
from gaji.engine.formulas import Circle, Formula, FormulaFault, Reference
from gaji.payroll.calculation_definitions.rules import definition

NEW = 0
"""Stands for the number of an item that is not saved yet; nobody can refer to it."""
READABLE = ("name", "kind", "input", "amount", "percentage", "percentage_of", "formula")
"""What has to be valid by itself before an item can be looked at together with the others."""


def fits_among(others: Mapping[int, Definition], definition_id: int = NEW) -> Rule:
    """That the item can be computed together with the others, and they with it."""

    def check(record: Record, faults: Faults) -> None:
        if any(path.split(".")[0] in READABLE for path in faults) or not record["kind"] or not record["input"]:
            return
        one = definition(definition_id, record | {"cpf": "none", "sdl": False, "funds": False, "gross_rate": False})
        catalogue = engine.of([*(other for other in others.values() if other.id != definition_id), one])
        if one.input == "percentage":
            _check_items(one, catalogue, faults)
        elif one.input == "formula":
            _check_formula(one, catalogue, faults)
        if not faults:
            _check_circle(one, catalogue, faults)

    return check


def referring(catalogue: Catalogue, definition_id: int) -> list[Definition]:
    """The other custom items of a catalogue whose formulas or percentages name this one."""
    name = str(definition_id)
    return [
        other.definition
        for other in catalogue.custom
        if other.definition and other.name != name and name in _named(catalogue, other.name)
    ]


def broken(others: Mapping[int, Definition], changed: Definition) -> dict[int, str]:
    """The other custom items that can no longer be read once this one has changed, and why."""
    catalogue = engine.of([*(other for other in others.values() if other.id != changed.id), changed])
    found = {}
    for one in catalogue.custom:
        try:
            formulas.read(formula_text(one), known_names(catalogue))
        except FormulaFault as fault:
            found[int(one.name)] = fault.message
    return found


def _named(catalogue: Catalogue, name: str) -> set[str | None]:
    formula = formulas.read(formula_text(catalogue.types[name]), known_names(catalogue))
    return {reference.calculation for reference in formula.references}


def _check_items(one: Definition, catalogue: Catalogue, faults: Faults) -> None:
    known = known_names(catalogue)
    for number, item in enumerate(one.percentage_of):
        if not known(Reference(item, None)):
            close = near_miss(item, [name for name in catalogue.lines if known(Reference(name, None))])
            hint = f"; did you mean {close}?" if close else ""
            faults[f"percentage_of.{number}"] = f"there is no item `{item}` to take a percentage of{hint}"


def _check_formula(one: Definition, catalogue: Catalogue, faults: Faults) -> None:
    try:
        formulas.read(one.formula or "", known_names(catalogue), _suggestions(catalogue))
    except FormulaFault as fault:
        faults["formula"] = str(fault)


def _check_circle(one: Definition, catalogue: Catalogue, faults: Faults) -> None:
    known = known_names(catalogue)
    read: dict[str, Formula] = {}
    for other in catalogue.custom:
        try:
            read[other.name] = formulas.read(formula_text(other), known)
        except FormulaFault:
            continue  # of another item, which this change breaks: that is told as a conflict
    try:
        formulas.in_order(read)
    except Circle as circle:
        faults["formula" if one.input == "formula" else "percentage_of"] = f"goes in a circle: {circle}"


def _suggestions(catalogue: Catalogue) -> list[str]:
    """The names that a formula can be made of."""
    known = known_names(catalogue)
    amounts = [_written(name) for name in catalogue.lines if known(Reference(name, None))]
    inputs = [
        f"{_written(one.name)}.{given.name}"
        for one in catalogue.types.values()
        for given in one.inputs
        if given.kind in NUMBERS
    ]
    return [*formulas.OWN_INPUTS, *amounts, *inputs]


def _written(name: str) -> str:
    return f"calc.{name}" if name.isdigit() else name
