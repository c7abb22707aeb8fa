"""The demo: an account with a plausible company, the same for the same seed and day."""

import contextlib
from collections.abc import AsyncIterator

import msgspec

from gaji.accounts import service as accounts
from gaji.db.tenancy import Tenant, open_pool
from gaji.demo.company import Reporter, ensure_company
from gaji.errors import Conflict
from gaji.installation import Installation

__all__ = ["EMPLOYEES", "Demo", "demo"]

PASSWORD = "kopi-o-kosong-{seed}"  # noqa: S105 - of a demo account, printed for whoever asks
EMPLOYEES = 25
"""How many the demo has unless more are asked for: enough for the most telling cases."""


class Demo(msgspec.Struct):
    """What one needs to use the demo."""

    base_path: str
    api_key: str
    client_id: int
    email: str
    password: str


async def demo(
    installation: Installation, seed: int, employees: int = EMPLOYEES, report: Reporter = lambda _: None
) -> Demo:
    """The demo of this seed with a fresh API key; its company is made unless it is there, and kept if it is."""
    email = f"demo{seed}@gaji.example"
    password = PASSWORD.format(seed=seed)
    async with _alone(installation, email):
        with contextlib.suppress(Conflict):
            await accounts.create_account(installation.database, f"Demo {seed}", email, password)
        client_id = await _company(installation, email, seed, employees, report)
    key = await accounts.create_key(installation.database, installation.vault, email, name="Demo")
    return Demo("/v1", key, client_id, email, password)


async def _company(installation: Installation, email: str, seed: int, employees: int, report: Reporter) -> int:
    caller = await accounts.find_user(installation.database, email)
    pool = await open_pool(installation.database.as_application("gaji demo"))
    try:
        return await ensure_company(Tenant(pool, installation.vault, caller, actor="demo"), seed, employees, report)
    finally:
        await pool.close()


@contextlib.asynccontextmanager
async def _alone(installation: Installation, email: str) -> AsyncIterator[None]:
    """Let only one command at a time make the demo of a seed: two would make two companies."""
    async with installation.database.owner_connection() as connection:
        await connection.execute("SELECT pg_advisory_lock(hashtext('gaji demo'), hashtext($1))", email)
        yield
