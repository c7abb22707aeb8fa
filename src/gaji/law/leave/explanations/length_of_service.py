"""The parts of explanations that are about length of service."""

from datetime import date, timedelta

from gaji.law import length_of_service
from gaji.law.columns import date_column
from gaji.law.months import MONTHS_PER_YEAR
from gaji.law.notation import line


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
