"""Open differences: what finalised payslips of employees should have paid, less what was paid or already proposed."""

import asyncio
from collections.abc import Sequence

from gaji.core.law_loader import current_law
from gaji.db.tenancy import Transaction
from gaji.engine.payslip_input import PastDifference
from gaji.law.months import Month
from gaji.payroll.calculation_definitions.queries import load_catalogue
from gaji.payroll.corrections.current_inputs import CurrentKnowledge, load_current_knowledge
from gaji.payroll.corrections.differences import EarlierCorrections, PayslipComparison, compute_differences
from gaji.payroll.corrections.past_payslips import PastPayslip, load_past_payslips
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
    month: Month | None = None,
) -> OpenDifferences:
    """Compute the open differences of employees. The computation runs in a thread.

    With a month, only changes of pay of that month can be missed. Payslips after it are not compared. Those before it
    in the same year are, because the contributions of the month depend on them.
    """
    payslips = await load_past_payslips(tx, client_id, employee_ids, month)
    knowledge = await _load_knowledge(tx, client_id, payslips)
    versions = {payslip.catalogue_version for payslip in payslips}
    catalogues = {version: await load_catalogue_version(tx, client_id, version) for version in versions}
    latest = await load_catalogue(tx, client_id)

    def compare() -> OpenDifferences:
        comparisons = (
            PayslipComparison(payslip, today, today.complete_catalogue(catalogues[payslip.catalogue_version], latest))
            for payslip, today in zip(payslips, knowledge, strict=True)
        )
        return compute_differences(current_law(), comparisons, earlier, pay_is_missed=pay_is_missed, month=month)

    return await asyncio.to_thread(compare)


async def _load_knowledge(tx: Transaction, client_id: int, payslips: Sequence[PastPayslip]) -> list[CurrentKnowledge]:
    """Load today's inputs of payslips. Those of correction runs have nothing of their own that could be wrong."""
    paying = [payslip for payslip in payslips if payslip.stored.corrects is None]
    loaded = iter(await load_current_knowledge(tx, client_id, paying))
    return [
        next(loaded) if payslip.stored.corrects is None else CurrentKnowledge(payslip, payslip.stored, {})
        for payslip in payslips
    ]
