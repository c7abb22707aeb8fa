"""Recompute a payslip from its stored inputs, law and catalogue versions."""

import msgspec

from gaji.core import law_loader
from gaji.db.tenancy import Transaction
from gaji.engine import batch
from gaji.engine.catalogue import Catalogue
from gaji.engine.payslip_input import PayslipInput
from gaji.law.parameters import MonthNotCovered
from gaji.law.registry import Law
from gaji.payroll.payslips.calculation import EMPTY_LINES
from gaji.payroll.payslips.catalogues import load_catalogue_version
from gaji.payroll.payslips.repository import elements


async def recompute_lines(tx: Transaction, payslip_id: int) -> str:
    """Return the lines of a payslip, calculated from its stored inputs with the law and custom items of that time."""
    row = await elements.load_calculation(tx, payslip_id)
    if row is None:
        raise LookupError(f"payslip {payslip_id} does not exist")
    law = await load_law_version(tx, row["rules_version"])
    catalogue = await load_catalogue_version(tx, row["client_id"], row["catalogue_version"])
    return calculate_lines(law, catalogue, msgspec.json.decode(row["inputs"], type=PayslipInput))


def calculate_lines(law: Law, catalogue: Catalogue, payslip_input: PayslipInput) -> str:
    """Return the lines of one payslip; empty lines if the law does not cover its month."""
    try:
        return batch.calculate(law, catalogue, [payslip_input]).lines_json[0]
    except MonthNotCovered:
        return EMPTY_LINES


async def load_law_version(tx: Transaction, rules_version: str) -> Law:
    """Return the law of this version: the current one, or a stored one."""
    if rules_version == law_loader.current_law().rules_version:
        return law_loader.current_law()
    return law_loader.law_from_text(await elements.load_law_text(tx, rules_version))
