"""The columns that the CPF rules take and return."""

import numpy as np
from msgspec import Struct

from gaji.law.columns import Cents, Codes, Dates, Flags


class CpfMembers(Struct, frozen=True):
    """The personal details that determine the rates."""

    birthdates: Dates
    legal_status: Codes
    """LegalStatus."""
    pr_dates: Dates
    """The first day of permanent residence; kept when the person becomes a citizen."""
    citizenship_dates: Dates
    """The day on which a permanent resident became a citizen; missing for citizens by birth."""
    pr_rates: Codes
    """PrRateElection, for the first two years of permanent residence."""
    exempt: Flags


class MonthWages(Struct, frozen=True):
    """The wages of a month that count for CPF, up to and including the current payslip.

    Wages for days before permanent residence do not count and are not included.
    """

    ordinary_cents: Cents
    additional_cents: Cents
    ordinary_before_cents: Cents
    """The part of the ordinary wages for days before citizenship started in this month."""
    additional_before_cents: Cents
    """The part of the additional wages payable before that day."""
    expected_month_cents: Cents
    """A full month of the recurring ordinary items: the estimate for each remaining month of the year. Where pay
    varies, the larger of this month's ordinary wages to date and those of the last complete month."""
    leaving_dates: Dates
    """The recorded last day of service, if any."""


class PriorMonths(Struct, frozen=True):
    """Totals of the earlier months of the calendar year with this employer."""

    ordinary_subject_cents: Cents
    """Ordinary wages that were subject to CPF, each month up to its ceiling."""
    additional_cents: Cents
    """Additional wages that count for CPF, within the ceiling or not."""
    additional_subject_cents: Cents
    """Additional wages that were subject to CPF."""
    left_out_cents: Cents | None = None
    """Additional wages that were not subject to CPF, by the month in which they were paid: one row per person, with one
    column per calendar month. If None, the months are not known and a shortfall has the rates of the current month."""
    charged_cents: Cents | None = None
    """In the same form, the additional wages that were subject to CPF."""


class CpfContributions(Struct, frozen=True):
    """The wages that are subject to CPF and the contributions on them."""

    ordinary_subject_cents: Cents
    additional_subject_cents: Cents
    employee_cents: Cents
    employer_cents: Cents

    @property
    def total_cents(self) -> Cents:
        """Employee's and employer's share together."""
        return self.employee_cents + self.employer_cents

    def less(self, earlier: "CpfContributions") -> "CpfContributions":
        """Subtract the contributions on earlier payslips."""
        return CpfContributions(
            self.ordinary_subject_cents - earlier.ordinary_subject_cents,
            self.additional_subject_cents - earlier.additional_subject_cents,
            self.employee_cents - earlier.employee_cents,
            self.employer_cents - earlier.employer_cents,
        )


def no_contributions(people: int) -> CpfContributions:
    """Return zero contributions, as before the first payslip of a month."""
    none = np.zeros(people, dtype=np.int64)
    return CpfContributions(none, none, none, none)
