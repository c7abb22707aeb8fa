"""How long someone has served, explained."""

from datetime import date, timedelta

from gaji.law import length_of_service
from gaji.law.columns import date_column
from gaji.law.explanation import FactExplanation
from gaji.law.months import MONTHS_PER_YEAR
from gaji.law.notation import line

PRACTICE = "Employment Act 1968, s. 88A; a month that begins on a day that the next one does not have ends with it"
RULE = "A month of service is complete with the day before the same day of the next month, or with that month's last."


def explain_completed_months(first: date, last: date) -> FactExplanation:
    """The whole months from the first to the last day of service."""
    months = int(length_of_service.completed_months(date_column([first]), date_column([last]))[0])
    return FactExplanation(
        figure="completed_months",
        result=str(months),
        unit="months",
        inputs=service_inputs(first, last),
        rule=RULE,
        source=PRACTICE,
        branch="both days are served",
        parameters=(),
        arithmetic=months_lines(first, last),
    )


def explain_year_of_service(first: date, day: date) -> FactExplanation:
    """Which year of service a day is in."""
    year = int(length_of_service.year_of_service(date_column([first]), date_column([day]))[0])
    return FactExplanation(
        figure="year_of_service",
        result=str(year),
        unit="year",
        inputs=service_inputs(first, day),
        rule="The years of service that are complete when the day begins, and the one that it is in.",
        source=PRACTICE,
        branch=f"the day is in year {year}",
        parameters=(),
        arithmetic=year_lines(first, day),
    )


def service_inputs(first: date, last: date) -> dict[str, str]:
    """The days between which the service is measured."""
    return {"first day of service": str(first), "last day": str(last)}


def months_lines(first: date, last: date) -> tuple[str, ...]:
    """The lines to the completed months, the last day being served."""
    months = int(length_of_service.completed_months(date_column([first]), date_column([last]))[0])
    after = last + timedelta(days=1)
    return line(f"{last} + 1 day", after), line(f"months({first}, {after})", months)


def year_lines(first: date, day: date) -> tuple[str, ...]:
    """The lines to the year of service."""
    before = int(length_of_service.completed_months_before(date_column([first]), date_column([day]))[0])
    year = int(length_of_service.year_of_service(date_column([first]), date_column([day]))[0])
    return line(f"months({first}, {day})", before), line(f"floor({before} ÷ {MONTHS_PER_YEAR}) + 1", year)
