"""Profile queries for other packages."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import msgspec

from gaji.db.query_plans import each_id
from gaji.db.tenancy import Transaction
from gaji.periods.queries import OpenPeriod

PROFILE_ASSIGNMENTS_SQL = """(SELECT client_id, id AS mapping_id, employee_id, profile_id, calculations
    FROM profile_mappings) assignments"""
"""The profile assignments, to be used after FROM. Statements that use it name the client and the employees."""


class ProfileAssignment(NamedTuple):
    """The assignment of a profile to an employee. `switches` is JSON: by calculation, whether it applies."""

    mapping_id: int
    employee_id: int
    profile_id: int
    switches: str


@dataclass(frozen=True, slots=True)
class EmployeeProfile:
    """A profile of an employee."""

    profile_id: int
    switches: str
    """JSON: whether each calculation applies. Calculations that are not listed apply."""

    def applies(self, calc_type: str) -> bool:
        """Return whether a calculation of the profile applies to the employee."""
        return _decode_switches(self.switches).get(calc_type, True)


async def load_employee_profiles(
    tx: Transaction, client_id: int, employee_ids: Sequence[int]
) -> dict[int, tuple[EmployeeProfile, ...]]:
    """Load the profiles of employees by employee, in the order of assignment: a later one wins over an earlier one."""
    query = f"SELECT * FROM {PROFILE_ASSIGNMENTS_SQL} WHERE client_id = ids.client_id AND employee_id = ids.id"
    rows = await tx.fetch(f"SELECT a.* FROM {each_id('$2', query)} a", client_id, employee_ids)
    return group_by_employee(
        ProfileAssignment(row["mapping_id"], row["employee_id"], row["profile_id"], row["calculations"]) for row in rows
    )


def group_by_employee(assignments: Iterable[ProfileAssignment]) -> dict[int, tuple[EmployeeProfile, ...]]:
    """Group assignments by employee, in the order of assignment."""
    profiles: dict[int, tuple[EmployeeProfile, ...]] = defaultdict(tuple)
    for assignment in sorted(assignments):
        profiles[assignment.employee_id] += (EmployeeProfile(assignment.profile_id, assignment.switches),)
    return profiles


async def find_client_id(tx: Transaction, profile_id: int) -> int | None:
    """Return the client of a profile that the caller may see."""
    client_id: int | None = await tx.fetchval("SELECT client_id FROM profiles WHERE id = $1", profile_id)
    return client_id


async def load_open_periods(tx: Transaction, client_id: int, profile_ids: Sequence[int]) -> dict[int, OpenPeriod]:
    """Load the open period of the employees who have each profile, by profile."""
    payslips = (
        "FROM profile_mappings m JOIN payslips p ON p.client_id = m.client_id AND p.employee_id = m.employee_id "
        "WHERE m.client_id = $1 AND m.profile_id = profile.id AND NOT p.special"
    )
    rows = await tx.fetch(
        f"SELECT id, (SELECT min(p.start_date) {payslips} AND NOT p.finalised AND NOT p.withdrawn) AS draft_start, "
        f"(SELECT max(p.date) {payslips} AND p.finalised) AS last_finalised_end "
        "FROM unnest($2::bigint[]) AS profile(id)",
        client_id,
        profile_ids,
    )
    return {row["id"]: OpenPeriod(row["draft_start"], row["last_finalised_end"]) for row in rows}


async def list_profile_ids(tx: Transaction, client_id: int) -> list[int]:
    """Return the IDs of a client's profiles, in order."""
    rows = await tx.fetch("SELECT id FROM profiles WHERE client_id = $1 ORDER BY id", client_id)
    return [row["id"] for row in rows]


@lru_cache(maxsize=1000)
def _decode_switches(switches: str) -> Mapping[str, bool]:
    return msgspec.json.decode(switches, type=dict[str, bool])
