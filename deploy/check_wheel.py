"""Build a wheel, install it in a new virtual environment, and run the demo outside of the repository.

Run by `make check-wheel`.
"""

import os
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PORT = 8975
START_TIMEOUT_S = 180


def main() -> None:
    """Build, install and run. Raises an error if any of it fails."""
    with tempfile.TemporaryDirectory(prefix="gaji-wheel-") as folder:
        work = Path(folder)
        work.chmod(0o755)
        venv.create(work / "venv", with_pip=True)
        python = work / "venv" / "bin" / "python"
        _install(python, work / "dist")
        _run_demo(work)


def _install(python: Path, dist: Path) -> None:
    pip = [str(python), "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "install", "--require-hashes", "-r", str(ROOT / "requirements" / "run.txt")], check=True)
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps"]
    subprocess.run([*build, "--no-build-isolation", "-w", str(dist), str(ROOT)], check=True)
    [wheel] = dist.glob("*.whl")
    print(f"Built {wheel.name}, {wheel.stat().st_size:,} bytes")
    subprocess.run([*pip, "install", "--no-deps", str(wheel)], check=True)


def _run_demo(work: Path) -> None:
    environment = {**os.environ, "GAJI_DATA": str(work / "data"), "GAJI_PORT": str(PORT)}
    gaji = str(work / "venv" / "bin" / "gaji")
    print(subprocess.run([gaji, "--version"], check=True, cwd=work, capture_output=True, text=True).stdout.strip())
    process = subprocess.Popen([gaji, "serve", "--demo"], cwd=work, env=environment)
    try:
        _wait_until_ready(process)
        for path in ("/sign-in", "/docs", "/openapi.json"):
            with urllib.request.urlopen(f"http://127.0.0.1:{PORT}{path}") as response:
                print(path, response.status)
    finally:
        process.terminate()
        process.wait(60)


def _wait_until_ready(process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{PORT}/readyz") as response:
                print("/readyz", response.read().decode())
                return
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.5)
    sys.exit("The server did not become ready")


if __name__ == "__main__":
    main()
