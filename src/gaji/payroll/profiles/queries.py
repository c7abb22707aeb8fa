"""Which profiles apply to employees, for those who merge what all levels say."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import msgspec

from gaji.db.tenancy import Transaction
from gaji.payroll.profiles import repository


@dataclass(frozen=True, slots=True)
class Applied:
    """A profile that an employee has."""

    profile_id: int
    calculations: str
    """Which of its calculations apply, as JSON; those that are not named do."""

    def applies(self, calculation: str) -> bool:
        """Whether a calculation of the profile does."""
        return _decoded(self.calculations).get(calculation, True)


APPLIED = repository.APPLIED
"""Who has which profile, for a statement that asks for more: the rows of `by_employee`."""


async def profiles_of(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> dict[int, tuple[Applied, ...]]:
    """The profiles of those employees who have any, by employee; the later wins over the earlier."""
    return by_employee([tuple(row) for row in await repository.applied(tx, client_id, employee_ids)])


def by_employee(rows: Iterable[tuple[int, int, int, str]]) -> dict[int, tuple[Applied, ...]]:
    """The same, given rows of mapping, employee, profile and which of its calculations apply."""
    found: dict[int, tuple[Applied, ...]] = defaultdict(tuple)
    for _, employee_id, profile_id, calculations in sorted(rows):
        found[employee_id] += (Applied(profile_id, calculations),)
    return found


@lru_cache(maxsize=1000)
def _decoded(text: str) -> Mapping[str, bool]:
    found: Mapping[str, bool] = msgspec.json.decode(text)
    return found
