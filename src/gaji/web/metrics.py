"""The page `/metrics`, for Prometheus. It exists only if the operator has set a token for it."""

import asyncio
import hmac
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import asyncpg

from gaji.core import metrics
from gaji.core.errors import NotFound, Unauthenticated
from gaji.db.replica import ReplicaStatus
from gaji.db.worker_heartbeats import IS_WAITING, load_workers
from gaji.web.asgi import header
from gaji.web.lifespan import Lifespan
from gaji.web.public_pages import PublicPage, PublicRequest
from gaji.web.responses import HttpResponse, build_response

if TYPE_CHECKING:
    from prometheus_client.metrics_core import Metric

PATH = "/metrics"

_DATABASE = """
    SELECT pg_database_size(current_database()) AS size_bytes,
           (SELECT count(*) FROM pg_stat_replication) AS standbys,
           CASE WHEN NOT pg_is_in_recovery() THEN
               (SELECT max(pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn))::float8 FROM pg_stat_replication)
           END AS standby_lag_bytes
"""
_QUEUE = f"""
    SELECT entrypoint AS task, count(*) AS tasks,
           greatest(extract(epoch FROM now() - min(execute_after)), 0)::float AS age_s
    FROM pgqueuer WHERE {IS_WAITING} GROUP BY entrypoint
"""


_BACKLOGS = """
    SELECT mail_waiting, mail_age_s, webhooks_waiting, webhooks_age_s, extract(epoch FROM last_backup_at)::float8
           AS last_backup_s FROM monitored_backlogs()
"""


def metrics_page(lifespan: Lifespan, token: str | None, embedded_data: Path | None) -> PublicPage:
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
            others += replica_metrics(replica)
        if embedded_data is not None:
            others += _disk_metrics(embedded_data)
        body = await asyncio.to_thread(metrics.render_metrics, others)
        return build_response(200, body, metrics.MEDIA_TYPE, [("Cache-Control", "no-store")])

    return PublicPage(PATH, show_metrics)


def _disk_metrics(folder: Path) -> "list[Metric]":
    from prometheus_client.core import GaugeMetricFamily

    usage = shutil.disk_usage(folder)
    return [
        GaugeMetricFamily("gaji_disk_free_bytes", "Free space on the disk of the data folder.", value=usage.free),
        GaugeMetricFamily("gaji_disk_size_bytes", "Size of the disk of the data folder.", value=usage.total),
    ]


async def _read_database(connection: asyncpg.Connection) -> "list[Metric]":
    """Return the metrics that only the database knows."""
    from prometheus_client.core import GaugeMetricFamily

    database = await connection.fetchrow(_DATABASE)
    tasks = GaugeMetricFamily("gaji_queued_tasks", "Background tasks that wait for a worker.", labels=["task"])
    ages = GaugeMetricFamily("gaji_queue_age_seconds", "Age of the oldest task that waits.", labels=["task"])
    for row in await connection.fetch(_QUEUE):
        tasks.add_metric([row["task"]], row["tasks"])
        ages.add_metric([row["task"]], row["age_s"])
    workers = await load_workers(connection)
    heartbeats = GaugeMetricFamily(
        "gaji_worker_heartbeat_age_seconds", "Time since the last heartbeat of a worker.", labels=["worker"]
    )
    for worker in workers:
        if worker.heartbeat_age_s is not None:
            heartbeats.add_metric([worker.name], worker.heartbeat_age_s)
    backlogs = await connection.fetchrow(_BACKLOGS)
    gauges = [
        ("gaji_database_size_bytes", "Size of the database.", database["size_bytes"]),
        ("gaji_workers", "Workers that are connected.", len(workers)),
        ("gaji_standbys", "Standby servers that are connected.", database["standbys"]),
        ("gaji_standby_lag_bytes", "Log that a standby has still to replay.", database["standby_lag_bytes"]),
        ("gaji_mail_waiting", "Messages that wait to be sent.", backlogs["mail_waiting"]),
        ("gaji_mail_age_seconds", "Age of the oldest message that waits.", backlogs["mail_age_s"]),
        ("gaji_webhooks_waiting", "Deliveries that wait.", backlogs["webhooks_waiting"]),
        ("gaji_webhook_age_seconds", "Age of the oldest delivery that waits.", backlogs["webhooks_age_s"]),
        ("gaji_last_backup_timestamp_seconds", "When the last backup was completed.", backlogs["last_backup_s"]),
    ]
    families = [GaugeMetricFamily(name, text, value=value) for name, text, value in gauges if value is not None]
    return [*families, tasks, ages, heartbeats]


def replica_metrics(replica: ReplicaStatus) -> "list[Metric]":
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
