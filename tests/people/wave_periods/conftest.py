"""A server whose clock is set to Wednesday, 18 March 2026."""

from collections.abc import Iterator

import pytest

from gaji.core.settings import Settings
from tests.support.running import Service, running_service


@pytest.fixture(scope="module")
def service(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """The server."""
    folder, today = tmp_path_factory.mktemp("service"), {"GAJI_TODAY": "2026-03-18"}
    with running_service(settings, folder, today, ["--no-worker"]) as running:
        yield running
