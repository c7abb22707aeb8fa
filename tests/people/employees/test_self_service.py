"""The role employee: reads its own records and no others, and requests leave."""

from collections.abc import Mapping
from typing import Any

import asyncpg
import pytest

from gaji.app import OPERATIONS
from gaji.people.employees.repository import EMPLOYER_MARKS
from gaji.web.operations import Operation
from tests.support.case_tables import for_every
from tests.support.problems import assert_problem
from tests.support.running import Member, Service
from tests.web.every_operation import MARK, TABLE, Foreign, path, sent, tenant_with_records, title

pytestmark = pytest.mark.slow

# The reads of the employee's own record.
OWN = {
    "GET /me",
    "GET /employees/{employee_id}",
    "GET /employees/{employee_id}/personal_data",
    "GET /employees/{employee_id}/personal_data.pdf",
    "GET /employees/{employee_id}/service_periods",
    "GET /employees/{employee_id}/take_on_balances",
    "GET /employees/{employee_id}/inherited_calculations",
    "GET /inherited_calculations/{inherited_id}",
    "GET /employees/{employee_id}/accounting_splits",
    "GET /employees/{employee_id}/payslips",
    "GET /employees/{employee_id}/children",
    "GET /employees/{employee_id}/statutory_leave",
    "GET /employees/{employee_id}/benefits_in_kind",
    "GET /employees/{employee_id}/share_gains",
    "GET /employees/{employee_id}/leave_days",
    "POST /employees/{employee_id}/leave_requests/preview",
    "GET /employees/{employee_id}/leave_adjustments",
    "GET /employees/{employee_id}/leave_requests",
    "GET /employees/{employee_id}/medical_certificates",
    "GET /medical_certificates/{medical_certificate_id}",
    "GET /employees/{employee_id}/leave_balances",
    "GET /employees/{employee_id}/leave_movements",
    "GET /employees/{employee_id}/tax_certificates",
    "GET /tax_certificates/{tax_certificate_id}",
}
# Writes of records that the employee can see and others change, and what is not shown of such records.
OWN_RECORDS = {
    "PATCH /children/{child_id}",
    "DELETE /children/{child_id}",
    "PATCH /leave_days/{leave_day_id}",
    "DELETE /leave_days/{leave_day_id}",
    "PATCH /benefits_in_kind/{benefit_id}",
    "DELETE /benefits_in_kind/{benefit_id}",
    "PATCH /share_gains/{share_gain_id}",
    "DELETE /share_gains/{share_gain_id}",
    "PATCH /leave_adjustments/{adjustment_id}",
    "DELETE /leave_adjustments/{adjustment_id}",
    "DELETE /medical_certificates/{medical_certificate_id}",
    "GET /leave_requests/{request_id}/clashes",
    "POST /leave_requests/{request_id}/approve",
    "POST /leave_requests/{request_id}/decline",
    "POST /tax_certificates/{tax_certificate_id}/release",
    "GET /tax_certificates/{tax_certificate_id}/explanation",
    "GET /tax_certificates/{tax_certificate_id}/preview",
}
# The only writes that are allowed.
REQUESTING_LEAVE = "POST /employees/{employee_id}/leave_requests"
OWN_WRITES = (
    REQUESTING_LEAVE,
    "POST /leave_requests/{request_id}/cancel",
    "POST /leave_requests/{request_id}/withdraw",
    "POST /leave_requests/{request_id}/medical_certificates",
    "POST /leave_days/{leave_day_id}/medical_certificates",
)
# Records that are being prepared for the employee are not readable. The message of each error.
NOT_CALCULATIONS = "Employees can read their own record but not their calculations"
NOT_HOW_CALCULATED = "Employees can read their own certificates but not how they were calculated"
READ_ONLY = "Employees can read their own record but cannot change it"
IN_PREPARATION = {
    "GET /employees/{employee_id}/calculations": NOT_CALCULATIONS,
    "GET /employees/{employee_id}/calculation_history": NOT_CALCULATIONS,
    "GET /employees/{employee_id}/profile_mappings": NOT_CALCULATIONS,
    "GET /employees/{employee_id}/retro_proposals": (
        "Employees can read their own payslips but not proposals about them"
    ),
    "GET /employees/{employee_id}/ir21.pdf": (
        "Employees can read their own record but not drafts for the tax authority"
    ),
    "GET /employees/{employee_id}/erasure": "Employees can read their own record but not from when it can be erased",
    "GET /employees/{employee_id}/withheld_payments": (
        "Employees can read their own payslips but not what is withheld from them"
    ),
    "GET /leave_requests/{request_id}/clashes": (
        "Employees can read their own leave requests but not the leave of others"
    ),
    "GET /tax_certificates/{tax_certificate_id}/explanation": NOT_HOW_CALCULATED,
    "GET /tax_certificates/{tax_certificate_id}/preview": NOT_HOW_CALCULATED,
}
every_operation = for_every("operation", OPERATIONS, title)


