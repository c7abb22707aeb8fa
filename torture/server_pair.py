"""Two servers on one database, as on two machines. The first machine has the database too."""

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from random import Random
from typing import Any

import httpx

from gaji.core.settings import Settings
from gaji.db.database import locate_database
from gaji.db.embedded.names import SUPERUSER
from tests.support.running import SECRET
from torture.installation import ServedInstallation, served_installation
from torture.kills import kill_database, kill_server, kill_workers
from torture.mirror import Requests
from torture.pay_run import kill_process


class ServerPair:
    """Two servers, each with a worker."""

    def __init__(self, first: ServedInstallation, second: ServedInstallation) -> None:
        self.first = first
        self.servers = (first, second)

    def start(self, variables: Mapping[str, str]) -> None:
        """Start both servers with the same settings."""
        first, second = self.servers
        login = locate_database(Settings(data=first.data)).owner
        second.variables["GAJI_DATABASE_URL"] = f"postgresql://{SUPERUSER}@/{login['database']}?host={login['host']}"
        second.database_data = first.data
        for served in self.servers:
            served.variables |= {"GAJI_SECRET_KEY": SECRET, "GAJI_PUBLIC_URL": first.url, **variables}
            served.start()

    def kill(self, random: Random) -> str:
        """Kill one process or several together, and wait until they run again. Return what was killed."""
        served = random.choice(self.servers)
        [name] = random.choices(list(WEIGHTS), list(WEIGHTS.values()))
        if name not in KILLS:
            return kill_process(served, random)
        KILLS[name](self, served, random)
        return name

    def kill_machine(self, served: ServedInstallation) -> None:
        """Kill all processes of a machine at once, and start it again."""
        served.end_everything()
        served.start()

    def kill_both_machines(self) -> None:
        """Kill all processes of both machines, and start them again."""
        for served in self.servers:
            served.end_everything()
        with ThreadPoolExecutor(len(self.servers)) as pool:
            list(pool.map(ServedInstallation.start, self.servers))


WEIGHTS = {
    "one process": 30,
    "server processes and worker": 4,
    "database with server processes": 2,
    "main process": 2,
    "machine": 2,
    "both machines": 1,
}
"""How often each is killed. It takes long until a machine runs again."""
KILLS: Mapping[str, Callable[[ServerPair, ServedInstallation, Random], object]] = {
    "main process": lambda _, served, random: kill_server(served, random),
    "database with server processes": lambda _, served, random: kill_database(served, random),
    "server processes and worker": lambda _, served, random: kill_workers(served, random),
    "machine": lambda pair, served, _: pair.kill_machine(served),
    "both machines": lambda pair, _, __: pair.kill_both_machines(),
}


class PairRequests(Requests):
    """Requests of one thread that go to the other server if one does not answer."""

    def __init__(self, pair: ServerPair, key: str, random: Random) -> None:
        super().__init__(pair.first, key, random)
        self._urls = [f"{served.url}/v1" for served in pair.servers]
        self.url = random.choice(self._urls)
        self.acknowledged = 0
        """The number of acknowledged writes."""

    def call(self, method: str, path: str, body: Any) -> httpx.Response:
        """Send a request until it is answered. A write takes effect once."""
        response = super().call(method, path, body)
        self.acknowledged += method != "GET"
        return response

    def _attempt(self, method: str, path: str, body: Any, headers: dict[str, str]) -> httpx.Response | None:
        response = super()._attempt(method, path, body, headers)
        if response is None:
            [self.url] = [url for url in self._urls if url != self.url]
        return response


@contextmanager
def server_pair() -> Iterator[ServerPair]:
    """Create a pair that is not running yet, and remove it with all its processes."""
    with served_installation() as first, served_installation() as second:
        try:
            yield ServerPair(first, second)
        except AssertionError as error:
            for served in (first, second):
                error.add_note(f"the end of the log of {served.url}:\n{served.log_end()}")
            raise
