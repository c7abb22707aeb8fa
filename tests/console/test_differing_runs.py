"""Limits of the comparisons of pay runs and CPF files with what is recorded now."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

import pytest

from gaji.company.clients.service import ClientMembership
from gaji.console import differing_runs
from gaji.console.company_list import load_statuses
from gaji.db.tenancy import Tenant, open_pool
from gaji.documents.filings import changed_months
from gaji.documents.filings.changed_months import ChangedMonth
from gaji.documents.filings.overdue import load_recent_months
from gaji.identity.service import find_user
from gaji.law.months import Month
from gaji.payroll.payment_runs import correction_runs
from tests.leave.people import leave_types
from tests.payroll.payment_runs.runs import JANUARY, done, hired, paid
from tests.payroll.payment_runs.test_corrections import change_salary
from tests.support.company import Company
from tests.support.running import Member, created

T = TypeVar("T")


def run_as(member: Member, work: Callable[[Tenant], Awaitable[T]]) -> T:
    """Run a use case for a user in this process."""

    async def run() -> T:
        pool = await open_pool(member.service.database.as_application("test"), size=1)
        try:
            caller = await find_user(member.service.database, member.email)
            return await work(Tenant(pool, member.service.vault, caller))
        finally:
            await pool.close()

    return asyncio.run(run())


def test_the_companies_with_the_latest_changes_are_compared(account: Member, monkeypatch: pytest.MonkeyPatch) -> None:
    companies = [Company.of(account, name=name) for name in ("Tampines Bakery", "Yishun Clinic")]
    memberships = [ClientMembership(company.id, "", "owner") for company in companies]
    for company in companies:
        employee_id = hired(company, "3000.00")
        paid(company, JANUARY)
        change_salary(company, employee_id, "3300.00")
    first_id, second_id = (company.id for company in companies)

    def compared() -> set[int]:
        return set(run_as(account, lambda tenant: differing_runs.load_differing_runs(tenant, memberships)))

    assert compared() == {first_id, second_id}
    monkeypatch.setattr(differing_runs, "MAX_COMPARED_COMPANIES", 1)
    assert compared() == {second_id}
    statuses = run_as(account, lambda tenant: load_statuses(tenant, memberships, compare=False))
    assert not any(status.differing_runs for status in statuses)


def test_the_employees_with_the_latest_changes_are_compared(account: Member, monkeypatch: pytest.MonkeyPatch) -> None:
    company = Company.of(account)
    memberships = [ClientMembership(company.id, "", "owner")]
    raised_id, absent_id = hired(company, "3000.00"), hired(company, "3000.00")
    paid(company, JANUARY)
    monkeypatch.setattr(correction_runs, "SYNCHRONOUS_CHUNK", 1)

    def compared() -> tuple[set[int], bool]:
        differing = run_as(account, lambda tenant: differing_runs.load_differing_runs(tenant, memberships))
        [(_, unpaid)] = differing[company.id]
        return set(unpaid.employee_ids), unpaid.has_more

    change_salary(company, raised_id, "3300.00")
    assert compared() == ({raised_id}, False)
    unpaid_leave = {"type_id": leave_types(account, company.id)["unpaid_leave"], "date": "2026-01-14"}
    created(account.post(f"/employees/{absent_id}/leave_days?late=true", unpaid_leave))
    assert compared() == ({absent_id}, True)


def test_months_beyond_the_limit_count_as_changed(account: Member, monkeypatch: pytest.MonkeyPatch) -> None:
    company = Company.of(account, cpf_submission_number="202699999EPTE01")
    hired(company, "3000.00")
    run_id = paid(company, JANUARY)
    assert account.get(f"/clients/{company.id}/filings/2026-01/cpf").status_code == 200
    done(company, run_id, "unfinalise")
    done(company, run_id, "finalise")

    async def load(tenant: Tenant) -> dict[int, list[ChangedMonth]]:
        async with tenant.read_only() as tx:
            return await changed_months.load_changed_months(tx, await load_recent_months(tx, [company.id]))

    assert run_as(account, load) == {}
    monkeypatch.setattr(changed_months, "MAX_COMPARED_MONTHS", 0)
    assert run_as(account, load) == {company.id: [ChangedMonth(Month(2026, 1), has_new=True)]}