@pytest.fixture(scope="module")
def account(service: Service) -> Member:
    """An account whose records no test of this module changes."""
    return service.new_account()


@pytest.fixture(scope="module")
def ids(account: Member) -> dict[str, int]:
    """The records of the account."""
    return tenant_with_records(account)


@pytest.fixture(scope="module")
def users(account: Member, ids: dict[str, int]) -> dict[int, Member]:
    """A user for each employee whose records no test of this module changes, by the employee's ID."""
    employee_ids = [employee_id for name, employee_id in ids.items() if name.endswith("employee_id")]
    return {employee_id: someone(account, ids, employee_id) for employee_id in employee_ids}


def someone(account: Member, ids: Mapping[str, int], employee_id: int) -> Member:
    """Return a new user who is this employee."""
    return account.colleague(ids["client_id"], "employee", employee_id)


def call(member: Member, operation: Operation, ids: Mapping[str, int]) -> Any:
    return member.call(operation.method, path(operation, ids), **sent(operation, ids))


def test_it_works(account: Member, ids: dict[str, int]) -> None:
    employee_id = ids["employee_id"]
    employee = someone(account, ids, employee_id)
    for where in (
        f"/employees/{employee_id}/service_periods",
        f"/employees/{employee_id}/take_on_balances",
    ):
        assert employee.get(where).json() == account.get(where).json()
    own, full = (user.get(f"/employees/{employee_id}").json()["employee"] for user in (employee, account))
    assert own == {**full, **dict.fromkeys(EMPLOYER_MARKS)}
    assert own["nric"] == "S1234567D"


@for_every("operation", [operation for operation in OPERATIONS if title(operation) not in OWN_WRITES], title)
def test_it_can_read_but_not_change_its_own_record(
    account: Member, ids: dict[str, int], users: dict[int, Member], operation: Operation
) -> None:
    row = TABLE[title(operation)]
    employee = users[ids[row.instead.get("employee_id", "employee_id")]]
    before = account.service.fingerprint()
    answer = call(employee, operation, ids)
    if title(operation) in OWN or row.foreign is Foreign.SHARED:
        assert answer.status_code == 200
    elif "{employee_id}" in operation.path or title(operation) in OWN_RECORDS:
        message = assert_problem(answer, 403)["message"]
        assert message == IN_PREPARATION.get(title(operation), READ_ONLY)
    elif title(operation) in ("GET /clients", "GET /events", "GET /webhook_endpoints"):
        assert answer.json() == []
    else:
        forbidden = ("POST /clients", "POST /webhook_endpoints", "GET /access_events", "GET /audit_log")
        assert_problem(answer, 403 if title(operation) in forbidden else 404)
    assert account.service.fingerprint() == before


