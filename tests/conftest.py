"""Fixtures for all tests: a PostgreSQL cluster and one running server for each test process.

Each test creates its accounts on that server, so no test sees the records of another. A module that stops the server,
reads the whole database or needs other settings overrides `service`.
"""

import fcntl
import gc
import os
import shutil
import signal
import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path

import hypothesis
import pytest

from gaji.core import clock
from gaji.core.settings import Settings
from gaji.db.database import locate_database
from gaji.db.embedded import EmbeddedServer
from gaji.db.installation import open_installation
from tests.db.databases import hold_sweeps
from tests.slow_files import SLOW_FILES
from tests.support.company import Company
from tests.support.identity_provider import HOST
from tests.support.running import METRICS_TOKEN, SECRET, Cluster, Member, Service, running_service

TESTS = Path(__file__).parent
TEMPLATE = "gaji_template"

# A shell that starts a job in the background lets it ignore SIGINT, and all of our servers would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Tests and their modules stay. By default, Python would scan them for garbage many times while they are loaded.
gc.set_threshold(100_000, 20, 20)

# The same examples in every run, however busy the machine is.
hypothesis.settings.register_profile(
    "gaji", derandomize=True, deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("gaji")

SLOW_TEST_TIMEOUT_S = 600
MEMORY_FOLDER = Path("/dev/shm")
MIN_MEMORY_BYTES = 8 * 1024**3
CLUSTER_SETTINGS = {"fsync": "off", "max_wal_size": "256MB"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give slow tests more time, and run the slowest files first, then other files with slow tests."""
    slow_tests = [item for item in items if item.get_closest_marker("slow")]
    for item in slow_tests:
        item.add_marker(pytest.mark.timeout(SLOW_TEST_TIMEOUT_S))
    positions = {item.path: len(SLOW_FILES) for item in slow_tests}
    positions |= {TESTS / name: position for position, name in enumerate(SLOW_FILES)}
    items.sort(key=lambda item: positions.get(item.path, len(SLOW_FILES) + 1))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Let one process collect the tests before all others.

    In a new clone, pytest compiles every test file, which takes longer than collecting them. The other processes
    wait, and then use the files that the first one has compiled.
    """
    with Path(__file__).open() as lock, _reject_clock():
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            fcntl.flock(lock, fcntl.LOCK_SH)
        except OSError:  # the file system has no such locks: everyone collects at once
            pass
        return (yield)


@contextmanager
def _reject_clock() -> Iterator[None]:
    """Reject reading the clock: a day that is read while tests are collected is yesterday for tests after midnight."""
    read_today, is_collecting = clock.today, True

    def today() -> date:
        if is_collecting:
            pytest.fail("The clock is read when this module is imported", pytrace=False)
        return read_today()

    clock.today = today  # Modules that are imported meanwhile may refer to it, and use it later.
    try:
        yield
    finally:
        clock.today, is_collecting = read_today, False


def pytest_collection_finish() -> None:
    """Exclude all tests from garbage collection."""
    gc.freeze()


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """The embedded server, or the one at GAJI_TEST_DATABASE_URL, whose login must be a superuser."""
    if url := os.environ.get("GAJI_TEST_DATABASE_URL"):
        yield Cluster(url)
        return
    # Not pytest's own folder: as root that is closed to the user PostgreSQL runs as.
    with tempfile.TemporaryDirectory(prefix="gaji-tests-", dir=_cluster_folder()) as folder:
        os.chmod(folder, 0o755)  # noqa: S103 - the server's own folder inside is private
        with EmbeddedServer(Path(folder) / "data", CLUSTER_SETTINGS) as server:
            arguments = server.connection("postgres", "postgres")
            yield Cluster(f"postgresql://postgres@/postgres?host={arguments['host']}&port={arguments['port']}")


@pytest.fixture(scope="session")
def template(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The name of a migrated, empty database that others are copied from."""
    name = f"{TEMPLATE}_{os.environ.get('PYTEST_XDIST_WORKER', 'main')}"
    cluster.execute(f"DROP DATABASE IF EXISTS {name}")
    cluster.execute(f"CREATE DATABASE {name}")
    with open_installation(_settings(cluster.database_url(name), tmp_path_factory.mktemp("template"))):
        pass
    yield name
    cluster.execute(f"DROP DATABASE {name}")


@pytest.fixture(scope="module")
def settings(cluster: Cluster, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    """The settings of a fresh installation, without a server."""
    with cluster.copy_of(template) as url:
        yield _settings(url, tmp_path_factory.mktemp("data"))


@pytest.fixture(scope="session")
def service(cluster: Cluster, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A running server that all test modules of this process share."""
    folder = tmp_path_factory.mktemp("service")
    with cluster.copy_of(template) as url:
        settings = _settings(url, folder / "data")
        hold_sweeps(locate_database(settings))
        with running_service(settings, folder, {"GAJI_WEBHOOK_ALLOW": HOST}) as running:
            yield running


@pytest.fixture(scope="module")
def own_service(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A running server with a database for one test module, which overrides `service` with it."""
    with running_service(settings, tmp_path_factory.mktemp("own_service")) as running:
        yield running


@pytest.fixture
def account(service: Service) -> Member:
    """A fresh account with an administrator and a key."""
    return service.new_account()


@pytest.fixture
def company(account: Member) -> Company:
    """A fresh client with a monthly wave and nobody in it yet."""
    return Company.of(account)


def _cluster_folder() -> Path | None:
    """Return the folder for the cluster: in memory if there is plenty, where copying a database costs a quarter."""
    if not (MEMORY_FOLDER.is_dir() and os.access(MEMORY_FOLDER, os.W_OK)):
        return None
    if os.statvfs(MEMORY_FOLDER).f_flag & os.ST_NOEXEC:  # copies of PostgreSQL's programs may be next to the data
        return None
    memory = dict(line.split(":") for line in Path("/proc/meminfo").read_text().splitlines())
    available_bytes = int(memory["MemAvailable"].split()[0]) * 1024
    has_space = min(available_bytes, shutil.disk_usage(MEMORY_FOLDER).free) > MIN_MEMORY_BYTES
    return MEMORY_FOLDER if has_space else None


def _settings(url: str, data: Path) -> Settings:
    return Settings(data=data, database_url=url, secret_key=SECRET, rate_limit=0, metrics_token=METRICS_TOKEN)
