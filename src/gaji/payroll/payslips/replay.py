"""Replay: a payslip again from what is kept with it, whatever has changed since."""

import msgspec

from gaji.core import law_loader
from gaji.db.tenancy import Transaction
from gaji.engine import batch
from gaji.engine.catalogue import Catalogue
from gaji.engine.payslip_input import PayslipInput
from gaji.law.parameters import MonthNotCovered
from gaji.law.registry import Law
from gaji.payroll.payslips.calculation import NOTHING
from gaji.payroll.payslips.catalogues import catalogue_of
from gaji.payroll.payslips.repository import elements


async def replay(tx: Transaction, payslip_id: int) -> str:
    """The lines of a payslip, calculated from its case with the law and the custom items of that time."""
    kept = await elements.kept(tx, payslip_id)
    if kept is None:
        raise LookupError(f"there is no payslip {payslip_id}")
    law = await law_of(tx, kept["rules_version"])
    items = await catalogue_of(tx, kept["client_id"], kept["catalogue_version"])
    return lines(law, items, msgspec.json.decode(kept["inputs"], type=PayslipInput))


def lines(law: Law, items: Catalogue, case: PayslipInput) -> str:
    """The lines of one case; none where the law does not cover its month."""
    try:
        return batch.calculate(law, items, [case]).lines_json[0]
    except MonthNotCovered:
        return NOTHING


async def law_of(tx: Transaction, rules_version: str) -> Law:
    """The law with this version: this process's own, or one that was kept."""
    if rules_version == law_loader.law().rules_version:
        return law_loader.law()
    return law_loader.law_of(await elements.law_text(tx, rules_version))
