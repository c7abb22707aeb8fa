"""The command `gaji`: everything an operator does, each command with its own words."""

import asyncio
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress, TaskID, TimeElapsedColumn
from rich.table import Table

from gaji.cli.doctor import examine
from gaji.cli.serve import end_with_parent, free_port
from gaji.cli.serve import serve as serve_until_stopped
from gaji.core.errors import GajiError, ValidationError
from gaji.core.law_loader import law
from gaji.core.settings import Settings, SettingsError
from gaji.core.validation import MAX_ID
from gaji.db.archive import BackupError
from gaji.db.backup import back_up
from gaji.db.backup import restore as restore_backup
from gaji.db.schema import HiddenTable
from gaji.db.embedded import EmbeddedServerError
from gaji.db.installation import Installation, ready
from gaji.db.migrate import MigrationError, newest
from gaji.db.secret_rotation import RotationError, rotate
from gaji.db.secret_key import FILE, SecretError
from gaji.db.presence import InUse
from gaji.demo import EMPLOYEES, MONTHS
from gaji.demo import Progress as DemoProgress
from gaji.demo import demo as make_demo
from gaji.demo.banner import ensure_demo, greet_when_ready
from gaji.identity import second_factor
from gaji.identity import service as accounts
from gaji.law.parameters import InvalidParameterFile

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Singapore payroll that you run yourself.",
)
account_app = typer.Typer(no_args_is_help=True, help="Accounts: who may work with which clients.")
key_app = typer.Typer(no_args_is_help=True, help="API keys of a user.")
app.add_typer(account_app, name="account")
app.add_typer(key_app, name="key")
user_app = typer.Typer(no_args_is_help=True, help="Users of an account, and their roles.")
app.add_typer(user_app, name="user")

out = Console(highlight=False)

REFUSALS = (
    GajiError,
    SettingsError,
    SecretError,
    MigrationError,
    EmbeddedServerError,
    BackupError,
    RotationError,
    InUse,
    InvalidParameterFile,
    HiddenTable,
)


@contextmanager
def installation() -> Iterator[Installation]:
    """The installation of the environment."""
    with ready(Settings.from_environment()) as found:
        yield found


@app.command()
def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on.", min=0, max=65535)] = None,
    workers: Annotated[int, typer.Option(help="Server processes.", min=1)] = 1,
    worker: Annotated[bool, typer.Option(help="Run one job worker beside the server.")] = True,
    with_demo: Annotated[
        bool, typer.Option("--demo", help="Load a demo company into an empty installation, and say how to use it.")
    ] = False,
) -> None:
    """Serve the API until interrupted."""
    settings = Settings.from_environment()
    address, number = host or settings.host, settings.port if port is None else port
    free_port(address, number)
    law()  # wrong figures are refused before anyone is served
    with ready(settings) as found:
        if with_demo:
            greet_when_ready(f"http://{address}:{number}", ensure_demo(found))
        serve_until_stopped(found, address, number, workers, worker)


@app.command()
def worker() -> None:
    """Work on queued jobs until interrupted."""
    from gaji.tasks.worker import work
    from gaji.wiring import TASKS

    end_with_parent()
    with installation() as found:
        asyncio.run(work(found.database, found.vault, TASKS))


@app.command()
def migrate() -> None:
    """Bring the database to the shape this program needs."""
    with installation():
        out.print(f"The database is at version {newest()}.")


@app.command()
def backup(file: Annotated[Path, typer.Argument(help="The file to write; it must not exist yet.")]) -> None:
    """Write everything in the database, but not the secret, to one file."""
    settings = Settings.from_environment()
    made = back_up(settings, file)
    print(f"{made.rows} rows of {len(made.tables)} tables are in {file}. Jobs that were waiting are not.")
    kept = "the value of GAJI_SECRET_KEY" if settings.secret_key else str(settings.data / FILE)
    print(f"The secret is NOT in it, and without the secret it cannot be restored: keep a copy of {kept} elsewhere.")


@app.command()
def restore(file: Annotated[Path, typer.Argument(help="A file that `gaji backup` wrote.")]) -> None:
    """Fill an empty database from a backup; the secret it was made with must be in place."""
    made = restore_backup(Settings.from_environment(), file)
    print(f"{made.rows} rows of {len(made.tables)} tables are back, as they were at {made.made_at:%Y-%m-%d %H:%M} UTC.")
    print("Jobs that were waiting then are not in a backup; start what is missing again.")


