"""Folders that PostgreSQL's user can access, and a server that the tests of a file share."""

import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from gaji.db.embedded import EmbeddedServer
from tests.db.embedded.commands import SETTINGS, postmaster_pid


def make_base_folder() -> Path:
    """Create a folder that any user may enter, unlike pytest's own."""
    base_folder = Path(tempfile.mkdtemp(prefix="gaji-test-")).resolve()
    base_folder.chmod(0o755)
    return base_folder


def remove_folder(base_folder: Path) -> None:
    """Remove the folder, and end a server that a failed test left running in it."""
    for pid_file in base_folder.rglob("postmaster.pid"):
        try:
            os.kill(postmaster_pid(pid_file.parent.parent), signal.SIGQUIT)
        except (ProcessLookupError, ValueError, IndexError):
            continue
    shutil.rmtree(base_folder, ignore_errors=True)


@pytest.fixture
def base_folder() -> Iterator[Path]:
    """A new folder."""
    base_folder = make_base_folder()
    yield base_folder
    remove_folder(base_folder)


@pytest.fixture
def data(base_folder: Path) -> Path:
    """A data folder that does not exist yet."""
    return base_folder / "data"


@pytest.fixture(scope="module")
def made_data() -> Iterator[Path]:
    """A data folder with a cluster, for tests that leave it stopped and intact."""
    base_folder = make_base_folder()
    with EmbeddedServer(base_folder / "data", SETTINGS):
        pass
    yield base_folder / "data"
    remove_folder(base_folder)


@pytest.fixture(scope="module")
def server() -> Iterator[EmbeddedServer]:
    """A running server, for tests that do not change it."""
    base_folder = make_base_folder()
    with EmbeddedServer(base_folder / "data", SETTINGS) as server:
        yield server
    remove_folder(base_folder)
