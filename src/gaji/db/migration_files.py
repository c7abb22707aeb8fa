"""The migrations of this program: numbered .sql files. Each says whether servers of older versions can continue."""

import hashlib
import re
from dataclasses import dataclass
from importlib import resources

FIRST_MARKED = 96
"""From this number on, the first line of a migration says what older servers do. They cannot work with earlier ones."""
OTHER_CHECKSUMS = {95: "c871468ada9c6a4033418a43c0d3c73f1dae16d244b4c752f3bf808b1d6b5684"}
"""Migrations that were on main in another form for a short time, by number. Migration 106 makes the schemas equal."""
_OLDER_SERVERS = re.compile(r"-- Older servers: (continue|stop)\n")


class MigrationError(Exception):
    """The database cannot be migrated. The message says why."""


@dataclass(frozen=True)
class Migration:
    """One migration: its number, name and statements."""

    number: int
    name: str
    sql: str

    @property
    def checksum(self) -> str:
        """The SHA-256 of the statements. It is recorded when the migration is applied."""
        return hashlib.sha256(self.sql.encode()).hexdigest()

    def is_applied_as(self, checksum: str) -> bool:
        """Return whether a recorded checksum is that of this migration."""
        return checksum in (self.checksum, OTHER_CHECKSUMS.get(self.number))

    @property
    def title(self) -> str:
        """The name of the file, without its extension."""
        return f"{self.number:04d}_{self.name}"

    @property
    def stops_older_servers(self) -> bool:
        """Whether servers without this migration cannot work with the database once it is applied."""
        if self.number < FIRST_MARKED:
            return True
        if (match := _OLDER_SERVERS.match(self.sql)) is None:
            raise MigrationError(
                f"the first line of the migration {self.title} must be "
                "`-- Older servers: continue` or `-- Older servers: stop`"
            )
        return match[1] == "stop"


def load_migrations() -> list[Migration]:
    """Return all migrations in order."""
    migrations = []
    for file in resources.files("gaji.db").joinpath("migrations").iterdir():
        if match := re.fullmatch(r"(\d{4})_(\w+)\.sql", file.name):
            migrations.append(Migration(int(match[1]), match[2], file.read_text()))
    migrations.sort(key=lambda migration: migration.number)
    numbers = [migration.number for migration in migrations]
    if numbers != list(range(1, len(migrations) + 1)):
        raise MigrationError(f"the migrations are not numbered 1 to {len(migrations)}: {numbers}")
    return migrations


def latest_version() -> int:
    """Return the number of the last migration."""
    return len(load_migrations())
