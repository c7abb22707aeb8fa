"""Two years of the demo's payroll: payslips can be recalculated, and runs can be reopened."""

import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

import msgspec
import pytest

from gaji.core.settings import Settings
from gaji.payroll.payment_runs import service as payment_runs
from gaji.payroll.payment_runs.finalise import finalise_run, unfinalise_run
from gaji.payroll.payslips.replay import recompute_lines
from gaji.reports.registry import get_report
from gaji.reports.service import run_report
from gaji.tabular import JSON
from tests.demo.demo_company import DemoCompany, create_demo_company

pytestmark = pytest.mark.slow

MONTHS = 24
LAST_INCREASE = "Progressive Wage Credit, last year's increase"
STORED_COLUMNS = (
    "id, employee_id, payment_run_id, date, nett_pay, lines::text, inputs::jsonb::text, moved, carried, attention, "
    "remarks"
)


@pytest.fixture(scope="module")
def company(settings: Settings) -> Iterator[DemoCompany]:
    with create_demo_company(settings, 3, 25, MONTHS) as demo_company:
        yield demo_company


def finalised(company: DemoCompany) -> list[Any]:
    return company.fetch(f"SELECT {STORED_COLUMNS} FROM payslips WHERE finalised ORDER BY id")


def test_two_years_are_finalised(company: DemoCompany) -> None:
    months = {(payslip["date"].year, payslip["date"].month) for payslip in finalised(company)}
    assert len(months) == MONTHS


def test_payslips_can_be_recalculated_from_their_stored_inputs(company: DemoCompany) -> None:
    payslips, tenant = finalised(company), company.tenant

    async def again() -> list[str]:
        async with tenant.transaction() as tx:
            return [await recompute_lines(tx, payslip["id"]) for payslip in payslips]

    recomputed = company.run(again())
    assert [msgspec.json.decode(lines) for lines in recomputed] == [
        msgspec.json.decode(payslip["lines"]) for payslip in payslips
    ]


def test_loans_are_repaid_exactly(company: DemoCompany) -> None:
    taken = company.fetch(
        "SELECT p.employee_id, (c.inputs ->> 'balance')::numeric * 100 AS owed, "
        "sum((p.moved ->> c.type)::bigint) AS moved FROM payslips p "
        "JOIN calculations c ON c.employee_id = p.employee_id AND c.payslip_id IS NULL "
        "WHERE p.finalised AND c.type IN ('loan', 'garnishee') AND p.moved ? c.type GROUP BY 1, 2"
    )
    assert taken
    assert all(row["moved"] <= row["owed"] for row in taken)
    assert any(row["moved"] == row["owed"] for row in taken)


def test_unfinalising_and_finalising_the_last_runs_changes_nothing(company: DemoCompany) -> None:
    before = finalised(company)
    latest = company.fetch("SELECT DISTINCT ON (wave_id) id FROM payment_runs ORDER BY wave_id, period_end_date DESC")
    run_ids = [run["id"] for run in latest]
    for run_id in run_ids:
        company.run(payment_runs.mark_not_paid(company.tenant, run_id))
        company.run(unfinalise_run(company.tenant, run_id))
    assert len(finalised(company)) < len(before)
    for run_id in run_ids:
        company.run(finalise_run(company.tenant, run_id))
    assert finalised(company) == before


def test_wage_offsets_equal_an_independent_sum(company: DemoCompany) -> None:
    """The rules of 2026 again, written by hand, over the sums of the payslips."""
    with_average = employees_with_an_average_of_2024(company)
    rows = [
        row for row in offset_rows(company) if row["Scheme"] != LAST_INCREASE or row["employee"] not in with_average
    ]
    expected = {
        key: amount
        for key, amount in expected_offsets(company)
        if key[2] != LAST_INCREASE or key[0] not in with_average
    }
    assert {(row["employee"], row["Month"], row["Scheme"]): row["Estimate"] for row in rows} == expected
    assert len(rows) == len(expected)
    # Nobody in the demo has a raise that the Progressive Wage Credit pays for.
    assert {row["Estimate"] for row in rows if row["Scheme"] == "Progressive Wage Credit"} == {0, None}
    for scheme in ("Senior Employment Credit", "CPF Transition Offset"):
        total = sum(row["Estimate"] or 0 for row in rows if row["Scheme"] == scheme)
        assert total == sum(amount or 0 for (_, _, name), amount in expected.items() if name == scheme)
        assert total > 0, scheme


def offset_rows(company: DemoCompany) -> list[dict[str, Any]]:
    """The rows of the report for 2026, with exact amounts."""
    report = get_report("employee_tax_incentive")
    made = company.run(run_report(company.tenant, company.client_id, report, {"year": 2026}, JSON))
    with made.file as file:
        file.seek(0)
        rows: list[dict[str, Any]] = json.loads(file.read(), parse_float=Decimal)
    return rows


