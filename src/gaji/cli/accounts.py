"""`gaji account`."""

import asyncio
import sys
from typing import Annotated

import typer

from gaji.cli.options import AccountId, ExistingUser, installation, out
from gaji.identity import service as accounts
from gaji.identity.single_sign_on import service as single_sign_on

app = typer.Typer(no_args_is_help=True, help="Manage accounts.")


@app.command("create")
def create_account(
    name: Annotated[str, typer.Option(help="Name of the account.")],
    email: Annotated[str, typer.Option(help="Email of its first user.")],
    password: Annotated[
        str | None,
        typer.Option(help="Password. Prompted for if omitted, or generated if there is no terminal."),
    ] = None,
    existing_user: ExistingUser = False,
) -> None:
    """Create an account with its first user."""
    if existing_user:
        with installation() as opened:
            account_id = asyncio.run(accounts.create_account_for_person(opened.database, name, email))
        out.print(f"Account {account_id} was created. {email} signs in as before and switches accounts in the menu.")
        return
    if password is None and sys.stdin.isatty():
        password = typer.prompt(
            "Password (leave empty to generate one)",
            default="",
            show_default=False,
            hide_input=True,
            confirmation_prompt=True,
        )
    with installation() as opened:
        account = asyncio.run(accounts.create_account(opened.database, name, email, password or None))
    out.print(f"Account {account.account_id} was created. Sign in as {account.email}.")
    if not password:
        out.print(f"Password: {account.password}")


@app.command("sso-optional")
def lift_sso_requirement(
    email: Annotated[str, typer.Option(help="Email of a user of the account.")],
    account: AccountId = None,
) -> None:
    """Accept passwords in an account that requires single sign-on, for example because its provider fails."""
    with installation() as opened:
        asyncio.run(single_sign_on.lift_requirement(opened.database, email, account))
    out.print(f"Users of the account of {email} can sign in with passwords again.")
