"""Health checks: whether the process is up, and whether it can serve requests."""

from collections.abc import Mapping

import asyncpg
import msgspec

from gaji import __version__
from gaji.core.errors import Unavailable
from gaji.db.disk_space import is_disk_full
from gaji.db.errors import DISK_FULL
from gaji.db.replica import ReplicaStatus
from gaji.db.worker_heartbeats import QUEUE_AGE, latest_heartbeat_age_s, load_workers, worker_state
from gaji.web.lifespan import Lifespan
from gaji.web.public_pages import PublicPage, PublicRequest
from gaji.web.responses import HttpResponse, build_response

_READINESS = (
    f"SELECT current_setting('transaction_read_only')::boolean AS read_only, ({QUEUE_AGE})::integer AS queue_age_s"
)


def health_pages(lifespan: Lifespan) -> list[PublicPage]:
    """Return the pages that monitoring asks for."""

    async def healthz(request: PublicRequest) -> HttpResponse:
        return _json_response({"status": "up", "version": __version__})

    async def readyz(request: PublicRequest) -> HttpResponse:
        """Check that the database accepts changes, and report on the worker and its queue.

        Disk space is checked only after a change has failed, because the check writes.
        """
        pool = lifespan.state().pool  # raises an error while this process must not serve requests
        async with lifespan.monitoring_connection() as connection:
            row: asyncpg.Record = await connection.fetchrow(_READINESS)
            workers = await load_workers(connection)
            if pool.disk_was_full and not row["read_only"]:
                pool.disk_was_full = await is_disk_full(connection)
        if row["read_only"]:
            lifespan.reconnect()  # the primary may be another server now
            raise Unavailable("The database is read-only")
        if pool.disk_was_full:
            raise Unavailable(DISK_FULL)
        report: dict[str, str | int | None] = {
            "status": "ready",
            "worker": worker_state(workers),
            "worker_heartbeat_age_s": latest_heartbeat_age_s(workers),
            "queue_age_s": row["queue_age_s"],
        }
        if (replica := await lifespan.replica_status()) is not None:
            report["replica"] = _replica_state(replica)
        return _json_response(report)

    return [PublicPage("/healthz", healthz), PublicPage("/readyz", readyz)]


def _replica_state(replica: ReplicaStatus) -> str:
    if replica.problem is not None:
        return "unavailable"
    return "behind" if replica.lag_bytes else "current"


def _json_response(value: Mapping[str, str | int | None]) -> HttpResponse:
    return build_response(200, msgspec.json.encode(value), "application/json")
