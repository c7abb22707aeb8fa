"""Explanations of annual leave."""

from datetime import date

from gaji.law.columns import date_column
from gaji.law.explanation import FactExplanation, UsedParameter, used_parameter
from gaji.law.leave import annual
from gaji.law.leave.explanations import length_of_service
from gaji.law.leave.parameters import LeaveParameters
from gaji.law.length_of_service import completed_months, year_of_service
from gaji.law.months import MONTHS_PER_YEAR, Month
from gaji.law.notation import below, choose, format_clauses, line, otherwise, scale_clauses
from gaji.law.quantities import counts

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
