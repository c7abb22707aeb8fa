"""Open differences: what finalised payslips of employees should have paid, less what was paid or already proposed."""

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Sequence

from gaji.core.law_loader import current_law
from gaji.db.tenancy import Transaction
from gaji.engine.payslip_input import PastDifference
from gaji.payroll.corrections.current_inputs import load_current_knowledge
from gaji.payroll.corrections.differences import EarlierCorrections, PayslipComparison, compute_differences
from gaji.payroll.corrections.past_payslips import load_past_payslips
from gaji.payroll.payslips.catalogues import load_catalogue_version

OpenDifferences = dict[int, list[PastDifference]]
"""By employee, in order of time."""


async def load_open_differences(
    tx: Transaction,
    client_id: int,
    employee_ids: Sequence[int],
    earlier: EarlierCorrections,
    *,
    pay_is_missed: bool = False,
) -> OpenDifferences:
    """Compute the open differences of employees. The computation runs in a thread."""
    payslips = await load_past_payslips(tx, client_id, employee_ids)
    knowledge = await load_current_knowledge(tx, client_id, payslips)
    versions = {payslip.catalogue_version for payslip in payslips}
    catalogues = {version: await load_catalogue_version(tx, client_id, version) for version in versions}
    comparisons = [
        PayslipComparison(payslip, current, catalogues[payslip.catalogue_version])
        for payslip, current in zip(payslips, knowledge, strict=True)
    ]
    return await asyncio.to_thread(_compute, comparisons, earlier, pay_is_missed)


def _compute(
    comparisons: Iterable[PayslipComparison], earlier: EarlierCorrections, pay_is_missed: bool
) -> OpenDifferences:
    by_employee: dict[int, list[PayslipComparison]] = defaultdict(list)
    for comparison in comparisons:
        by_employee[comparison.payslip.employee_id].append(comparison)
    computed = {
        employee_id: compute_differences(current_law(), group, earlier, pay_is_missed=pay_is_missed)
        for employee_id, group in by_employee.items()
    }
    return {employee_id: differences for employee_id, differences in computed.items() if differences}
