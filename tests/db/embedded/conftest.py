"""Folders in which PostgreSQL's user may work, and a server shared by the tests of one file."""

import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from gaji.db.embedded import EmbeddedServer
from tests.db.embedded.commands import SETTINGS, postmaster_pid


def make_place() -> Path:
    """Create a folder that any user may enter, unlike pytest's own."""
    place = Path(tempfile.mkdtemp(prefix="gaji-test-")).resolve()
    place.chmod(0o755)
    return place


def clear_away(place: Path) -> None:
    """Remove the folder, and end a server that a failed test left running in it."""
    for pid_file in place.rglob("postmaster.pid"):
        try:
            os.kill(postmaster_pid(pid_file.parent.parent), signal.SIGQUIT)
        except (ProcessLookupError, ValueError, IndexError):
            continue
    shutil.rmtree(place, ignore_errors=True)


@pytest.fixture
def place() -> Iterator[Path]:
    """A fresh folder."""
    place = make_place()
    yield place
    clear_away(place)


@pytest.fixture
def data(place: Path) -> Path:
    """A data folder that does not exist yet."""
    return place / "data"


@pytest.fixture(scope="module")
def made_data() -> Iterator[Path]:
    """A data folder with a cluster, for the tests that leave it stopped and whole."""
    place = make_place()
    with EmbeddedServer(place / "data", SETTINGS):
        pass
    yield place / "data"
    clear_away(place)


@pytest.fixture(scope="module")
def server() -> Iterator[EmbeddedServer]:
    """A running server for the tests that leave it as they found it."""
    place = make_place()
    with EmbeddedServer(place / "data", SETTINGS) as server:
        yield server
    clear_away(place)
