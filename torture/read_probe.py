"""Reads of one record, one after the other: `python -m torture.read_probe`, a process of its own.

It shares no interpreter with the attack that runs meanwhile, so that it measures the server and not the attacker.
"""

import http.client
import subprocess
import sys
import time

import msgspec

PAUSE_S = 0.002
"""Between two reads, so that the probe itself is no load."""
TIMEOUT_S = 60


class ProbeTarget(msgspec.Struct):
    """The record to read, and for how long."""

    port: int
    path: str
    key: str
    duration_s: float


def run_probe(target: ProbeTarget) -> list[float]:
    """Run the probe in a separate process. Return the latencies in milliseconds."""
    process = subprocess.run(
        [sys.executable, "-m", "torture.read_probe"], input=msgspec.json.encode(target), capture_output=True, check=True
    )
    return msgspec.json.decode(process.stdout, type=list[float])


def measure(target: ProbeTarget) -> list[float]:
    """Read the record until the time is over. Raises AssertionError if it cannot be read."""
    connection = http.client.HTTPConnection("127.0.0.1", target.port, timeout=TIMEOUT_S)
    _read(connection, target)
    latencies_ms = []
    end = time.monotonic() + target.duration_s
    while time.monotonic() < end:
        started = time.perf_counter()
        _read(connection, target)
        latencies_ms.append((time.perf_counter() - started) * 1000)
        time.sleep(PAUSE_S)
    return latencies_ms


def _read(connection: http.client.HTTPConnection, target: ProbeTarget) -> None:
    connection.request("GET", target.path, headers={"Authorization": target.key})
    response = connection.getresponse()
    body = response.read()
    if response.status != http.client.OK:
        raise AssertionError(f"the read was answered with {response.status}: {body[:200]!r}")


if __name__ == "__main__":
    sys.stdout.write(
        msgspec.json.encode(measure(msgspec.json.decode(sys.stdin.buffer.read(), type=ProbeTarget))).decode()
    )
