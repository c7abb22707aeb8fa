"""Public holidays on working days, which hours and days worked must include to be paid."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from gaji.console.calculation_form import PAY_TYPES
from gaji.console.formats import format_day
from gaji.console.forms import Form
from gaji.console.week_form import DETAILS
from gaji.core.law_loader import current_law
from gaji.db.tenancy import Tenant
from gaji.engine.payslip_input import ServiceInterval
from gaji.engine.regular_hours import WorkSchedule
from gaji.law.holidays import Holiday
from gaji.law.pay.working_days import OFF
from gaji.leave.days.duration import load_day_lengths
from gaji.people.service_periods.queries import load_service_intervals

QUANTITIES = {name: pay_type for name, pay_type in PAY_TYPES.items() if name in ("hours_input", "days_input")}
"""The pay type of each input with the time worked."""


async def paid_holidays_text(
    tenant: Tenant, client_id: int, employee_ids: Sequence[int], period: tuple[date, date]
) -> str:
    """Return which public holidays on working days of some employees a period has. Empty if there are none."""
    first, last = period
    holidays = [holiday for holiday in current_law().holidays.days if first <= holiday.day <= last]
    if not holidays or not employee_ids:
        return ""
    async with tenant.read_only() as tx:
        service = await load_service_intervals(tx, client_id, employee_ids)
        day_lengths = await load_day_lengths(tx, client_id, employee_ids)
    schedules = {employee_id: day_lengths.schedule(employee_id) for employee_id in employee_ids}
    days = [
        format_day(holiday.day)
        for holiday in holidays
        if any(
            _is_paid(holiday, schedule) and _is_served(holiday.day, service[employee_id])
            for employee_id, schedule in schedules.items()
        )
    ]
    return f"Include paid public holidays: {', '.join(days)}." if days else ""


async def with_paid_holidays(
    tenant: Tenant, client_id: int, employee_id: int, period: tuple[date, date], form: Form | None
) -> Form | None:
    """Return a form that says beside hours and days worked which public holidays to include."""
    names = {f"{DETAILS}.{name}" for name in QUANTITIES}
    if form is None or names.isdisjoint(field.name for field in form.fields):
        return form
    text = await paid_holidays_text(tenant, client_id, [employee_id], period)
    fields = [
        replace(field, hint=f"{field.hint} {text}") if text and field.name in names else field for field in form.fields
    ]
    return replace(form, fields=fields)


def _is_paid(holiday: Holiday, schedule: WorkSchedule) -> bool:
    """Return whether a holiday is on a working day, and not in lieu of a Sunday on which the employee works."""
    return _is_working_day(schedule, holiday.day) and not (
        holiday.in_lieu_of and _is_working_day(schedule, holiday.in_lieu_of)
    )


def _is_working_day(schedule: WorkSchedule, day: date) -> bool:
    """Return whether a date is a working day. A casual schedule has none."""
    week = schedule.on(day)
    return not week.casual and week.half_days_on(day) != OFF


def _is_served(day: date, service: Sequence[ServiceInterval]) -> bool:
    return any(interval.start <= day <= (interval.end or day) for interval in service)
