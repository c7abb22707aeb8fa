"""Access events: sign-ins, failed ones, passwords set with a link, keys at new addresses, downloads, reads of
identifiers, and identifiers that were tried."""

from dataclasses import dataclass
from datetime import datetime

from gaji.core.errors import Forbidden
from gaji.db.json_lists import Filters, ListPage
from gaji.db.pool import Pool
from gaji.db.tenancy import Tenant, pooled_connection
from gaji.identity import access_event_repository as repository
from gaji.identity.user_agents import MAX_LENGTH, device_name
from gaji.mail import outbox

SIGN_IN = "sign_in"
SIGN_IN_FAILED = "sign_in_failed"
PASSWORD_RESET = "password_reset"  # noqa: S105 - a kind of event
NEW_ADDRESS = "new_address"
DOWNLOAD = "download"
IDENTIFIERS = "identifiers"
PASSKEY_REFUSED = "passkey_refused"
CONFIRMATION_FAILED = "confirmation_failed"
EMAIL_CHANGED = "email_changed"
IDENTIFIER_TAKEN = "identifier_taken"
BY_SINGLE_SIGN_ON = "single_sign_on"
"""The path of a sign-in at the provider of the account."""
KINDS = (
    *(SIGN_IN, SIGN_IN_FAILED, PASSWORD_RESET, NEW_ADDRESS, DOWNLOAD, IDENTIFIERS),
    *(PASSKEY_REFUSED, CONFIRMATION_FAILED, EMAIL_CHANGED, IDENTIFIER_TAKEN),
)


@dataclass(frozen=True)
class AccessSource:
    """Where a request came from."""

    address: str
    user_agent: str


@dataclass(frozen=True)
class AccessEvent:
    """What a user did from one place on one day."""

    kind: str
    user_id: int | None
    user_name: str
    key_name: str | None
    path: str
    """What was downloaded, whose identifiers were read, how the user signed in, or why single sign-on failed."""
    address: str
    user_agent: str
    count: int
    last_at: datetime

    @property
    def device_name(self) -> str:
        """The browser and the system, or the program."""
        return device_name(self.user_agent) if self.key_name is None else self.user_agent or "Unknown program"


async def record_event(
    pool: Pool, user_id: int, kind: str, source: AccessSource, *, key_id: int | None = None, path: str = ""
) -> None:
    """Record an event of a user."""
    async with pooled_connection(pool) as connection:
        await repository.record(connection, user_id, None, key_id, kind, path, source.address, _printable_agent(source))


async def report_new_device(pool: Pool, user_id: int, source: AccessSource) -> None:
    """Tell a user by mail that they signed in on a device that is not known."""
    detail = f"{device_name(source.user_agent)}, IP address {source.address}"
    async with pooled_connection(pool) as connection:
        await outbox.queue_security_notice(connection, user_id, outbox.SecurityNotice.NEW_DEVICE, detail)


async def record_refused_identifiers(
    pool: Pool, user_id: int, key_id: int, count: int, path: str, source: AccessSource
) -> None:
    """Count identifiers that a key sent and that records at a path have, and record the event."""
    async with pooled_connection(pool) as connection:
        arguments = user_id, key_id, count, path, source.address, _printable_agent(source)
        await repository.record_refused_identifiers(connection, *arguments)


async def record_failed_sign_in(pool: Pool, email: str, source: AccessSource) -> None:
    """Record a failed attempt to sign in as a user. Nothing is recorded if no user has the email."""
    if email.isascii() and email.isprintable():
        async with pooled_connection(pool) as connection:
            arguments = None, email.strip(), None, SIGN_IN_FAILED, "", source.address, _printable_agent(source)
            await repository.record(connection, *arguments)


async def record_failed_single_sign_on(
    pool: Pool, account_id: int, user_id: int | None, reason: str, source: AccessSource
) -> None:
    """Record a single sign-on that failed, of a user or of someone who is not known."""
    path = f"{BY_SINGLE_SIGN_ON}: {''.join(filter(str.isprintable, reason))}"[:MAX_LENGTH]
    async with pooled_connection(pool) as connection:
        arguments = account_id, user_id, path, source.address, _printable_agent(source)
        await repository.record_failed_single_sign_on(connection, *arguments)


async def list_events(tenant: Tenant, page: ListPage) -> tuple[list[AccessEvent], bool]:
    """Return a page of events, newest first, and whether there are more.

    Administrators see those of the account, owners those of the members of their companies, and others their own.
    """
    async with tenant.read_only() as tx:
        rows = await repository.list_events(tx, page)
    return [AccessEvent(**row) for row in rows[: page.size]], len(rows) > page.size


async def list_json_events(tenant: Tenant, filters: Filters, page: ListPage) -> tuple[list[str], int]:
    """Return a page of events as JSON, newest first, and their total number.

    Administrators see those of the account, and owners those of the members of their companies. With a key that is
    limited to some clients, administrators have only the rights of owners. Raises Forbidden for others.
    """
    async with tenant.read_only() as tx:
        if not (tx.caller.administers_account or await repository.is_owner(tx)):
            raise Forbidden("Only owners can read access events")
        return await repository.list_json_events(tx, filters, page)


def _printable_agent(source: AccessSource) -> str:
    """Return the user agent as it is stored. PostgreSQL rejects NUL."""
    return "".join(filter(str.isprintable, source.user_agent))[:MAX_LENGTH]
