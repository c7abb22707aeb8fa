"""Tax clearance of employees who are not citizens (form IR21): deadlines, penalties and exemptions."""

from calendar import monthrange
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from gaji.law.columns import RATE_SCALE
from gaji.law.months import Month
from gaji.law.tax.parameters import TaxParameters

YEARS_WITHOUT_BREAK = 3
ONE_DAY = timedelta(days=1)


@dataclass(frozen=True)
class ServiceYear:
    """The days that someone worked in a calendar year, and the income of that year."""

    year: int
    days: int
    income_cents: int | None
    """None if it is not known completely."""


def is_withheld(
    notice_date: date | None, last_day: date, period_end: date, pay_date: date, payment_date: date | None = None
) -> bool:
    """Whether pay of a leaver is withheld: everything payable from the day on which the employer knows of the leaving.

    `payment_date` is the day on which unpaid pay will be paid, if that is known. Pay that is paid late is still there
    to withhold. Without a notice date, only the pay of periods that end on or after the last day of service.
    """
    if notice_date is None:
        return period_end >= last_day
    return max(pay_date, payment_date or pay_date) >= notice_date


def clearance_filing_due(parameters: TaxParameters, notice_date: date, last_day: date) -> date:
    """The last day on which the form may be filed: some months before the employment ceases, or at once."""
    months = parameters.clearance_filing.nearest(last_day).value
    return max(notice_date, _shift_months(last_day + ONE_DAY, -months))


def directive_due(parameters: TaxParameters, dated: date) -> date:
    """The last day on which the tax of a directive may be paid."""
    return dated + timedelta(days=parameters.directive_payment.nearest(dated).value)


def directive_penalty_cents(parameters: TaxParameters, tax_cents: int, dated: date, paid_on: date) -> int:
    """The penalty for paying the tax of a directive late; zero if it is paid in time."""
    due = directive_due(parameters, dated)
    if paid_on <= due:
        return 0
    penalty = parameters.directive_penalty.nearest(dated).value
    further_months = max(_completed_months(due, paid_on) - 1, 0)
    rate = min(penalty.at_once + penalty.monthly * further_months, penalty.maximum)
    return tax_cents * rate // RATE_SCALE


def clearance_exemption(
    parameters: TaxParameters, years: Sequence[ServiceYear], *, is_director: bool = False
) -> str | None:
    """Return why no tax clearance is required, or None if it is.

    `years` are the calendar years of one unbroken service, in order, up to the year in which it ends.
    """
    last = years[-1]
    limits = parameters.clearance_exemptions.at(Month(last.year, 1)).value
    if last.days <= limits.short_days and len(years) == 1 and not is_director:
        return f"worked {last.days} days in the year, not more than {limits.short_days}"
    incomes = [year.income_cents for year in years[-YEARS_WITHOUT_BREAK:]]
    is_below = all(cents is not None and cents < limits.income_cents for cents in incomes)
    income = f"{limits.income_cents // 100:,}"
    if not is_below:
        return None
    if last.days >= limits.long_days:
        return f"worked {last.days} days in the year, with an income below ${income}"
    if len(years) >= YEARS_WITHOUT_BREAK:
        return f"worked in {YEARS_WITHOUT_BREAK} consecutive years, with an income below ${income} in each"
    days = sum(year.days for year in years[-2:])
    if len(years) > 1 and days >= limits.long_days and not is_director:
        return f"worked {days} days over two years, with an income below ${income} in each"
    return None


def first_year_on_clearance(parameters: TaxParameters, last_day: date) -> int:
    """The first income year that the form of a leaver covers: the year before if its submission was not due yet."""
    submission = parameters.yearly_submission.nearest(last_day).value
    return last_day.year - 1 if last_day < date(last_day.year, submission.month, submission.day) else last_day.year


def yearly_submission_due(parameters: TaxParameters, year: int) -> date:
    """The last day on which the income of a year is reported to the tax authority."""
    submission = parameters.yearly_submission.nearest(date(year + 1, 1, 1)).value
    return date(year + 1, submission.month, submission.day)


def _shift_months(day: date, months: int) -> date:
    month = Month.from_date(day) + months
    return date(month.year, month.month, min(day.day, monthrange(month.year, month.month)[1]))


def _completed_months(first: date, last: date) -> int:
    months = Month.from_date(last) - Month.from_date(first)
    return months if last >= _shift_months(first, months) else months - 1
