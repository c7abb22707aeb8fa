"""Check that the custom items of a client work together: every reference is known, and none is circular."""

from collections.abc import Mapping

from gaji.core.errors import ErrorCode, Errors
from gaji.core.validation import Record, Rule, suggest
from gaji.engine import formulas
from gaji.engine.catalogue import Catalogue, ItemDefinition, build_catalogue
from gaji.engine.earnings.custom_items import SCALE_BY_KIND, formula_text, reference_checker
from gaji.engine.formulas import CircularReference, Formula, FormulaError, Reference
from gaji.payroll.calculation_definitions.rules import UNKNOWN_ITEM
from gaji.payroll.calculation_definitions.schemas import CalculationDefinitionInput

NEW_ID = 0
"""The ID of an item that is not saved yet. No other item can refer to it."""
FORMULA_ATTRIBUTES = ("name", "kind", "input", "amount", "percentage", "percentage_of", "formula")
"""The attributes that must be valid before an item is checked together with the others."""
NO_TREATMENT = {"cpf": "none", "sdl": False, "funds": False, "gross_rate": False}

INVALID_FORMULA = ErrorCode("invalid_formula", "character {character}: {reason}")
"""`character` counts from 1."""
CIRCULAR_REFERENCE = ErrorCode("circular_reference", "is a circular reference: {cycle}")


def consistency_rule(others: Mapping[int, ItemDefinition], definition_id: int = NEW_ID) -> Rule:
    """Return the rule that the item can be calculated together with the other items."""

    def check(record: Record, errors: Errors) -> None:
        if (
            any(path.split(".")[0] in FORMULA_ATTRIBUTES for path in errors)
            or not record["kind"]
            or not record["input"]
        ):
            return
        item = CalculationDefinitionInput(**(record | NO_TREATMENT)).to_definition(definition_id)
        catalogue = _catalogue_with(others, item)
        if item.input == "percentage":
            _check_percentage_of(item, catalogue, errors)
        elif item.input == "formula":
            _check_formula(item, catalogue, errors)
        if not errors:
            _check_cycles(item, catalogue, errors)

    return check


def referring_items(catalogue: Catalogue, definition_id: int) -> list[ItemDefinition]:
    """Return the other custom items whose formula or percentage refers to this one."""
    name = str(definition_id)
    return [
        item_type.definition
        for item_type in catalogue.custom_types
        if item_type.definition and item_type.name != name and name in _referenced_types(catalogue, item_type.name)
    ]


def broken_references(others: Mapping[int, ItemDefinition], changed: ItemDefinition) -> dict[int, str]:
    """Return the other custom items that the change makes invalid, with the reason, by ID."""
    catalogue = _catalogue_with(others, changed)
    reasons = {}
    for item_type in catalogue.custom_types:
        try:
            formulas.parse(formula_text(item_type), reference_checker(catalogue))
        except FormulaError as error:
            reasons[int(item_type.name)] = error.message
    return reasons


def _catalogue_with(others: Mapping[int, ItemDefinition], item: ItemDefinition) -> Catalogue:
    return build_catalogue([*(other for other in others.values() if other.id != item.id), item])


def _referenced_types(catalogue: Catalogue, name: str) -> set[str | None]:
    formula = formulas.parse(formula_text(catalogue.types[name]), reference_checker(catalogue))
    return {reference.calculation for reference in formula.references}


def _check_percentage_of(item: ItemDefinition, catalogue: Catalogue, errors: Errors) -> None:
    is_known = reference_checker(catalogue)
    for index, name in enumerate(item.percentage_of):
        if not is_known(Reference(name, None)):
            suggestion = suggest(name, [line for line in catalogue.lines if is_known(Reference(line, None))])
            errors.add(f"percentage_of.{index}", UNKNOWN_ITEM, item=name, suggestion=suggestion)


def _check_formula(item: ItemDefinition, catalogue: Catalogue, errors: Errors) -> None:
    try:
        formulas.parse(item.formula or "", reference_checker(catalogue), _reference_names(catalogue))
    except FormulaError as error:
        errors.add("formula", INVALID_FORMULA, character=error.position + 1, reason=error.message)


def _check_cycles(item: ItemDefinition, catalogue: Catalogue, errors: Errors) -> None:
    is_known = reference_checker(catalogue)
    formulas_by_type: dict[str, Formula] = {}
    for item_type in catalogue.custom_types:
        try:
            formulas_by_type[item_type.name] = formulas.parse(formula_text(item_type), is_known)
        except FormulaError:
            continue  # The change breaks another item. The service reports that as a conflict.
    try:
        formulas.evaluation_order(formulas_by_type)
    except CircularReference as error:
        path = "formula" if item.input == "formula" else "percentage_of"
        errors.add(path, CIRCULAR_REFERENCE, cycle=str(error))


def _reference_names(catalogue: Catalogue) -> list[str]:
    """Return the names that a formula can refer to."""
    is_known = reference_checker(catalogue)
    amounts = [_formula_name(name) for name in catalogue.lines if is_known(Reference(name, None))]
    inputs = [
        f"{_formula_name(item_type.name)}.{field.name}"
        for item_type in catalogue.types.values()
        for field in item_type.inputs
        if field.kind in SCALE_BY_KIND
    ]
    return [*formulas.ITEM_INPUTS, *amounts, *inputs]


def _formula_name(name: str) -> str:
    return f"calc.{name}" if name.isdigit() else name
