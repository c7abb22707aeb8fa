"""Two years of the demo's payroll: payslips can be recalculated, and runs can be reopened."""

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from gaji.core.settings import Settings
from gaji.payroll.payment_runs.finalise import finalise_run, unfinalise_run
from gaji.payroll.payslips.replay import recompute_lines
from tests.demo.demo_company import DemoCompany, create_demo_company

MONTHS = 24
STORED_COLUMNS = (
    "id, employee_id, payment_run_id, date, nett_pay, lines::text, inputs::text, moved, carried, attention, remarks"
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
    payslips = finalised(company)

    async def again() -> list[str]:
        async with company.tenant.transaction() as tx:
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
        company.run(unfinalise_run(company.tenant, run_id))
    assert len(finalised(company)) < len(before)
    for run_id in run_ids:
        company.run(finalise_run(company.tenant, run_id))
    assert finalised(company) == before
