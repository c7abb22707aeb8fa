"""What absences take off the wages of a payslip, by calendar month.

Unpaid leave and excess leave reduce all wages. National service does not: CPF is on the usual wages, and only what the
levy and the funds are assessed on is reduced. If a period spans two months, an absence belongs to the month of its
days. Without known days it is divided like the wages.
"""

from functools import reduce

import numpy as np
from msgspec import Struct

from gaji.engine.earnings.unpaid_leave import NATIONAL_SERVICE, UNPAID_LEAVE, AbsencePay
from gaji.engine.excess_leave import ExcessLeave
from gaji.engine.input_columns import InputColumns
from gaji.law.columns import Cents
from gaji.law.quantities import share_cents

PREVIOUS_DAYS = "previous_month_days"


class MonthAbsence(Struct, frozen=True):
    """The pay of an absence by month."""

    apportioned_cents: Cents
    """Divided between the months like the wages."""
    current_cents: Cents
    """Of days in the payslip's month."""
    previous_cents: Cents
    """Of days in the month before."""


class WageReductions(Struct, frozen=True):
    """The absences of each payslip."""

    unpaid_leave: MonthAbsence
    national_service: MonthAbsence
    """What the levy and the funds are not assessed on."""
    excess_leave: ExcessLeave | None
    usual_wages_cents: Cents
    """The usual ordinary wages during national service, where they were entered."""
    spans_months: bool

    @property
    def has_dated(self) -> bool:
        """Whether anything can belong to a month by its days."""
        return self.spans_months or self.excess_leave is not None

    def apportioned_cents(self, *, paid: bool) -> Cents:
        """What is divided like the wages: of ordinary wages, or of what is paid."""
        unpaid = self.unpaid_leave.apportioned_cents
        return unpaid + self.national_service.apportioned_cents if paid else unpaid

    def dated_cents(self, *, paid: bool, previous: bool) -> Cents:
        """What belongs to a month by its days: of ordinary wages, or of what is paid."""
        absences = (self.unpaid_leave, self.national_service) if paid else (self.unpaid_leave,)
        excess = () if self.excess_leave is None else (self.excess_leave,)
        parts = [part.previous_cents if previous else part.current_cents for part in (*absences, *excess)]
        return reduce(np.add, parts)


def divide_reductions(
    inputs: InputColumns, absence: AbsencePay, excess_leave: ExcessLeave | None, *, spans_months: bool
) -> WageReductions:
    """Divide the absences of a batch by month."""
    usual = inputs.money_cents(NATIONAL_SERVICE, "usual_wages")
    return WageReductions(
        _divide(inputs, UNPAID_LEAVE, absence.unpaid_cents, spans_months=spans_months),
        _divide(inputs, NATIONAL_SERVICE, absence.national_service_cents, spans_months=spans_months),
        excess_leave,
        np.where(inputs.has_line(NATIONAL_SERVICE), usual, 0),
        spans_months,
    )


def _divide(inputs: InputColumns, name: str, amounts: Cents, *, spans_months: bool) -> MonthAbsence:
    zeros = np.zeros_like(amounts)
    if not spans_months:
        return MonthAbsence(amounts, zeros, zeros)
    is_dated = inputs.is_entered(name, PREVIOUS_DAYS)
    days = inputs.quantity_millis(name, "days")
    dated = np.where(is_dated, amounts, 0)
    previous = share_cents(dated, np.minimum(inputs.quantity_millis(name, PREVIOUS_DAYS), days), days)
    return MonthAbsence(amounts - dated, dated - previous, previous)
