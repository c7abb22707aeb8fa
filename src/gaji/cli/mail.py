"""`gaji mail`, for mail servers."""

import asyncio
import os
import sys
from typing import TYPE_CHECKING, BinaryIO

import typer

from gaji.core.settings import Settings, SettingsError
from gaji.db.migrate import check_migrated
from gaji.db.running_database import running_database
from gaji.db.secret_key import SecretError, load_vault

if TYPE_CHECKING:
    from gaji.mail.bounces import DeliveryNotification

app = typer.Typer(no_args_is_help=True, help="Record what became of mail that was sent.")


@app.callback()
def group() -> None:
    """Record what became of mail that was sent."""


@app.command("record-bounce")
def record_bounce() -> None:
    """Read a delivery status notification from standard input, and record that the message in it was returned.

    The exit status is for mail servers: 0 if the notification was recorded or changes nothing, 65 if the input is not a
    notification, 75 to try again later.
    """
    from gaji.mail.bounces import MAX_BYTES, NotANotification, parse_notification

    try:
        notification = parse_notification(_read_start(sys.stdin.buffer, MAX_BYTES))
    except NotANotification as error:
        print(f"gaji: {error}", file=sys.stderr)
        raise typer.Exit(os.EX_DATAERR) from error
    try:
        outcome = _record(notification)
    except Exception as error:  # the mail server keeps the notification and tries again
        if os.environ.get("GAJI_TRACE"):
            raise
        print(f"gaji: {error}", file=sys.stderr)
        raise typer.Exit(os.EX_TEMPFAIL) from error
    print(outcome)


def _record(notification: "DeliveryNotification") -> str:
    """Record a notification. Never migrates the database, because a message from outside starts this command."""
    from gaji.mail.bounces import record_notification

    settings = Settings.from_environment()
    # Checked first, because starting the embedded server would create it.
    if not settings.database_url and not (settings.data / "postgres").exists():
        raise SettingsError(f"there is no database in {settings.data}; set GAJI_DATA or GAJI_DATABASE_URL")
    with running_database(settings) as (database, _):
        asyncio.run(check_migrated(database))
        vault = asyncio.run(load_vault(database, settings))
        if vault is None:
            raise SecretError("the database has no secret yet: run `gaji migrate`")
        return asyncio.run(record_notification(database, vault, notification))


def _read_start(stream: BinaryIO, max_bytes: int) -> bytes:
    """Return the start of the input, and read the rest, so that the mail server can write all of it."""
    start = stream.read(max_bytes)
    while stream.read(max_bytes):
        pass
    return start
