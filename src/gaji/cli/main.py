"""The command `gaji`, for operators.

Commands that need most of the program import it when they run, so that the others start fast.
"""

import asyncio
import gc
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated

import asyncpg
import msgspec
import typer
from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress, TaskID, TimeElapsedColumn
from rich.table import Table

from gaji import __version__
from gaji.audit import operations as audit
from gaji.audit.exported_heads import InvalidHeadFile
from gaji.audit.tasks import ChangedHeads
from gaji.audit.verification import ChainReport
from gaji.core.errors import GajiError, ValidationError
from gaji.core.gc_tuning import gc_paused
from gaji.core.settings import Settings, SettingsError
from gaji.core.validation import MAX_ID
from gaji.db.archive import BackupError
from gaji.db.backup import back_up
from gaji.db.backup import restore as restore_backup
from gaji.db.backup_check import check_backup
from gaji.db.backup_schedule import back_up_regularly, parse_interval
from gaji.db.connect import UnsafeRole
from gaji.db.database import running_database
from gaji.db.embedded import EmbeddedServerError
from gaji.db.errors import as_unavailable
from gaji.db.installation import Installation, open_installation
from gaji.db.migrate import MigrationError, check_migrated, latest_version
from gaji.db.point_in_time import make_base_backup, parse_moment, restore_to
from gaji.db.presence import DatabaseInUse
from gaji.db.schema import HiddenTable
from gaji.db.secret_key import KEY_FILE, SecretError
from gaji.db.secret_rotation import RotationError, rotate_secret
from gaji.demo.progress import Progress as DemoProgress
from gaji.demo.size import DEFAULT_EMPLOYEES, DEFAULT_MONTHS
from gaji.identity import email_changes, password_resets, second_factor, user_administration
from gaji.identity import service as accounts
from gaji.identity.single_sign_on import service as single_sign_on
from gaji.law.errors import InvalidParameterFile

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
account_app = typer.Typer(no_args_is_help=True, help="Manage accounts.")
key_app = typer.Typer(no_args_is_help=True, help="Manage the API keys of a user.")
app.add_typer(account_app, name="account")
app.add_typer(key_app, name="key")
user_app = typer.Typer(no_args_is_help=True, help="Manage the users of an account and their roles.")
app.add_typer(user_app, name="user")
audit_app = typer.Typer(no_args_is_help=True, help="Check the audit log.")
app.add_typer(audit_app, name="audit")

out = Console(highlight=False)

UserEmail = Annotated[str, typer.Option(help="Email of the user.")]
AccountId = Annotated[
    int | None,
    typer.Option("--account", help="ID of the account, for a user with several accounts.", min=1, max=MAX_ID),
]
OneAccountId = Annotated[
    int | None,
    typer.Option("--account", help="Only in this account. Without it, in all accounts.", min=1, max=MAX_ID),
]
ExistingUser = Annotated[
    bool,
    typer.Option("--existing-user", help="The email belongs to a user of another account, who keeps the password."),
]
REPORTED_ERRORS = (
    GajiError,
    ChangedHeads,
    InvalidHeadFile,
    SettingsError,
    SecretError,
    MigrationError,
    UnsafeRole,
    EmbeddedServerError,
    BackupError,
    RotationError,
    DatabaseInUse,
    InvalidParameterFile,
    HiddenTable,
)


@contextmanager
def installation() -> Iterator[Installation]:
    """Open the installation that the environment configures."""
    with open_installation(Settings.from_environment()) as opened:
        yield opened


def _print_version(requested: bool) -> None:
    if requested:
        print(f"gaji {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit."),
    ] = False,
) -> None:
    """Self-hosted payroll for Singapore."""


