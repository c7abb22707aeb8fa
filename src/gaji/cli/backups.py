"""The commands that make, check and restore backups."""

import sys
import time
from pathlib import Path
from typing import Annotated

import typer
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey

from gaji.core.recipients import InvalidKey, parse_recipient
from gaji.core.settings import Settings
from gaji.db.archive import BackupError, Manifest
from gaji.db.backup import back_up, back_up_to_command, back_up_to_stream
from gaji.db.backup import restore as restore_backup
from gaji.db.backup_check import check_backup
from gaji.db.backup_keys import read_identity, write_identity
from gaji.db.backup_schedule import back_up_regularly, parse_interval
from gaji.db.point_in_time import make_base_backup, parse_moment, restore_to
from gaji.db.secret_key import KEY_FILE

app = typer.Typer()

STANDARD_OUTPUT = "-"
PROGRESS_INTERVAL_S = 5.0

IdentityOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--identity",
        help="File written by `gaji backup-key`, for backups that have a recipient. Can be given several times.",
    ),
]


@app.command()
def backup(
    path: Annotated[
        str | None,
        typer.Argument(
            help="File to write, which must not exist yet, or - for standard output. With --every: a folder."
        ),
    ] = None,
    to_command: Annotated[
        str | None, typer.Option(help="Write to the standard input of this command, such as 'rclone rcat s3:gaji/1'.")
    ] = None,
    every: Annotated[
        str | None, typer.Option(help="Make a backup at this interval, such as 24h, until interrupted.")
    ] = None,
    keep: Annotated[int, typer.Option(help="With --every: the number of backups to keep.", min=1)] = 14,
    recipient: Annotated[
        str | None,
        typer.Option(
            help="Encrypt for this public key, so that only its identity can decrypt the backup. "
            "Default: GAJI_BACKUP_RECIPIENT."
        ),
    ] = None,
) -> None:
    """Write all data, without the secret, to one encrypted file."""
    if (path is None) == (to_command is None):
        raise BackupError("give either a file, or a command with --to-command")
    settings, public_key = Settings.from_environment(), _parse_optional(recipient)
    location = "the value of GAJI_SECRET_KEY" if settings.secret_key else str(settings.data / KEY_FILE)
    if public_key or settings.backup_recipient:
        location = f"the identity of the recipient and of {location}"
    if every is not None:
        if path is None or path == STANDARD_OUTPUT:
            raise BackupError("--every needs a folder")
        print(f"The secret is NOT included, and is needed to restore backups: keep a copy of {location} elsewhere.")
        back_up_regularly(settings, Path(path), parse_interval(every), keep, recipient=public_key)
    manifest = _back_up_once(settings, path, to_command, public_key)
    target = to_command or ("standard output" if path == STANDARD_OUTPUT else path)
    summary = f"Saved {manifest.rows} rows of {len(manifest.tables)} tables to {target}. Queued tasks are not included."
    messages = sys.stderr if path == STANDARD_OUTPUT else sys.stdout
    print(summary, file=messages)
    print(
        f"The secret is NOT included, and is needed to restore the backup: keep a copy of {location} elsewhere.",
        file=messages,
    )


def _parse_optional(recipient: str | None) -> X25519PublicKey | None:
    try:
        return None if recipient is None else parse_recipient(recipient)
    except InvalidKey as error:
        raise BackupError(f"the value of --recipient {error}") from None


def _back_up_once(
    settings: Settings, path: str | None, command: str | None, recipient: X25519PublicKey | None
) -> Manifest:
    if command is not None:
        return back_up_to_command(settings, command, ProgressPrinter(), recipient)
    if path is None or path == STANDARD_OUTPUT:
        if sys.stdout.isatty():
            raise BackupError("standard output is a terminal: redirect it to a file or a command")
        return back_up_to_stream(settings, sys.stdout.buffer, ProgressPrinter(), recipient)
    return back_up(settings, Path(path), ProgressPrinter(), recipient)


