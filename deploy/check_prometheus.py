"""Let Prometheus scrape a running server and evaluate the alert rules. Run by `make check-prometheus`.

Prometheus runs on the loopback address with `deploy/prometheus/prometheus.yml`, for another port and with shorter
intervals. The check fails if the server has none of the metrics that the alert rules or the dashboard use, if a rule
cannot be evaluated, or if an alert does not fire when its cause is produced: the server has no worker.
"""

import json
import os
import re
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

DEPLOY = Path(__file__).resolve().parent
GAJI = DEPLOY.parent / ".venv" / "bin" / "gaji"
METRIC = re.compile(r"\bgaji_[a-z_]+")
TIMEOUT_S = 240
STOP_TIMEOUT_S = 60
WITHOUT_SAMPLES = {
    "gaji_replica_up": "no replica",
    "gaji_replica_lag_seconds": "no replica",
    "gaji_replica_lag_bytes": "no replica",
    "gaji_standby_lag_bytes": "no standby",
    "gaji_reads_total": "nothing was read that a replica may serve",
    "gaji_mail_messages_total": "no mail was sent",
    "gaji_webhook_deliveries_total": "no webhook was delivered",
    "gaji_queued_tasks": "no task waits",
    "gaji_queue_age_seconds": "no task waits",
}
"""Metrics that may have no samples, and why. All others must have some."""


def main() -> None:
    """Run the check. Exits with a message if it fails."""
    if shutil.which("prometheus") is None:
        sys.exit("Install prometheus to check the files in deploy/prometheus.")
    port, prometheus_port, token = free_port(), free_port(), secrets.token_hex()
    with tempfile.TemporaryDirectory(prefix="gaji-prometheus-") as folder:
        work = Path(folder)
        work.chmod(0o755)
        variables = {"GAJI_DATA": str(work / "data"), "GAJI_PORT": str(port), "GAJI_METRICS_TOKEN": token}
        with (
            started("gaji serve --demo", [str(GAJI), "serve", "--demo"], work, variables) as server,
            started("prometheus", prometheus_command(work, port, prometheus_port, token), work),
        ):
            wait_for("the server", lambda: fetch(f"http://127.0.0.1:{port}/readyz"))
            subprocess.run(
                [str(GAJI), "backup", str(work / "backup")], env={**os.environ, **variables}, check=True
            )  # for the time of the last one
            api = f"http://127.0.0.1:{prometheus_port}/api/v1"
            check_metrics(api)
            check_rules(api)
            server.terminate()
            server.wait(STOP_TIMEOUT_S)
            with started("gaji serve --no-worker", [str(GAJI), "serve", "--no-worker"], work, variables):
                wait_for("the alert GajiNoWorker", lambda: is_firing(api, "GajiNoWorker"))
                print("GajiNoWorker fires")


def prometheus_command(work: Path, port: int, prometheus_port: int, token: str) -> list[str]:
    """Write the configuration with short intervals, and return the command that runs Prometheus with it."""
    configuration = (DEPLOY / "prometheus/prometheus.yml").read_text()
    configuration = configuration.replace("127.0.0.1:8000", f"127.0.0.1:{port}")
    configuration = configuration.replace("scrape_interval: 15s", "scrape_interval: 2s\n  evaluation_interval: 2s")
    rules = re.sub(r"\bfor: \d+m", "for: 4s", (DEPLOY / "prometheus/alerts.yml").read_text())
    (work / "prometheus.yml").write_text(configuration)
    (work / "alerts.yml").write_text(rules)
    (work / "gaji-metrics-token").write_text(token)
    return [
        "prometheus",
        f"--config.file={work / 'prometheus.yml'}",
        f"--storage.tsdb.path={work / 'tsdb'}",
        f"--web.listen-address=127.0.0.1:{prometheus_port}",
        "--log.level=warn",
    ]


def check_metrics(api: str) -> None:
    """Check that Prometheus has scraped the metrics of all alert rules and panels."""
    dashboard = json.loads((DEPLOY / "grafana/gaji.json").read_text())
    queries = [target["expr"] for panel in dashboard["panels"] for target in panel.get("targets", [])]
    used = set(METRIC.findall("\n".join([(DEPLOY / "prometheus/alerts.yml").read_text(), *queries])))
    required = used - WITHOUT_SAMPLES.keys()

    def scraped() -> set[str]:
        names: list[str] = fetch(f"{api}/label/__name__/values")["data"]
        return set(names)

    wait_for("metrics", lambda: required <= scraped(), lambda: f"missing: {sorted(required - scraped())}")
    print(f"{len(used & scraped())} of {len(used)} metrics of the rules and the dashboard were scraped, without")
    for name in sorted(used - scraped()):
        print(f"  {name}: {WITHOUT_SAMPLES[name]}")
    for query in queries:
        fetch(f"{api}/query?query={quote(query)}")  # fails if Prometheus cannot evaluate it
    print(f"{len(queries)} queries of the dashboard were evaluated")


def check_rules(api: str) -> None:
    """Check that all rules are loaded and can be evaluated."""
    expected = set(re.findall(r"- alert: (\w+)", (DEPLOY / "prometheus/alerts.yml").read_text()))

    def load() -> list[dict[str, Any]]:
        return [rule for group in fetch(f"{api}/rules")["data"]["groups"] for rule in group["rules"]]

    wait_for("rules", lambda: load() and all(rule["health"] != "unknown" for rule in load()))
    rules = load()
    failed = [f"{rule['name']}: {rule.get('lastError')}" for rule in rules if rule["health"] != "ok"]
    if failed or {rule["name"] for rule in rules} != expected:
        sys.exit(f"{len(rules)} of {len(expected)} rules are loaded. Failed: {failed}")
    firing = [rule["name"] for rule in rules if rule["state"] == "firing"]
    print(f"{len(rules)} alert rules are loaded and evaluated without errors; firing: {', '.join(firing) or 'none'}")


def is_firing(api: str, name: str) -> bool:
    """Return whether an alert fires."""
    alerts = fetch(f"{api}/alerts")["data"]["alerts"]
    return any(alert["labels"]["alertname"] == name and alert["state"] == "firing" for alert in alerts)


@contextmanager
def started(
    name: str, command: list[str], work: Path, variables: dict[str, str] | None = None
) -> "Iterator[subprocess.Popen[bytes]]":
    """Run a program during the block. Its output is printed if the block fails."""
    log = work / f"{name}.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, cwd=work, env={**os.environ, **(variables or {})}, stdout=output, stderr=output
        )
    try:
        yield process
    except BaseException:
        print(f"{name}:\n{log.read_text()[-2000:]}", file=sys.stderr)
        raise
    finally:
        process.terminate()
        process.wait(STOP_TIMEOUT_S)


def wait_for(what: str, is_there: Callable[[], object], explain: Callable[[], str] = lambda: "") -> None:
    """Wait until a function returns something true. Connections may fail meanwhile."""
    deadline = time.monotonic() + TIMEOUT_S
    while True:
        try:
            if is_there():
                return
        except (urllib.error.URLError, ConnectionError):
            pass
        if time.monotonic() > deadline:
            sys.exit(f"No {what} within {TIMEOUT_S} seconds. {explain()}".strip())
        time.sleep(0.5)


def fetch(url: str) -> Any:
    """Return the JSON of a page."""
    with urllib.request.urlopen(url, timeout=30) as response:  # noqa: S310 - only on this machine
        return json.load(response)


def free_port() -> int:
    """Return a port that nothing listens on."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


if __name__ == "__main__":
    main()