@app.command()
def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on.", min=0, max=65535)] = None,
    workers: Annotated[int, typer.Option(help="Server processes.", min=1)] = 1,
    worker: Annotated[bool, typer.Option(help="Run a worker for background tasks alongside the server.")] = True,
    with_demo: Annotated[
        bool, typer.Option("--demo", help="Load a demo company into an empty installation, and print how to use it.")
    ] = False,
) -> None:
    """Serve the API and the console until interrupted."""
    with gc_paused():
        from gaji.cli.serve import require_free_port
        from gaji.cli.serve import serve as serve_until_stopped
        from gaji.core.law_loader import current_law
        from gaji.demo.banner import ensure_demo, print_welcome_when_ready

    settings = Settings.from_environment()
    address, number = host or settings.host, settings.port if port is None else port
    require_free_port(address, number)
    current_law()  # fail before serving if the parameter files are not valid
    with open_installation(settings, wait=True) as opened:
        if with_demo:
            reached_at = replace(settings, host=address, port=number, public_url="").origin
            print_welcome_when_ready(reached_at, ensure_demo(opened))
        serve_until_stopped(opened, address, number, workers, worker)


@app.command()
def worker() -> None:
    """Run background tasks until interrupted."""
    with gc_paused():
        from gaji.cli.parent import end_with_parent
        from gaji.cli.worker_metrics import serve_worker_metrics
        from gaji.core import traces
        from gaji.tasks.worker import work
        from gaji.wiring import TASKS

    end_with_parent()
    settings = Settings.from_environment()
    traces.enable_if_configured("gaji-worker")
    with serve_worker_metrics(settings), open_installation(settings, wait=True) as opened:
        asyncio.run(work(opened.database, opened.vault, TASKS, opened.settings))
    traces.disable()


@app.command()
def migrate(
    check: Annotated[
        bool, typer.Option("--check", help="Change nothing. Fail if the database does not match this program.")
    ] = False,
) -> None:
    """Migrate the database to the version of this program."""
    if check:
        settings = Settings.from_environment()
        with running_database(settings) as (database, _):
            out.print(f"The database is at version {asyncio.run(check_migrated(database))}.")
        return
    with installation():
        out.print(f"The database is at version {latest_version()}.")


@app.command()
def backup(
    path: Annotated[Path, typer.Argument(help="File to write, which must not exist yet. With --every: a folder.")],
    every: Annotated[
        str | None, typer.Option(help="Make a backup at this interval, such as 24h, until interrupted.")
    ] = None,
    keep: Annotated[int, typer.Option(help="With --every: the number of backups to keep.", min=1)] = 14,
) -> None:
    """Write all data, without the secret, to one encrypted file."""
    settings = Settings.from_environment()
    location = "the value of GAJI_SECRET_KEY" if settings.secret_key else str(settings.data / KEY_FILE)
    if every is not None:
        print(f"Backups need the secret to be restored: keep a copy of {location} elsewhere.")
        back_up_regularly(settings, path, parse_interval(every), keep)
    manifest = back_up(settings, path)
    print(f"Saved {manifest.rows} rows of {len(manifest.tables)} tables to {path}. Queued tasks are not included.")
    print(f"The secret is NOT included, and is needed to restore the backup: keep a copy of {location} elsewhere.")


@app.command("verify-backup")
def verify_backup(file: Annotated[Path, typer.Argument(help="File written by `gaji backup`.")]) -> None:
    """Restore a backup into a temporary database, compare all rows, and delete it again."""
    manifest = check_backup(Settings.from_environment(), file)
    made_at = f"{manifest.made_at:%Y-%m-%d %H:%M} UTC"
    print(f"The backup of {made_at} can be restored: {manifest.rows} rows of {len(manifest.tables)} tables.")


@app.command("base-backup")
def base_backup(
    keep: Annotated[int, typer.Option(help="The number of base backups to keep.", min=1)] = 2,
) -> None:
    """Copy the embedded database to GAJI_WAL_ARCHIVE, from which any later moment can be restored."""
    made = make_base_backup(Settings.from_environment(), keep)
    print(f"Saved a base backup to {made.folder}.")
    print("The archive is not encrypted, and does not include the secret.")


@app.command()
def restore(
    file: Annotated[Path | None, typer.Argument(help="File written by `gaji backup`.")] = None,
    to: Annotated[
        str | None, typer.Option(help="Restore this moment from GAJI_WAL_ARCHIVE, such as 2026-11-16T09:30+08:00.")
    ] = None,
) -> None:
    """Restore a backup into an empty database. The secret of the backup must be in place."""
    if (file is None) == (to is None):
        raise BackupError("give either the file of a backup, or a time with --to")
    if to is not None:
        _restore_moment(to)
    elif file is not None:
        _restore_file(file)
    print("Tasks that were queued at that time are not included; start them again if needed.")


