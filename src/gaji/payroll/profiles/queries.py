"""Which profiles apply to employees, for those who merge what all levels say."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import msgspec

from gaji.db.tenancy import Transaction
from gaji.payroll.profiles import repository


@dataclass(frozen=True, slots=True)
class EmployeeProfile:
    """A profile that an employee has."""

    profile_id: int
    calculations: str
    """Which of its calculations apply, as JSON; those that are not named do."""

    def applies(self, calculation: str) -> bool:
        """Whether a calculation of the profile does."""
        return _decoded(self.calculations).get(calculation, True)


APPLIED = repository.APPLIED
"""Who has which profile, for a statement that asks for more: the rows of `by_employee`."""


async def load_employee_profiles(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> dict[int, tuple[EmployeeProfile, ...]]:
    """The profiles of those employees who have any, by employee; the later wins over the earlier."""
    return group_by_employee([tuple(row) for row in await repository.applied(tx, client_id, employee_ids)])


def group_by_employee(rows: Iterable[tuple[int, int, int, str]]) -> dict[int, tuple[EmployeeProfile, ...]]:
    """The same, given rows of mapping, employee, profile and which of its calculations apply."""
    found: dict[int, tuple[EmployeeProfile, ...]] = defaultdict(tuple)
    for _, employee_id, profile_id, calculations in sorted(rows):
        found[employee_id] += (EmployeeProfile(profile_id, calculations),)
    return found


@lru_cache(maxsize=1000)
def _decoded(text: str) -> Mapping[str, bool]:
    found: Mapping[str, bool] = msgspec.json.decode(text)
    return found
