"""Annual leave, explained."""

from datetime import date

from gaji.law.columns import days, flags
from gaji.law.explanation import Finding, Parameter, parameter, percent, rate, yes_no
from gaji.law.leave import annual
from gaji.law.leave.explanations import length_of_service
from gaji.law.leave.parameters import LeaveParameters
from gaji.law.length_of_service import completed_months, year_of_service
from gaji.law.months import MONTHS_A_YEAR, Month
from gaji.law.notation import below, choose, line, otherwise, steps, table, written
from gaji.law.quantities import counts, number

ACT = "Employment Act 1968, s. 88A"


def entitled(parameters: LeaveParameters, month: Month, year: int) -> Finding:
    """The annual leave of a whole year of service."""
    found = int(annual.entitled_days(parameters, month, counts([year]))[0])
    return Finding(
        figure="annual_leave_entitled",
        result=str(found),
        unit="days",
        inputs={"month": str(month), "year of service": str(year)},
        rule="Annual leave goes by a scale of the years of service.",
        source=ACT,
        branch=f"year {year} of service",
        parameters=(_scale(parameters, month),),
        arithmetic=(line(choose(year, *steps(parameters.annual.at(month).value)), found),),
    )


def prorated(entitlement_millidays: int, months: int) -> Finding:
    """An entitlement for some of the twelve months of a year."""
    found = int(annual.prorated_days(counts([entitlement_millidays]), counts([months]))[0])
    counted = min(max(months, 0), MONTHS_A_YEAR)
    clipped = () if counted == months else (line(f"min(max({written(months)}, 0), {MONTHS_A_YEAR})", counted),)
    return Finding(
        figure="annual_leave_prorated",
        result=str(found),
        unit="days",
        inputs={"entitlement": number(entitlement_millidays), "completed months": str(months)},
        rule="Entitlement × completed months ÷ 12; less than half a day is dropped, half a day or more is a day.",
        source=ACT,
        branch="all of it" if counted == MONTHS_A_YEAR else "in proportion",
        parameters=(),
        arithmetic=(*clipped, line(_in_proportion(number(entitlement_millidays), counted), found)),
    )


def earned(parameters: LeaveParameters, month: Month, first: date, last: date) -> Finding:
    """The annual leave of the current year of service up to its last day."""
    found = int(annual.earned_days(parameters, month, days([first]), days([last]))[0])
    least = parameters.annual_least_service.at(month)
    months = int(completed_months(days([first]), days([last]))[0])
    return Finding(
        figure="annual_leave_earned",
        result=str(found),
        unit="days",
        inputs={"month": str(month)} | length_of_service.served(first, last),
        rule="The entitlement of the year of service × its completed months ÷ 12, to the nearest day, half a day up; "
        "none before the least service is complete.",
        source=ACT,
        branch="the least service is complete" if months >= least.value else "the least service is not complete",
        parameters=(_scale(parameters, month), parameter("least months of service", least, str(least.value))),
        arithmetic=_earned_lines(parameters, month, first, last, found),
    )


def forfeited(
    parameters: LeaveParameters, month: Month, absent_millidays: int, working_millidays: int, dismissed: bool
) -> Finding:
    """Whether the annual leave of the year is lost."""
    columns = counts([absent_millidays]), counts([working_millidays]), flags([dismissed])
    answer = yes_no(bool(annual.forfeits(parameters, month, *columns)[0]))
    most = parameters.annual_most_absence.at(month)
    absent, working = number(absent_millidays), number(working_millidays)
    return Finding(
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
        parameters=(parameter("most absence", most, percent(most.value)),),
        arithmetic=(line(f"dismissed {yes_no(dismissed)} or {absent} > {rate(most.value)} × {working}", answer),),
    )


def _earned_lines(parameters: LeaveParameters, month: Month, first: date, last: date, found: int) -> tuple[str, ...]:
    months = int(completed_months(days([first]), days([last]))[0])
    year = int(year_of_service(days([first]), days([last]))[0])
    entitlement = int(annual.entitled_days(parameters, month, counts([year]))[0])
    of_year = months - MONTHS_A_YEAR * (year - 1)
    least = parameters.annual_least_service.at(month).value
    in_proportion = _in_proportion(str(entitlement), of_year)
    return (
        *length_of_service.year_lines(first, last),
        line(choose(year, *steps(parameters.annual.at(month).value)), entitlement),
        *length_of_service.months_lines(first, last),
        line(f"{months} − {MONTHS_A_YEAR} × ({year} − 1)", of_year),
        line(choose(months, below(least, 0), otherwise(in_proportion)), found),
    )


def _in_proportion(entitlement: str, months: int) -> str:
    return f"round({entitlement} × {months} ÷ {MONTHS_A_YEAR})"


def _scale(parameters: LeaveParameters, month: Month) -> Parameter:
    in_force = parameters.annual.at(month)
    return parameter("days by year of service", in_force, table(steps(in_force.value)))
