"""What can be written of a profile, and of its mapping to an employee."""

from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import Any

from gaji.core.errors import INVALID, Errors
from gaji.core.validation import (
    MAX_NAME_LENGTH,
    Attribute,
    Boolean,
    Integer,
    JsonSchema,
    Record,
    Rule,
    Schema,
    Text,
    suggest,
)

MOST_NAMED = 50
"""Of unknown calculations: a huge body must not make a huge answer."""
NAME_TAKEN = "is the name of another profile of this client"
INPUTS_SCHEMA: JsonSchema = {
    "type": "object",
    "additionalProperties": {"type": ["string", "number", "boolean", "null"]},
}


@dataclass(frozen=True)
class Templates:
    """An object from calculations to objects of inputs; the client's catalogue decides on both."""

    def parse(self, value: object, path: str, errors: Errors) -> Mapping[str, Any] | None:
        if isinstance(value, Mapping):
            return value
        errors.add(path, INVALID, reason="must be an object from calculations to their inputs")
        return None

    def json_schema(self) -> JsonSchema:
        return {"type": "object", "additionalProperties": INPUTS_SCHEMA}


@dataclass(frozen=True)
class Switches:
    """An object from calculations to whether they apply."""

    def parse(self, value: object, path: str, errors: Errors) -> Mapping[str, Any] | None:
        if isinstance(value, Mapping):
            return value
        errors.add(path, INVALID, reason="must be an object from calculations to true or false")
        return None

    def json_schema(self) -> JsonSchema:
        return {"type": "object", "additionalProperties": {"type": ["boolean", "null"]}}


PROFILE = Schema(
    "profile",
    (
        Attribute("name", Text(min_length=1), "Name, unique in the client.", required=True, example="Drivers"),
        Attribute(
            "calculations",
            Templates(),
            "By calculation its inputs; a calculation that is null is taken out.",
            example={"transport_allowance": {"amount": "150.00"}},
        ),
    ),
)

PROFILE_MAPPING = Schema(
    "profile_mapping",
    (
        Attribute("profile_id", Integer(minimum=1), "The profile.", required=True, example=3),
        Attribute(
            "calculations",
            Switches(),
            "By calculation of the profile whether it applies; those that are not named do.",
            example={"transport_allowance": True},
        ),
    ),
    read_only=("id", "employee_id", "client_id", "created_at", "updated_at"),
)


def possible(profiles: Mapping[int, Set[str]], taken: Set[int], supplied: Mapping[str, Any]) -> Rule:
    """That the profile is one of these which the employee does not have yet, and the calculations are its own.

    `profiles` has the calculations of each, `supplied` those that the body names.
    """

    def check(record: Record, errors: Errors) -> None:
        profile_id = record["profile_id"]
        if profile_id is not None and profile_id not in profiles:
            errors.add("profile_id", INVALID, reason=f"there is no profile {profile_id} in this client")
        elif profile_id in taken:
            errors.add("profile_id", INVALID, reason=f"the employee has profile {profile_id} already")
        own = profiles.get(profile_id or 0)
        if own is not None and "calculations" not in errors:
            _name_unknown(supplied, own, profile_id, errors)
            record["calculations"] = _switches(record["calculations"] or {}, own, errors)

    return check


def _name_unknown(supplied: Mapping[str, Any], own: Set[str], profile_id: int, errors: Errors) -> None:
    for name in [name for name in supplied if name not in own][:MOST_NAMED]:
        close = suggest(name, list(own)) if len(name) <= MAX_NAME_LENGTH else None
        hint = f"; did you mean {close}?" if close else ""
        path = f"calculations.{name[:MAX_NAME_LENGTH]}"
        errors.add(path, INVALID, reason=f"is no calculation of profile {profile_id}{hint}")


def _switches(given: Mapping[str, Any], own: Set[str], errors: Errors) -> dict[str, bool]:
    """Which calculations apply, as it is kept; what the profile no longer has is dropped."""
    read = {
        name: Boolean().read(value, f"calculations.{name}", errors)
        for name, value in given.items()
        if name in own and value is not None
    }
    return {name: value for name, value in read.items() if value is not None}
