"""Row-level security of approvals for employees, without the program above it."""

import asyncio

import asyncpg
import pytest

from gaji.db.tenancy import Tenant, open_pool
from gaji.identity.service import find_user
from tests.approvals.second_person import TwoPeople, two_people
from tests.console.console_user import signed_in_user
from tests.console.test_change_requests import ADDRESS, request_change
from tests.payroll.payment_runs.runs import hired
from tests.support.running import Member

INSERT = """INSERT INTO approvals (client_id, kind, employee_id, details_sealed, fingerprint, status, requested_by)
    VALUES ($1, $2, $3, '', '', $4, $5)"""
SET_STATUS = "UPDATE approvals SET status = $2 WHERE id = $1 RETURNING id"


@pytest.fixture
def people(account: Member) -> TwoPeople:
    """A company that requires approval."""
    return two_people(account)


@pytest.fixture
def employee(people: TwoPeople) -> Member:
    """The employee, who has no other role."""
    return people.owner.colleague(people.company.id, "employee", people.employee_id)


def run_as(member: Member, query: str, *arguments: object) -> list[int]:
    """Run a statement as the application for a user. Return the IDs."""

    async def run() -> list[int]:
        pool = await open_pool(member.service.database.as_application("test"), size=1)
        try:
            caller = await find_user(member.service.database, member.email)
            async with Tenant(pool, member.service.vault, caller).transaction() as tx:
                return [row["id"] for row in await tx.fetch(query, *arguments)]
        finally:
            await pool.close()

    return asyncio.run(run())


def own_request(people: TwoPeople, employee: Member) -> int:
    """Request a change as the employee. Return the approval."""
    request_change(signed_in_user(employee), people.employee_id, ADDRESS)
    [approval] = [item for item in people.approvals(status="pending") if item["kind"] == "employee_details"]
    return int(approval["id"])


def test_employees_see_their_own_requests_only(people: TwoPeople, employee: Member) -> None:
    other_id = hired(people.company, first_name="Wei Jie")
    other = people.owner.colleague(people.company.id, "employee", other_id)
    about_the_employee = people.request_change()
    own = own_request(people, employee)
    assert run_as(employee, "SELECT id FROM approvals") == [own]
    assert run_as(other, "SELECT id FROM approvals") == []
    assert run_as(people.officer, "SELECT id FROM approvals ORDER BY id") == [about_the_employee, own]


def test_employees_insert_their_own_pending_requests_only(people: TwoPeople, employee: Member) -> None:
    other_id = hired(people.company, first_name="Wei Jie")
    own_id, company_id, user_id = people.employee_id, people.company.id, employee.user_id
    for values in (
        ("employee_details", other_id, "pending", user_id),
        ("employee_bank_account", own_id, "pending", user_id),
        ("client_bank_account", None, "pending", user_id),
        ("approval_settings", None, "pending", user_id),
        ("employee_details", own_id, "cancelled", user_id),
        ("employee_details", own_id, "pending", people.owner.user_id),
    ):
        with pytest.raises(asyncpg.InsufficientPrivilegeError, match="row-level security"):
            run_as(employee, INSERT, company_id, *values)
    assert people.approvals() == []
    run_as(employee, INSERT, company_id, "employee_details", own_id, "pending", user_id)
    assert len(run_as(employee, "SELECT id FROM approvals")) == 1


def test_employees_only_cancel_their_own_pending_requests(people: TwoPeople, employee: Member) -> None:
    other_id = hired(people.company, first_name="Wei Jie")
    other = people.owner.colleague(people.company.id, "employee", other_id)
    about_the_employee = people.request_change()
    own = own_request(people, employee)
    approve = "UPDATE approvals SET status = $2, decided_by = requested_by + 1 WHERE id = $1 RETURNING id"
    for status in ("approved", "rejected"):
        with pytest.raises(asyncpg.InsufficientPrivilegeError, match="row-level security"):
            run_as(employee, approve, own, status)
    for query in (
        "UPDATE approvals SET fingerprint = $2 WHERE id = $1 RETURNING id",
        "UPDATE approvals SET employee_id = $2::text::bigint, status = 'cancelled' WHERE id = $1 RETURNING id",
        "UPDATE approvals SET kind = 'employee_bank_account', status = $2 WHERE id = $1 RETURNING id",
    ):
        with pytest.raises(asyncpg.InsufficientPrivilegeError, match="row-level security"):
            run_as(employee, query, own, "cancelled" if "kind" in query else str(other_id))
    assert run_as(employee, SET_STATUS, about_the_employee, "cancelled") == []
    assert run_as(other, SET_STATUS, own, "cancelled") == []
    assert run_as(employee, "DELETE FROM approvals WHERE id = $1 RETURNING id", own) == []
    assert {item["status"] for item in people.approvals()} == {"pending"}
    assert run_as(employee, SET_STATUS, own, "cancelled") == [own]
    assert run_as(employee, SET_STATUS, own, "outdated") == []