def _restore_moment(text: str) -> None:
    moment = parse_moment(text)
    changed_at = restore_to(Settings.from_environment(), moment)
    last_change = "" if changed_at is None else f" The last change was at {changed_at.isoformat(timespec='seconds')}."
    print(f"Restored the state of {moment.isoformat(timespec='seconds')}.{last_change}")


def _restore_file(file: Path) -> None:
    manifest = restore_backup(Settings.from_environment(), file)
    made_at = f"{manifest.made_at:%Y-%m-%d %H:%M} UTC"
    print(f"Restored {manifest.rows} rows of {len(manifest.tables)} tables from the backup of {made_at}.")


@app.command("rotate-encryption")
def rotate_encryption() -> None:
    """Change the secret and encrypt all identifiers again. Servers and workers must be stopped."""
    with installation() as opened:
        result = asyncio.run(rotate_secret(opened, os.environ.get("GAJI_NEW_SECRET_KEY")))
    print(f"Encrypted {result.values} values with the new secret. API keys continue to work.")
    if result.old_secret is None:
        print("Now set GAJI_SECRET_KEY to the value of GAJI_NEW_SECRET_KEY for every server and worker.")
        print("Older backups need the old secret: keep it as long as you keep them.")
        return
    print(f"The new secret is in {opened.settings.data / KEY_FILE}: keep a copy of it elsewhere.")
    print(f"Older backups need the old one, which is in {result.old_secret}; delete it when you delete them.")


@app.command("openapi")
def print_openapi() -> None:
    """Print the OpenAPI document of this version, without a server or a database."""
    with gc_paused():
        from gaji.app import OPERATIONS
        from gaji.web.openapi import document

    print(msgspec.json.encode(document(OPERATIONS, Settings.from_environment().origin)).decode())


@app.command("mcp")
def serve_mcp() -> None:
    """Serve tools for MCP clients on standard input and output, for the server at GAJI_URL."""
    try:
        from gaji.integrations.mcp.server import serve as serve_tools
    except ModuleNotFoundError as error:
        raise SettingsError(f"this needs the extra gaji[mcp]: the package {error.name} is not installed") from error
    serve_tools(os.environ)


@app.command()
def doctor() -> None:
    """Check this installation and suggest fixes, without changing anything."""
    from gaji.cli.doctor import examine

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


@account_app.command("sso-optional")
def account_sso_optional(
    email: Annotated[str, typer.Option(help="Email of a user of the account.")],
    account: AccountId = None,
) -> None:
    """Accept passwords in an account that requires single sign-on, for example because its provider fails."""
    with installation() as opened:
        asyncio.run(single_sign_on.lift_requirement(opened.database, email, account))
    out.print(f"Users of the account of {email} can sign in with passwords again.")


