"""What can be asked about oneself."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from gaji.db.tenancy import JoinedTransactions, Tenant, Transaction
from gaji.people.employees.names import full_name
from gaji.people.self_service import store
from gaji.people.self_service.access import seeing_client


@dataclass(frozen=True)
class Job:
    """An employee that the caller is: one for each company that pays them."""

    employee_id: int
    client_id: int
    number: str
    name: str


@dataclass(frozen=True)
class Standing:
    """What the caller is here."""

    jobs: Sequence[Job]
    works_with_clients: bool

    @property
    def only_employee(self) -> bool:
        """Whether there is nothing here for the caller but their own."""
        return bool(self.jobs) and not self.works_with_clients


async def standing(tenant: Tenant) -> Standing:
    """What the caller is here."""
    async with tenant.reading() as tx:
        own, works_with_clients = await store.own_ids(tx)
        rows = await store.records(tx, own) if own else []
    jobs = [Job(row["id"], row["client_id"], row["number"], full_name(*row[3:])) for row in rows]
    return Standing(jobs, works_with_clients)


@asynccontextmanager
async def as_the_company_sees(tenant: Tenant, job: Job) -> AsyncIterator[Transaction]:
    """A block in which the tenant reads the caller's own record as the company does.

    What one is told of oneself has names that only the company sees: of its pay point, its pay frequency, its fields.
    """
    async with JoinedTransactions(tenant) as tx, seeing_client(tx, job.client_id):
        yield tx


async def company_name(tenant: Tenant, job: Job) -> str:
    """What the company that pays is called."""
    async with as_the_company_sees(tenant, job) as tx:
        return await store.client_name(tx, job.client_id)
