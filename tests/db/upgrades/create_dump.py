"""Dump a small database of this release for tests/db/test_upgrade.py.

Run it once for each release, in a checkout of that release: `.venv/bin/python tests/db/upgrades/create_dump.py`. It
creates a demo company and a second account, records what the API returns for them, and writes two files named after the
version: the database as SQL, and the responses as JSON. It uses only the commands and the API, so it
also runs with older releases.
"""

import json
import lzma
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from gaji import __version__
from gaji.db.embedded import SUPERUSER, EmbeddedServer

FOLDER = Path(__file__).parent
GAJI = str(Path(sys.executable).with_name("gaji"))
TODAY = "2026-11-15"
DEMO_EMAIL = "demo7@gaji.example"
SECOND_EMAIL = "second@example.com"
TIMEOUT_S = 120

# pg_dump writes these for psql and for newer servers. The test restores without psql, on PostgreSQL 15 and newer.
UNPORTABLE = (b"\\restrict", b"\\unrestrict", b"SET transaction_timeout")

DEMO_WRITES: tuple[tuple[str, str, Any], ...] = (
    ("POST", "/employees/1/leave_days", {"date": "2026-11-03", "type_id": 1}),
    ("POST", "/employees/1/leave_adjustments", {"type_id": 1, "date": "2026-11-02", "days": 2, "reason": "Agreed"}),
    ("POST", "/employees/1/leave_requests", {"dates": [{"date": "2026-11-24", "type_id": 1}], "reason": "Wedding"}),
    (
        "PUT",
        "/leave_types/12/policy",
        {"entitlement": [{"year": 1, "days": 3}], "accrual": "yearly", "effective_date": "2026-12-01"},
    ),
    (
        "PATCH",
        "/employees/1/inherited_calculations",
        {
            "calc_type": "week_hours",
            "calculation_details": {"schedule": "casual"},
            "effective_date": "2026-12-01",
        },
    ),
    (
        "PUT",
        "/clients/1/accounts",
        [{"account": {"item": "basic_salary", "debit_account": "6100 Salaries", "credit_account": "Salaries payable"}}],
    ),
    ("PUT", "/clients/1/accounting_splits", {"mode": "employee", "splits": [{"name": "Sales"}, {"name": "Stores"}]}),
    ("PUT", "/employees/1/accounting_splits", {"1": 60, "2": 40}),
    ("PUT", "/employees/2/take_on_balances", {"year": 2026, "ordinary_wages": "24000.00", "cpf_employee": "4800.00"}),
    ("POST", "/clients/1/tax_certificates", {"year": 2026}),
    ("POST", "/tax_certificates/1/release", None),
    ("POST", "/clients/1/reports/transaction_history/async", {"start_date": "2026-09-01", "end_date": "2026-10-31"}),
)
DEMO_READS = (
    "/clients",
    "/clients/1/pay_points",
    "/clients/1/waves",
    "/clients/1/employees?include=service_periods",
    "/clients/1/custom_employee_fields",
    "/clients/1/calculations",
    "/clients/1/calculation_definitions",
    "/clients/1/profiles",
    "/clients/1/payment_runs",
    "/clients/1/accounts",
    "/clients/1/accounting_splits",
    "/clients/1/tax_certificates?year=2026",
    "/employees/1/accounting_splits",
    "/employees/1/inherited_calculations",
    "/employees/1/leave_adjustments",
    "/employees/1/leave_balances?date=2026-11-30",
    "/employees/1/leave_days",
    "/employees/1/leave_requests",
    "/employees/1/profile_mappings",
    "/employees/2/take_on_balances",
    "/leave_types/12/policy?date=2026-12-01",
)
RUN_READS = ("/payment_runs/{id}", "/payment_runs/{id}/payslips", "/payment_runs/{id}/accounting")
PAYSLIP_READS = ("/payslips/{id}", "/payslips/{id}/calculations", "/payslips/{id}/explanation")


def main() -> None:
    """Write the dump and the responses of this release."""
    # Not under a private folder: as root, PostgreSQL runs as another user.
    with tempfile.TemporaryDirectory(prefix="gaji-upgrade-") as name:
        os.chmod(name, 0o755)  # noqa: S103
        data = Path(name) / "data"
        with EmbeddedServer(data) as server:
            environment = {
                "PATH": os.environ["PATH"],
                "GAJI_DATA": str(data),
                "GAJI_SECRET_KEY": (FOLDER / "secret.key").read_text().strip(),
                "GAJI_TODAY": TODAY,
            }
            accounts = record_accounts(environment, server)
            sql = dump(server)
    write(f"{__version__}.sql.xz", sql)
    write(f"{__version__}.json.xz", json.dumps({"accounts": accounts}, ensure_ascii=False, indent=1).encode())


