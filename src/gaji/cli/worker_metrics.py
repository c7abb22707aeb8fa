"""Metrics of a worker: in those of the server that started it, or on a port of its own."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from gaji.core.metrics import FOLDER_VARIABLE, enable_if_configured, metrics_folder, serve_metrics
from gaji.core.settings import Settings, SettingsError


@contextmanager
def serve_worker_metrics(settings: Settings) -> Iterator[None]:
    """Record metrics, and serve them if the worker was started separately and has a port for them."""
    port = None if FOLDER_VARIABLE in os.environ else settings.metrics_port
    with metrics_folder(port is not None):
        enable_if_configured()
        if port is not None:
            try:
                serve_metrics(settings.host, port)
            except OSError as error:
                raise SettingsError(f"cannot serve metrics on port {port}: {error.strerror}") from error
        yield
