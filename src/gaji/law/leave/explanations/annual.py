"""Annual leave, explained."""

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
    """The annual leave of a whole year of service."""
    found = int(annual.entitled_days(parameters, month, counts([year]))[0])
    return FactExplanation(
        figure="annual_leave_entitled",
        result=str(found),
        unit="days",
        inputs={"month": str(month), "year of service": str(year)},
        rule="Annual leave goes by a scale of the years of service.",
        source=ACT,
        branch=f"year {year} of service",
        parameters=(_scale(parameters, month),),
        arithmetic=(line(choose(year, *scale_clauses(parameters.annual.at(month).value)), found),),
    )


def explain_prorated(entitlement_millidays: int, months: int) -> FactExplanation:
    """An entitlement for some of the twelve months of a year."""
    found = int(annual.prorated_days(counts([entitlement_millidays]), counts([months]))[0])
    counted = min(max(months, 0), MONTHS_PER_YEAR)
    clipped = () if counted == months else (line(f"min(max({format_value(months)}, 0), {MONTHS_PER_YEAR})", counted),)
    return FactExplanation(
        figure="annual_leave_prorated",
        result=str(found),
        unit="days",
        inputs={"entitlement": format_millis(entitlement_millidays), "completed months": str(months)},
        rule="Entitlement × completed months ÷ 12; less than half a day is dropped, half a day or more is a day.",
        source=ACT,
        branch="all of it" if counted == MONTHS_PER_YEAR else "in proportion",
        parameters=(),
        arithmetic=(*clipped, line(_in_proportion(format_millis(entitlement_millidays), counted), found)),
    )


def explain_earned(parameters: LeaveParameters, month: Month, first: date, last: date) -> FactExplanation:
    """The annual leave of the current year of service up to its last day."""
    found = int(annual.earned_days(parameters, month, date_column([first]), date_column([last]))[0])
    least = parameters.annual_min_months.at(month)
    months = int(completed_months(date_column([first]), date_column([last]))[0])
    return FactExplanation(
        figure="annual_leave_earned",
        result=str(found),
        unit="days",
        inputs={"month": str(month)} | length_of_service.service_inputs(first, last),
        rule="The entitlement of the year of service × its completed months ÷ 12, to the nearest day, half a day up; "
        "none before the least service is complete.",
        source=ACT,
        branch="the least service is complete" if months >= least.value else "the least service is not complete",
        parameters=(_scale(parameters, month), used_parameter("least months of service", least, str(least.value))),
        arithmetic=_earned_lines(parameters, month, first, last, found),
    )


def explain_forfeited(
    parameters: LeaveParameters, month: Month, absent_millidays: int, working_millidays: int, dismissed: bool
) -> FactExplanation:
    """Whether the annual leave of the year is lost."""
    columns = counts([absent_millidays]), counts([working_millidays]), flags([dismissed])
    answer = yes_no(bool(annual.is_forfeited(parameters, month, *columns)[0]))
    most = parameters.annual_max_absence.at(month)
    absent, working = format_millis(absent_millidays), format_millis(working_millidays)
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
        rule="It is lost by dismissal for misconduct, or by absence without leave on more than a share of the year.",
        source=ACT,
        branch="dismissed for misconduct" if dismissed else "goes by the absence",
        parameters=(used_parameter("most absence", most, percent(most.value)),),
        arithmetic=(line(f"dismissed {yes_no(dismissed)} or {absent} > {rate(most.value)} × {working}", answer),),
    )


def _earned_lines(parameters: LeaveParameters, month: Month, first: date, last: date, found: int) -> tuple[str, ...]:
    months = int(completed_months(date_column([first]), date_column([last]))[0])
    year = int(year_of_service(date_column([first]), date_column([last]))[0])
    entitlement = int(annual.entitled_days(parameters, month, counts([year]))[0])
    of_year = months - MONTHS_PER_YEAR * (year - 1)
    least = parameters.annual_min_months.at(month).value
    in_proportion = _in_proportion(str(entitlement), of_year)
    return (
        *length_of_service.year_lines(first, last),
        line(choose(year, *scale_clauses(parameters.annual.at(month).value)), entitlement),
        *length_of_service.months_lines(first, last),
        line(f"{months} − {MONTHS_PER_YEAR} × ({year} − 1)", of_year),
        line(choose(months, below(least, 0), otherwise(in_proportion)), found),
    )


def _in_proportion(entitlement: str, months: int) -> str:
    return f"round({entitlement} × {months} ÷ {MONTHS_PER_YEAR})"


def _scale(parameters: LeaveParameters, month: Month) -> UsedParameter:
    in_force = parameters.annual.at(month)
    return used_parameter("days by year of service", in_force, format_clauses(scale_clauses(in_force.value)))
