"""List the tax that was withheld on director's fees, from finalised payslips."""

from dataclasses import dataclass
from datetime import date
from typing import Any

from gaji.company.clients.service import require_client
from gaji.core.law_loader import current_law
from gaji.db.tenancy import Tenant
from gaji.documents.file_result import json_amount
from gaji.engine.withholding_tax import DIRECTORS_FEE, WITHHOLDING_TAX
from gaji.law.tax import date_of_payment, withholding_due
from gaji.payroll.payslips import tax_years
from gaji.payroll.payslips.tax_years import TaxablePayslip


@dataclass(frozen=True)
class WithheldTax:
    """The tax on one fee, in cents."""

    payslip_id: int
    employee_id: int
    fee_cents: int
    tax_cents: int
    date_of_payment: date
    due_date: date
    rules_version: str | None

    def to_json(self) -> dict[str, Any]:
        """Return the tax as the API returns it."""
        return {
            "payslip_id": self.payslip_id,
            "employee_id": self.employee_id,
            "directors_fee": json_amount(self.fee_cents),
            "tax": json_amount(self.tax_cents),
            "date_of_payment": self.date_of_payment,
            "due_date": self.due_date,
        }


async def list_withheld_taxes(tenant: Tenant, client_id: int, year: int | None = None) -> list[WithheldTax]:
    """List the tax withheld on director's fees, by due date, of all years or of those that are due in one year."""
    async with tenant.read_only() as tx:
        await require_client(tx, client_id)
        payslips = await tax_years.load_with_item(tx, client_id, WITHHOLDING_TAX)
    taxes = [_withheld_tax(payslip) for payslip in payslips]
    taxes = [tax for tax in taxes if year is None or tax.due_date.year == year]
    return sorted(taxes, key=lambda tax: (tax.due_date, tax.employee_id, tax.payslip_id))


def _withheld_tax(payslip: TaxablePayslip) -> WithheldTax:
    paid_on = date_of_payment(payslip.entered.get(DIRECTORS_FEE, {}), payslip.end, payslip.pay_date)
    return WithheldTax(
        payslip_id=payslip.id,
        employee_id=payslip.employee_id,
        fee_cents=payslip.cents[DIRECTORS_FEE],
        tax_cents=payslip.cents[WITHHOLDING_TAX],
        date_of_payment=paid_on,
        due_date=withholding_due(current_law().tax, paid_on),
        rules_version=payslip.rules_version,
    )
