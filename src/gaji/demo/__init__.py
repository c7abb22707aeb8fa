"""The demo: an account with a plausible company, the same for the same seed and day."""

import contextlib

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
    with contextlib.suppress(Conflict):
        await accounts.create_account(installation.database, f"Demo {seed}", email, password)
    caller = await accounts.find_user(installation.database, email)
    pool = await open_pool(installation.database.as_application("gaji demo"))
    try:
        tenant = Tenant(pool, installation.vault, caller, actor="demo")
        client_id = await ensure_company(tenant, seed, employees, report)
    finally:
        await pool.close()
    key = await accounts.create_key(installation.database, installation.vault, email, name="Demo")
    return Demo("/v1", key, client_id, email, password)
