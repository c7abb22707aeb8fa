"""The demo: an account with a plausible company, the same for the same seed."""

import contextlib
from typing import Any

import msgspec

from gaji.accounts import service as accounts
from gaji.clients import service as clients
from gaji.db.tenancy import Tenant, open_pool
from gaji.errors import Conflict
from gaji.installation import Installation
from gaji.pay_points import service as pay_points

PASSWORD = "kopi-o-kosong-{seed}"  # noqa: S105 - of a demo account, printed for whoever asks


class Demo(msgspec.Struct):
    """What one needs to use the demo."""

    base_path: str
    api_key: str
    client_id: int
    email: str
    password: str


COMPANIES = ("Kopi Trading", "Merlion Logistics", "Rain Tree Clinics", "Tembusu Foods", "Raffles Precision")
PLACES = (
    {"name": "Head office", "physical_address": {"unit_no": "#08-15", "st_name": "10 Ubi Crescent"}},
    {"name": "Warehouse", "physical_address": {"unit_no": "#01-03", "st_name": "7 Pioneer Sector 1"}},
    {"name": "Orchard outlet", "physical_address": {"unit_no": "#B1-22", "st_name": "2 Orchard Turn"}},
)


async def demo(installation: Installation, seed: int) -> Demo:
    """The demo of this seed, made unless it is there, with a fresh API key."""
    email = f"demo{seed}@gaji.example"
    password = PASSWORD.format(seed=seed)
    with contextlib.suppress(Conflict):
        await accounts.create_account(installation.database, f"Demo {seed}", email, password)
    caller = await accounts.find_user(installation.database, email)
    pool = await open_pool(installation.database.as_application("gaji demo"))
    try:
        client_id = await _company(Tenant(pool, installation.vault, caller, actor="demo"), seed)
    finally:
        await pool.close()
    key = await accounts.create_key(installation.database, installation.vault, email, name="Demo")
    return Demo("/v1", key, client_id, email, password)


async def _company(tenant: Tenant, seed: int) -> int:
    existing, _ = await clients.list_clients(tenant, None)
    if existing:
        return int(msgspec.json.decode(existing[0])["id"])
    client_id, _ = await clients.create_client(tenant, _client(seed))
    for place in PLACES:
        await pay_points.create_pay_point(tenant, client_id, place)
    return client_id


def _client(seed: int) -> dict[str, Any]:
    name = f"{COMPANIES[seed % len(COMPANIES)]} Pte Ltd"
    return {
        "name": name,
        "physical_address": {
            "unit_no": "#08-15",
            "complex": "Ubi Techpark",
            "st_name": "10 Ubi Crescent",
            "postal_code": "408564",
        },
        "uen": "202699999E",
        "cpf_submission_number": "202699999EPTE01",
        "bank_account": {
            "bank_id": 7171,
            "account_number": f"{seed % 10**10:010d}",
            "branch_code": "005",
            "account_name": name,
            "company_id": "DEMO01",
        },
    }
