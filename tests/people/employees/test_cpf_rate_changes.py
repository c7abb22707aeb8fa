"""Which employees have other CPF rates from a month on."""

from datetime import date
from typing import Any

import pytest

from gaji.law.months import Month
from gaji.people.employees.cpf_rate_changes import CpfRateChangeReason, cpf_rate_changes

DECEMBER = Month(2026, 12)
CITIZEN: dict[str, Any] = {
    "id": 1,
    "number": "1",
    "first_name": "Mei Ling",
    "last_name": "Tan",
    "name_format": 1,
    "birthdate": date(1985, 4, 3),
    "legal_status": "CITIZEN",
    "pr_date": None,
    "citizenship_date": None,
    "pr_cpf_rates": "GG",
    "cpf_exempt": False,
}
PR: dict[str, Any] = {"legal_status": "PR"}


def changes(month: Month = DECEMBER, **values: Any) -> list[tuple[str, int | None]]:
    return [(change.reason.value, change.number) for change in cpf_rate_changes([{**CITIZEN, **values}], month)]


@pytest.mark.parametrize(
    ("birthdate", "age"),
    [(date(1971, 11, 1), 55), (date(1966, 11, 30), 60), (date(1961, 11, 15), 65), (date(1956, 11, 30), 70)],
)
def test_rates_change_in_the_month_after_a_birthday(birthdate: date, age: int) -> None:
    assert changes(birthdate=birthdate) == [("age", age)]
    assert changes(DECEMBER - 1, birthdate=birthdate) == []
    assert changes(DECEMBER + 1, birthdate=birthdate) == []


def test_other_birthdays_change_nothing() -> None:
    assert changes(birthdate=date(1976, 11, 15)) == []


def test_rates_change_after_each_of_the_first_two_years_of_permanent_residence() -> None:
    assert changes(**PR, pr_date=date(2025, 11, 20)) == [("pr_year", 2)]
    assert changes(**PR, pr_date=date(2024, 11, 1)) == [("pr_year", 3)]
    assert changes(**PR, pr_date=date(2023, 11, 1)) == []
    assert changes(**PR, pr_date=date(2025, 11, 20), pr_cpf_rates="FF") == []


def test_a_new_status_changes_the_rates() -> None:
    assert changes(**PR, pr_date=date(2026, 12, 9)) == [("pr_starts", None)]
    assert changes(pr_date=date(2025, 6, 1), citizenship_date=date(2026, 12, 9)) == [("citizenship", None)]


def test_nothing_changes_for_employees_without_cpf() -> None:
    assert changes(birthdate=date(1971, 11, 1), cpf_exempt=True) == []
    assert changes(birthdate=date(1971, 11, 1), legal_status="FOREIGNER") == []


def test_both_changes_of_one_employee_are_listed() -> None:
    both = changes(**PR, birthdate=date(1971, 11, 1), pr_date=date(2025, 11, 20))
    assert both == [(CpfRateChangeReason.AGE, 55), (CpfRateChangeReason.PR_YEAR, 2)]