def month_totals(company: DemoCompany, employee_id: int) -> dict[tuple[int, int], Counter[str]]:
    """The wages and contributions of an employee by calendar month. A week that spans two months has a part of both."""
    totals: dict[tuple[int, int], Counter[str]] = defaultdict(Counter)
    for payslip in company.fetch("SELECT * FROM payslips WHERE finalised AND employee_id = $1", employee_id):
        part, day = json.loads(payslip["previous_month"] or "{}"), payslip["date"]
        before = day.replace(day=1) - timedelta(days=1)
        for name in ("ordinary", "additional", "cpf_employee", "cpf_employer"):
            totals[day.year, day.month][name] += payslip[name] - part.get(name, 0)
            totals[before.year, before.month][name] += part.get(name, 0)
    return totals


def employees_with_an_average_of_2024(company: DemoCompany) -> set[str]:
    """The numbers of employees with three months of 2024, whose last increase is not computed by hand.

    Their first week has days of the month before the demo starts.
    """
    numbers = set()
    for employee in company.fetch("SELECT * FROM employees"):
        totals = month_totals(company, employee["id"])
        if len([month for month in totals if month[0] == 2024 and totals[month]["cpf_employer"] > 0]) >= 3:
            numbers.add(employee["number"])
    return numbers


def expected_offsets(company: DemoCompany) -> Iterator[tuple[tuple[str, str, str], Decimal | None]]:
    """Yield number, month and scheme with the amount."""
    for employee in company.fetch("SELECT * FROM employees"):
        paid: dict[int, dict[int, tuple[Decimal, Decimal]]] = {2024: {}, 2025: {}, 2026: {}}
        for (year, number), totals in month_totals(company, employee["id"]).items():
            if totals["cpf_employee"] + totals["cpf_employer"] > 0:
                paid[year][number] = (Decimal(totals["ordinary"]) / 100, Decimal(totals["additional"]) / 100)
        averages = {
            year: Fraction(sum(sum(wages) for wages in months.values())) / len(months) if months else Fraction(0)
            for year, months in paid.items()
        }
        for month, (ordinary, additional) in paid[2026].items():
            amounts = {
                **progressive_wage_credit(averages, len(paid[2025]), len(paid[2026])),
                **senior_employment_credit(employee, month, ordinary + additional),
                **cpf_transition_offset(employee, month, ordinary, additional),
            }
            for scheme, amount in amounts.items():
                yield (employee["number"], f"2026-{month:02d}", scheme), amount


def progressive_wage_credit(averages: dict[int, Fraction], last: int, now: int) -> dict[str, Decimal | None]:
    increase = averages[2026] - averages[2025]
    ends_above = averages[2026] >= 3000
    if last < 3:
        return {} if ends_above else {"Progressive Wage Credit": None}
    offsets: dict[str, Decimal | None] = {}
    if averages[2025] < 3000:
        offsets["Progressive Wage Credit"] = Decimal(0)
        if now >= 3 and increase >= 100:
            offsets["Progressive Wage Credit"] = None if ends_above else half_up(increase * 30 / 100)
        if not ends_above:
            offsets[LAST_INCREASE] = None
    return offsets


def senior_employment_credit(employee: Any, month: int, wage: Decimal) -> dict[str, Decimal | None]:
    born = employee["birthdate"]
    if employee["legal_status"] != "CITIZEN" or (employee["citizenship_date"] or born) > date(2026, month, 28):
        return {}
    age_before = 2026 - born.year - (month <= born.month and (month, 1) != (born.month, born.day))
    age_after = 2026 - born.year - (month < born.month)
    percent_before, percent = (
        7 if age >= 69 else 4 if age >= 65 else 2 if age >= 60 else 0 for age in (age_before, age_after)
    )
    if not percent:
        return {}
    if wage >= 4000:
        return {"Senior Employment Credit": Decimal(0)}
    is_known = percent_before == percent and wage <= 3000
    return {"Senior Employment Credit": half_up(Fraction(wage) * percent / 100) if is_known else None}


def cpf_transition_offset(
    employee: Any, month: int, ordinary: Decimal, additional: Decimal
) -> dict[str, Decimal | None]:
    born, pr_date = employee["birthdate"], employee["pr_date"]
    is_citizen = employee["legal_status"] == "CITIZEN" and not employee["citizenship_date"]
    age_months = (2026 - born.year) * 12 + month - born.month
    if not 55 * 12 < age_months <= 65 * 12:
        return {}
    is_new = not is_citizen and (2026 - pr_date.year) * 12 + month - pr_date.month <= 24
    amounts = [half_up(Fraction(min(wage, Decimal(8000))) / 400) for wage in (ordinary, ordinary + additional)]
    return {"CPF Transition Offset": None if is_new or amounts[0] != amounts[1] else amounts[0]}


def half_up(amount: Fraction) -> Decimal:
    return Decimal(math.floor(amount * 100 + Fraction(1, 2))) / 100
