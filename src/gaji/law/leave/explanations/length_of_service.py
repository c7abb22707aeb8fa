"""How long someone has served, explained."""

from datetime import date, timedelta

from gaji.law import length_of_service
from gaji.law.columns import days
from gaji.law.explanation import Finding
from gaji.law.months import MONTHS_A_YEAR
from gaji.law.notation import line

PRACTICE = "Employment Act 1968, s. 88A; a month that begins on a day that the next one does not have ends with it"
RULE = "A month of service is complete with the day before the same day of the next month, or with that month's last."


def completed_months(first: date, last: date) -> Finding:
    """The whole months from the first to the last day of service."""
    months = int(length_of_service.completed_months(days([first]), days([last]))[0])
    return Finding(
        figure="completed_months",
        result=str(months),
        unit="months",
        inputs=served(first, last),
        rule=RULE,
        source=PRACTICE,
        branch="both days are served",
        parameters=(),
        arithmetic=months_lines(first, last),
    )


def year_of_service(first: date, day: date) -> Finding:
    """Which year of service a day is in."""
    year = int(length_of_service.year_of_service(days([first]), days([day]))[0])
    return Finding(
        figure="year_of_service",
        result=str(year),
        unit="year",
        inputs=served(first, day),
        rule="The years of service that are complete when the day begins, and the one that it is in.",
        source=PRACTICE,
        branch=f"the day is in year {year}",
        parameters=(),
        arithmetic=year_lines(first, day),
    )


def served(first: date, last: date) -> dict[str, str]:
    """The days between which the service is measured."""
    return {"first day of service": str(first), "last day": str(last)}


def months_lines(first: date, last: date) -> tuple[str, ...]:
    """The lines to the completed months, the last day being served."""
    months = int(length_of_service.completed_months(days([first]), days([last]))[0])
    after = last + timedelta(days=1)
    return line(f"{last} + 1 day", after), line(f"months({first}, {after})", months)


def year_lines(first: date, day: date) -> tuple[str, ...]:
    """The lines to the year of service."""
    before = int(length_of_service.months_before(days([first]), days([day]))[0])
    year = int(length_of_service.year_of_service(days([first]), days([day]))[0])
    return line(f"months({first}, {day})", before), line(f"floor({before} ÷ {MONTHS_A_YEAR}) + 1", year)
