"""The list of cash and cheque payments: CSV (RFC 4180) in UTF-8."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from gaji.engine.money import decimal_text
from gaji.tabular.csv_lines import csv_lines

COLUMNS = ("payslip_id", "employee_number", "name", "payment_method", "pay_date", "amount")


@dataclass(frozen=True, slots=True)
class ManualPayment:
    """The nett pay of one payslip, paid in cash or by cheque."""

    payslip_id: int
    employee_number: str
    name: str
    payment_method: str
    pay_date: date
    amount_cents: int


def encode_payment_list(payments: Sequence[ManualPayment]) -> bytes:
    """Return the file. Cash comes before cheques; within a method the order of the payments is kept."""
    ordered = sorted(payments, key=lambda payment: payment.payment_method)
    return csv_lines([COLUMNS, *(_line(payment) for payment in ordered)])


def _line(payment: ManualPayment) -> tuple[object, ...]:
    return (
        payment.payslip_id,
        payment.employee_number,
        payment.name,
        payment.payment_method,
        payment.pay_date,
        decimal_text(payment.amount_cents),
    )
