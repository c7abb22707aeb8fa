"""How long notice is where the contract says nothing, and when the service then ends, explained."""

from datetime import date

from gaji.law.columns import date_at, date_column
from gaji.law.explanation import FactExplanation, UsedParameter, used_parameter
from gaji.law.length_of_service import completed_months_before, completed_weeks_before
from gaji.law.months import MONTHS_PER_YEAR, Month
from gaji.law.notation import choose, format_clauses, line, scale_clauses
from gaji.law.pay import notice
from gaji.law.pay.parameters import PayParameters
from gaji.law.quantities import counts
from gaji.law.scale import Scale

ACT = "Employment Act 1968, s. 10(3)"


def explain_notice_days(parameters: PayParameters, month: Month, first_day: date, given_on: date) -> FactExplanation:
    """How the calendar days of notice came about."""
    return FactExplanation(
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


def explain_last_day(parameters: PayParameters, month: Month, first_day: date, given_on: date) -> FactExplanation:
    """How the last day of service under that notice came about."""
    notice_days = _days(parameters, month, first_day, given_on)
    last = date_at(notice.last_days(date_column([given_on]), counts([notice_days])))
    return FactExplanation(
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
    return int(notice.notice_days(parameters, month, date_column([first_day]), date_column([given_on]))[0])


def _served(first_day: date, given_on: date) -> tuple[int, int]:
    """Completed weeks and months of service."""
    first, given = date_column([first_day]), date_column([given_on])
    return int(completed_weeks_before(first, given)[0]), int(completed_months_before(first, given)[0])


def _lines(parameters: PayParameters, month: Month, first_day: date, given_on: date) -> tuple[str, ...]:
    scales, (weeks, months) = parameters.notice.at(month).value, _served(first_day, given_on)
    years = months // MONTHS_PER_YEAR
    by_weeks, by_years = _step(scales.by_weeks, weeks), _step(scales.by_years, years)
    return (
        line(f"weeks({first_day}, {given_on})", weeks),
        line(choose(weeks, *scale_clauses(scales.by_weeks)), by_weeks),
        line(f"months({first_day}, {given_on})", months),
        line(f"floor({months} ÷ {MONTHS_PER_YEAR})", years),
        line(choose(years, *scale_clauses(scales.by_years)), by_years),
        line(f"max({by_weeks}, {by_years})", _days(parameters, month, first_day, given_on)),
    )


def _step(scale: Scale, measure: int) -> int:
    return max(
        (value for least, value in zip(scale.thresholds, scale.values, strict=True) if least <= measure), default=0
    )


def _inputs(month: Month, first_day: date, given_on: date) -> dict[str, str]:
    return {"month": str(month), "first day of service": str(first_day), "notice given on": str(given_on)}


def _branch(first_day: date, given_on: date) -> str:
    weeks, months = _served(first_day, given_on)
    return f"{weeks} weeks and {months // MONTHS_PER_YEAR} years of service are complete"


def _parameters(parameters: PayParameters, month: Month) -> tuple[UsedParameter, ...]:
    in_force = parameters.notice.at(month)
    return (
        used_parameter(
            "days of notice by completed weeks", in_force, format_clauses(scale_clauses(in_force.value.by_weeks))
        ),
        used_parameter(
            "days of notice by completed years", in_force, format_clauses(scale_clauses(in_force.value.by_years))
        ),
    )
