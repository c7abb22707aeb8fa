"""Entities: what one of them asks for, and what is wrong with it before anything is looked up."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from gaji.core.errors import INVALID, Errors, invalid
from gaji.core.validation import MAX_NAME_LENGTH, DateType, Integer, Record, parse_integer, suggest
from gaji.people.employees.rules import EMPLOYEE

MOST_ENTITIES = 5000
MOST_NAMED = 50
"""Of unknown attributes of an entity: a huge body must not make a huge answer."""
CALCULATION_PREFIX = "calc"
CALC_PARTS = 3
KEYS = ("id", "payslip_id", "payslip_date", "attributes")
WHOSE = ("id", "payslip_id", "payslip_date")
KNOWN = [one.name for one in EMPLOYEE.attributes]

Inputs = dict[str, dict[str, Any]]
"""By calculation, the inputs that were given for it."""


@dataclass
class Entity:
    """One entity of a request: what it asks for, and how it fares."""

    place: int
    """Where it stands in the request."""
    sent: Mapping[str, Any]
    """As it was sent: ids are given back exactly so."""
    employee_id: int | None = None
    payslip_id: int | None = None
    payslip_date: date | None = None
    attributes: Record = field(default_factory=dict)
    """Of the employee, nested as an update has them."""
    inputs: Inputs = field(default_factory=dict)
    errors: Errors = field(default_factory=dict)

    @property
    def is_placed(self) -> bool:
        """Whether it is clear which employee and which payslip it is about."""
        return self.errors.keys().isdisjoint(WHOSE)

    @property
    def names_payslip(self) -> bool:
        """Whether it is about one payslip."""
        return self.payslip_id is not None or self.payslip_date is not None


def read_entities(body: Mapping[str, Any]) -> list[Entity]:
    """The entities of a request; raises Invalid when there is no list of them, or one that is too long."""
    given = body.get("entities")
    if given is None:
        raise invalid("entities", INVALID, reason="is required")
    if not isinstance(given, list):
        raise invalid("entities", INVALID, reason="must be an array")
    if len(given) > MOST_ENTITIES:
        raise invalid("entities", INVALID, reason=f"must be at most {MOST_ENTITIES:,}; there are {len(given):,}")
    return [_entity(place, one) for place, one in enumerate(given)]


def fail_repeated(entities: Sequence[Entity]) -> None:
    """The same employee and payslip twice: nobody can say which was meant, so both fail."""
    counts = Counter(_whose(one) for one in entities if one.employee_id is not None)
    for one in entities:
        if one.employee_id is not None and counts[_whose(one)] > 1:
            one.errors.add(
                "id",
                INVALID,
                reason="is there more than once for the same payslip; send what belongs together in one entity",
            )


def _whose(one: Entity) -> tuple[int | None, int | None]:
    return one.employee_id, one.payslip_id


def _entity(place: int, given: object) -> Entity:
    if not isinstance(given, Mapping):
        return Entity(place, {}, errors={"id": "an entity must be an object"})
    one = Entity(place, given)
    for key in [name for name in given if name not in KEYS][:MOST_NAMED]:
        one.errors.add(key[:MAX_NAME_LENGTH], INVALID, reason=f"is no key of an entity; there are {', '.join(KEYS)}")
    one.employee_id = _identifier(given.get("id"))
    if one.employee_id is None:
        one.errors.add("id", INVALID, reason="must be the ID of an employee")
    if (payslip_id := given.get("payslip_id")) is not None:
        one.payslip_id = _identifier(payslip_id)
        if one.payslip_id is None:
            one.errors.add("payslip_id", INVALID, reason="must be the ID of a payslip")
    if (day := given.get("payslip_date")) is not None:
        one.payslip_date = DateType().parse(day, "payslip_date", one.errors)
    attributes = given.get("attributes", {})
    if isinstance(attributes, Mapping):
        _divide(attributes, one)
    else:
        one.errors.add("attributes", INVALID, reason="must be an object")
    return one


def _identifier(value: object) -> int | None:
    number = parse_integer(value)
    return number if number is not None and 0 < number <= Integer().maximum else None


def _divide(attributes: Mapping[str, Any], one: Entity) -> None:
    """Tell inputs of calculations from attributes of the employee, and let no other key pass."""
    for key, value in attributes.items():
        parts = key.split(".")
        if parts[0] == CALCULATION_PREFIX:
            if len(parts) == CALC_PARTS and all(parts):
                one.inputs.setdefault(parts[1], {})[parts[2]] = value
            else:
                _name(one, key, "must be calc.<calculation>.<input>")
        elif parts[0] in KNOWN:
            _nest(one, key, parts, value)
        else:
            close = suggest(key, KNOWN) if len(key) <= MAX_NAME_LENGTH else None
            _name(one, key, "is no attribute of an employee" + (f"; did you mean {close}?" if close else ""))


def _nest(one: Entity, key: str, parts: Sequence[str], value: Any) -> None:
    *outer, last = parts
    place = one.attributes
    for part in outer:
        inner = place.setdefault(part, {})
        if not isinstance(inner, dict):
            return _name(one, key, f"is given beside {part}; send one of the two")
        place = inner
    if last in place:
        return _name(one, key, "is given twice")
    place[last] = dict(value) if isinstance(value, Mapping) else value
    return None


def _name(one: Entity, key: str, fault: str) -> None:
    if len(one.errors) < MOST_NAMED:
        one.errors.add(key[:MAX_NAME_LENGTH], INVALID, reason=fault)
