"""How the payslips of a run are divided: not at all, by pay point, or by the shares of each employee."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gaji.company.pay_points import queries as pay_points
from gaji.db.tenancy import Transaction
from gaji.engine.split_allocation import FULL_SHARE, SplitAllocation
from gaji.payroll.accounting import repository
from gaji.payroll.accounting.rules import BY_EMPLOYEE, BY_PAY_POINT
from gaji.people.employees import queries as employees

REST_ID = 0
"""The ID of the split for employees who are in no other."""
NO_PAY_POINT = "No pay point"
UNASSIGNED = "Unassigned"
TOTAL_KEY = ""
"""The key of amounts when there are no splits."""


@dataclass(frozen=True)
class JournalSplits:
    """The names of a journal's splits by ID, empty if it is not divided, and the allocation of its payslips."""

    names: Mapping[int, str]
    allocation: SplitAllocation

    @property
    def keys(self) -> list[str]:
        """The keys of amounts, in the order of the allocation."""
        return [str(split_id) for split_id in self.names] or [TOTAL_KEY]


async def load_split_names(tx: Transaction, client_id: int, mode: str) -> dict[int, str]:
    """Load the names of a client's splits in this mode, by ID."""
    if mode == BY_PAY_POINT:
        return await pay_points.load_pay_point_names(tx, client_id)
    return await repository.load_splits(tx, client_id) if mode == BY_EMPLOYEE else {}


async def load_journal_splits(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> JournalSplits:
    """Load how payslips are divided, given the employee of each payslip."""
    mode = await repository.load_mode(tx, client_id)
    names = await load_split_names(tx, client_id, mode)
    if mode == BY_PAY_POINT:
        pay_point_ids = await employees.load_pay_point_ids(tx, client_id, employee_ids)
        shares = [{pay_point_ids.get(employee_id) or REST_ID: FULL_SHARE} for employee_id in employee_ids]
        return _allocate(names, NO_PAY_POINT, shares)
    if mode == BY_EMPLOYEE:
        shares_by_employee = await repository.load_shares(tx, client_id, employee_ids)
        shares = [shares_by_employee.get(employee_id, {REST_ID: FULL_SHARE}) for employee_id in employee_ids]
        return _allocate(names, UNASSIGNED, shares)
    return JournalSplits({}, SplitAllocation.single_split(1, [0] * len(employee_ids)))


def _allocate(names: Mapping[int, str], rest_name: str, shares: Sequence[Mapping[int, int]]) -> JournalSplits:
    """Allocate payslips to splits. The split for the rest comes last, and only if a payslip needs it."""
    known_shares = [_in_known_splits(names, payslip_shares) for payslip_shares in shares]
    if any(REST_ID in payslip_shares for payslip_shares in known_shares):
        names = {**names, REST_ID: rest_name}
    indexes = {split_id: index for index, split_id in enumerate(names)}
    indexed_shares = [
        {indexes[split_id]: share for split_id, share in payslip_shares.items()} for payslip_shares in known_shares
    ]
    return JournalSplits(names, SplitAllocation.from_shares(len(names), indexed_shares))


def _in_known_splits(names: Mapping[int, str], shares: Mapping[int, int]) -> Mapping[int, int]:
    """Move shares in unknown splits to the rest. A split is unknown if it was added after the names were read."""
    if all(split_id in names for split_id in shares):
        return shares
    known = {split_id: share for split_id, share in shares.items() if split_id in names}
    return {**known, REST_ID: FULL_SHARE - sum(known.values())}
