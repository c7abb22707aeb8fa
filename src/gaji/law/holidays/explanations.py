"""Why a day is a public holiday or is not."""

from collections.abc import Iterable
from datetime import date

from gaji.law.columns import date_column
from gaji.law.explanation import FactExplanation, UsedParameter, yes_no
from gaji.law.holidays.calendar import ACT, Holiday, HolidayCalendar
from gaji.law.notation import choose, equals, join_values, line

RULE = "The days of the Holidays Act and those proclaimed under it; for one on a Sunday also the next day that is none."


def explain(holidays: HolidayCalendar, day: date) -> FactExplanation:
    """Whether a day is a public holiday, and why; raises LawDoesNotCover."""
    answer = yes_no(bool(holidays.is_holiday(date_column([day]))[0]))
    year = holidays.of_year(day.year)
    own = next((holiday for holiday in year if holiday.day == day), None)
    return FactExplanation(
        figure="public_holiday",
        result=answer,
        unit="yes or no",
        inputs={"date": str(day)},
        rule=RULE,
        source=own.source if own else ACT,
        branch="is none" if own is None else _words(own),
        parameters=holiday_parameters(_with_sundays(holidays, year)),
        arithmetic=(*_in_lieu(holidays, own), line(f"among({day}; {join_values(_dates(year))})", answer)),
    )


def explain_year(holidays: HolidayCalendar, year: int) -> FactExplanation:
    """How many public holidays a year has, those in lieu of Sundays among them; raises LawDoesNotCover."""
    found = holidays.of_year(year)
    own = _dates(holiday for holiday in found if holiday.in_lieu_of is None)
    in_lieu = _dates(holiday for holiday in found if holiday.in_lieu_of is not None)
    return FactExplanation(
        figure="public_holidays",
        result=str(len(found)),
        unit="days",
        inputs={"year": str(year)},
        rule=RULE,
        source=ACT,
        branch=f"{len(own)} days, and {len(in_lieu)} in lieu of a Sunday",
        parameters=holiday_parameters(found),
        arithmetic=(line(f"count({join_values(own)})", len(own)), *_and_in_lieu(len(own), in_lieu)),
    )


def holiday_parameters(found: Iterable[Holiday]) -> tuple[UsedParameter, ...]:
    """Holidays as the parameters that they are: each holds for its own day."""
    return tuple(UsedParameter(holiday.name, str(holiday.day), holiday.day, holiday.source) for holiday in found)


def _dates(found: Iterable[Holiday]) -> list[date]:
    return [holiday.day for holiday in found]


def _and_in_lieu(own: int, in_lieu: list[date]) -> tuple[str, ...]:
    return (line(f"{own} + count({join_values(in_lieu)})", own + len(in_lieu)),) if in_lieu else ()


def _words(holiday: Holiday) -> str:
    return holiday.name if holiday.in_lieu_of is None else f"{holiday.name}, for the Sunday {holiday.in_lieu_of}"


def _with_sundays(holidays: HolidayCalendar, year: tuple[Holiday, ...]) -> list[Holiday]:
    """The days of a year, and a Sunday of the year before that one of them makes up for."""
    sundays = {holiday.in_lieu_of for holiday in year}
    return [holiday for holiday in holidays.days if holiday in year or holiday.day in sundays]


def _in_lieu(holidays: HolidayCalendar, own: Holiday | None) -> tuple[str, ...]:
    """The line by which a Sunday moves on to this day."""
    if own is None or own.in_lieu_of is None:
        return ()
    passed = [each.day for each in holidays.between(own.in_lieu_of, own.day) if own.in_lieu_of < each.day < own.day]
    moved = f"workday({own.in_lieu_of}, 1; off none; holidays {join_values(passed) or 'none'})"
    return (line(choose(f"on(Sunday; {own.in_lieu_of})", equals(1, moved)), own.day),)
