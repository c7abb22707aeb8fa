"""The demo: an account with a plausible company, the same for the same seed and day."""

import contextlib
from collections.abc import AsyncIterator

import msgspec

import gaji.wiring  # noqa: F401 - connects the layers
from gaji.core.errors import Conflict, NotFound
from gaji.db.installation import Installation
from gaji.db.tenancy import Tenant, open_pool
from gaji.demo.company import ensure_company
from gaji.demo.create_employees import AT_ONCE, count, hire
from gaji.demo.payroll import pay_everyone
from gaji.demo.progress import Progress
from gaji.identity import service as accounts

__all__ = ["EMPLOYEES", "MONTHS", "Demo", "Progress", "demo", "is_unfinished"]

EMAIL = "demo{seed}@gaji.example"
PASSWORD = "kopi-o-kosong-{seed}"  # noqa: S105 - of a demo account, printed for whoever asks
EMPLOYEES = 25
"""How many the demo has unless more are asked for: enough for the most telling cases."""
MONTHS = 3
"""So many months are paid unless others are asked for: enough to compare, and made in seconds."""


class Demo(msgspec.Struct):
    """What one needs to use the demo."""

    base_path: str
    api_key: str
    client_id: int
    email: str
    password: str


async def demo(
    installation: Installation,
    seed: int,
    employees: int = EMPLOYEES,
    months: int = MONTHS,
    progress: Progress | None = None,
) -> Demo:
    """The demo of this seed with a fresh API key; its company is made unless it is there, and kept if it is."""
    email = EMAIL.format(seed=seed)
    password = PASSWORD.format(seed=seed)
    async with _alone(installation, email):
        with contextlib.suppress(Conflict):
            await accounts.create_account(installation.database, f"Demo {seed}", email, password)
        client_id = await _company(installation, email, seed, employees, months, progress or Progress())
        key = await accounts.create_key(installation.database, installation.vault, email, name="Demo")
    return Demo("/v1", key, client_id, email, password)


async def is_unfinished(installation: Installation, seed: int) -> bool:
    """Whether the demo of this seed was begun and not finished: a key is made when all is done."""
    try:
        return not await accounts.list_keys(installation.database, EMAIL.format(seed=seed))
    except NotFound:
        return False


async def _company(
    installation: Installation, email: str, seed: int, employees: int, months: int, progress: Progress
) -> int:
    async def analyse() -> None:
        """Let the database see what its tables hold now: it would go on planning for empty ones."""
        async with installation.database.owner_connection() as connection:
            await connection.execute("ANALYZE")

    async with _tenant(installation, email) as tenant:
        client_id = await ensure_company(tenant, seed, months)
    async with _tenant(installation, email) as tenant:
        if not await is_unfinished(installation, seed):
            progress.found(await count(tenant, client_id))
            return client_id
        await hire(tenant, client_id, seed, employees, progress, analyse)
        if employees > AT_ONCE:
            await analyse()
        await pay_everyone(tenant, client_id, seed, progress)
    return client_id


@contextlib.asynccontextmanager
async def _tenant(installation: Installation, email: str) -> AsyncIterator[Tenant]:
    """The demo's user as it is now; making a company gives it another role."""
    caller = await accounts.find_user(installation.database, email)
    pool = await open_pool(installation.database.as_application("gaji demo"))
    try:
        yield Tenant(pool, installation.vault, caller, actor="demo")
    finally:
        await pool.close()


@contextlib.asynccontextmanager
async def _alone(installation: Installation, email: str) -> AsyncIterator[None]:
    """Let only one command at a time make the demo of a seed: two would make two companies."""
    async with installation.database.owner_connection() as connection:
        await connection.execute("SELECT pg_advisory_lock(hashtext('gaji demo'), hashtext($1))", email)
        yield