def record_accounts(environment: dict[str, str], server: EmbeddedServer) -> list[dict[str, Any]]:
    """Create both accounts, and return what the API returns to each of them."""
    demo = json.loads(gaji(environment, "demo", "--employees", "12", "--months", "2", "--seed", "7", "--json"))
    gaji(environment, "account", "create", "--name", "Second", "--email", SECOND_EMAIL, "--password", "kopi-gau-peng")
    second_key = gaji(environment, "key", "create", "--email", SECOND_EMAIL)
    limited_key = gaji(environment, "key", "create", "--email", DEMO_EMAIL, "--client", "1", "--read-only")
    with running_server(environment) as url:
        demo_responses = record_demo(url, demo["api_key"])
        second_responses = record_second(url, second_key)
        wait_for_worker(server)
    return [
        {"email": DEMO_EMAIL, "api_keys": [demo["api_key"], limited_key], "responses": demo_responses},
        {"email": SECOND_EMAIL, "api_keys": [second_key], "responses": second_responses},
    ]


def record_demo(url: str, key: str) -> dict[str, Any]:
    """Write what the demo lacks, and return the responses for its account."""
    with client(url, key) as http:
        for method, path, body in DEMO_WRITES:
            http.request(method, path.lstrip("/"), json=body)
        runs = [entry["payment_run"]["id"] for entry in read(http, "/clients/1/payment_runs")]
        payslips = [
            entry["payslip"]["id"]
            for employee in read(http, "/clients/1/employees")
            for entry in read(http, f"/employees/{employee['employee']['id']}/payslips")
            if entry["payslip"]["finalised"]
        ]
        paths = [
            *DEMO_READS,
            *(path.format(id=run) for run in runs for path in RUN_READS),
            *(path.format(id=payslip) for payslip in payslips for path in PAYSLIP_READS),
        ]
        return {path: read(http, path) for path in paths}


def record_second(url: str, key: str) -> dict[str, Any]:
    """Create a client in the second account, and return the responses for it."""
    with client(url, key) as http:
        client_id = http.post("clients", json={"name": "Kopi Trading"}).json()["id"]
        http.post(f"clients/{client_id}/pay_points", json={"name": "Warehouse"})
        return {path: read(http, path) for path in ("/clients", f"/clients/{client_id}/pay_points")}


def read(http: httpx.Client, path: str) -> Any:
    """Return the JSON of one GET."""
    return http.get(path.lstrip("/")).json()


def client(url: str, key: str) -> httpx.Client:
    """Return a client that raises on every error."""

    def check(response: httpx.Response) -> None:
        if response.is_error:
            sys.exit(f"{response.request.method} {response.url}: {response.read().decode()}")

    return httpx.Client(
        base_url=f"{url}/v1/",
        headers={"Authorization": key},
        timeout=TIMEOUT_S,
        event_hooks={"response": [check]},
    )


@contextmanager
def running_server(environment: dict[str, str]) -> Iterator[str]:
    """Run `gaji serve` with its worker and yield its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    process = subprocess.Popen([GAJI, "serve", "--port", str(port)], env=environment)
    try:
        wait_until_ready(url)
        yield url
    finally:
        process.terminate()
        process.wait(TIMEOUT_S)


def wait_until_ready(url: str) -> None:
    """Wait until the server can use its database."""
    deadline = time.monotonic() + TIMEOUT_S
    while time.monotonic() < deadline:
        try:
            if httpx.get(f"{url}/readyz").is_success:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.1)
    sys.exit("the server did not become ready")


def wait_for_worker(server: EmbeddedServer) -> None:
    """Wait until the worker has finished all jobs."""
    deadline = time.monotonic() + TIMEOUT_S
    while time.monotonic() < deadline:
        if run(server, "psql", "-Atc", "SELECT count(*) FROM gaji.pgqueuer").strip() == b"0":
            return
        time.sleep(0.5)
    sys.exit("the worker did not finish its jobs")


def dump(server: EmbeddedServer) -> bytes:
    """Return schema and data as SQL, with the owners and privileges that row-level security depends on."""
    sql = run(server, "pg_dump", "--inserts", "--rows-per-insert=200")
    return b"".join(line for line in sql.splitlines(keepends=True) if not line.startswith(UNPORTABLE))


def run(server: EmbeddedServer, name: str, *arguments: str) -> bytes:
    """Run a program of PostgreSQL as the superuser, who can read the rows of all tenants."""
    login = server.connection(SUPERUSER)
    options = ["-h", str(login["host"]), "-p", str(login["port"]), "-U", SUPERUSER, "-d", str(login["database"])]
    return subprocess.run([str(server.bin_dir / name), *options, *arguments], stdout=subprocess.PIPE, check=True).stdout


def gaji(environment: dict[str, str], *arguments: str) -> str:
    """Run a command of this release and return its output."""
    command = [GAJI, *arguments]
    result = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, check=True)
    return result.stdout.decode().strip()


def write(name: str, content: bytes) -> None:
    """Write a compressed file beside this script."""
    path = FOLDER / name
    path.write_bytes(lzma.compress(content, preset=9 | lzma.PRESET_EXTREME))
    print(f"{path}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