@app.command("rotate-encryption")
def rotate_encryption() -> None:
    """Change the secret, and encrypt everything again with the new one. Servers and workers must be stopped."""
    with installation() as found:
        done = asyncio.run(rotate(found, os.environ.get("GAJI_NEW_SECRET_KEY")))
    print(f"{done.values} values are encrypted with the new secret. API keys go on working.")
    if done.old_secret is None:
        print("Set GAJI_SECRET_KEY to the value of GAJI_NEW_SECRET_KEY now, for every server and worker.")
        print("Backups made before need the old secret: keep it for as long as you keep them.")
        return
    print(f"The new secret is in {found.settings.data / FILE}: keep a copy of it elsewhere.")
    print(f"Backups made before need the old one, which is in {done.old_secret}; remove it when they are gone.")


@app.command()
def doctor() -> None:
    """Check everything this installation stands on, and say what to do; changes nothing."""
    problems = 0
    for finding in examine():
        print(finding, flush=True)
        problems += finding.is_problem
    if problems:
        raise typer.Exit(1)


@account_app.command("create")
def account_create(
    name: Annotated[str, typer.Option(help="Name of the account.")],
    email: Annotated[str, typer.Option(help="Email of its first user.")],
    password: Annotated[
        str | None,
        typer.Option(help="Password; without it one is asked for, or generated when nobody can be asked."),
    ] = None,
) -> None:
    """Create an account with its first user."""
    if password is None and sys.stdin.isatty():
        password = typer.prompt(
            "Password (empty: generate one)",
            default="",
            show_default=False,
            hide_input=True,
            confirmation_prompt=True,
        )
    with installation() as found:
        made = asyncio.run(accounts.create_account(found.database, name, email, password or None))
    out.print(f"Account {made.account_id} was created. Sign in as {made.email}.")
    if not password:
        out.print(f"Password: {made.password}")


@user_app.command("create")
def user_create(
    email: Annotated[str, typer.Option(help="Email of the new user.")],
    by: Annotated[str, typer.Option(help="Email of a user of the account that the new one joins.")],
    name: Annotated[str, typer.Option(help="Name of the new user.")] = "",
) -> None:
    """Add a user to an account; a password is generated. Give roles with `gaji user role`."""
    with installation() as found:
        made = asyncio.run(accounts.create_user(found.database, by, email, name))
    out.print(f"User {made.user_id} was created. Sign in as {made.email}.")
    out.print(f"Password: {made.password}")


@user_app.command("role")
def user_role(
    email: Annotated[str, typer.Option(help="The user.")],
    client: Annotated[int, typer.Option(help="The client that the role is for.", min=1, max=MAX_ID)],
    role: Annotated[str, typer.Option(help="owner, payroll, viewer, employee, or none to take the role away.")],
    employee: Annotated[
        int | None, typer.Option(help="Who the user is, for the role employee.", min=1, max=MAX_ID)
    ] = None,
) -> None:
    """Give a user a role for a client, or take it away."""
    with installation() as found:
        asyncio.run(accounts.set_role(found.database, email, client, role, employee))
    out.print(f"{email} now has the role {role} for client {client}.")


@user_app.command("two-steps-off")
def user_two_steps_off(
    email: Annotated[str, typer.Option(help="The user, who lost both the phone and the recovery codes.")],
) -> None:
    """Let a user sign in with the password alone again; they are signed out everywhere."""
    with installation() as found:
        asyncio.run(second_factor.take_away(found.database, email))
    out.print(f"{email} now signs in with the password alone, and can turn two-step sign-in on again.")


