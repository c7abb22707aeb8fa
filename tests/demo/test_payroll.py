"""The payroll of the demo: its finalised months and the drafts after them."""

from collections import Counter
from collections.abc import Iterator
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import msgspec
import pytest

from gaji.company.waves.queries import load_pay_calendars
from gaji.console.missing_wages import MissingWages, load_missing_wages
from gaji.core.law_loader import current_law
from gaji.core.settings import Settings
from gaji.demo.calendar import paid_periods
from gaji.payroll.accounting.service import read_journal
from gaji.people.take_on.queries import find_without_ir8a_income
from tests.demo.demo_company import TODAY, DemoCompany, create_demo_company

EMPLOYEES = 60
MONTHS = 3
FIRST_DAY, LAST_DAY = date(2026, 8, 1), date(2026, 10, 31)
ITEMS = {
    *("basic_salary", "overtime", "transport_allowance", "meal_allowance", "housing_allowance"),
    *("entertainment_allowance", "other_allowance", "commission", "directors_fee", "reimbursement"),
    *("cpf_employee", "cdac", "ecf", "mbmf", "sinda", "loan", "savings", "garnishee", "donation", "insurance"),
    *("cpf_employer", "sdl", "foreign_worker_levy", "benefit_in_kind"),
}


@pytest.fixture(scope="module")
def company(settings: Settings) -> Iterator[DemoCompany]:
    with create_demo_company(settings, 1, EMPLOYEES, MONTHS) as demo_company:
        yield demo_company


def lines(payslip: Any) -> Iterator[str]:
    """Yield the items of a payslip."""
    sections = msgspec.json.decode(payslip["lines"])
    for group in (sections["income"], sections["deduction"], *(group for _, group in sections["sideline"])):
        yield from (str(item) for item, _ in group)


def runs(company: DemoCompany) -> list[Any]:
    return company.fetch("SELECT r.*, w.frequency FROM payment_runs r JOIN waves w ON w.id = r.wave_id")


def test_every_period_is_finalised_and_released(company: DemoCompany) -> None:
    all_runs = runs(company)
    assert all(run["finalised"] and run["released"] and run["payslip_count"] for run in all_runs)
    assert Counter(run["frequency"] for run in all_runs) == {
        "monthly": 3,
        "twice_a_month": 6,
        "fortnightly": 7,
        "weekly": 13,
    }
    for frequency in ("weekly", "fortnightly"):
        assert min(run["period_end_date"] for run in all_runs if run["frequency"] == frequency) == date(2026, 8, 2)
    assert min(run["period_end_date"] for run in all_runs) >= FIRST_DAY
    assert max(run["period_end_date"] for run in all_runs) == LAST_DAY


def test_every_run_is_marked_as_paid_on_its_payment_date(company: DemoCompany) -> None:
    assert all(run["paid_at"] and run["paid_by"] and run["payment_date"] is None for run in runs(company))


def test_no_wages_of_the_year_are_missing(company: DemoCompany) -> None:
    tenant = company.tenant

    async def find_missing() -> tuple[dict[int, MissingWages], list[int]]:
        async with tenant.transaction() as tx:
            calendars = await load_pay_calendars(tx, company.client_id)
            missing = await load_missing_wages(tx, {company.client_id: calendars})
            return missing, await find_without_ir8a_income(tx, company.client_id, FIRST_DAY.year)

    assert company.run(find_missing()) == ({}, [])


def test_runs_are_opened_in_chronological_order(company: DemoCompany) -> None:
    all_runs = sorted(runs(company), key=lambda run: run["id"])
    assert [run["period_end_date"] for run in all_runs] == sorted(run["period_end_date"] for run in all_runs)


def test_drafts_of_the_next_periods_are_calculated(company: DemoCompany) -> None:
    drafts = company.fetch("SELECT * FROM payslips WHERE NOT finalised AND NOT withdrawn")
    assert not any(draft["dirty"] or draft["attention"] for draft in drafts)
    assert min(draft["date"] for draft in drafts) == date(2026, 11, 1)
    in_service = [employee for employee in company.employees() if not _has_left(company, employee["id"])]
    assert {draft["employee_id"] for draft in drafts} == {employee["id"] for employee in in_service}


def _has_left(company: DemoCompany, employee_id: int) -> bool:
    [(end,)] = company.fetch(
        "SELECT end_date FROM service_periods WHERE employee_id = $1 ORDER BY start_date DESC LIMIT 1", employee_id
    )
    return end is not None and end <= LAST_DAY


def test_payslips_show_every_kind_of_item(company: DemoCompany) -> None:
    payslips = company.fetch("SELECT lines FROM payslips WHERE finalised")
    items = {item for payslip in payslips for item in lines(payslip)}
    custom = {str(row["id"]) for row in company.fetch("SELECT id FROM calculation_definitions")}
    assert items >= ITEMS
    assert items & custom


def test_employees_are_paid_by_month_day_and_hour(company: DemoCompany) -> None:
    kinds = company.fetch(
        "SELECT DISTINCT inputs ->> 'pay_type' FROM calculations WHERE type = 'basic_salary' AND payslip_id IS NULL"
    )
    assert {kind for (kind,) in kinds} == {"monthly", "daily", "hourly"}


def test_only_pass_holders_have_a_levy(company: DemoCompany) -> None:
    levied = {row[0] for row in company.fetch("SELECT employee_id FROM payslips WHERE finalised AND levy > 0")}
    paid = {
        row[0]
        for row in company.fetch(
            "SELECT DISTINCT employee_id FROM payslips WHERE finalised AND date >= $1", LAST_DAY - timedelta(days=6)
        )
    }
    holders = {employee["id"] for employee in company.employees() if employee["work_pass"] in ("WP", "SPASS")}
    assert levied >= holders & paid
    assert levied <= holders


def test_every_payslip_has_nett_pay(company: DemoCompany) -> None:
    assert not company.fetch("SELECT 1 FROM payslips WHERE finalised AND nett_pay <= 0")


def test_calculations_exist_on_every_level(company: DemoCompany) -> None:
    of_client = company.fetch("SELECT 1 FROM calculations WHERE employee_id IS NULL AND profile_id IS NULL")
    of_profile = company.fetch("SELECT 1 FROM calculations WHERE profile_id IS NOT NULL")
    mapped = company.fetch("SELECT count(*) FROM profile_mappings")[0][0]
    with_hours = company.fetch("SELECT count(*) FROM inherited_calculations WHERE inputs_history <> '{}'")[0][0]
    assert of_client
    assert of_profile
    assert 0 < mapped < EMPLOYEES
    assert with_hours == 2


def test_every_run_has_a_journal_that_balances(company: DemoCompany) -> None:
    for run in runs(company):
        journal = company.run(read_journal(company.tenant, run["id"])).journal_json
        debit, credit = (_sum(journal[side]) for side in ("debit", "credit"))
        assert debit == credit > 0


def _sum(postings: Any) -> Decimal:
    return sum(
        (Decimal(bytes(amount).decode()) for posting in postings for amount in posting["amount"].values()), Decimal(0)
    )


def test_no_run_is_after_the_months_covered_by_the_law(company: DemoCompany) -> None:
    tenant = company.tenant

    async def load_calendars() -> Any:
        async with tenant.transaction() as tx:
            return await load_pay_calendars(tx, company.client_id)

    calendars = company.run(load_calendars())
    covered = current_law().holidays.covered_until
    assert max(paid_periods(calendars, TODAY, covered))[0] == LAST_DAY
    assert max(paid_periods(calendars, date(2030, 5, 1), covered))[0] <= covered.last_day
