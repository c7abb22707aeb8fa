"""The command `gaji`, for operators.

Commands that need most of the program import it when they run, so that the others start fast.
"""

import asyncio
import gc
import os
import sys
from dataclasses import replace
from typing import Annotated

import asyncpg
import msgspec
import typer
from rich.table import Table

from gaji import __version__
from gaji.audit.chain import ChangedHeads
from gaji.audit.exported_heads import InvalidHeadFile
from gaji.cli import accounts, audit_log, backups, demo, keys, mail, users
from gaji.cli.options import installation, out
from gaji.core.errors import GajiError, ValidationError
from gaji.core.gc_tuning import gc_paused
from gaji.core.settings import Settings, SettingsError
from gaji.core.system_rights import RightsError, is_root
from gaji.db.archive import BackupError
from gaji.db.connect import UnsafeRole
from gaji.db.embedded import EmbeddedServerError
from gaji.db.errors import as_unavailable
from gaji.db.installation import open_installation
from gaji.db.migrate import check_migrated, current_version
from gaji.db.migration_files import MigrationError
from gaji.db.presence import DatabaseInUse
from gaji.db.running_database import running_database
from gaji.db.schema import HiddenTable
from gaji.db.secret_key import KEY_FILE, SecretError
from gaji.db.secret_rotation import RotationError, rotate_secret
from gaji.law.errors import InvalidParameterFile

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
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
    RightsError,
)
OWN_RIGHTS = ("serve", "worker", "openapi", "mcp")
"""Commands that decide themselves as which user they run, or that use no data folder."""


def _print_version(requested: bool) -> None:
    if requested:
        print(f"gaji {__version__}")
        raise typer.Exit


@app.callback()
def root(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit."),
    ] = False,
) -> None:
    """Self-hosted payroll for Singapore."""
    if is_root() and context.invoked_subcommand not in OWN_RIGHTS:
        from gaji.cli.run_as import act_as_folder_owner

        act_as_folder_owner(os.environ)


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
        from gaji.cli.readiness import print_when_ready, ready_text
        from gaji.cli.run_as import run_as_service_user
        from gaji.cli.serve import open_listener, require_free_port
        from gaji.cli.serve import serve as serve_until_stopped
        from gaji.core.law_loader import current_law
        from gaji.demo.banner import ensure_demo, welcome_text
        from gaji.identity.service import has_accounts

    settings = Settings.from_environment()
    address, number = host or settings.host, settings.port if port is None else port
    require_free_port(address, number)
    current_law()  # fail before serving if the parameter files are not valid
    listener = open_listener(address, number)
    settings = run_as_service_user(settings)
    with open_installation(settings, wait=True) as opened:
        reached_at = replace(settings, host=address, port=number, public_url="").origin
        if with_demo:
            print_when_ready(reached_at, welcome_text(reached_at, ensure_demo(opened)))
        elif sys.stdout.isatty():  # otherwise all lines are JSON, for programs that read the log
            is_new = not asyncio.run(has_accounts(opened.database))
            print_when_ready(reached_at, ready_text(reached_at, is_new))
        serve_until_stopped(opened, address, number, workers, worker, listener)


@app.command()
def worker() -> None:
    """Run background tasks until interrupted."""
    with gc_paused():
        from gaji.cli.parent import end_with_parent
        from gaji.cli.run_as import run_as_service_user
        from gaji.cli.worker_metrics import open_metrics_port, serve_worker_metrics
        from gaji.core import traces
        from gaji.tasks.worker import work
        from gaji.wiring import TASKS

    end_with_parent()
    settings = Settings.from_environment()
    listener = open_metrics_port(settings)
    settings = run_as_service_user(settings)
    traces.enable_if_configured("gaji-worker")
    with serve_worker_metrics(listener), open_installation(settings, wait=True) as opened:
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
    with installation() as opened:
        out.print(f"The database is at version {asyncio.run(current_version(opened.database))}.")


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


app.add_typer(backups.app)
app.add_typer(demo.app)
app.add_typer(accounts.app, name="account")
app.add_typer(users.app, name="user")
app.add_typer(keys.app, name="key")
app.add_typer(audit_log.app, name="audit")
app.add_typer(mail.app, name="mail")


def main() -> None:
    """Run a command. Errors are printed as one sentence on standard error."""
    gc.freeze()  # the imported modules stay; scanning them when the process ends takes longer than many commands
    try:
        app()
    except ValidationError as error:
        _exit_with("; ".join(f"{path}: {message}" for path, message in error.errors.messages().items()))
    except REPORTED_ERRORS as error:
        _exit_with(str(error))
    except (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError) as error:
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
