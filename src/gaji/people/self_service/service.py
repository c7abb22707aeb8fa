"""Self-service use cases."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from gaji.db.tenancy import JoinedTransactions, Tenant, Transaction
from gaji.people.employees.display_name import full_name
from gaji.people.self_service import repository
from gaji.people.self_service.access import client_view


@dataclass(frozen=True)
class Employment:
    """An employee record of the caller. There is one for each company that pays the caller."""

    employee_id: int
    client_id: int
    number: str
    name: str


@dataclass(frozen=True)
class EmployeeAccess:
    """The caller's employee records, and whether the caller also works with clients."""

    employments: Sequence[Employment]
    has_clients: bool

    @property
    def is_employee_only(self) -> bool:
        """Whether the caller can see nothing but their own records."""
        return bool(self.employments) and not self.has_clients


async def load_employee_access(tenant: Tenant) -> EmployeeAccess:
    """Load the caller's employee records."""
    async with tenant.read_only() as tx:
        employee_ids, has_clients = await repository.load_caller_access(tx)
        rows = await repository.load_employments(tx, employee_ids) if employee_ids else []
    employments = [
        Employment(
            row["id"],
            row["client_id"],
            row["number"],
            full_name(row["first_name"], row["last_name"], row["name_format"]),
        )
        for row in rows
    ]
    return EmployeeAccess(employments, has_clients)


@asynccontextmanager
async def company_view(tenant: Tenant, employment: Employment) -> AsyncIterator[Transaction]:
    """Join the tenant's transactions in the block and let them see all records of the company.

    An employee's record refers to records that only the company sees, such as pay points, waves and custom fields.
    """
    async with JoinedTransactions(tenant) as tx, client_view(tx, employment.client_id):
        yield tx


async def load_company_name(tenant: Tenant, employment: Employment) -> str:
    """Load the name of the company that pays the caller."""
    async with company_view(tenant, employment) as tx:
        return await repository.load_client_name(tx, employment.client_id)
