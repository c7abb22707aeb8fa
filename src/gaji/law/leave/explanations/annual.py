"""Explanations of annual leave."""

from datetime import date

from gaji.law.columns import date_column, flags
from gaji.law.explanation import FactExplanation, UsedParameter, percent, rate, used_parameter, yes_no
from gaji.law.leave import annual
from gaji.law.leave.explanations import length_of_service
from gaji.law.leave.parameters import LeaveParameters
from gaji.law.length_of_service import completed_months, year_of_service
from gaji.law.months import MONTHS_PER_YEAR, Month
from gaji.law.notation import below, choose, format_clauses, format_value, line, otherwise, scale_clauses
from gaji.law.quantities import counts, format_millis

ACT = "Employment Act 1968, s. 88A"


def explain_entitlement(parameters: LeaveParameters, month: Month, year: int) -> FactExplanation:
    """Explain the annual leave for a full year of service."""
    days = int(annual.entitled_days(parameters, month, counts([year]))[0])
    return FactExplanation(
        figure="annual_leave_entitled",
        result=str(days),
        unit="days",
        inputs={"month": str(month), "year of service": str(year)},
        rule="Annual leave depends on the year of service.",
        source=ACT,
        branch=f"year {year} of service",
        parameters=(_scale_parameter(parameters, month),),
        arithmetic=(line(choose(year, *scale_clauses(parameters.annual.at(month).value)), days),),
    )


def explain_prorated(entitlement_millidays: int, months: int) -> FactExplanation:
    """Explain an entitlement for some of the twelve months of a year."""
    days = int(annual.prorated_days(counts([entitlement_millidays]), counts([months]))[0])
    clipped = min(max(months, 0), MONTHS_PER_YEAR)
    clip_expression = f"min(max({format_value(months)}, 0), {MONTHS_PER_YEAR})"
    clip_lines = () if clipped == months else (line(clip_expression, clipped),)
    return FactExplanation(
        figure="annual_leave_prorated",
        result=str(days),
        unit="days",
        inputs={"entitlement": format_millis(entitlement_millidays), "completed months": str(months)},
        rule="Entitlement × completed months ÷ 12, rounded to the nearest day, half a day up.",
        source=ACT,
        branch="full entitlement" if clipped == MONTHS_PER_YEAR else "prorated",
        parameters=(),
        arithmetic=(*clip_lines, line(_prorated_expression(format_millis(entitlement_millidays), clipped), days)),
    )


def explain_earned(parameters: LeaveParameters, month: Month, first: date, last: date) -> FactExplanation:
    """Explain the annual leave earned in the current year of service."""
    days = int(annual.earned_days(parameters, month, date_column([first]), date_column([last]))[0])
    minimum = parameters.annual_min_months.at(month)
    months = int(completed_months(date_column([first]), date_column([last]))[0])
    return FactExplanation(
        figure="annual_leave_earned",
        result=str(days),
        unit="days",
        inputs={"month": str(month)} | length_of_service.service_inputs(first, last),
        rule="The entitlement of the year of service × its completed months ÷ 12, rounded to the nearest day, half a "
        "day up. None before the minimum service is complete.",
        source=ACT,
        branch=f"the minimum service is {'complete' if months >= minimum.value else 'not complete'}",
        parameters=(
            _scale_parameter(parameters, month),
            used_parameter("minimum months of service", minimum, str(minimum.value)),
        ),
        arithmetic=_earned_lines(parameters, month, first, last, days),
    )


def explain_forfeited(
    parameters: LeaveParameters, month: Month, absent_millidays: int, working_millidays: int, dismissed: bool
) -> FactExplanation:
    """Explain whether the annual leave of the year is forfeited."""
    columns = counts([absent_millidays]), counts([working_millidays]), flags([dismissed])
    answer = yes_no(bool(annual.is_forfeited(parameters, month, *columns)[0]))
    maximum = parameters.annual_max_absence.at(month)
    absent, working = format_millis(absent_millidays), format_millis(working_millidays)
    condition = f"dismissed {yes_no(dismissed)} or {absent} > {rate(maximum.value)} × {working}"
    return FactExplanation(
        figure="annual_leave_forfeited",
        result=answer,
        unit="yes or no",
        inputs={
            "month": str(month),
            "dismissed": yes_no(dismissed),
            "days absent without leave": absent,
            "working days of the year": working,
        },
        rule="Annual leave is forfeited by dismissal for misconduct, or by absence without leave on more than a share "
        "of the year's working days.",
        source=ACT,
        branch="dismissed for misconduct" if dismissed else "decided by the absence",
        parameters=(used_parameter("maximum absence", maximum, percent(maximum.value)),),
        arithmetic=(line(condition, answer),),
    )


def _earned_lines(parameters: LeaveParameters, month: Month, first: date, last: date, days: int) -> tuple[str, ...]:
    months = int(completed_months(date_column([first]), date_column([last]))[0])
    year = int(year_of_service(date_column([first]), date_column([last]))[0])
    entitlement = int(annual.entitled_days(parameters, month, counts([year]))[0])
    months_in_year = months - MONTHS_PER_YEAR * (year - 1)
    minimum = parameters.annual_min_months.at(month).value
    prorated = _prorated_expression(str(entitlement), months_in_year)
    return (
        *length_of_service.year_lines(first, last),
        line(choose(year, *scale_clauses(parameters.annual.at(month).value)), entitlement),
        *length_of_service.months_lines(first, last),
        line(f"{months} − {MONTHS_PER_YEAR} × ({year} − 1)", months_in_year),
        line(choose(months, below(minimum, 0), otherwise(prorated)), days),
    )


def _prorated_expression(entitlement: str, months: int) -> str:
    return f"round({entitlement} × {months} ÷ {MONTHS_PER_YEAR})"


def _scale_parameter(parameters: LeaveParameters, month: Month) -> UsedParameter:
    in_force = parameters.annual.at(month)
    return used_parameter("days by year of service", in_force, format_clauses(scale_clauses(in_force.value)))
