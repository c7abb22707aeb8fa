"""The database rejects overlapping periods, even from the owner of the tables."""

import asyncpg
import pytest

from tests.support.company import Company


@pytest.mark.parametrize("table", ["service_periods", "wave_periods"])
@pytest.mark.parametrize(
    ("start", "end"),
    [("2024-01-01", "2024-02-01"), ("2024-03-01", "2024-04-01"), ("2025-06-30", "NULL"), ("2020-01-01", "NULL")],
)
def test_overlapping_periods_are_rejected_by_the_database(company: Company, table: str, start: str, end: str) -> None:
    employee_id = company.hire()
    service = company.member.service
    more = ", wave_id" if table == "wave_periods" else ", termination_code, ir21"
    last = end if end == "NULL" else f"'{end}'"
    values = str(company.wave_id) if table == "wave_periods" else ("NULL, NULL" if end == "NULL" else "1, false")
    close = {
        "wave_periods": "UPDATE wave_periods SET end_date = '2025-06-30' WHERE employee_id = $1",
        "service_periods": "UPDATE service_periods SET end_date = '2025-06-30', termination_code = 1, ir21 = false "
        "WHERE employee_id = $1",
    }
    service.as_owner(close[table], employee_id)
    before = service.fingerprint()
    statement = (
        f"INSERT INTO {table} (client_id, employee_id, start_date, end_date{more}) "
        f"VALUES ({company.id}, $1, '{start}', {last}, {values})"
    )
    with pytest.raises(asyncpg.ExclusionViolationError):
        service.as_owner(statement, employee_id)
    assert service.fingerprint() == before
    service.as_owner(
        statement.replace(start, "2025-07-01").replace(last, "NULL").replace("1, false", "NULL, NULL"), employee_id
    )


@pytest.mark.parametrize("table", ["service_periods", "wave_periods"])
def test_periods_of_two_employees_do_not_meet(company: Company, table: str) -> None:
    company.hire()
    company.hire()
    [row] = company.member.service.as_owner(f"SELECT count(*) FROM {table} WHERE client_id = $1", company.id)
    assert row["count"] == 2


@pytest.mark.parametrize("table", ["service_periods", "wave_periods"])
def test_a_period_cannot_end_before_it_begins(company: Company, table: str) -> None:
    employee_id = company.hire()
    more = ", termination_code = 1, ir21 = false" if table == "service_periods" else ""
    with pytest.raises(asyncpg.CheckViolationError):
        company.member.service.as_owner(
            f"UPDATE {table} SET end_date = '2024-01-31'{more} WHERE employee_id = $1", employee_id
        )


def test_an_open_period_has_no_termination_and_a_terminated_one_has(company: Company) -> None:
    employee_id = company.hire()
    for change in (
        "termination_code = 1, ir21 = true",
        "end_date = '2025-06-30'",
        "end_date = '2025-06-30', ir21 = true",
    ):
        with pytest.raises(asyncpg.CheckViolationError):
            company.member.service.as_owner(f"UPDATE service_periods SET {change} WHERE employee_id = $1", employee_id)


def test_an_employee_has_one_open_wave_period(company: Company) -> None:
    employee_id = company.hire()
    with pytest.raises(asyncpg.ExclusionViolationError):
        company.member.service.as_owner(
            "INSERT INTO wave_periods (client_id, employee_id, wave_id, start_date) VALUES ($1, $2, $3, '2300-01-01')",
            company.id,
            employee_id,
            company.wave_id,
        )
