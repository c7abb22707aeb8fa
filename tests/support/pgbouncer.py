"""PgBouncer in transaction mode, in front of a test database."""

import contextlib
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from gaji.db.embedded.system_user import server_user
from tests.support.running import WAIT_S, Cluster, free_port

LOGIN = "gaji_app"
"""One of the few logins that the embedded server of the tests admits. It has the role already."""
SERVER_SESSIONS = 3
"""Few, so that concurrent requests share them."""
PROGRAM = "/usr/sbin/pgbouncer"


def prepare_login(cluster: Cluster, database_url: str) -> None:
    """Give the login of the pooler its search path, as docs/operating.md says."""
    database = urlsplit(database_url).path[1:]
    cluster.execute(f"ALTER ROLE {LOGIN} IN DATABASE {database} SET search_path = gaji")


@contextlib.contextmanager
def running_pgbouncer(database_url: str) -> Iterator[str]:
    """Yield the URL of a PgBouncer."""
    user, port = server_user(), free_port()
    with tempfile.TemporaryDirectory(prefix="gaji-pgbouncer-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "pgbouncer.ini").write_text(_configuration(database_url, folder, port))
        (folder / "users.txt").write_text(f'"{LOGIN}" ""\n')
        with (folder / "log").open("wb") as log:
            process = subprocess.Popen(
                [PROGRAM, "--quiet", str(folder / "pgbouncer.ini")],
                stdout=log,
                stderr=log,
                user=user.uid if user.is_dedicated else None,
                group=user.gid if user.is_dedicated else None,
                extra_groups=() if user.is_dedicated else None,
            )
        try:
            _wait_until_listening(process, folder / "log", port)
            yield f"postgresql://{LOGIN}@127.0.0.1:{port}/gaji"
        finally:
            process.kill()
            process.wait()


def _configuration(database_url: str, folder: Path, port: int) -> str:
    url = urlsplit(database_url)
    options = parse_qs(url.query)
    return f"""
[databases]
gaji = host={options["host"][0]} port={options["port"][0]} dbname={url.path[1:]} user={LOGIN}

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = trust
auth_file = {folder}/users.txt
pool_mode = transaction
default_pool_size = {SERVER_SESSIONS}
"""


def _wait_until_listening(process: subprocess.Popen[bytes], log: Path, port: int) -> None:
    deadline = time.monotonic() + WAIT_S
    while time.monotonic() < deadline and process.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return
        time.sleep(0.02)
    raise AssertionError(f"PgBouncer did not start:\n{log.read_text()}")
