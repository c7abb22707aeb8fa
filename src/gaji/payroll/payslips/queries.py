"""What other resources ask about payslips before they change what a payslip goes by."""

from dataclasses import dataclass
from datetime import date

import msgspec

from gaji.db.tenancy import Transaction
from gaji.payroll.payslips.repository import lookups as store

TOTALS = ("total", "nett_pay")


@dataclass(frozen=True)
class PayslipFacts:
    """Whose a payslip is, and what may still happen to it."""

    client_id: int
    employee_id: int
    date: date
    finalised: bool
    special: bool


class Lines(msgspec.Struct):
    """The lines of a payslip as they are kept."""

    income: list[tuple[str | int, str]] = []
    deduction: list[tuple[str | int, str]] = []
    grand_total: list[tuple[str, str]] = []
    sideline: list[tuple[str, list[tuple[str | int, str]]]] = []
    leave_payments: dict[str, dict[str, int | float | str]] = {}

    def amounts(self) -> dict[str, str]:
        """What each item came to; totals are no items."""
        groups = (self.income, self.deduction, *(group for _, group in self.sideline))
        return {str(item): amount for lines in groups for item, amount in lines if item not in TOTALS}


_decoder = msgspec.json.Decoder(Lines)


async def payslip_facts(tx: Transaction, payslip_id: int) -> PayslipFacts | None:
    """The facts about a payslip that the caller may see."""
    row = await store.facts(tx, payslip_id)
    return PayslipFacts(*row) if row else None


async def outputs(tx: Transaction, client_id: int, payslip_id: int) -> dict[str, str]:
    """What each item of a payslip came to when it was last calculated."""
    kept = await store.lines(tx, client_id, payslip_id)
    return _decoder.decode(kept).amounts() if kept else {}


async def current_draft(tx: Transaction, client_id: int, employee_id: int) -> int | None:
    """The regular draft of an employee."""
    return await store.current_draft(tx, client_id, employee_id)


async def has_line(tx: Transaction, client_id: int, item: str) -> bool:
    """Whether an item stands on any payslip of a client."""
    return await store.has_line(tx, client_id, item)
