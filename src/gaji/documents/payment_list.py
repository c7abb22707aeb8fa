"""The list of those who are paid by hand, in cash or by cheque: CSV (RFC 4180) in UTF-8, names as they are."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from gaji.engine.money import decimal_text
from gaji.tabular.csv_lines import csv_lines

COLUMNS = ("payslip_id", "employee_number", "name", "payment_method", "pay_date", "amount")


@dataclass(frozen=True, slots=True)
class PaidByHand:
    """An employee and the nett pay of one payslip."""

    payslip_id: int
    employee_number: str
    name: str
    payment_method: str
    pay_date: date
    cents: int


def written(paid: Sequence[PaidByHand]) -> bytes:
    """The file: those paid in cash first, each method in the given order."""
    return csv_lines([COLUMNS, *(_line(one) for one in sorted(paid, key=lambda one: one.payment_method))])


def _line(one: PaidByHand) -> tuple[object, ...]:
    amount = decimal_text(one.cents)
    return (one.payslip_id, one.employee_number, one.name, one.payment_method, one.pay_date, amount)
