"""Explanations of length of service."""

from datetime import date, timedelta

from gaji.law import length_of_service
from gaji.law.columns import date_column
from gaji.law.explanation import FactExplanation
from gaji.law.months import MONTHS_PER_YEAR
from gaji.law.notation import line

SOURCE = (
    "Employment Act 1968, s. 88A; a month that starts on a day that the next month does not have ends with the next "
    "month"
)
RULE = (
    "A month of service is complete on the day before the same day of the next month, or on the last day of a month "
    "without that day."
)


def explain_completed_months(first: date, last: date) -> FactExplanation:
    """Explain the completed months from the first to the last day of service."""
    months = int(length_of_service.completed_months(date_column([first]), date_column([last]))[0])
    return FactExplanation(
        figure="completed_months",
        result=str(months),
        unit="months",
        inputs=service_inputs(first, last),
        rule=RULE,
        source=SOURCE,
        branch="the first and the last day are in service",
        parameters=(),
        arithmetic=months_lines(first, last),
    )


def explain_year_of_service(first: date, day: date) -> FactExplanation:
    """Explain the year of service that a day falls in."""
    year = int(length_of_service.year_of_service(date_column([first]), date_column([day]))[0])
    return FactExplanation(
        figure="year_of_service",
        result=str(year),
        unit="year",
        inputs=service_inputs(first, day),
        rule="The years of service completed at the start of the day, plus the current one.",
        source=SOURCE,
        branch=f"the day is in year {year}",
        parameters=(),
        arithmetic=year_lines(first, day),
    )


def service_inputs(first: date, last: date) -> dict[str, str]:
    """The dates between which the service is measured."""
    return {"first day of service": str(first), "last day": str(last)}


def months_lines(first: date, last: date) -> tuple[str, ...]:
    """The lines for the completed months; the last day is in service."""
    months = int(length_of_service.completed_months(date_column([first]), date_column([last]))[0])
    day_after = last + timedelta(days=1)
    return line(f"{last} + 1 day", day_after), line(f"months({first}, {day_after})", months)


def year_lines(first: date, day: date) -> tuple[str, ...]:
    """The lines for the year of service."""
    months = int(length_of_service.completed_months_before(date_column([first]), date_column([day]))[0])
    year = int(length_of_service.year_of_service(date_column([first]), date_column([day]))[0])
    return line(f"months({first}, {day})", months), line(f"floor({months} ÷ {MONTHS_PER_YEAR}) + 1", year)
