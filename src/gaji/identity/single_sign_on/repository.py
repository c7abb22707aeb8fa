"""Settings and identities of single sign-on. The application's access is through database functions."""

from collections.abc import Sequence
from datetime import datetime, timedelta

import asyncpg

from gaji.db.tenancy import Transaction


async def load_settings(tx: Transaction) -> asyncpg.Record | None:
    """Return the settings of the caller's account, if there are any and the caller is an administrator."""
    return await tx.fetchrow(
        "SELECT account_id, sign_in_key, issuer, oauth_client, client_secret_sealed, email_domains, enabled, "
        "required_of, is_tried FROM single_sign_on_settings()"
    )


async def create_settings(tx: Transaction, sign_in_key: str) -> bool:
    """Make empty settings, if there are none. Return False if the caller is not an administrator."""
    return bool(await tx.fetchval("SELECT create_single_sign_on($1)", sign_in_key))


async def save_settings(
    tx: Transaction,
    issuer: str,
    oauth_client: str,
    secret_sealed: bytes,
    is_new_secret: bool,
    email_domains: Sequence[str],
    enabled: bool,
) -> bool:
    """Save the settings. Return False if the caller may not."""
    arguments = issuer, oauth_client, secret_sealed, is_new_secret, email_domains, enabled
    return bool(await tx.fetchval("SELECT save_single_sign_on($1, $2, $3, $4, $5, $6)", *arguments))


async def require(tx: Transaction, required_of: str) -> bool:
    """Require single sign-on of users and end their other sessions. Return False if the caller may not."""
    return bool(await tx.fetchval("SELECT require_single_sign_on($1)", required_of))


async def is_offered(connection: asyncpg.Connection) -> bool:
    """Return whether an account of this installation has single sign-on."""
    return bool(await connection.fetchval("SELECT offers_single_sign_on()"))


async def find_provider(connection: asyncpg.Connection, sign_in_key: str) -> asyncpg.Record | None:
    """Return the provider behind a sign-in address."""
    return await connection.fetchrow(
        "SELECT account_id, account_name, issuer, oauth_client, client_secret_sealed, email_domains "
        "FROM single_sign_on_of($1)",
        sign_in_key,
    )


async def use_state(connection: asyncpg.Connection, state_hash: bytes, lifetime: timedelta) -> bool:
    """Note that a sign-in came back from the provider. Return False if it did so before."""
    return bool(await connection.fetchval("SELECT use_sign_in_state($1, $2)", state_hash, lifetime))


async def identify(
    connection: asyncpg.Connection,
    account_id: int,
    issuer: str,
    subject: str,
    email: str,
    name: str,
) -> asyncpg.Record:
    """Return the user who is a person of the provider. Someone who is invited becomes a user of this account."""
    query = "SELECT outcome, user_id FROM identify_single_sign_on($1, $2, $3, $4, $5)"
    return await connection.fetchrow(query, account_id, issuer, subject, email, name)


async def insert_session(
    connection: asyncpg.Connection,
    user_id: int,
    token_hash: bytes,
    lifetime: timedelta,
    address: bytes,
    proved_at: datetime,
) -> None:
    """Create a session of a user who last proved at the provider who they are at `proved_at`.

    Remove the last attempt from the address.
    """
    arguments = user_id, token_hash, lifetime, address, proved_at
    await connection.execute("SELECT begin_single_sign_on_session($1, $2, $3, $4, $5)", *arguments)


async def lift_requirement(connection: asyncpg.Connection, account_id: int) -> bool:
    """Let all users of an account sign in with passwords, on a maintenance connection. False if they could before."""
    changed = await connection.fetchval(
        "UPDATE single_sign_on SET required_of = 'nobody', updated_at = now() "
        "WHERE id = $1 AND required_of <> 'nobody' RETURNING id",
        account_id,
    )
    return changed is not None


async def delete_identities(connection: asyncpg.Connection, user_id: int) -> bool:
    """Forget which person of the provider a user is, on a maintenance connection. False if it was not known."""
    rows = await connection.fetch("DELETE FROM single_sign_on_identities WHERE user_id = $1 RETURNING id", user_id)
    return bool(rows)
