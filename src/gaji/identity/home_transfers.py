"""Transfers of a sign-in: if a home user is deleted, a linked user of the person becomes the home user."""

import asyncpg

from gaji.core.vault import Vault
from gaji.identity import repository
from gaji.identity.second_factor import sealed_cell


async def transfer_home(connection: asyncpg.Connection, vault: Vault, user_id: int) -> None:
    """Move the password and the second factors of a user to a linked one, if there is any.

    Sessions in the other accounts go on. The authenticator app and the passkeys continue to work.
    """
    row = await repository.find_home_successor(connection, user_id)
    if row is None:
        return
    secret = row["secret_sealed"]
    if secret is not None:
        secret = vault.seal(vault.open_bytes(secret, sealed_cell(user_id)), sealed_cell(row["user_id"]))
    await repository.transfer_home(connection, user_id, row["user_id"], secret)