@key_app.command("create")
def key_create(
    email: Annotated[str, typer.Option(help="The user the key belongs to.")],
    client: Annotated[
        list[int] | None, typer.Option(help="Limit the key to this client; may be repeated.", min=1, max=MAX_ID)
    ] = None,
    read_only: Annotated[bool, typer.Option("--read-only", help="The key cannot write.")] = False,
    hide_identifiers: Annotated[
        bool, typer.Option("--hide-identifiers", help="NRIC, FIN and account numbers come masked.")
    ] = False,
    expires_in_days: Annotated[int | None, typer.Option(help="The key ends after so many days.", min=1)] = None,
    name: Annotated[str, typer.Option(help="What the key is for.")] = "API key",
) -> None:
    """Create an API key and print it alone; it is not shown again."""
    expires_at = datetime.now(UTC) + timedelta(days=expires_in_days) if expires_in_days else None
    with installation() as found:
        key = asyncio.run(
            accounts.create_key(
                found.database,
                found.vault,
                email,
                name=name,
                client_ids=client or (),
                read_only=read_only,
                hide_identifiers=hide_identifiers,
                expires_at=expires_at,
            )
        )
    print(key)


@key_app.command("list")
def key_list(email: Annotated[str, typer.Option(help="The user whose keys to list.")]) -> None:
    """List the API keys of a user."""
    with installation() as found:
        keys = asyncio.run(accounts.list_keys(found.database, email))
    table = Table("id", "name", "ends in", "clients", "may", "last used", "state")
    for key in keys:
        state = (
            "revoked" if key["revoked_at"] else f"until {key['expires_at']:%Y-%m-%d}" if key["expires_at"] else "alive"
        )
        table.add_row(
            str(key["id"]),
            key["name"],
            key["hint"],
            ", ".join(map(str, key["client_ids"])) or "all",
            "read" if key["read_only"] else "read and write",
            f"{key['last_used_at']:%Y-%m-%d %H:%M}" if key["last_used_at"] else "never",
            state,
        )
    out.print(table)


@key_app.command("revoke")
def key_revoke(
    key_id: Annotated[int, typer.Argument(help="The id that `gaji key list` shows.", min=1, max=MAX_ID)],
) -> None:
    """End an API key now."""
    with installation() as found:
        asyncio.run(accounts.revoke_key(found.database, key_id))
    out.print(f"Key {key_id} is revoked.")


class ShownProgress(DemoProgress):
    """The making of a demo as bars, one for each thing that is made."""

    def __init__(self, bars: Progress) -> None:
        self._bars = bars
        self._tasks: dict[str, TaskID] = {}
        self.already_there: int | None = None

    def made(self, what: str, count: int, of: int) -> None:
        """Move the bar."""
        if what not in self._tasks:
            self._tasks[what] = self._bars.add_task(what)
        self._bars.update(self._tasks[what], completed=count, total=of)

    def found(self, employees: int) -> None:
        """Remember it for the end."""
        self.already_there = employees


@app.command()
def demo(
    employees: Annotated[int, typer.Option(help="Employees of the company.", min=0, max=1_000_000)] = EMPLOYEES,
    months: Annotated[
        int, typer.Option(help="Months of finalised pay runs, up to the last complete one.", min=0, max=36)
    ] = MONTHS,
    seed: Annotated[int, typer.Option(help="Another seed makes another account.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Make an account with a demo company and an API key for it; a company that is there already is kept."""
    columns = (*Progress.get_default_columns(), MofNCompleteColumn(), TimeElapsedColumn())
    with installation() as found, Progress(*columns, transient=True, disable=as_json or not out.is_terminal) as bars:
        progress = ShownProgress(bars)
        made = asyncio.run(make_demo(found, seed, employees, months, progress))
    if progress.already_there is not None:
        there = f"was there already, with {progress.already_there} employees"
        print(f"The demo of seed {seed} {there}: it stays as it is.", file=sys.stderr)
    if as_json:
        print(msgspec.json.encode(made).decode())
        return
    out.print(f"Sign in as {made.email} with the password {made.password}")
    out.print(f"API key: {made.api_key}")


def main() -> None:
    """Run a command; what it refuses is one sentence on standard error."""
    try:
        app()
    except ValidationError as error:
        errors = "; ".join(f"{name}: {fault}" for name, fault in error.errors.items())
        _refuse(errors)
    except REFUSALS as error:
        _refuse(str(error))
    except OSError as error:
        if os.environ.get("GAJI_TRACE"):
            raise
        _refuse(f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}")


def _refuse(message: str) -> None:
    print(f"gaji: {message}", file=sys.stderr)
    sys.exit(1)


if __name__ == "__main__":
    main()
