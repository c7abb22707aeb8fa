"""What can be asked about oneself."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from gaji.db.tenancy import JoinedTransactions, Tenant, Transaction
from gaji.people.employees.display_name import full_name
from gaji.people.self_service import repository
from gaji.people.self_service.access import client_view


@dataclass(frozen=True)
class Employment:
    """An employee that the caller is: one for each company that pays them."""

    employee_id: int
    client_id: int
    number: str
    name: str


@dataclass(frozen=True)
class EmployeeAccess:
    """What the caller is here."""

    employments: Sequence[Employment]
    has_clients: bool

    @property
    def is_employee_only(self) -> bool:
        """Whether there is nothing here for the caller but their own."""
        return bool(self.employments) and not self.has_clients


async def load_employee_access(tenant: Tenant) -> EmployeeAccess:
    """What the caller is here."""
    async with tenant.reading() as tx:
        own, works_with_clients = await repository.own_ids(tx)
        rows = await repository.records(tx, own) if own else []
    jobs = [Employment(row["id"], row["client_id"], row["number"], full_name(*row[3:])) for row in rows]
    return EmployeeAccess(jobs, works_with_clients)


@asynccontextmanager
async def company_view(tenant: Tenant, job: Employment) -> AsyncIterator[Transaction]:
    """A block in which the tenant reads the caller's own record as the company does.

    What one is told of oneself has names that only the company sees: of its pay point, its pay frequency, its fields.
    """
    async with JoinedTransactions(tenant) as tx, client_view(tx, job.client_id):
        yield tx


async def load_company_name(tenant: Tenant, job: Employment) -> str:
    """What the company that pays is called."""
    async with company_view(tenant, job) as tx:
        return await repository.client_name(tx, job.client_id)