@user_app.command("create")
def user_create(
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


@user_app.command("role")
def user_role(
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


@user_app.command("two-steps-off")
def user_two_steps_off(
    email: Annotated[str, typer.Option(help="Email of the user who lost their phone and recovery codes.")],
) -> None:
    """Turn off two-step sign-in for a user. All their sessions end."""
    with installation() as opened:
        asyncio.run(second_factor.reset_second_factor(opened.database, email))
    out.print(f"Two-step sign-in is off for {email}, who can now sign in with the password and turn it on again.")


@user_app.command("reset-link")
def user_reset_link(email: UserEmail) -> None:
    """Create a link with which a user sets a new password. It works once, within a day."""
    with installation() as opened:
        token = asyncio.run(password_resets.create_reset_as_operator(opened.database, email))
    print(f"{opened.settings.public_url}/reset-password?token={token}")
    if not opened.settings.public_url:
        print("Put the address of this site before it, or set GAJI_PUBLIC_URL.", file=sys.stderr)


@user_app.command("change-email")
def user_change_email(email: UserEmail, new: Annotated[str, typer.Option(help="The new email.")]) -> None:
    """Change the email of a user at once, without confirmation. Their sessions and links end."""
    with installation() as opened:
        asyncio.run(email_changes.change_as_operator(opened.database, email, new))
    out.print(f"{email} now signs in as {new}.")


@user_app.command("unlink-sso")
def user_unlink_sso(email: UserEmail, account: AccountId = None) -> None:
    """Forget which person of the identity provider a user is. The next single sign-on links them again."""
    with installation() as opened:
        asyncio.run(single_sign_on.unlink_user(opened.database, email, account))
    out.print(f"{email} is linked again at the next single sign-on.")


@user_app.command("unlock")
def user_unlock(email: UserEmail) -> None:
    """Forget the failed attempts to sign in as a user, who can then try again at once."""
    with installation() as opened:
        asyncio.run(user_administration.unlock_user(opened.database, opened.vault, email))
    out.print(f"{email} can try to sign in again.")


@user_app.command("disable")
def user_disable(email: UserEmail, account: OneAccountId = None) -> None:
    """Keep a user from signing in and from using API keys. Their sessions end."""
    with installation() as opened:
        names = _account_names(opened, email, account)
        asyncio.run(user_administration.disable_user(opened.database, email, account))
    out.print(f"{email} can no longer sign in to {names}, or use API keys there.")


@user_app.command("enable")
def user_enable(email: UserEmail, account: OneAccountId = None) -> None:
    """Let a disabled user sign in and use API keys again."""
    with installation() as opened:
        asyncio.run(user_administration.enable_user(opened.database, email, account))
        names = _account_names(opened, email, account)
    out.print(f"{email} can sign in to {names}, and use API keys there.")


@user_app.command("delete")
def user_delete(email: UserEmail, account: OneAccountId = None) -> None:
    """Delete a user with their roles, sessions and API keys. The audit log keeps what they changed."""
    with installation() as opened:
        names = _account_names(opened, email, account)
        asyncio.run(user_administration.delete_user(opened.database, opened.vault, email, account))
    out.print(f"{email} has been deleted in {names}.")


@user_app.command("sign-out")
def user_sign_out(email: UserEmail, account: OneAccountId = None) -> None:
    """End all sessions of a user."""
    with installation() as opened:
        count = asyncio.run(user_administration.end_sessions(opened.database, email, account))
        names = _account_names(opened, email, account)
    out.print(f"Sessions of {email} in {names} that ended: {count}.")


@user_app.command("revoke-keys")
def user_revoke_keys(email: UserEmail, account: OneAccountId = None) -> None:
    """Revoke all API keys of a user."""
    with installation() as opened:
        count = asyncio.run(user_administration.revoke_keys(opened.database, email, account))
        names = _account_names(opened, email, account)
    out.print(f"API keys of {email} in {names} that were revoked: {count}.")


def _account_names(opened: Installation, email: str, account_id: int | None) -> str:
    """Return the names of the accounts that a command is about."""
    return ", ".join(asyncio.run(user_administration.list_accounts(opened.database, email, account_id)))


@app.command()
def retention(
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print what is due at all clients, and change nothing.")
    ] = False,
) -> None:
    """Erase and delete records whose retention periods have ended, at the clients that enforce them."""
    import gaji.wiring  # noqa: F401 - the handlers of events
    from gaji.privacy.retention.tasks import enforce_now, find_due

    with installation() as opened:
        clients = asyncio.run(find_due(opened))
        if not dry_run:
            asyncio.run(enforce_now(opened))
    table = Table("client", "records", "due", "oldest", "enforced")
    for client in clients:
        for records in client.due:
            oldest = str(records.oldest or "")
            enforced = "yes" if client.is_enforced else "no"
            table.add_row(str(client.client_id), records.kind, str(records.records), oldest, enforced)
    out.print(table)


@key_app.command("create")
def key_create(
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


@key_app.command("list")
def key_list(email: UserEmail, account: AccountId = None) -> None:
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


@key_app.command("revoke")
def key_revoke(
    key_id: Annotated[int, typer.Argument(help="ID of the key, from `gaji key list`.", min=1, max=MAX_ID)],
) -> None:
    """Revoke an API key."""
    with installation() as opened:
        asyncio.run(accounts.revoke_key(opened.database, key_id))
    out.print(f"API key {key_id} has been revoked.")


@audit_app.command("verify")
def audit_verify(
    head: Annotated[Path | None, typer.Option(help="Also compare with heads that `gaji audit head` printed.")] = None,
) -> None:
    """Look for entries of the audit log that were changed, deleted or inserted. Fails if there are any."""
    with installation() as opened:
        report = asyncio.run(audit.verify(opened, None if head is None else head.read_text()))
    for sentence in report.problems:
        print(f"problem  {sentence}")
    if report.problem_count > len(report.problems):
        print(f"problem  {report.problem_count - len(report.problems)} more")
    print(_chain_summary(report))
    if report.problem_count:
        raise typer.Exit(1)


def _chain_summary(report: ChainReport) -> str:
    checked = f"{report.entries} entries of {report.accounts} accounts were checked"
    problems = f"{report.problem_count} problems" if report.problem_count else "no problems"
    if report.pending_since is None:
        return f"{checked}: {problems}. No entries are waiting to be added to a chain."
    age_s = (datetime.now(UTC) - report.pending_since).total_seconds()
    return f"{checked}: {problems}. {report.pending} entries are not in a chain yet, the oldest for {age_s:.0f} s."


@audit_app.command("head")
def audit_head() -> None:
    """Add new entries to the chains, and print the heads of all chains, to be kept elsewhere."""
    with installation() as opened:
        print(asyncio.run(audit.export(opened)))


class ProgressBars(DemoProgress):
    """Shows the progress of the demo as bars, one for each kind of record."""

    def __init__(self, bars: Progress) -> None:
        self._bars = bars
        self._tasks: dict[str, TaskID] = {}
        self.existing_employees: int | None = None

    def update(self, label: str, done: int, total: int) -> None:
        """Update the bar."""
        if label not in self._tasks:
            self._tasks[label] = self._bars.add_task(label)
        self._bars.update(self._tasks[label], completed=done, total=total)

    def report_existing(self, employees: int) -> None:
        """Record that the company already exists."""
        self.existing_employees = employees


@app.command()
def demo(
    employees: Annotated[int, typer.Option(help="Number of employees.", min=0, max=1_000_000)] = DEFAULT_EMPLOYEES,
    months: Annotated[
        int, typer.Option(help="Months of finalised pay runs, up to the last complete one.", min=0, max=36)
    ] = DEFAULT_MONTHS,
    seed: Annotated[int, typer.Option(help="A different seed creates a different account.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Create an account with a demo company and an API key. An existing company is kept."""
    from gaji.demo.account import create_demo

    columns = (*Progress.get_default_columns(), MofNCompleteColumn(), TimeElapsedColumn())
    with installation() as opened, Progress(*columns, transient=True, disable=as_json or not out.is_terminal) as bars:
        progress = ProgressBars(bars)
        demo_account = asyncio.run(create_demo(opened, seed, employees, months, progress))
    if progress.existing_employees is not None:
        existing = f"already exists, with {progress.existing_employees} employees"
        print(f"The demo with seed {seed} {existing}; it was not changed.", file=sys.stderr)
    if as_json:
        print(msgspec.json.encode(demo_account).decode())
        return
    out.print(f"Sign in as {demo_account.email} with the password {demo_account.password}")
    out.print(f"API key: {demo_account.api_key}")


def main() -> None:
    """Run a command. Errors are printed as one sentence on standard error."""
    gc.freeze()  # the imported modules stay; scanning them when the process ends takes longer than many commands
    try:
        app()
    except ValidationError as error:
        _exit_with("; ".join(f"{path}: {message}" for path, message in error.errors.messages().items()))
    except REPORTED_ERRORS as error:
        _exit_with(str(error))
    except asyncpg.PostgresError as error:
        if os.environ.get("GAJI_TRACE") or as_unavailable(error) is None:
            raise
        _exit_with(f"the database cannot be used: {error}")
    except OSError as error:
        if os.environ.get("GAJI_TRACE"):
            raise
        _exit_with(f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}")


def _exit_with(message: str) -> None:
    print(f"gaji: {message}", file=sys.stderr)
    sys.exit(1)


if __name__ == "__main__":
    main()
