"""The embedded PostgreSQL 18 server in the data folder, which only the user who runs Gaji can access."""

from gaji.db.embedded.errors import EmbeddedServerError
from gaji.db.embedded.names import APPLICATION, DATABASE, OWNER, SUPERUSER
from gaji.db.embedded.server import EmbeddedServer

__all__ = ["APPLICATION", "DATABASE", "OWNER", "SUPERUSER", "EmbeddedServer", "EmbeddedServerError"]
