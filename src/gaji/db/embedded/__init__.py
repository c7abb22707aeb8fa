"""The PostgreSQL 18 server that comes with Gaji: in its data folder, for the user who runs Gaji alone."""

from gaji.db.embedded.errors import EmbeddedServerError
from gaji.db.embedded.names import APPLICATION, DATABASE, OWNER, SUPERUSER
from gaji.db.embedded.server import EmbeddedServer

__all__ = ["APPLICATION", "DATABASE", "OWNER", "SUPERUSER", "EmbeddedServer", "EmbeddedServerError"]
