"""Checks of profiles and profile mappings."""

from collections.abc import Mapping, Set
from typing import Any

from gaji.core.error_codes import NAME_TAKEN, UNKNOWN_ID
from gaji.core.errors import ErrorCode, Errors
from gaji.core.field_types import Boolean
from gaji.core.validation import MAX_NAME_LENGTH, Record, Rule, suggest

MAX_UNKNOWN_CALCULATIONS = 50
"""Unknown calculations that are reported. Limits the size of the response to a large body."""

ALREADY_ASSIGNED = ErrorCode("profile_already_assigned", "the employee already has profile {profile_id}")
NOT_IN_PROFILE = ErrorCode("not_in_profile", "is not a calculation of profile {profile_id}")
PROFILE_DELETED = ErrorCode("profile_deleted", "was deleted by another request")


def unique_name_rule(other_names: Set[str]) -> Rule:
    """Return the rule that no other profile of the client has the same name. `other_names` are in lower case."""

    def check(record: Record, errors: Errors) -> None:
        name = record["name"]
        if name and name.strip().lower() in other_names:
            errors.add_if_absent("name", NAME_TAKEN, name=name.strip())

    return check


def mapping_rule(profiles: Mapping[int, Set[str]], assigned_ids: Set[int], supplied: Mapping[str, Any]) -> Rule:
    """Return the rule that the profile exists, is not assigned yet, and has the listed calculations.

    `profiles` has the calculations of each profile, `supplied` the switches in the body.
    """

    def check(record: Record, errors: Errors) -> None:
        profile_id = record["profile_id"]
        if profile_id is None:
            return
        if profile_id not in profiles:
            errors.add("profile_id", UNKNOWN_ID, resource="profile", id=profile_id)
            return
        if profile_id in assigned_ids:
            errors.add("profile_id", ALREADY_ASSIGNED, profile_id=profile_id)
        if "calculations" not in errors:
            calculations = profiles[profile_id]
            _reject_unknown(supplied, calculations, profile_id, errors)
            record["calculations"] = _parse_switches(record["calculations"] or {}, calculations, errors)

    return check


def _reject_unknown(supplied: Mapping[str, Any], calculations: Set[str], profile_id: int, errors: Errors) -> None:
    for name in [name for name in supplied if name not in calculations][:MAX_UNKNOWN_CALCULATIONS]:
        suggestion = suggest(name, list(calculations)) if len(name) <= MAX_NAME_LENGTH else None
        path = f"calculations.{name[:MAX_NAME_LENGTH]}"
        errors.add(path, NOT_IN_PROFILE, profile_id=profile_id, suggestion=suggestion)


def _parse_switches(switches: Mapping[str, Any], calculations: Set[str], errors: Errors) -> dict[str, bool]:
    """Return which calculations apply. Calculations that the profile no longer has are dropped."""
    parsed = {
        name: Boolean().parse(value, f"calculations.{name}", errors)
        for name, value in switches.items()
        if name in calculations and value is not None
    }
    return {name: value for name, value in parsed.items() if value is not None}
