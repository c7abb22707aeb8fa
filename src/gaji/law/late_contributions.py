"""Interest on CPF contributions that are paid late (Central Provident Fund Regulations 1987, reg. 3)."""

from dataclasses import dataclass
from datetime import date

from gaji.law.columns import RATE_SCALE
from gaji.law.due_dates import DueDateParameters, due_date
from gaji.law.holidays import HolidayCalendar
from gaji.law.months import Month
from gaji.law.parameters import History, ParameterFiles, TableReader
from gaji.law.rounding import CENTS_PER_DOLLAR, whole_dollars


@dataclass(frozen=True)
class LateInterest:
    """The interest of a month, in parts of 100,000, and the least amount."""

    monthly: int
    least_cents: int


@dataclass(frozen=True)
class LateContributionParameters:
    """The parameters of late contributions."""

    interest: History[LateInterest]


def read_parameters(files: ParameterFiles) -> LateContributionParameters:
    """Read the parameters from `late_contributions.toml`."""
    subject = files.subject("late_contributions")
    parameters = LateContributionParameters(subject.history("interest", _read_interest))
    subject.reject_unknown()
    return parameters


def _read_interest(row: TableReader) -> LateInterest:
    return LateInterest(row.percent("monthly"), row.cents("least"))


def interest_cents(
    parameters: LateContributionParameters,
    due_dates: DueDateParameters,
    calendar: HolidayCalendar,
    month: Month,
    contributions_cents: int,
    paid_on: date,
) -> int:
    """The interest on the contributions of a month, of all employees together. Cents are dropped.

    It runs from the first day of the next month, also over the days up to the due date. All days late are divided by
    the days of the month of payment.
    """
    if paid_on <= due_date(due_dates.cpf, month, calendar) or contributions_cents <= 0:
        return 0
    terms = parameters.interest.nearest(paid_on).value
    month_days = Month.from_date(paid_on).last_day.day
    days = (paid_on - (month + 1).first_day).days
    interest = contributions_cents * terms.monthly * days // (RATE_SCALE * month_days)
    return max(whole_dollars(interest) * CENTS_PER_DOLLAR, terms.least_cents)
