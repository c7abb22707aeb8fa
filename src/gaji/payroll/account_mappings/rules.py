"""Checks of account mappings."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from gaji.core.error_codes import DUPLICATE, NOT_AN_OBJECT, TOO_MANY_ITEMS
from gaji.core.errors import ErrorCode, Errors, MalformedRequest, ValidationError, invalid
from gaji.core.validation import Record, Rule
from gaji.payroll.account_mappings.schemas import ACCOUNT_MAPPING, MAX_MAPPINGS, AccountMapping
from gaji.payroll.accounting.rules import UNKNOWN_SPLIT, known_item_rule

NO_ACCOUNT = ErrorCode("no_mapped_account", "is required, or a name")


def unwrap_mappings(value: object) -> Sequence[Any]:
    """Return the mappings in a body: an array, or an object with the array under `account_mappings`."""
    elements = value.get("account_mappings") if isinstance(value, Mapping) else value
    if not isinstance(elements, list):
        raise MalformedRequest("The body must be an array of mappings, or an object with it under `account_mappings`")
    if len(elements) > MAX_MAPPINGS:
        raise invalid("account_mappings", TOO_MANY_ITEMS, maximum=MAX_MAPPINGS)
    return elements


def parse_mappings(
    elements: Sequence[Any], items: Collection[str], split_ids: Collection[str], *, allow_blank: bool
) -> tuple[list[AccountMapping], dict[str, str]]:
    """Return the mappings in a body, and warnings. A blank one, which removes a mapping, is allowed in a change."""
    rules = [known_item_rule(frozenset(items)), _known_split_rule(split_ids)]
    rules += [] if allow_blank else [_require_account]
    errors, warnings, mappings = Errors(), dict[str, str](), list[AccountMapping]()
    keys = set[tuple[str, str | None, str | None]]()
    for index, element in enumerate(elements):
        mapping = _parse_mapping(index, element, rules, errors, warnings)
        if mapping and mapping.key in keys:
            errors.add(f"{index}.account", DUPLICATE)
        if mapping:
            keys.add(mapping.key)
            mappings.append(mapping)
    if errors:
        raise ValidationError(errors, warnings=warnings)
    return mappings, warnings


def _parse_mapping(
    index: int, element: object, rules: Sequence[Rule], errors: Errors, warnings: dict[str, str]
) -> AccountMapping | None:
    if not isinstance(element, Mapping):
        errors.add(str(index), NOT_AN_OBJECT)
        return None
    try:
        validated = ACCOUNT_MAPPING.parse_create(element, *rules)
    except ValidationError as error:
        errors.update(error.errors.under(f"{index}."))
        warnings |= {f"{index}.{path}": warning for path, warning in error.warnings.items()}
        return None
    warnings |= {f"{index}.{path}": warning for path, warning in validated.warnings.items()}
    return validated.data


def _known_split_rule(split_ids: Collection[str]) -> Rule:
    def check(record: Record, errors: Errors) -> None:
        if record["split_id"] is not None and record["split_id"] not in split_ids:
            errors.add_if_absent("split_id", UNKNOWN_SPLIT)

    return check


def _require_account(record: Record, errors: Errors) -> None:
    if record["code"] is None and record["name"] is None and not {"code", "name"} & set(errors):
        errors.add("code", NO_ACCOUNT)