class ProgressPrinter:
    """Prints the progress of a backup to standard error from time to time."""

    def __init__(self, interval_s: float = PROGRESS_INTERVAL_S) -> None:
        self._interval_s = interval_s
        self._next_at = time.monotonic() + interval_s

    def __call__(self, copied: int, total: int) -> None:
        """Print the progress, unless it was printed just before."""
        if time.monotonic() >= self._next_at:
            self._next_at = time.monotonic() + self._interval_s
            print(f"{copied} of {total} rows", file=sys.stderr, flush=True)


@app.command("verify-backup")
def verify_backup(
    file: Annotated[Path, typer.Argument(help="File written by `gaji backup`.")], identity: IdentityOption = None
) -> None:
    """Restore a backup into a temporary database, compare all rows, and delete it again."""
    manifest = check_backup(Settings.from_environment(), file, _read_identities(identity))
    made_at = f"{manifest.made_at:%Y-%m-%d %H:%M} UTC"
    print(f"The backup of {made_at} can be restored: {manifest.rows} rows of {len(manifest.tables)} tables.")


@app.command("backup-key")
def backup_key(
    file: Annotated[Path, typer.Argument(help="File to write, which must not exist yet.")],
) -> None:
    """Create a key pair for backups: the identity in a file, and the recipient on standard output."""
    recipient = write_identity(file)
    print(recipient)
    print(f"The identity is in {file}. Keep it and a copy away from the server: backups need it.", file=sys.stderr)


@app.command("base-backup")
def base_backup(
    keep: Annotated[int, typer.Option(help="The number of base backups to keep.", min=1)] = 2,
) -> None:
    """Copy the embedded database to GAJI_WAL_ARCHIVE, from which any later moment can be restored."""
    settings = Settings.from_environment()
    made = make_base_backup(settings, keep)
    print(f"Saved a base backup to {made.path}.")
    if settings.backup_recipient:
        print("It needs the identity of the recipient, and the secret, which is NOT included: keep copies elsewhere.")
    else:
        print("The secret is NOT included, and is needed to restore it: keep a copy of it elsewhere.")


@app.command()
def restore(
    file: Annotated[Path | None, typer.Argument(help="File written by `gaji backup`.")] = None,
    to: Annotated[
        str | None, typer.Option(help="Restore this moment from GAJI_WAL_ARCHIVE, such as 2026-11-16T09:30+08:00.")
    ] = None,
    identity: IdentityOption = None,
    allow_unencrypted: Annotated[
        bool,
        typer.Option("--allow-unencrypted", help="With --to: also use what earlier versions archived unencrypted."),
    ] = False,
) -> None:
    """Restore a backup into an empty database. The secret of the backup must be in place."""
    if (file is None) == (to is None):
        raise BackupError("give either the file of a backup, or a time with --to")
    if to is not None:
        _restore_moment(to, _read_identities(identity), allow_unencrypted=allow_unencrypted)
    elif file is not None:
        _restore_file(file, _read_identities(identity))
    print("Tasks that were queued at that time are not included; start them again if needed.")


def _restore_moment(text: str, identities: list[X25519PrivateKey], *, allow_unencrypted: bool) -> None:
    moment = parse_moment(text)
    changed_at = restore_to(Settings.from_environment(), moment, identities, allow_unencrypted=allow_unencrypted)
    last_change = "" if changed_at is None else f" The last change was at {changed_at.isoformat(timespec='seconds')}."
    print(f"Restored the state of {moment.isoformat(timespec='seconds')}.{last_change}")


def _read_identities(paths: list[Path] | None) -> list[X25519PrivateKey]:
    return [read_identity(path) for path in paths or []]


def _restore_file(file: Path, identities: list[X25519PrivateKey]) -> None:
    manifest = restore_backup(Settings.from_environment(), file, identities)
    made_at = f"{manifest.made_at:%Y-%m-%d %H:%M} UTC"
    print(f"Restored {manifest.rows} rows of {len(manifest.tables)} tables from the backup of {made_at}.")
