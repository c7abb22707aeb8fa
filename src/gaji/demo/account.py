"""The account of a demo: its company, user and API key."""

import contextlib
from collections.abc import AsyncIterator

import msgspec

import gaji.wiring  # noqa: F401 - connects the layers
from gaji.core.errors import Conflict, NotFound
from gaji.db.installation import Installation
from gaji.db.tenancy import Tenant, open_pool
from gaji.demo.company import ensure_company
from gaji.demo.create_employees import BATCH_SIZE, count_employees, create_employees
from gaji.demo.payroll import run_payroll
from gaji.demo.progress import Progress
from gaji.demo.size import DEFAULT_EMPLOYEES, DEFAULT_MONTHS
from gaji.identity import service as accounts

EMAIL = "demo{seed}@gaji.example"


class Demo(msgspec.Struct):
    """The credentials of a demo."""

    base_path: str
    api_key: str
    client_id: int
    email: str
    password: str = ""
    """Empty if it is not known: only its hash is stored."""


async def create_demo(
    installation: Installation,
    seed: int,
    employees: int = DEFAULT_EMPLOYEES,
    months: int = DEFAULT_MONTHS,
    progress: Progress | None = None,
) -> Demo:
    """Return the demo of a seed with a new password and a new API key. Its company is created unless it exists."""
    email, database = EMAIL.format(seed=seed), installation.database
    async with _lock(installation, email):
        with contextlib.suppress(Conflict):
            await accounts.create_account(database, f"Demo {seed}", email)
        client_id = await _create_company(installation, email, seed, employees, months, progress or Progress())
        password = await accounts.set_password(database, email, installation.settings.demo_password)
        key = await accounts.create_key(database, installation.vault, email, name="Demo")
    return Demo("/v1", key, client_id, email, password)


async def is_unfinished(installation: Installation, seed: int) -> bool:
    """Return whether the creation of a demo was interrupted. Its API key is created last."""
    try:
        return not await accounts.list_keys(installation.database, EMAIL.format(seed=seed))
    except NotFound:
        return False


async def _create_company(
    installation: Installation, email: str, seed: int, employees: int, months: int, progress: Progress
) -> int:
    async def analyse() -> None:
        """Update the planner's statistics, which otherwise assume empty tables."""
        async with installation.database.owner_connection() as connection:
            await connection.execute("ANALYZE")

    async with _open_tenant(installation, email) as tenant:
        client_id = await ensure_company(tenant, seed, months)
    async with _open_tenant(installation, email) as tenant:
        if not await is_unfinished(installation, seed):
            progress.report_existing(await count_employees(tenant, client_id))
            return client_id
        await create_employees(tenant, client_id, seed, employees, progress, analyse)
        if employees > BATCH_SIZE:
            await analyse()
        await run_payroll(tenant, client_id, seed, progress)
    return client_id


@contextlib.asynccontextmanager
async def _open_tenant(installation: Installation, email: str) -> AsyncIterator[Tenant]:
    """Open a tenant for the demo's user with its current access. Creating a company changes the access."""
    caller = await accounts.find_user(installation.database, email)
    pool = await open_pool(installation.database.for_transactions("gaji demo"), installation.settings.connections)
    try:
        yield Tenant(pool, installation.vault, caller, actor="demo")
    finally:
        await pool.close()


@contextlib.asynccontextmanager
async def _lock(installation: Installation, email: str) -> AsyncIterator[None]:
    """Lock the demo of a seed, so that two commands at once do not create two companies."""
    async with installation.database.owner_connection() as connection:
        await connection.execute("SELECT pg_advisory_lock(hashtext('gaji demo'), hashtext($1))", email)
        yield
