"""Working days of national service."""

from datetime import date

from gaji.engine.leave.service_days import list_service_months
from gaji.law.months import Month

LABOUR_DAY = date(2026, 5, 1)


def half_days(day: date) -> int:
    """Monday to Friday."""
    return 2 if day.weekday() < 5 else 0


def counted(days: list[date]) -> list[tuple[Month, int, int]]:
    """Month, days of service and working days of the month, in thousandths."""
    taken = [(day, 1000) for day in days]
    months = list_service_months(taken, half_days, lambda day: day == LABOUR_DAY)
    return [(month.month, month.millidays, month.month_millidays) for month in months]


def test_a_public_holiday_within_an_activity_counts_in_its_month() -> None:
    days = [date(2026, 4, 29), date(2026, 4, 30), date(2026, 5, 4)]
    assert counted(days) == [(Month(2026, 4), 2000, 22_000), (Month(2026, 5), 2000, 21_000)]


def test_a_public_holiday_beside_a_working_day_at_work_does_not_count() -> None:
    assert counted([date(2026, 4, 29), date(2026, 5, 4)]) == [
        (Month(2026, 4), 1000, 22_000),
        (Month(2026, 5), 1000, 21_000),
    ]


def test_a_public_holiday_after_an_activity_does_not_count() -> None:
    assert counted([date(2026, 4, 30)]) == [(Month(2026, 4), 1000, 22_000)]
