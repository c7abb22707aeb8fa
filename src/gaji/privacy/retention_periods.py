"""How long records must be kept by law, and from when those of a former employee can be erased.

Employment Act 1968, s. 95, and the Ministry of Manpower: the records of a former employee are kept for one year after
the employment ended. Income Tax Act 1947, s. 67, Companies Act 1967, s. 199, and IRAS: records are kept for five years
from the year of assessment. Pay of a calendar year belongs to the year of assessment after it, or to the one after that
if the company's financial year does not end in December. Gaji does not know the financial year, so it takes the later.
"""

from dataclasses import dataclass
from datetime import date, timedelta

MIN_YEARS_AFTER_LEAVING = 1
MIN_TAX_YEARS = 5
MIN_CERTIFICATE_YEARS = 2
"""Employment Act records of current employees: the latest two years."""
LATEST_ASSESSMENT = 2
"""Years from the year of pay to the latest year of assessment that it can belong to."""


@dataclass(frozen=True)
class RetentionPeriods:
    """The periods of a client, in years. None is shorter than the statutory one."""

    years_after_leaving: int = MIN_YEARS_AFTER_LEAVING
    tax_years: int = MIN_TAX_YEARS
    certificate_years: int = MIN_CERTIFICATE_YEARS


def erasable_from(periods: RetentionPeriods, last_service_date: date, last_pay_year: int) -> date:
    """Return the first day on which the data of a former employee can be erased.

    >>> erasable_from(RetentionPeriods(), date(2019, 3, 31), 2019)
    datetime.date(2026, 1, 1)
    >>> erasable_from(RetentionPeriods(years_after_leaving=10), date(2019, 3, 31), 2019)
    datetime.date(2029, 4, 1)
    """
    after_leaving = years_later(last_service_date, periods.years_after_leaving) + timedelta(days=1)
    last_kept_year = max(last_pay_year, last_service_date.year) + LATEST_ASSESSMENT + periods.tax_years - 1
    return max(after_leaving, date(last_kept_year + 1, 1, 1))


def years_later(day: date, years: int) -> date:
    """Return the same day some years later. 29 February becomes 1 March.

    >>> years_later(date(2024, 2, 29), 1)
    datetime.date(2025, 3, 1)
    """
    try:
        return day.replace(year=day.year + years)
    except ValueError:
        return date(day.year + years, 3, 1)
