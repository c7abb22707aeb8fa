"""Explanations of public holidays."""

from collections.abc import Iterable
from datetime import date

from gaji.law.columns import date_column
from gaji.law.explanation import FactExplanation, UsedParameter, long_date, yes_no
from gaji.law.holidays.calendar import ACT, Holiday, HolidayCalendar
from gaji.law.notation import choose, equals, join_values, line

RULE = (
    "Public holidays are the days of the Holidays Act and those proclaimed under it. If one falls on a Sunday, the "
    "next day that is not itself a holiday is a holiday too."
)


def explain(calendar: HolidayCalendar, day: date) -> FactExplanation:
    """Explain whether a day is a public holiday; raise MonthNotCovered."""
    answer = yes_no(bool(calendar.is_holiday(date_column([day]))[0]))
    year = calendar.of_year(day.year)
    holiday = next((candidate for candidate in year if candidate.day == day), None)
    return FactExplanation(
        figure="public_holiday",
        result=answer,
        unit="yes or no",
        inputs={"date": str(day)},
        rule=RULE,
        source=holiday.source if holiday else ACT,
        branch="not a public holiday" if holiday is None else _label(holiday),
        parameters=holiday_parameters(_with_replaced_sundays(calendar, year)),
        arithmetic=(
            *_in_lieu_lines(calendar, holiday),
            line(f"among({day}; {join_values(_dates(year))})", answer),
        ),
    )


def explain_year(calendar: HolidayCalendar, year: int) -> FactExplanation:
    """Explain the number of public holidays in a year, including those in lieu of Sundays; raise MonthNotCovered."""
    holidays = calendar.of_year(year)
    regular = _dates(holiday for holiday in holidays if holiday.in_lieu_of is None)
    in_lieu = _dates(holiday for holiday in holidays if holiday.in_lieu_of is not None)
    return FactExplanation(
        figure="public_holidays",
        result=str(len(holidays)),
        unit="days",
        inputs={"year": str(year)},
        rule=RULE,
        source=ACT,
        branch=f"{len(regular)} days, and {len(in_lieu)} in lieu of a Sunday",
        parameters=holiday_parameters(holidays),
        arithmetic=(
            line(f"count({join_values(regular)})", len(regular)),
            *_in_lieu_count_lines(len(regular), in_lieu),
        ),
    )


def holiday_parameters(holidays: Iterable[Holiday]) -> tuple[UsedParameter, ...]:
    """The holidays as parameters of an explanation."""
    return tuple(UsedParameter(holiday.name, str(holiday.day), holiday.day, holiday.source) for holiday in holidays)


def _dates(holidays: Iterable[Holiday]) -> list[date]:
    return [holiday.day for holiday in holidays]


def _in_lieu_count_lines(regular: int, in_lieu: list[date]) -> tuple[str, ...]:
    return (line(f"{regular} + count({join_values(in_lieu)})", regular + len(in_lieu)),) if in_lieu else ()


def _label(holiday: Holiday) -> str:
    if holiday.in_lieu_of is None:
        return holiday.name
    return f"{holiday.name}, in lieu of Sunday, {long_date(holiday.in_lieu_of)}"


def _with_replaced_sundays(calendar: HolidayCalendar, year: tuple[Holiday, ...]) -> list[Holiday]:
    """The holidays of a year, and a Sunday of the year before if a day in lieu replaces it."""
    sundays = {holiday.in_lieu_of for holiday in year}
    return [holiday for holiday in calendar.days if holiday in year or holiday.day in sundays]


def _in_lieu_lines(calendar: HolidayCalendar, holiday: Holiday | None) -> tuple[str, ...]:
    """The line that moves a Sunday holiday to its day in lieu."""
    if holiday is None or holiday.in_lieu_of is None:
        return ()
    between = calendar.between(holiday.in_lieu_of, holiday.day)
    skipped = [other.day for other in between if holiday.in_lieu_of < other.day < holiday.day]
    moved = f"workday({holiday.in_lieu_of}, 1; off none; holidays {join_values(skipped) or 'none'})"
    return (line(choose(f"on(Sunday; {holiday.in_lieu_of})", equals(1, moved)), holiday.day),)
