"""The settings of single sign-on: administrators set it up and require it, and operators lift the requirement."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gaji.core.error_codes import NOT_ALLOWED, REQUIRED
from gaji.core.errors import Conflict, Forbidden, invalid
from gaji.core.vault import SealedCell
from gaji.db.database import Database
from gaji.db.tenancy import Tenant, Transaction
from gaji.identity import service as accounts
from gaji.identity.single_sign_on import repository
from gaji.identity.single_sign_on.provider import ProviderClient, ProviderError
from gaji.identity.single_sign_on.schemas import ISSUER_NOT_USABLE, REQUIRED_OF, SINGLE_SIGN_ON, SingleSignOnInput

NOT_ADMINISTRATOR = "Only an administrator of the account can do this"


@dataclass(frozen=True)
class SingleSignOnSettings:
    """The settings of an account, as its administrators see them. The client secret is never shown."""

    account_id: int
    sign_in_key: str
    issuer: str | None
    oauth_client: str | None
    client_secret_sealed: bytes | None
    email_domains: Sequence[str]
    enabled: bool
    required_of: str
    """`nobody`, `staff` (all but users whose only role is employee) or `everyone`."""
    is_tried: bool
    """Whether the caller has signed in with this provider."""

    @property
    def sign_in_path(self) -> str:
        """The path of the address at which users begin."""
        return f"/sso/{self.sign_in_key}"

    @property
    def callback_path(self) -> str:
        """The path of the redirect URI."""
        return f"/sso/{self.sign_in_key}/callback"


async def find_settings(tenant: Tenant) -> SingleSignOnSettings | None:
    """Return the settings of the caller's account, if it has any. Raises Forbidden."""
    _require_administrator(tenant)
    async with tenant.read_only() as tx:
        return await _find(tx)


async def create_settings(tenant: Tenant) -> None:
    """Begin to set up single sign-on: the account gets its addresses."""
    async with tenant.transaction() as tx:
        if not await repository.create_settings(tx, secrets.token_urlsafe(16)):
            raise Forbidden(NOT_ADMINISTRATOR)


async def update_settings(tenant: Tenant, client: ProviderClient, body: Mapping[str, Any]) -> None:
    """Save the settings. With another provider, single sign-on is no longer required.

    Raises ValidationError if it is turned on and the provider does not answer as it should.
    """
    _require_administrator(tenant)
    entered = SINGLE_SIGN_ON.parse_create(body).data
    if entered.enabled:
        await _try_provider(client, entered.issuer)
    async with tenant.transaction() as tx:
        settings = await _require_settings(tx)
        sealed = _sealed_secret(tx, settings, entered)
        arguments = entered.issuer, entered.oauth_client, sealed, bool(entered.client_secret)
        if not await repository.save_settings(tx, *arguments, entered.domains, entered.enabled):
            raise Forbidden(NOT_ADMINISTRATOR)


async def require_for_users(tenant: Tenant, required_of: str) -> None:
    """Require single sign-on of some users, or of nobody. Their other sessions end.

    Raises Conflict if the caller has not signed in with it.
    """
    if required_of not in REQUIRED_OF:
        raise invalid("required_of", NOT_ALLOWED, allowed=REQUIRED_OF)
    async with tenant.transaction() as tx:
        settings = await _require_settings(tx)
        if required_of != "nobody" and not (settings.enabled and settings.is_tried):
            raise Conflict("Sign in with single sign-on yourself first, so that nobody is locked out")
        if not await repository.require(tx, required_of):
            raise Forbidden(NOT_ADMINISTRATOR)


async def lift_requirement(database: Database, email: str, account_id: int | None = None) -> None:
    """Let the users of a user's account sign in with passwords again, as the operator."""
    user = await accounts.find_user(database, email, account_id)
    async with database.maintenance() as connection:
        if not await repository.lift_requirement(connection, user.account_id):
            raise Conflict(f"The account of {email} does not require single sign-on")


async def unlink_user(database: Database, email: str, account_id: int | None = None) -> None:
    """Forget which person of the provider a user is, as the operator. The next sign-in links them again."""
    user = await accounts.find_user(database, email, account_id)
    async with database.maintenance() as connection:
        if not await repository.delete_identities(connection, user.user_id):
            raise Conflict(f"{email} has not signed in with single sign-on")


def secret_cell(account_id: int) -> SealedCell:
    """Return the cell that the client secret of an account is sealed for."""
    return SealedCell(0, "single_sign_on", account_id, "client_secret_sealed")


async def _try_provider(client: ProviderClient, issuer: str) -> None:
    try:
        await client.load_metadata(issuer, fresh=True)
    except ProviderError as error:
        raise invalid("issuer", ISSUER_NOT_USABLE, reason=str(error)) from None


def _sealed_secret(tx: Transaction, settings: SingleSignOnSettings, entered: SingleSignOnInput) -> bytes:
    if entered.client_secret:
        return tx.vault.seal(entered.client_secret, secret_cell(settings.account_id))
    if settings.client_secret_sealed is None or settings.issuer != entered.issuer:
        # The secret of one provider must not be sent to another one.
        raise invalid("client_secret", REQUIRED)
    return settings.client_secret_sealed


async def _find(tx: Transaction) -> SingleSignOnSettings | None:
    row = await repository.load_settings(tx)
    return SingleSignOnSettings(**row) if row else None


async def _require_settings(tx: Transaction) -> SingleSignOnSettings:
    settings = await _find(tx)
    if settings is None:
        raise Forbidden(NOT_ADMINISTRATOR)
    return settings


def _require_administrator(tenant: Tenant) -> None:
    if not tenant.caller.administrator:
        raise Forbidden(NOT_ADMINISTRATOR)
