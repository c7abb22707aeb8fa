"""Health checks: whether the process is up, and whether it can serve requests."""

import msgspec

from gaji import __version__
from gaji.db.tenancy import acquire_connection
from gaji.web.lifespan import Lifespan
from gaji.web.public_pages import PublicPage, PublicRequest
from gaji.web.responses import HttpResponse, build_response


def health_pages(lifespan: Lifespan) -> list[PublicPage]:
    """Return the pages that monitoring asks for."""

    async def healthz(request: PublicRequest) -> HttpResponse:
        return _json_response({"status": "up", "version": __version__})

    async def readyz(request: PublicRequest) -> HttpResponse:
        """Check that a connection to the database works."""
        state = lifespan.state()
        connection = await acquire_connection(state.pool)
        try:
            await connection.fetchval("SELECT 1")
        finally:
            state.pool.release(connection)
        return _json_response({"status": "ready"})

    return [PublicPage("/healthz", healthz), PublicPage("/readyz", readyz)]


def _json_response(value: dict[str, str]) -> HttpResponse:
    return build_response(200, msgspec.json.encode(value), "application/json")
