"""How long notice is where the contract says nothing, and when the service then ends, explained."""

from datetime import date

from gaji.law.columns import days, one_day
from gaji.law.explanation import Finding, Parameter, parameter
from gaji.law.length_of_service import months_before, weeks_before
from gaji.law.months import MONTHS_A_YEAR, Month
from gaji.law.notation import choose, line, steps, table
from gaji.law.pay import notice
from gaji.law.pay.parameters import PayParameters
from gaji.law.quantities import counts
from gaji.law.scale import Scale

ACT = "Employment Act 1968, s. 10(3)"


def calendar_days(parameters: PayParameters, month: Month, first_day: date, given_on: date) -> Finding:
    """How the calendar days of notice came about."""
    return Finding(
        figure="notice_days",
        result=str(_days(parameters, month, first_day, given_on)),
        unit="calendar days",
        inputs=_inputs(month, first_day, given_on),
        rule="The longer of what the completed weeks and the completed years of service give.",
        source=ACT,
        branch=_branch(first_day, given_on),
        parameters=_parameters(parameters, month),
        arithmetic=_lines(parameters, month, first_day, given_on),
    )


def last_day(parameters: PayParameters, month: Month, first_day: date, given_on: date) -> Finding:
    """How the last day of service under that notice came about."""
    notice_days = _days(parameters, month, first_day, given_on)
    last = one_day(notice.last_days(days([given_on]), counts([notice_days])))
    return Finding(
        figure="last_day_of_notice",
        result=str(last),
        unit="date",
        inputs=_inputs(month, first_day, given_on),
        rule="Notice is counted in calendar days, the day on which it is given included.",
        source=ACT,
        branch=_branch(first_day, given_on),
        parameters=_parameters(parameters, month),
        arithmetic=(
            *_lines(parameters, month, first_day, given_on),
            line(f"{given_on} + {notice_days} days − 1 day", last),
        ),
    )


def _days(parameters: PayParameters, month: Month, first_day: date, given_on: date) -> int:
    return int(notice.calendar_days(parameters, month, days([first_day]), days([given_on]))[0])


def _served(first_day: date, given_on: date) -> tuple[int, int]:
    """Completed weeks and months of service."""
    first, given = days([first_day]), days([given_on])
    return int(weeks_before(first, given)[0]), int(months_before(first, given)[0])


def _lines(parameters: PayParameters, month: Month, first_day: date, given_on: date) -> tuple[str, ...]:
    scales, (weeks, months) = parameters.notice.at(month).value, _served(first_day, given_on)
    years = months // MONTHS_A_YEAR
    by_weeks, by_years = _step(scales.by_weeks, weeks), _step(scales.by_years, years)
    return (
        line(f"weeks({first_day}, {given_on})", weeks),
        line(choose(weeks, *steps(scales.by_weeks)), by_weeks),
        line(f"months({first_day}, {given_on})", months),
        line(f"floor({months} ÷ {MONTHS_A_YEAR})", years),
        line(choose(years, *steps(scales.by_years)), by_years),
        line(f"max({by_weeks}, {by_years})", _days(parameters, month, first_day, given_on)),
    )


def _step(scale: Scale, measure: int) -> int:
    return max((value for least, value in zip(scale.least, scale.values, strict=True) if least <= measure), default=0)


def _inputs(month: Month, first_day: date, given_on: date) -> dict[str, str]:
    return {"month": str(month), "first day of service": str(first_day), "notice given on": str(given_on)}


def _branch(first_day: date, given_on: date) -> str:
    weeks, months = _served(first_day, given_on)
    return f"{weeks} weeks and {months // MONTHS_A_YEAR} years of service are complete"


def _parameters(parameters: PayParameters, month: Month) -> tuple[Parameter, ...]:
    in_force = parameters.notice.at(month)
    return (
        parameter("days of notice by completed weeks", in_force, table(steps(in_force.value.by_weeks))),
        parameter("days of notice by completed years", in_force, table(steps(in_force.value.by_years))),
    )
