"""Whether the custom items of a client can be computed together: every name means something, and none is a circle."""

from collections.abc import Mapping

from gaji.core.errors import INVALID, Errors
from gaji.core.validation import Record, Rule, suggest
from gaji.engine import catalogue as engine
from gaji.engine import formulas
from gaji.engine.catalogue import Catalogue, ItemDefinition
from gaji.engine.earnings.custom_items import SCALE_BY_KIND, formula_text, reference_checker
from gaji.engine.formulas import CircularReference, Formula, FormulaError, Reference
from gaji.payroll.calculation_definitions.rules import definition

NEW = 0
"""Stands for the number of an item that is not saved yet; nobody can refer to it."""
READABLE = ("name", "kind", "input", "amount", "percentage", "percentage_of", "formula")
"""What has to be valid by itself before an item can be looked at together with the others."""


def fits_among(others: Mapping[int, ItemDefinition], definition_id: int = NEW) -> Rule:
    """That the item can be computed together with the others, and they with it."""

    def check(record: Record, errors: Errors) -> None:
        if any(path.split(".")[0] in READABLE for path in errors) or not record["kind"] or not record["input"]:
            return
        one = definition(definition_id, record | {"cpf": "none", "sdl": False, "funds": False, "gross_rate": False})
        catalogue = engine.build_catalogue([*(other for other in others.values() if other.id != definition_id), one])
        if one.input == "percentage":
            _check_items(one, catalogue, errors)
        elif one.input == "formula":
            _check_formula(one, catalogue, errors)
        if not errors:
            _check_circle(one, catalogue, errors)

    return check


def referring(catalogue: Catalogue, definition_id: int) -> list[ItemDefinition]:
    """The other custom items of a catalogue whose formulas or percentages name this one."""
    name = str(definition_id)
    return [
        other.definition
        for other in catalogue.custom_types
        if other.definition and other.name != name and name in _named(catalogue, other.name)
    ]


def broken(others: Mapping[int, ItemDefinition], changed: ItemDefinition) -> dict[int, str]:
    """The other custom items that can no longer be read once this one has changed, and why."""
    catalogue = engine.build_catalogue([*(other for other in others.values() if other.id != changed.id), changed])
    found = {}
    for one in catalogue.custom_types:
        try:
            formulas.parse(formula_text(one), reference_checker(catalogue))
        except FormulaError as fault:
            found[int(one.name)] = fault.message
    return found


def _named(catalogue: Catalogue, name: str) -> set[str | None]:
    formula = formulas.parse(formula_text(catalogue.types[name]), reference_checker(catalogue))
    return {reference.calculation for reference in formula.references}


def _check_items(one: ItemDefinition, catalogue: Catalogue, errors: Errors) -> None:
    known = reference_checker(catalogue)
    for number, item in enumerate(one.percentage_of):
        if not known(Reference(item, None)):
            close = suggest(item, [name for name in catalogue.lines if known(Reference(name, None))])
            hint = f"; did you mean {close}?" if close else ""
            errors.add(
                f"percentage_of.{number}", INVALID, reason=f"there is no item `{item}` to take a percentage of{hint}"
            )


def _check_formula(one: ItemDefinition, catalogue: Catalogue, errors: Errors) -> None:
    try:
        formulas.parse(one.formula or "", reference_checker(catalogue), _suggestions(catalogue))
    except FormulaError as fault:
        errors.add("formula", INVALID, reason=str(fault))


def _check_circle(one: ItemDefinition, catalogue: Catalogue, errors: Errors) -> None:
    known = reference_checker(catalogue)
    read: dict[str, Formula] = {}
    for other in catalogue.custom_types:
        try:
            read[other.name] = formulas.parse(formula_text(other), known)
        except FormulaError:
            continue  # of another item, which this change breaks: that is told as a conflict
    try:
        formulas.evaluation_order(read)
    except CircularReference as circle:
        errors.add(
            "formula" if one.input == "formula" else "percentage_of", INVALID, reason=f"goes in a circle: {circle}"
        )


def _suggestions(catalogue: Catalogue) -> list[str]:
    """The names that a formula can be made of."""
    known = reference_checker(catalogue)
    amounts = [_written(name) for name in catalogue.lines if known(Reference(name, None))]
    inputs = [
        f"{_written(one.name)}.{given.name}"
        for one in catalogue.types.values()
        for given in one.inputs
        if given.kind in SCALE_BY_KIND
    ]
    return [*formulas.ITEM_INPUTS, *amounts, *inputs]


def _written(name: str) -> str:
    return f"calc.{name}" if name.isdigit() else name
