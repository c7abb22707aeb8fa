"""Logo use cases."""

from gaji.company.clients.service import require_client
from gaji.company.logos import repository
from gaji.company.logos.checks import check_printable
from gaji.company.logos.rules import LogoImage, parse_logo
from gaji.core.errors import NotFound
from gaji.db.tenancy import Tenant
from gaji.identity.roles import require_writer


async def read_logo(tenant: Tenant, client_id: int) -> LogoImage:
    """Return the logo of a client, or raise NotFound if it has none."""
    async with tenant.read_only() as tx:
        await require_client(tx, client_id)
        logo = await repository.load_logo(tx, client_id)
    if logo is None:
        raise NotFound("This client has no logo")
    return logo


async def check_logo(tenant: Tenant, client_id: int, content: bytes) -> LogoImage:
    """Return a logo that can be printed. Raises ValidationError.

    Printing can take seconds, so this happens outside of a transaction.
    """
    async with tenant.read_only() as tx:
        await require_writer(tx, client_id)
    logo = parse_logo(content)
    await check_printable(tenant.caller.account_id, logo)
    return logo


async def replace_logo(tenant: Tenant, client_id: int, logo: LogoImage) -> None:
    """Replace the logo of a client with one that was checked."""
    async with tenant.transaction() as tx:
        await require_writer(tx, client_id)
        await repository.lock_logo(tx, client_id)
        await repository.replace_logo(tx, client_id, logo)


async def delete_logo(tenant: Tenant, client_id: int) -> None:
    """Delete the logo of a client."""
    async with tenant.transaction() as tx:
        await require_writer(tx, client_id)
        await repository.delete_logo(tx, client_id)
