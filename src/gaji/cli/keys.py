"""`gaji key`."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Annotated

import typer
from rich.table import Table

from gaji.cli.options import AccountId, UserEmail, installation, out
from gaji.core.field_types import MAX_ID
from gaji.identity import service as accounts

app = typer.Typer(no_args_is_help=True, help="Manage the API keys of a user.")


@app.command("create")
def create_key(
    email: UserEmail,
    client: Annotated[
        list[int] | None, typer.Option(help="Limit the key to this client. Can be repeated.", min=1, max=MAX_ID)
    ] = None,
    read_only: Annotated[bool, typer.Option("--read-only", help="The key can only read.")] = False,
    hide_identifiers: Annotated[
        bool, typer.Option("--hide-identifiers", help="NRIC, FIN and account numbers are masked.")
    ] = False,
    expires_in_days: Annotated[int | None, typer.Option(help="Days until the key expires.", min=1)] = None,
    name: Annotated[str, typer.Option(help="Purpose of the key.")] = "API key",
    account: AccountId = None,
) -> None:
    """Create an API key and print it. It is not shown again."""
    expires_at = datetime.now(UTC) + timedelta(days=expires_in_days) if expires_in_days else None
    with installation() as opened:
        key = asyncio.run(
            accounts.create_key(
                opened.database,
                opened.vault,
                email,
                name=name,
                client_ids=client or (),
                read_only=read_only,
                hide_identifiers=hide_identifiers,
                expires_at=expires_at,
                account_id=account,
            )
        )
    print(key)


@app.command("list")
def list_keys(email: UserEmail, account: AccountId = None) -> None:
    """List the API keys of a user."""
    with installation() as opened:
        keys = asyncio.run(accounts.list_keys(opened.database, email, account))
    table = Table("id", "name", "ends in", "clients", "access", "last used", "state")
    for key in keys:
        state = "revoked" if key.revoked_at else f"until {key.expires_at:%Y-%m-%d}" if key.expires_at else "active"
        table.add_row(
            str(key.id),
            key.name,
            key.hint,
            ", ".join(map(str, key.client_ids)) or "all",
            "read" if key.read_only else "read and write",
            f"{key.last_used_at:%Y-%m-%d %H:%M}" if key.last_used_at else "never",
            state,
        )
    out.print(table)


@app.command("revoke")
def revoke_key(
    key_id: Annotated[int, typer.Argument(help="ID of the key, from `gaji key list`.", min=1, max=MAX_ID)],
) -> None:
    """Revoke an API key."""
    with installation() as opened:
        asyncio.run(accounts.revoke_key(opened.database, key_id))
    out.print(f"API key {key_id} has been revoked.")
