"""How many working days a stretch of time has for one person's week, and what hours make of a week."""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal

from gaji.law import holidays as public_holidays
from gaji.law.columns import date_column
from gaji.law.explanation import FactExplanation, used_parameter
from gaji.law.holidays import Holiday, HolidayCalendar
from gaji.law.months import Month
from gaji.law.notation import WEEKDAYS, choose, equals, join_values, line, otherwise, up_to
from gaji.law.pay import working_days
from gaji.law.pay.parameters import PayParameters
from gaji.law.pay.working_days import HALF, OFF, WHOLE, Weeks
from gaji.law.quantities import HALF_DAY, format_millis

ACT = "Employment Act 1968, ss. 20A and 88(7)"


def explain(
    holidays: HolidayCalendar,
    period_first: date,
    period_last: date,
    weeks: Weeks,
    service_first: date | None = None,
    service_last: date | None = None,
    index: int = 0,
) -> FactExplanation:
    """How many working days of a period, or of the service in it, the week of the person at this place has."""
    week = weeks[index : index + 1]
    inside = working_days.clip_to_period(
        date_column([service_first]), date_column([service_last]), period_first, period_last
    )
    found = format_millis(int(working_days.count_between(holidays, week, *inside)[0]))
    first, last = (column[0].item() for column in inside)
    within = holidays.between(first, last) if first <= last else ()
    return FactExplanation(
        figure="working_days",
        result=found,
        unit="days",
        inputs={
            "period from": str(period_first),
            "period to": str(period_last),
            "service from": str(service_first or "before"),
            "service to": str(service_last or "after"),
            "week": _week_words([int(entry) for entry in week[0]]),
        },
        rule="The days of the period in service, less the days off and half of each half day; "
        "a public holiday is a working day like the others, and a whole one also on a half day.",
        source=ACT,
        branch="nothing of the period is in service" if first > last else f"from {first} to {last}",
        parameters=public_holidays.holiday_parameters(within),
        arithmetic=(
            *_ends(period_first, period_last, service_first, service_last),
            *_counts([int(entry) for entry in week[0]], first, last, within, found),
        ),
    )


def explain_average_week(weeks: Weeks, index: int = 0) -> FactExplanation:
    """How many working days the week of the person at this place has."""
    week = [int(entry) for entry in weeks[index]]
    found = format_millis(int(working_days.average_week_millidays(weeks[index : index + 1])[0]))
    return FactExplanation(
        figure="working_days_a_week",
        result=found,
        unit="days",
        inputs={"week": _week_words(week)},
        rule="The working days of the seven days of a week, half days counted half.",
        source=ACT,
        branch="from Monday to Sunday",
        parameters=(),
        arithmetic=(line(" + ".join(format_millis(entry * HALF_DAY) for entry in week), found),),
    )


def explain_half_days_from_hours(
    parameters: PayParameters, month: Month, hours: Sequence[int | Decimal]
) -> tuple[FactExplanation, ...]:
    """What contracted hours make of each day from Monday to Sunday: none, one or two half days."""
    most = parameters.half_day_hours.at(month)
    week = working_days.half_days_from_hours(hours, most.value)
    return tuple(
        FactExplanation(
            figure=f"{name.lower()}_half_days",
            result=str(half_days),
            unit="half days",
            inputs={"month": str(month), "weekday": name, "contracted hours": str(day)},
            rule="A day without contracted hours is off; up to so many hours are half a working day, more are a whole.",
            source=most.source,
            branch=("off", "half a working day", "a working day")[half_days],
            parameters=(used_parameter("most hours of half a day", most, str(most.value)),),
            arithmetic=(line(choose(day, equals(0, OFF), up_to(most.value, HALF), otherwise(WHOLE)), half_days),),
        )
        for name, day, half_days in zip(WEEKDAYS, hours, week, strict=True)
    )


def _week_words(week: Sequence[int]) -> str:
    return ", ".join(f"{name} {format_millis(entry * HALF_DAY)}" for name, entry in zip(WEEKDAYS, week, strict=True))


def _ends(
    period_first: date, period_last: date, service_first: date | None, service_last: date | None
) -> tuple[str, ...]:
    """The first and the last day in service, where the service has one."""
    begin = line(f"max({period_first}, {service_first})", max(period_first, service_first or period_first))
    end = line(f"min({period_last}, {service_last})", min(period_last, service_last or period_last))
    return (*([begin] if service_first else []), *([end] if service_last else []))


def _counts(week: Sequence[int], first: date, last: date, within: Sequence[Holiday], found: str) -> tuple[str, ...]:
    """All days, those of each weekday that does not count whole, and the sum."""
    every = max((last - first).days + 1, 0)
    lines, terms = [line(f"days({first}, {last})", every)], [str(every)]
    for name, entry in zip(WEEKDAYS, week, strict=True):
        if entry == WHOLE:
            continue
        count = _weekdays(name, first, every)
        lines.append(line(f"{name}s({first}, {last})", count))
        terms.append(f"− {count}" if entry == OFF else f"− {format_millis(HALF_DAY)} × {count}")
        on_it = [holiday.day for holiday in within if WEEKDAYS[holiday.day.weekday()] == name]
        if entry == HALF and on_it:
            lines.append(line(f"on({name}; {join_values([holiday.day for holiday in within])})", len(on_it)))
            terms.append(f"+ {format_millis(HALF_DAY)} × {len(on_it)}")
    return tuple(lines) if len(terms) == 1 else (*lines, line(" ".join(terms), found))


def _weekdays(name: str, first: date, every: int) -> int:
    """How many of so many days from a date on are a Monday, say."""
    before = (WEEKDAYS.index(name) - first.weekday()) % len(WEEKDAYS)
    return max(every - before + len(WEEKDAYS) - 1, 0) // len(WEEKDAYS)