def test_it_requests_leave_and_nothing_else_changes(service: Service) -> None:
    account = service.new_account()
    ids = tenant_with_records(account)
    employee = someone(account, ids, ids["employee_id"])
    for operation in [operation for operation in OPERATIONS if title(operation) in OWN_WRITES]:
        before = service.fingerprint()
        answer = call(employee, operation, ids)
        assert answer.status_code == 200
        after = service.fingerprint()
        table = "medical_certificates" if "medical_certificates" in operation.path else "leave_requests"
        changed = {name for name in after if after[name] != before[name]}
        assert changed - {"events", "last_changes"} == {table, "audit_log"}


@every_operation
def test_it_cannot_see_other_records(
    account: Member, ids: dict[str, int], users: dict[int, Member], operation: Operation
) -> None:
    row = TABLE[title(operation)]
    used = row.instead.get("employee_id", "employee_id")
    employee = next(user for employee_id, user in users.items() if employee_id != ids[used])
    before = account.service.fingerprint()
    answer = call(employee, operation, ids)
    assert MARK not in answer.text
    if row.foreign is Foreign.NOT_FOUND:
        assert_problem(answer, 404)
    assert account.service.fingerprint() == before


def test_the_policy_in_the_database_holds_for_every_table_of_employees(account: Member, ids: dict[str, int]) -> None:
    employee_id = ids["employee_id"]
    employee = someone(account, ids, employee_id)
    [user] = account.service.as_owner(
        "SELECT u.id, a.version FROM users u JOIN user_access a ON a.user_id = u.id WHERE u.email = $1", employee.email
    )
    tables = (
        *("employees", "service_periods", "wave_periods", "take_on_balances", "inherited_calculations"),
        *("leave_days", "leave_adjustments", "leave_requests", "tax_certificates", "benefits_in_kind", "share_gains"),
        *("children", "medical_certificates"),
    )
    columns = ["id" if table == "employees" else "employee_id" for table in tables]
    seen = " UNION ".join(
        f"SELECT '{table}' AS name, {column} AS employee FROM {table}"
        for table, column in zip(tables, columns, strict=True)
    )

    async def look() -> list[Any]:
        connection = await asyncpg.connect(**account.service.database.as_application("test"))
        try:
            async with connection.transaction():
                await connection.execute(f"SELECT enter({user['id']}, {user['version']}, NULL, '', 'test')")
                rows: list[Any] = await connection.fetch(seen)
                return rows
        finally:
            await connection.close()

    rows = account.service.runner.run(look())
    assert sorted((row["name"], row["employee"]) for row in rows) == sorted((table, employee_id) for table in tables)


def test_a_key_of_an_employee_that_hides_identifiers_hides_its_own(account: Member, ids: dict[str, int]) -> None:
    employee = someone(account, ids, ids["employee_id"]).with_another_key(hide_identifiers=True)
    assert employee.get(f"/employees/{ids['employee_id']}").json()["employee"]["nric"] == "*****567D"


def test_an_employee_of_one_client_can_be_an_officer_of_another(account: Member, ids: dict[str, int]) -> None:
    employee = someone(account, ids, ids["employee_id"])
    other = tenant_with_records(account)
    account.service.as_owner(
        "INSERT INTO memberships (client_id, user_id, role) SELECT $1, id, 'payroll' FROM users WHERE email = $2",
        other["client_id"],
        employee.email,
    )
    employees = f"/clients/{other['client_id']}/employees"
    assert employee.get(employees).json() == account.get(employees).json() != []
    assert employee.patch(f"/employees/{other['employee_id']}", {"first_name": "x"}).status_code == 200
    assert employee.get(f"/employees/{ids['employee_id']}").status_code == 200
    assert_problem(employee.patch(f"/employees/{ids['employee_id']}", {"first_name": "x"}), 403)
    assert_problem(employee.get(f"/employees/{ids['left_employee_id']}"), 404)
    assert_problem(employee.get(f"/clients/{ids['client_id']}/employees"), 404)
