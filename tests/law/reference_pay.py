"""Reference implementation of Employment Act pay, leave and length of service: one person, day by day, no NumPy.

Written from the rules, independently of the code that it checks; imports no Gaji code. Money is in dollars, and every
value is a Fraction.
"""

import calendar
import math
from collections.abc import Callable, Collection, Sequence
from datetime import date, timedelta
from fractions import Fraction

CENT = Fraction(1, 100)
HALF = Fraction(1, 2)


def round_to_cent(amount: Fraction) -> Fraction:
    return math.floor(amount / CENT + HALF) * CENT


# ---- Working days


def working_days(half_days_on: Callable[[date], int], first: date, last: date, holidays: Collection[date]) -> Fraction:
    total_half_days = 0
    day = first
    while day <= last:
        half_days = half_days_on(day)
        if half_days == 1 and day in holidays:
            half_days = 2
        total_half_days += half_days
        day += timedelta(days=1)
    return Fraction(total_half_days, 2)


# ---- Pay


def incomplete_month(parts: Sequence[tuple[Fraction, Fraction]], of: Fraction) -> Fraction:
    earned = sum((monthly * worked for monthly, worked in parts), Fraction(0))
    return round_to_cent(earned / of) if earned else Fraction(0)


def unpaid_leave(monthly: Fraction, worked: Fraction, unpaid: Fraction, of: Fraction) -> Fraction:
    return incomplete_month([(monthly, worked)], of) - incomplete_month([(monthly, worked - unpaid)], of)


def daily_rate(pay_type: str, amount: Fraction, week_days: Fraction, day_hours: Fraction) -> Fraction:
    if pay_type == "monthly":
        return 12 * amount / (52 * week_days)
    return amount if pay_type == "daily" else amount * day_hours


def hourly_rate(pay_type: str, amount: Fraction, day_hours: Fraction) -> Fraction:
    if pay_type == "monthly":
        return 12 * amount / (52 * 44)
    return amount / day_hours if pay_type == "daily" else amount


def overtime(rate: Fraction, hours: Fraction, group: str, capped: bool) -> Fraction:
    if capped and group == "non_workman":
        rate = min(rate, Fraction("13.60"))
    return round_to_cent(rate * Fraction("1.5") * hours)


def rest_day(daily: Fraction, employer_days: Fraction, employee_days: Fraction) -> Fraction:
    employer_halves, employee_halves = math.ceil(employer_days * 2), math.ceil(employee_days * 2)
    return round_to_cent(daily * (employer_halves + Fraction(employee_halves, 2)))


def max_deductions(salary: Fraction, excluded: Fraction, last_salary: bool) -> Fraction:
    if last_salary:
        return salary
    return min(math.floor(salary / 2 / CENT) * CENT + excluded, salary)


# ---- Service and leave


def service_month_start(first: date, months: int) -> date:
    """The day on which a month of service starts: the first of the next month if the day does not exist."""
    year, month = divmod(first.year * 12 + first.month - 1 + months, 12)
    if first.day > calendar.monthrange(year, month + 1)[1]:
        return service_month_start(first.replace(day=1), months + 1)
    return date(year, month + 1, first.day)


def completed_months(first: date, last: date) -> int:
    months = 0
    while service_month_start(first, months + 1) <= last + timedelta(days=1):
        months += 1
    return months


def notice_days(joined: date, notice_date: date) -> int:
    if notice_date >= service_month_start(joined, 60):
        return 28
    if notice_date >= service_month_start(joined, 24):
        return 14
    return 7 if notice_date >= joined + timedelta(weeks=26) else 1


def earned_annual_leave(first: date, last: date) -> int:
    if completed_months(first, last) < 3:
        return 0
    year = 1
    while service_month_start(first, 12 * year) <= last:
        year += 1
    months = completed_months(first, last) - 12 * (year - 1)
    return math.floor(Fraction(min(6 + year, 14) * months, 12) + HALF)


def sick_leave(months: int) -> tuple[int, int]:
    if months < 3:
        return 0, 0
    return {3: (5, 15), 4: (8, 30), 5: (11, 45)}.get(months, (14, 60))


def childcare_leave(months: int) -> int:
    return 0 if months < 3 else min(2 + (months - 3) // 2, 6)
