"""Explanations of working days in a period, and of a week derived from contracted hours."""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal

from gaji.law import holidays
from gaji.law.columns import date_column
from gaji.law.explanation import FactExplanation, long_date, used_parameter
from gaji.law.holidays import Holiday, HolidayCalendar
from gaji.law.months import Month
from gaji.law.notation import WEEKDAYS, choose, equals, join_values, line, otherwise, up_to
from gaji.law.pay import working_days
from gaji.law.pay.parameters import PayParameters
from gaji.law.pay.working_days import HALF, OFF, WHOLE, Weeks
from gaji.law.quantities import HALF_DAY, format_millis

ACT = "Employment Act 1968, ss. 20A and 88(7)"


def explain(
    calendar: HolidayCalendar,
    period_first: date,
    period_last: date,
    weeks: Weeks,
    service_first: date | None = None,
    service_last: date | None = None,
    index: int = 0,
) -> FactExplanation:
    """Explain the working days in service of a period, for the person at this index. The week is always the same."""
    week = weeks[index : index + 1]
    service = date_column([service_first]), date_column([service_last])
    clipped = working_days.clip_to_period(*service, period_first, period_last)
    days = format_millis(int(working_days.count_between(calendar, week, *clipped)[0]))
    first, last = (column[0].item() for column in clipped)
    in_period = calendar.between(first, last) if first <= last else ()
    entries = [int(half_days) for half_days in week[0]]
    return FactExplanation(
        figure="working_days",
        result=days,
        unit="days",
        inputs={
            "period from": str(period_first),
            "period to": str(period_last),
            "service from": str(service_first or "before"),
            "service to": str(service_last or "after"),
            "week": _week_text(entries),
        },
        rule="The days of the period in service, less days off and half of each half day. A public holiday on a "
        "working day is a working day, and on a half day it is a full one.",
        source=ACT,
        branch="not in service during the period" if first > last else f"{long_date(first)} to {long_date(last)}",
        parameters=holidays.holiday_parameters(in_period),
        arithmetic=(
            *_boundary_lines(period_first, period_last, service_first, service_last),
            *_count_lines(entries, first, last, in_period, days),
        ),
    )


def explain_average_week(weeks: Weeks, index: int = 0) -> FactExplanation:
    """Explain the working days per week of the person at this index. The week is the same all the time."""
    week = [int(half_days) for half_days in weeks[index]]
    days = format_millis(int(working_days.cycle_millidays(weeks[index : index + 1])[0]))
    return FactExplanation(
        figure="working_days_a_week",
        result=days,
        unit="days",
        inputs={"week": _week_text(week)},
        rule="The working days of a week; half days count as half.",
        source=ACT,
        branch="from Monday to Sunday",
        parameters=(),
        arithmetic=(line(" + ".join(format_millis(half_days * HALF_DAY) for half_days in week), days),),
    )


def explain_half_days_from_hours(
    parameters: PayParameters, month: Month, hours: Sequence[int | Decimal]
) -> tuple[FactExplanation, ...]:
    """Explain the half days from contracted hours, one explanation per day from Monday to Sunday."""
    limit = parameters.half_day_hours.at(month)
    week = working_days.half_days_from_hours(hours, limit.value)
    clauses = equals(0, OFF), up_to(limit.value, HALF), otherwise(WHOLE)
    return tuple(
        FactExplanation(
            figure=f"{weekday.lower()}_half_days",
            result=str(half_days),
            unit="half days",
            inputs={"month": str(month), "weekday": weekday, "contracted hours": str(day_hours)},
            rule=f"A day without contracted hours is off. Up to {limit.value} hours are half a working day, and more "
            "are a full one.",
            source=limit.source,
            branch=("day off", "half a working day", "full working day")[half_days],
            parameters=(used_parameter("maximum hours of half a day", limit, str(limit.value)),),
            arithmetic=(line(choose(day_hours, *clauses), half_days),),
        )
        for weekday, day_hours, half_days in zip(WEEKDAYS, hours, week, strict=True)
    )


def _week_text(week: Sequence[int]) -> str:
    days = zip(WEEKDAYS, week, strict=True)
    return ", ".join(f"{weekday} {format_millis(half_days * HALF_DAY)}" for weekday, half_days in days)


def _boundary_lines(
    period_first: date, period_last: date, service_first: date | None, service_last: date | None
) -> tuple[str, ...]:
    """The first and last day in service, where the service has one."""
    begin = line(f"max({period_first}, {service_first})", max(period_first, service_first or period_first))
    end = line(f"min({period_last}, {service_last})", min(period_last, service_last or period_last))
    return (*([begin] if service_first else []), *([end] if service_last else []))


def _count_lines(
    week: Sequence[int], first: date, last: date, in_period: Sequence[Holiday], result: str
) -> tuple[str, ...]:
    """The number of days, the number of each weekday that is off or half, and the total."""
    day_count = max((last - first).days + 1, 0)
    lines, terms = [line(f"days({first}, {last})", day_count)], [str(day_count)]
    for weekday, half_days in zip(WEEKDAYS, week, strict=True):
        if half_days == WHOLE:
            continue
        count = _weekday_count(weekday, first, day_count)
        lines.append(line(f"{weekday}s({first}, {last})", count))
        terms.append(f"− {count}" if half_days == OFF else f"− {format_millis(HALF_DAY)} × {count}")
        on_weekday = [holiday.day for holiday in in_period if WEEKDAYS[holiday.day.weekday()] == weekday]
        if half_days == HALF and on_weekday:
            dates = join_values([holiday.day for holiday in in_period])
            lines.append(line(f"on({weekday}; {dates})", len(on_weekday)))
            terms.append(f"+ {format_millis(HALF_DAY)} × {len(on_weekday)}")
    return tuple(lines) if len(terms) == 1 else (*lines, line(" ".join(terms), result))


def _weekday_count(weekday: str, first: date, day_count: int) -> int:
    """How many of the days since a date fall on this weekday."""
    days_before = (WEEKDAYS.index(weekday) - first.weekday()) % len(WEEKDAYS)
    return max(day_count - days_before + len(WEEKDAYS) - 1, 0) // len(WEEKDAYS)
