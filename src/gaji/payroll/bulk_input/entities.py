"""Parse the entities of a request, and check what needs no database."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from gaji.core.error_codes import DUPLICATE, NOT_AN_ARRAY, NOT_AN_OBJECT, REQUIRED, TOO_MANY_ITEMS
from gaji.core.errors import CombinedError, ErrorCode, Errors, FieldError, invalid
from gaji.core.field_types import MAX_ID, DateType, parse_integer
from gaji.core.validation import MAX_NAME_LENGTH, Record, suggest
from gaji.people.employees.schemas import EMPLOYEE

MAX_ENTITIES = 5000
MAX_SUGGESTIONS = 50
"""Unknown keys of one entity for which a similar one is looked for. All unknown keys are reported."""
CALCULATION_PREFIX = "calc"
INPUT_KEY_PARTS = 3
"""The parts of `calc.<calculation>.<input>`."""
KEYS = ("id", "payslip_id", "payslip_date", "effective_date", "valid_from", "attributes")
EMPLOYEE_ATTRIBUTES = [attribute.name for attribute in EMPLOYEE.attributes]

NOT_AN_ENTITY = ErrorCode("not_an_entity", "an entity must be an object")
UNKNOWN_ENTITY_KEY = ErrorCode("unknown_entity_key", "is not a key of an entity; the keys are {keys}")
NOT_AN_EMPLOYEE_ID = ErrorCode("not_an_employee_id", "must be the ID of an employee")
NOT_A_PAYSLIP_ID = ErrorCode("not_a_payslip_id", "must be the ID of a payslip")
DUPLICATE_ENTITY = ErrorCode(
    "duplicate_entity", "appears twice for the same employee or payslip; combine both into one"
)
WRONG_INPUT_KEY = ErrorCode("wrong_input_key", "must be calc.<calculation>.<input>")
UNKNOWN_EMPLOYEE_ATTRIBUTE = ErrorCode("unknown_employee_attribute", "is not an attribute of an employee")
CONFLICTING_ATTRIBUTES = ErrorCode(
    "conflicting_attributes", "cannot be combined with {attribute}; send only one of them"
)

EntityInputs = dict[str, dict[str, Any]]
"""Inputs by calculation."""


@dataclass
class BulkEntity:
    """One entity of a request, and its errors."""

    index: int
    """The position in the request."""
    sent: Mapping[str, Any]
    """The entity as it was sent. The response repeats its IDs unchanged."""
    employee_id: int | None = None
    payslip_id: int | None = None
    payslip_date: date | None = None
    effective_date: date | None = None
    """The first day of changed regular hours."""
    valid_from: date | None = None
    """The first day of other changed inputs of the employee."""
    attributes: Record = field(default_factory=dict)
    """Attributes of the employee, nested as in an update."""
    inputs: EntityInputs = field(default_factory=dict)
    errors: Errors = field(default_factory=Errors)
    warnings: dict[str, str] = field(default_factory=dict)
    """Attributes that were ignored or have consequences, each with the reason."""
    approval_id: int | None = None
    """The pending approval of the new bank account, which is not saved yet."""

    @property
    def names_payslip(self) -> bool:
        """Whether the entity names a payslip, by ID or by date."""
        return self.payslip_id is not None or self.payslip_date is not None

    @property
    def input_keys(self) -> list[str]:
        """The keys of calculation inputs, as they were sent."""
        return [
            f"{CALCULATION_PREFIX}.{calc_type}.{name}" for calc_type, inputs in self.inputs.items() for name in inputs
        ]

    def add_attribute_errors(self, errors: Errors) -> None:
        """Record errors of employee attributes under the keys that were sent.

        An error inside an object that was sent as one attribute is an error of that attribute. An error of an attribute
        that was not sent, such as one that is now required, keeps its path.
        """
        sent_keys = [key for key in self.sent.get("attributes", {}) if not key.startswith(f"{CALCULATION_PREFIX}.")]
        nested: dict[str, list[FieldError]] = {}
        for path, error in errors.items():
            group = next((key for key in sent_keys if path.startswith(f"{key}.")), None)
            members = [key for key in sent_keys if key.startswith(f"{path}.")]
            if group is not None:
                nested.setdefault(group, []).append(error)
            else:
                for key in members or [path]:
                    self.errors.add(key, error.kind, **error.params)
        for key, members_errors in nested.items():
            self.errors[key] = CombinedError.combine(key, members_errors)


def parse_entities(body: Mapping[str, Any]) -> list[BulkEntity]:
    """Return the entities of a request. Raises ValidationError if they are not a list, or too many."""
    return [_parse_entity(index, entity) for index, entity in enumerate(require_list(body, "entities"))]


def require_list(body: Mapping[str, Any], name: str) -> list[Any]:
    """Return the elements of a request. Raises ValidationError if they are not a list, or too many."""
    elements = body.get(name)
    if elements is None:
        raise invalid(name, REQUIRED)
    if not isinstance(elements, list):
        raise invalid(name, NOT_AN_ARRAY)
    if len(elements) > MAX_ENTITIES:
        raise invalid(name, TOO_MANY_ITEMS, maximum=MAX_ENTITIES)
    return elements


def reject_duplicates(entities: Sequence[BulkEntity]) -> None:
    """Reject all entities for the same employee and payslip, because it is unclear which one was meant."""
    counts = Counter((entity.employee_id, entity.payslip_id) for entity in entities)
    for entity in entities:
        if entity.employee_id is not None and counts[entity.employee_id, entity.payslip_id] > 1:
            entity.errors.add("id", DUPLICATE_ENTITY)


def _parse_entity(index: int, value: object) -> BulkEntity:
    if not isinstance(value, Mapping):
        return BulkEntity(index, {}, errors=Errors.single("id", NOT_AN_ENTITY))
    entity = BulkEntity(index, value)
    for key in value:
        if key not in KEYS:
            entity.errors.add(key, UNKNOWN_ENTITY_KEY, keys=KEYS)
    entity.employee_id = parse_id(value.get("id"))
    if entity.employee_id is None:
        entity.errors.add("id", NOT_AN_EMPLOYEE_ID)
    if (payslip_id := value.get("payslip_id")) is not None:
        entity.payslip_id = parse_id(payslip_id)
        if entity.payslip_id is None:
            entity.errors.add("payslip_id", NOT_A_PAYSLIP_ID)
    if (day := value.get("payslip_date")) is not None:
        entity.payslip_date = DateType().parse(day, "payslip_date", entity.errors)
    if (day := value.get("effective_date")) is not None:
        entity.effective_date = DateType().parse(day, "effective_date", entity.errors)
    if (day := value.get("valid_from")) is not None:
        entity.valid_from = DateType().parse(day, "valid_from", entity.errors)
    attributes = value.get("attributes", {})
    if isinstance(attributes, Mapping):
        _parse_attributes(attributes, entity)
    else:
        entity.errors.add("attributes", NOT_AN_OBJECT)
    return entity


def parse_id(value: object) -> int | None:
    """Return the ID of a record, or None if the value is not one."""
    number = parse_integer(value)
    return number if number is not None and 0 < number <= MAX_ID else None


def _parse_attributes(attributes: Mapping[str, Any], entity: BulkEntity) -> None:
    """Separate the inputs of calculations from the attributes of the employee, and reject other keys."""
    for key, value in attributes.items():
        parts = key.split(".")
        if parts[0] == CALCULATION_PREFIX:
            if len(parts) == INPUT_KEY_PARTS and all(parts):
                entity.inputs.setdefault(parts[1], {})[parts[2]] = value
            else:
                entity.errors.add(key, WRONG_INPUT_KEY)
        elif parts[0] in EMPLOYEE_ATTRIBUTES:
            _nest_attribute(entity, key, parts, value)
        else:
            can_suggest = len(key) <= MAX_NAME_LENGTH and len(entity.errors) < MAX_SUGGESTIONS
            suggestion = suggest(key, EMPLOYEE_ATTRIBUTES) if can_suggest else None
            entity.errors.add(key, UNKNOWN_EMPLOYEE_ATTRIBUTE, suggestion=suggestion)


def _nest_attribute(entity: BulkEntity, key: str, parts: Sequence[str], value: Any) -> None:
    """Store an attribute such as `bank_account.account_number` in a nested object."""
    *groups, name = parts
    target = entity.attributes
    for group in groups:
        nested = target.setdefault(group, {})
        if not isinstance(nested, dict):
            return entity.errors.add(key, CONFLICTING_ATTRIBUTES, attribute=group)
        target = nested
    if name in target:
        return entity.errors.add(key, DUPLICATE)
    target[name] = dict(value) if isinstance(value, Mapping) else value
    return None
