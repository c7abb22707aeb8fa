"""The page `/metrics`, for Prometheus. It exists only if the operator has set a token for it."""

import asyncio
import hmac
from typing import TYPE_CHECKING

import asyncpg

from gaji.core import metrics
from gaji.core.errors import NotFound, Unauthenticated
from gaji.db.replica import ReplicaStatus
from gaji.web.asgi import header
from gaji.web.lifespan import Lifespan
from gaji.web.public_pages import PublicPage, PublicRequest
from gaji.web.responses import HttpResponse, build_response

if TYPE_CHECKING:
    from prometheus_client.metrics_core import Metric

PATH = "/metrics"

_DATABASE = """
    SELECT pg_database_size(current_database()) AS size_bytes,
           (SELECT count(*) FROM pg_stat_activity
            WHERE datname = current_database() AND application_name = 'gaji worker') AS workers
"""
_QUEUE = """
    SELECT entrypoint AS task, count(*) AS tasks,
           greatest(extract(epoch FROM now() - min(execute_after)), 0)::float AS age_s
    FROM pgqueuer WHERE status = 'queued' GROUP BY entrypoint
"""


def metrics_page(lifespan: Lifespan, token: str | None) -> PublicPage:
    """Return the page. It answers 404 without a token in the settings, and 401 without the token in the request."""

    async def show_metrics(request: PublicRequest) -> HttpResponse:
        if token is None:
            raise NotFound(f"No such path: {PATH}")
        sent = header(request.scope, b"authorization") or ""
        if not hmac.compare_digest(sent.encode(), f"Bearer {token}".encode()):
            raise Unauthenticated("Send the header Authorization: Bearer with the value of GAJI_METRICS_TOKEN")
        async with lifespan.monitoring_connection() as connection:
            others = await _read_database(connection)
        if (replica := await lifespan.replica_status()) is not None:
            others += _replica_metrics(replica)
        body = await asyncio.to_thread(metrics.render_metrics, others)
        return build_response(200, body, metrics.MEDIA_TYPE, [("Cache-Control", "no-store")])

    return PublicPage(PATH, show_metrics)


async def _read_database(connection: asyncpg.Connection) -> "list[Metric]":
    """Return the metrics that only the database knows."""
    from prometheus_client.core import GaugeMetricFamily

    database = await connection.fetchrow(_DATABASE)
    tasks = GaugeMetricFamily("gaji_queued_tasks", "Background tasks that wait for a worker.", labels=["task"])
    ages = GaugeMetricFamily("gaji_queue_age_seconds", "Age of the oldest task that waits.", labels=["task"])
    for row in await connection.fetch(_QUEUE):
        tasks.add_metric([row["task"]], row["tasks"])
        ages.add_metric([row["task"]], row["age_s"])
    return [
        GaugeMetricFamily("gaji_database_size_bytes", "Size of the database.", value=database["size_bytes"]),
        GaugeMetricFamily("gaji_workers", "Workers that are connected.", value=database["workers"]),
        tasks,
        ages,
    ]


def _replica_metrics(replica: ReplicaStatus) -> "list[Metric]":
    """Return whether the replica can be used and, if so, how far it is behind."""
    from prometheus_client.core import GaugeMetricFamily

    is_up = replica.problem is None
    families: list[Metric] = [GaugeMetricFamily("gaji_replica_up", "Whether the replica can be used.", value=is_up)]
    if is_up:
        families += [
            GaugeMetricFamily("gaji_replica_lag_bytes", "Log that is still to be replayed.", value=replica.lag_bytes),
            GaugeMetricFamily("gaji_replica_lag_seconds", "Age of the last replayed change.", value=replica.lag_s),
        ]
    return families
