"""The register of a pay run is read with the same plan whatever PostgreSQL expects of the client."""

from typing import Any

from gaji.db.json_lists import ListPage
from gaji.db.tenancy import Tenant, open_pool
from gaji.identity.service import find_user
from gaji.payroll.payslips.repository import pay_register
from gaji.payroll.payslips.repository.pay_register import RegisterSelection
from tests.payroll.payment_runs.runs import hired, opened
from tests.support.company import Company
from tests.support.running import Service

NESTED_LOOPS = "SHOW enable_nestloop"


def test_the_register_is_read_without_nested_loops(service: Service) -> None:
    company = Company.of(service.new_account())
    hired(company)
    run_id = opened(company)

    async def load() -> tuple[list[str], str]:
        pool = await open_pool(service.database.as_application("test"))
        try:
            tenant = Tenant(pool, service.vault, await find_user(service.database, company.member.email))
            async with tenant.snapshot() as tx:
                settings: list[str] = []
                fetch = tx.fetch

                async def record(query: str, *arguments: Any) -> Any:
                    settings.append(await tx.fetchval(NESTED_LOOPS))
                    return await fetch(query, *arguments)

                tx.fetch = record
                selection = RegisterSelection(company.id, run_id, company.wave_id, None, 0, False, True)
                await pay_register.load_page(tx, selection, ListPage(1, 50))
                return settings, await tx.fetchval(NESTED_LOOPS)
        finally:
            await pool.close()

    assert service.runner.run(load()) == (["off"], "on")
