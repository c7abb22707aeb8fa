"""Two years of the demo's payroll, run by run: each payslip can be told again, and finalising can be taken back."""

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from gaji.core.settings import Settings
from gaji.payroll.payment_runs.finalise import finalise_run, unfinalise_run
from gaji.payroll.payslips.replay import replay
from tests.demo.made import Company, made_company

MONTHS = 24
KEPT = "id, employee_id, payment_run_id, date, nett_pay, lines::text, inputs::text, moved, carried, attention, remarks"


@pytest.fixture(scope="module")
def company(settings: Settings) -> Iterator[Company]:
    with made_company(settings, 3, 25, MONTHS) as made:
        yield made


def finalised(company: Company) -> list[Any]:
    return company.fetch(f"SELECT {KEPT} FROM payslips WHERE finalised ORDER BY id")


def test_there_are_two_years_of_it(company: Company) -> None:
    months = {(payslip["date"].year, payslip["date"].month) for payslip in finalised(company)}
    assert len(months) == MONTHS


def test_every_payslip_is_the_same_when_it_is_calculated_again_from_what_is_kept(company: Company) -> None:
    payslips = finalised(company)

    async def again() -> list[str]:
        async with company.tenant.transaction() as tx:
            return [await replay(tx, payslip["id"]) for payslip in payslips]

    told = company.run(again())
    assert [msgspec.json.decode(one) for one in told] == [msgspec.json.decode(one["lines"]) for one in payslips]


def test_loans_are_paid_back_to_the_cent_and_no_further(company: Company) -> None:
    taken = company.fetch(
        "SELECT p.employee_id, (c.inputs ->> 'balance')::numeric * 100 AS owed, "
        "sum((p.moved ->> c.type)::bigint) AS moved FROM payslips p "
        "JOIN calculations c ON c.employee_id = p.employee_id AND c.payslip_id IS NULL "
        "WHERE p.finalised AND c.type IN ('loan', 'garnishee') AND p.moved ? c.type GROUP BY 1, 2"
    )
    assert taken
    assert all(one["moved"] <= one["owed"] for one in taken)
    assert any(one["moved"] == one["owed"] for one in taken)


def test_to_unfinalise_the_last_runs_and_finalise_them_again_changes_nothing(company: Company) -> None:
    before = finalised(company)
    latest = company.fetch("SELECT DISTINCT ON (wave_id) id FROM payment_runs ORDER BY wave_id, period_end_date DESC")
    run_ids = [run["id"] for run in latest]
    for run_id in run_ids:
        company.run(unfinalise_run(company.tenant, run_id))
    assert len(finalised(company)) < len(before)
    for run_id in run_ids:
        company.run(finalise_run(company.tenant, run_id))
    assert finalised(company) == before
