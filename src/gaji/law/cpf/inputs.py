"""What the rules of CPF are given and what they give, as columns."""

from dataclasses import dataclass

import numpy as np

from gaji.law.columns import Cents, Codes, Dates, Flags, missing_dates


@dataclass(frozen=True)
class CpfMembers:
    """The facts about each person that decide on rates."""

    birthdates: Dates
    legal_status: Codes
    """LegalStatus."""
    pr_dates: Dates
    """The day of becoming a permanent resident; kept when that person becomes a citizen."""
    citizenship_dates: Dates
    """The day on which a permanent resident became a citizen; none for citizens by birth."""
    pr_rates: Codes
    """PrRates: what employer and employee elected for the first two years of permanent residence."""
    exempt: Flags


@dataclass(frozen=True)
class MonthWages:
    """The wages of a month that count for CPF, up to and with the payslip in hand.

    Wages for the days before permanent residence do not count and are not in here.
    """

    ordinary_cents: Cents
    additional_cents: Cents
    ordinary_before_cents: Cents
    """Of the ordinary wages, those for the days before the day in this month on which citizenship began."""
    additional_before_cents: Cents
    """Of the additional wages, those payable before that day."""
    expected_month_cents: Cents
    """What a full month of the recurring ordinary items brings: the estimate for each month that remains of the year.
    Where pay varies, the larger of this month's ordinary wages to date and the last complete month's."""
    leaving_dates: Dates
    """The recorded last day of service, if there is one."""


@dataclass(frozen=True)
class PriorMonths:
    """The calendar year before this month, with this employer."""

    ordinary_subject_cents: Cents
    """Ordinary wages that bore CPF, each month up to its ceiling."""
    additional_cents: Cents
    """Additional wages that count for CPF, whether or not the ceiling let them."""
    additional_subject_cents: Cents
    """Additional wages that bore CPF."""


@dataclass(frozen=True)
class CpfContributions:
    """What bears CPF, and what employer and employee contribute on it."""

    ordinary_subject_cents: Cents
    additional_subject_cents: Cents
    employee_cents: Cents
    employer_cents: Cents

    @property
    def total_cents(self) -> Cents:
        """Both shares together."""
        return self.employee_cents + self.employer_cents

    def less(self, taken: "CpfContributions") -> "CpfContributions":
        """What remains of this after what was taken already."""
        return CpfContributions(
            self.ordinary_subject_cents - taken.ordinary_subject_cents,
            self.additional_subject_cents - taken.additional_subject_cents,
            self.employee_cents - taken.employee_cents,
            self.employer_cents - taken.employer_cents,
        )


def month_wages(
    ordinary_cents: Cents,
    additional_cents: Cents | None = None,
    *,
    ordinary_before_cents: Cents | None = None,
    additional_before_cents: Cents | None = None,
    expected_month_cents: Cents | None = None,
    leaving_dates: Dates | None = None,
) -> MonthWages:
    """Wages of which only some columns have something to say; the expected month is this one unless it is given."""
    none = np.zeros_like(ordinary_cents)
    return MonthWages(
        ordinary_cents,
        none if additional_cents is None else additional_cents,
        none if ordinary_before_cents is None else ordinary_before_cents,
        none if additional_before_cents is None else additional_before_cents,
        ordinary_cents if expected_month_cents is None else expected_month_cents,
        missing_dates(len(ordinary_cents)) if leaving_dates is None else leaving_dates,
    )


def prior_months(
    ordinary_subject_cents: Cents, additional_cents: Cents | None = None, additional_subject_cents: Cents | None = None
) -> PriorMonths:
    """A year of which only some columns have something to say; additional wages bore CPF unless it says otherwise."""
    paid = np.zeros_like(ordinary_subject_cents) if additional_cents is None else additional_cents
    return PriorMonths(
        ordinary_subject_cents, paid, paid if additional_subject_cents is None else additional_subject_cents
    )


def no_contributions(people: int) -> CpfContributions:
    """The first payslip of a month finds nothing taken."""
    none = np.zeros(people, dtype=np.int64)
    return CpfContributions(none, none, none, none)
