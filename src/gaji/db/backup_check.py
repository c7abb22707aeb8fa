"""Check a backup by restoring it into a temporary database and comparing all rows."""

import tempfile
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from gaji.core.settings import Settings
from gaji.db import archive
from gaji.db.archive import BackupError, BackupFile, Digest, Manifest
from gaji.db.backup import back_up, restore
from gaji.db.embedded.folders import prepare_data_folder
from gaji.db.embedded.system_user import server_user
from gaji.db.migration_files import latest_version
from gaji.db.secret_key import KEY_FILE, configured_vaults, read_secret, write_secret

ADOPTED = "last_changes"
"""The table whose transaction numbers a restore replaces if they are from another server."""


def check_backup(settings: Settings, path: Path, identities: Sequence[X25519PrivateKey] = ()) -> Manifest:
    """Restore a backup into a temporary embedded database. Raises BackupError if anything differs.

    A backup of an older version is migrated there, so only its numbers of rows are compared.
    """
    with tempfile.TemporaryDirectory(prefix="gaji-check-") as folder:
        work = Path(folder)
        work.chmod(0o755)  # lets the user of PostgreSQL reach the private folder inside
        temporary = replace(settings, data=work / "data", database_url=None, wal_archive=None, backup_recipient=None)
        if not settings.secret_key:
            prepare_data_folder(temporary.data, server_user())
            write_secret(temporary.data / KEY_FILE, read_secret(settings))
        manifest = restore(temporary, path, identities)
        if manifest.schema_version == latest_version():
            copy = work / "copy.backup"
            back_up(temporary, copy)
            vaults = configured_vaults(settings)
            _require_same_rows(BackupFile(path, vaults, identities), BackupFile(copy, vaults))
    return manifest


def _require_same_rows(original: BackupFile, copy: BackupFile) -> None:
    expected, restored = _digests(original), _digests(copy)
    differing = [name for name in expected if name != ADOPTED and restored.get(name) != expected[name]]
    if differing:
        raise BackupError(f"{original.path} was restored, but these tables differ: {', '.join(differing)}")


def _digests(file: BackupFile) -> dict[str, str]:
    """Return a hash of the rows of each table."""
    digests: dict[str, Digest] = defaultdict(sha256)
    for name, block in archive.read_entries(file):
        if table := archive.table_name(name):
            digests[table].update(block)
    return {table: digest.hexdigest() for table, digest in digests.items()}
