"""The payroll of the demo: what was paid in its months, and what comes after them."""

from collections import Counter
from collections.abc import Iterator
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import msgspec
import pytest

from gaji.company.waves.facts import waves
from gaji.core.law_loader import law
from gaji.core.settings import Settings
from gaji.demo.calendar import paid
from gaji.payroll.accounting.service import read_journal
from tests.demo.made import TODAY, Company, made_company

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
def company(settings: Settings) -> Iterator[Company]:
    with made_company(settings, 1, EMPLOYEES, MONTHS) as made:
        yield made


def lines(payslip: Any) -> Iterator[str]:
    """The items that stand on a payslip."""
    form = msgspec.json.decode(payslip["lines"])
    for group in (form["income"], form["deduction"], *(group for _, group in form["sideline"])):
        yield from (str(item) for item, _ in group)


def runs(company: Company) -> list[Any]:
    return company.fetch("SELECT r.*, w.frequency FROM payment_runs r JOIN waves w ON w.id = r.wave_id")


def test_every_period_of_the_months_is_finalised_and_released(company: Company) -> None:
    found = runs(company)
    assert all(run["finalised"] and run["released"] and run["payslip_count"] for run in found)
    assert Counter(run["frequency"] for run in found) == {
        "monthly": 3,
        "twice_a_month": 6,
        "fortnightly": 7,
        "weekly": 13,
    }
    for frequency in ("weekly", "fortnightly"):
        assert min(run["period_end_date"] for run in found if run["frequency"] == frequency) == date(2026, 8, 2)
    assert min(run["period_end_date"] for run in found) >= FIRST_DAY
    assert max(run["period_end_date"] for run in found) == LAST_DAY


def test_runs_were_opened_in_the_order_of_time(company: Company) -> None:
    found = sorted(runs(company), key=lambda run: run["id"])
    assert [run["period_end_date"] for run in found] == sorted(run["period_end_date"] for run in found)


def test_drafts_of_the_periods_that_follow_are_calculated(company: Company) -> None:
    drafts = company.fetch("SELECT * FROM payslips WHERE NOT finalised AND NOT withdrawn")
    assert not any(draft["dirty"] or draft["attention"] for draft in drafts)
    assert min(draft["date"] for draft in drafts) == date(2026, 11, 1)
    there = [employee for employee in company.employees() if not _has_left(company, employee["id"])]
    assert {draft["employee_id"] for draft in drafts} == {employee["id"] for employee in there}


def _has_left(company: Company, employee_id: int) -> bool:
    [(end,)] = company.fetch(
        "SELECT end_date FROM service_periods WHERE employee_id = $1 ORDER BY start_date DESC LIMIT 1", employee_id
    )
    return end is not None and end <= LAST_DAY


def test_payslips_show_every_kind_of_item(company: Company) -> None:
    payslips = company.fetch("SELECT lines FROM payslips WHERE finalised")
    shown = {item for payslip in payslips for item in lines(payslip)}
    custom = {str(row["id"]) for row in company.fetch("SELECT id FROM calculation_definitions")}
    assert shown >= ITEMS
    assert shown & custom


def test_people_are_paid_by_the_month_the_day_and_the_hour(company: Company) -> None:
    kinds = company.fetch(
        "SELECT DISTINCT inputs ->> 'pay_type' FROM calculations WHERE type = 'basic_salary' AND payslip_id IS NULL"
    )
    assert {kind for (kind,) in kinds} == {"monthly", "daily", "hourly"}


def test_everyone_who_is_levied_has_a_levy_and_nobody_else(company: Company) -> None:
    levied = {row[0] for row in company.fetch("SELECT employee_id FROM payslips WHERE finalised AND levy > 0")}
    paid = {
        row[0]
        for row in company.fetch(
            "SELECT DISTINCT employee_id FROM payslips WHERE finalised AND date >= $1", LAST_DAY - timedelta(days=6)
        )
    }
    holders = {one["id"] for one in company.employees() if one["work_pass"] in ("WP", "SPASS")}
    assert levied >= holders & paid
    assert levied <= holders


def test_nobody_goes_without_pay(company: Company) -> None:
    assert not company.fetch("SELECT 1 FROM payslips WHERE finalised AND nett_pay <= 0")


def test_levels_of_calculations_are_shown(company: Company) -> None:
    of_client = company.fetch("SELECT 1 FROM calculations WHERE employee_id IS NULL AND profile_id IS NULL")
    of_profile = company.fetch("SELECT 1 FROM calculations WHERE profile_id IS NOT NULL")
    mapped = company.fetch("SELECT count(*) FROM profile_mappings")[0][0]
    with_hours = company.fetch("SELECT count(*) FROM inherited_calculations")[0][0]
    assert of_client
    assert of_profile
    assert 0 < mapped < EMPLOYEES
    assert with_hours == 2


def test_every_run_has_a_journal_that_balances(company: Company) -> None:
    for run in runs(company):
        journal = company.run(read_journal(company.tenant, run["id"])).journal_json
        debit, credit = (_sum(journal[side]) for side in ("debit", "credit"))
        assert debit == credit > 0


def _sum(postings: Any) -> Decimal:
    return sum((Decimal(bytes(amount).decode()) for one in postings for amount in one["amount"].values()), Decimal(0))


def test_no_run_is_beyond_the_months_that_the_law_covers(company: Company) -> None:
    async def facts() -> Any:
        async with company.tenant.transaction() as tx:
            return await waves(tx, company.client_id)

    known = company.run(facts())
    covered = law().holidays.covered_until
    assert max(paid(known, TODAY, covered))[0] == LAST_DAY
    assert max(paid(known, date(2030, 5, 1), covered))[0] <= covered.last_day
