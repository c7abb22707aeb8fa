"""Many employees for tests of large runs, created in SQL."""

from dataclasses import replace
from datetime import date

from bench.company import populate
from gaji.engine.periods import PaySchedule
from tests.support.company import MONTHLY, Company
from tests.support.running import Service

JANUARY_OFFSET = PaySchedule("monthly", last_day=31).offset(date(2026, 1, 31))


def crowded(company: Company, employees: int) -> Company:
    """The company with a wave that begins in January 2026, and so many employees whose drafts wait for calculation."""
    service = company.member.service
    company = replace(company, wave_id=company.wave(**MONTHLY | {"first_end_date": "2026-01-31"}))

    async def make() -> None:
        async with service.database.maintenance("test") as connection:
            await populate(connection, company.id, company.wave_id, JANUARY_OFFSET, employees)

    service.runner.run(make())
    return company


def standing(service: Service, company: Company, run_id: int) -> tuple[int, int, int]:
    """Of the payslips of a run: how many there are, of how many employees, and how many are calculated."""
    [row] = service.as_owner(
        "SELECT count(*) AS payslips, count(DISTINCT employee_id) AS employees, "
        "count(*) FILTER (WHERE NOT dirty AND inputs IS NOT NULL) AS calculated "
        "FROM payslips WHERE client_id = $1 AND payment_run_id = $2",
        company.id,
        run_id,
    )
    return row["payslips"], row["employees"], row["calculated"]
