"""Keep the database running, with the service that archives its log if there is an archive."""

import asyncio
import contextlib
from collections.abc import Iterator

from gaji.core.settings import Settings
from gaji.core.vault import Vault
from gaji.db.database import Database, locate_database
from gaji.db.embedded import EmbeddedServer
from gaji.db.embedded.system_user import server_user
from gaji.db.embedded.wal_archive import WalArchive
from gaji.db.secret_key import SecretError, known_vaults, load_vault
from gaji.db.wal_segments import SegmentFiles, SegmentKeys, SegmentService


@contextlib.contextmanager
def running_database(settings: Settings) -> Iterator[tuple[Database, EmbeddedServer | None]]:
    """Keep the database running during the block. Yields the embedded server too, if it is used."""
    if settings.database_url is not None:
        yield locate_database(settings), None
        return
    memory = {"shared_buffers": f"{settings.database_cache_mib}MB"} if settings.database_cache_mib else {}
    if settings.wal_archive is None:
        with EmbeddedServer(settings.data, memory) as server:
            yield locate_database(settings), server
        return
    # The last segment is archived when the server stops, so the service ends after it.
    with (
        segment_service(settings) as service,
        EmbeddedServer(settings.data, memory, WalArchive(settings.wal_archive)) as server,
    ):
        with contextlib.suppress(SecretError):  # reported by those who need the secret
            service.find_vaults()
        try:
            yield locate_database(settings), server
        finally:
            with contextlib.suppress(Exception):  # the server may have died
                service.find_vaults()  # again: the secret may have been created meanwhile


def segment_service(settings: Settings, keys: SegmentKeys | None = None) -> SegmentService:
    """Return the service that archives the log of the embedded server, and restores it with these keys."""
    if settings.wal_archive is None:
        raise ValueError("GAJI_WAL_ARCHIVE is not set")

    def load() -> list[Vault]:
        vault = asyncio.run(load_vault(locate_database(settings), settings))
        return [] if vault is None else [vault, *known_vaults(settings)]

    files = SegmentFiles(WalArchive(settings.wal_archive), server_user())
    return SegmentService(settings.data, files, settings.recipient, load, keys)
