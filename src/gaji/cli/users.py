"""`gaji user`."""

import asyncio
import sys
from typing import Annotated

import typer

from gaji.cli.options import AccountId, ExistingUser, OneAccountId, UserEmail, installation, out
from gaji.core.field_types import MAX_ID
from gaji.db.installation import Installation
from gaji.identity import email_changes, password_resets, second_factor, user_administration
from gaji.identity import service as accounts
from gaji.identity.single_sign_on import service as single_sign_on

app = typer.Typer(no_args_is_help=True, help="Manage the users of an account and their roles.")


@app.command("create")
def create_user(
    email: Annotated[str, typer.Option(help="Email of the new user.")],
    by: Annotated[str, typer.Option(help="Email of an existing user of the account.")],
    name: Annotated[str, typer.Option(help="Name of the new user.")] = "",
    account: AccountId = None,
    existing_user: ExistingUser = False,
) -> None:
    """Add a user to an account, with a generated password. Set roles with `gaji user role`."""
    with installation() as opened:
        if existing_user:
            user_id = asyncio.run(accounts.link_person(opened.database, by, email, account))
            out.print(f"User {user_id} was created. {email} signs in as before and switches accounts in the menu.")
            return
        user = asyncio.run(accounts.create_user(opened.database, by, email, name, account_id=account))
    out.print(f"User {user.user_id} was created. Sign in as {user.email}.")
    out.print(f"Password: {user.password}")


@app.command("role")
def set_role(
    email: UserEmail,
    client: Annotated[int, typer.Option(help="ID of the client.", min=1, max=MAX_ID)],
    role: Annotated[str, typer.Option(help="owner, payroll, viewer, employee, or none to remove the role.")],
    employee: Annotated[
        int | None, typer.Option(help="Employee ID of the user. Required for the role employee.", min=1, max=MAX_ID)
    ] = None,
) -> None:
    """Set or remove the role of a user for a client."""
    with installation() as opened:
        asyncio.run(accounts.set_role(opened.database, email, client, role, employee))
    out.print(f"{email} now has the role {role} for client {client}.")


@app.command("two-steps-off")
def turn_two_steps_off(
    email: Annotated[str, typer.Option(help="Email of the user who lost their phone and recovery codes.")],
) -> None:
    """Turn off two-step sign-in for a user. All their sessions end."""
    with installation() as opened:
        asyncio.run(second_factor.reset_second_factor(opened.database, email))
    out.print(f"Two-step sign-in is off for {email}, who can now sign in with the password and turn it on again.")


@app.command("reset-link")
def create_reset_link(email: UserEmail) -> None:
    """Create a link with which a user sets a new password. It works once, within a day."""
    with installation() as opened:
        token = asyncio.run(password_resets.create_reset_as_operator(opened.database, email))
    print(f"{opened.settings.public_url}/reset-password?token={token}")
    if not opened.settings.public_url:
        print("Put the address of this site before it, or set GAJI_PUBLIC_URL.", file=sys.stderr)


@app.command("change-email")
def change_email(email: UserEmail, new: Annotated[str, typer.Option(help="The new email.")]) -> None:
    """Change the email of a user at once, without confirmation. Their sessions and links end."""
    with installation() as opened:
        asyncio.run(email_changes.change_as_operator(opened.database, email, new))
    out.print(f"{email} now signs in as {new}.")


@app.command("unlink-sso")
def unlink_sso(email: UserEmail, account: AccountId = None) -> None:
    """Forget which person of the identity provider a user is. The next single sign-on links them again."""
    with installation() as opened:
        asyncio.run(single_sign_on.unlink_user(opened.database, email, account))
    out.print(f"{email} is linked again at the next single sign-on.")


@app.command("unlock")
def unlock_user(email: UserEmail) -> None:
    """Forget the failed attempts to sign in as a user, who can then try again at once."""
    with installation() as opened:
        asyncio.run(user_administration.unlock_user(opened.database, opened.vault, email))
    out.print(f"{email} can try to sign in again.")


@app.command("disable")
def disable_user(email: UserEmail, account: OneAccountId = None) -> None:
    """Keep a user from signing in and from using API keys. Their sessions end."""
    with installation() as opened:
        names = _account_names(opened, email, account)
        asyncio.run(user_administration.disable_user(opened.database, email, account))
    out.print(f"{email} can no longer sign in to {names}, or use API keys there.")


@app.command("enable")
def enable_user(email: UserEmail, account: OneAccountId = None) -> None:
    """Let a disabled user sign in and use API keys again."""
    with installation() as opened:
        asyncio.run(user_administration.enable_user(opened.database, email, account))
        names = _account_names(opened, email, account)
    out.print(f"{email} can sign in to {names}, and use API keys there.")


@app.command("delete")
def delete_user(email: UserEmail, account: OneAccountId = None) -> None:
    """Delete a user with their roles, sessions and API keys. The audit log keeps what they changed."""
    with installation() as opened:
        names = _account_names(opened, email, account)
        asyncio.run(user_administration.delete_user(opened.database, opened.vault, email, account))
    out.print(f"{email} has been deleted in {names}.")


@app.command("sign-out")
def end_sessions(email: UserEmail, account: OneAccountId = None) -> None:
    """End all sessions of a user."""
    with installation() as opened:
        count = asyncio.run(user_administration.end_sessions(opened.database, email, account))
        names = _account_names(opened, email, account)
    out.print(f"Sessions of {email} in {names} that ended: {count}.")


@app.command("revoke-keys")
def revoke_keys(email: UserEmail, account: OneAccountId = None) -> None:
    """Revoke all API keys of a user."""
    with installation() as opened:
        count = asyncio.run(user_administration.revoke_keys(opened.database, email, account))
        names = _account_names(opened, email, account)
    out.print(f"API keys of {email} in {names} that were revoked: {count}.")


def _account_names(opened: Installation, email: str, account_id: int | None) -> str:
    """Return the names of the accounts that a command is about."""
    return ", ".join(asyncio.run(user_administration.list_accounts(opened.database, email, account_id)))
