"""How the payslips of a run are divided: not at all, by pay point, or by the shares of each employee."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gaji.company.pay_points import queries as pay_points
from gaji.db.tenancy import Transaction
from gaji.engine.split_allocation import FULL_SHARE, SplitAllocation
from gaji.payroll.accounting import repository
from gaji.payroll.accounting.rules import BY_EMPLOYEE, BY_PAY_POINT, REST_ID
from gaji.people.employees import queries as employees

REST_NAMES = {BY_PAY_POINT: "No pay point", BY_EMPLOYEE: "Unassigned"}
TOTAL_KEY = ""
"""The key of amounts when there are no splits."""


SharesByEmployee = Mapping[int, Mapping[str, int]]
"""By employee and split, hundredths of a percent. Employees in no split are left out."""


@dataclass(frozen=True)
class SplitSettings:
    """How the journals of a client are divided."""

    mode: str
    names: Mapping[str, str]
    """The names of the splits by ID, in order."""


@dataclass(frozen=True)
class JournalSplits:
    """The names of a journal's splits by ID, empty if it is not divided, and the allocation of its payslips."""

    names: Mapping[str, str]
    allocation: SplitAllocation

    @property
    def keys(self) -> list[str]:
        """The keys of amounts, in the order of the allocation."""
        return list(self.names) or [TOTAL_KEY]


async def load_split_settings(tx: Transaction, client_id: int) -> SplitSettings:
    """Load how the journals of a client are divided."""
    mode = await repository.load_mode(tx, client_id)
    if mode == BY_PAY_POINT:
        names = await pay_points.load_pay_point_names(tx, client_id)
        return SplitSettings(mode, {str(pay_point_id): name for pay_point_id, name in names.items()})
    return SplitSettings(mode, await repository.load_splits(tx, client_id) if mode == BY_EMPLOYEE else {})


async def load_shares(tx: Transaction, client_id: int, mode: str, employee_ids: Sequence[int]) -> SharesByEmployee:
    """Load how employees are divided in this mode."""
    if mode == BY_PAY_POINT:
        pay_point_ids = await employees.load_pay_point_ids(tx, client_id, employee_ids)
        return {
            employee_id: {str(pay_point_id): FULL_SHARE}
            for employee_id, pay_point_id in pay_point_ids.items()
            if pay_point_id
        }
    return await repository.load_shares(tx, client_id, employee_ids) if mode == BY_EMPLOYEE else {}


def allocate_payslips(
    settings: SplitSettings, shares_by_employee: SharesByEmployee, employee_ids: Sequence[int]
) -> JournalSplits:
    """Divide payslips, given the employee of each payslip."""
    if settings.mode not in REST_NAMES:
        return JournalSplits({}, SplitAllocation.single_split(1, [0] * len(employee_ids)))
    shares = [shares_by_employee.get(employee_id, {REST_ID: FULL_SHARE}) for employee_id in employee_ids]
    return _allocate(settings.names, REST_NAMES[settings.mode], shares)


def _allocate(names: Mapping[str, str], rest_name: str, shares: Sequence[Mapping[str, int]]) -> JournalSplits:
    """Allocate payslips to splits. The split for the rest comes last, and only if a payslip needs it."""
    known_shares = [_in_known_splits(names, payslip_shares) for payslip_shares in shares]
    if any(REST_ID in payslip_shares for payslip_shares in known_shares):
        names = {**names, REST_ID: rest_name}
    indexes = {split_id: index for index, split_id in enumerate(names)}
    indexed_shares = [
        {indexes[split_id]: share for split_id, share in payslip_shares.items()} for payslip_shares in known_shares
    ]
    return JournalSplits(names, SplitAllocation.from_shares(len(names), indexed_shares))


def _in_known_splits(names: Mapping[str, str], shares: Mapping[str, int]) -> Mapping[str, int]:
    """Move shares in unknown splits to the rest. A split is unknown if it was added after the names were read."""
    if all(split_id in names for split_id in shares):
        return shares
    known = {split_id: share for split_id, share in shares.items() if split_id in names}
    return {**known, REST_ID: FULL_SHARE - sum(known.values())}
