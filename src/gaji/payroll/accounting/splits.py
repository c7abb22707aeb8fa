"""How the payslips of a run are divided: over nothing, over pay points, or over the splits of each employee."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gaji.company.pay_points import service as pay_points
from gaji.db.tenancy import Transaction
from gaji.engine.split_allocation import FULL_SHARE, SplitAllocation
from gaji.payroll.accounting import repository
from gaji.payroll.accounting.rules import BY_EMPLOYEE, BY_PAY_POINT
from gaji.people.employees import facts as employees

REST = 0
"""The id of the split of those who are in no other."""
NO_PAY_POINT = "No pay point"
UNASSIGNED = "Unassigned"
UNDIVIDED = ""
"""The key of amounts when there are no splits."""


@dataclass(frozen=True)
class Divided:
    """The splits of a journal by their ids, none where it is not divided, and how each payslip lies in them."""

    splits: Mapping[int, str]
    division: SplitAllocation

    @property
    def keys(self) -> list[str]:
        """The keys of amounts, in the order of the division."""
        return [str(split_id) for split_id in self.splits] or [UNDIVIDED]


async def splits(tx: Transaction, client_id: int, mode: str) -> dict[int, str]:
    """The splits that a client has in this mode."""
    if mode == BY_PAY_POINT:
        return await pay_points.names_by_id(tx, client_id)
    return await repository.splits(tx, client_id) if mode == BY_EMPLOYEE else {}


async def divided(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> Divided:
    """How payslips of these employees are divided, one at each place."""
    mode = await repository.mode(tx, client_id)
    known = await splits(tx, client_id, mode)
    if mode == BY_PAY_POINT:
        where = await employees.pay_points(tx, client_id, employee_ids)
        shares = [{where.get(one) or REST: FULL_SHARE} for one in employee_ids]
        return _over(known, NO_PAY_POINT, shares)
    if mode == BY_EMPLOYEE:
        of_employees = await shares_of(tx, client_id, employee_ids)
        return _over(known, UNASSIGNED, [of_employees.get(one, {REST: FULL_SHARE}) for one in employee_ids])
    return Divided({}, SplitAllocation.single_split(1, [0] * len(employee_ids)))


async def shares_of(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> dict[int, dict[int, int]]:
    """By employee and split the share; only of those who are divided."""
    found: dict[int, dict[int, int]] = defaultdict(dict)
    for employee_id, split_id, share in await repository.shares(tx, client_id, employee_ids):
        found[employee_id][split_id] = share
    return dict(found)


def _over(known: Mapping[int, str], rest: str, shares: Sequence[Mapping[int, int]]) -> Divided:
    """Those who are in no split have one of their own at the end; it is not there when there are none."""
    placed = [_among(known, one) for one in shares]
    splits = {**known, REST: rest} if any(REST in one for one in placed) else known
    places = {split_id: place for place, split_id in enumerate(splits)}
    return Divided(
        splits,
        SplitAllocation.from_shares(len(splits), [{places[split_id]: share for split_id, share in one.items()} for one in placed]),
    )


def _among(known: Mapping[int, str], shares: Mapping[int, int]) -> Mapping[int, int]:
    """The shares in these splits. One that was made since they were read is not among them yet."""
    if all(split_id in known for split_id in shares):
        return shares
    found = {split_id: share for split_id, share in shares.items() if split_id in known}
    return {**found, REST: FULL_SHARE - sum(found.values())}
