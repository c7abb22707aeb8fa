"""Write the shape of a new installation to the file that `gaji doctor` compares with.

Run it in the root of the repository after adding a migration: `.venv/bin/python -m tests.db.renew_schema_shape`.
"""

import asyncio
from pathlib import Path

from gaji.core.settings import Settings
from gaji.db import schema_shape
from gaji.db.database import Database
from gaji.db.migrate import migrate
from gaji.db.running_database import running_database
from tests.db.databases import open_folder

FILE = Path(schema_shape.__file__).with_name(schema_shape.SHAPE_FILE)


def renew() -> None:
    """Create an installation, and write its shape."""
    with open_folder() as folder, running_database(Settings(data=folder / "data")) as (database, _):
        FILE.write_text(asyncio.run(_load(database)))


async def _load(database: Database) -> str:
    await migrate(database)
    async with database.owner_connection() as connection:
        return schema_shape.format_shape(await schema_shape.load_shape(connection))


if __name__ == "__main__":
    renew()
