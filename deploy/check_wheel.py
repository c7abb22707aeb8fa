"""Build a wheel, install it in a new virtual environment, and run the demo outside of the repository.

Run by `make check-wheel`, with every supported version of Python that is installed.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PORT = 8975
START_TIMEOUT_S = 180
VERSIONS = ("3.11", "3.12", "3.13", "3.14")


def main() -> None:
    """Build the wheel, and install and run it with each version. Raises an error if any of it fails."""
    with tempfile.TemporaryDirectory(prefix="gaji-wheel-") as folder:
        wheel = _build(Path(folder))
        for version in VERSIONS:
            if python := _find_python(version):
                _check(python, wheel)
            else:
                print(f"Python {version} is not installed")


def _build(folder: Path) -> Path:
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps"]
    subprocess.run([*build, "--no-build-isolation", "-w", str(folder), str(ROOT)], check=True)
    [wheel] = folder.glob("*.whl")
    print(f"Built {wheel.name}, {wheel.stat().st_size:,} bytes")
    return wheel


def _find_python(version: str) -> str | None:
    """Return the command of a version of Python, or None. A command can exist that only says that it is missing."""
    if sys.version_info[:2] == tuple(int(part) for part in version.split(".")):
        return sys.executable
    python = shutil.which(f"python{version}")
    return (
        python if python and subprocess.run([python, "-V"], capture_output=True, check=False).returncode == 0 else None
    )


def _check(python: str, wheel: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="gaji-wheel-") as folder:
        work = Path(folder)
        work.chmod(0o755)
        subprocess.run([python, "-m", "venv", str(work / "venv")], check=True)
        installed = str(work / "venv" / "bin" / "python")
        print(subprocess.run([installed, "-V"], check=True, capture_output=True, text=True).stdout.strip())
        pip = [installed, "-m", "pip", "--quiet", "--disable-pip-version-check", "install"]
        subprocess.run([*pip, "--require-hashes", "-r", str(ROOT / "requirements" / "run.txt")], check=True)
        subprocess.run([*pip, "--no-deps", str(wheel)], check=True)
        _run_demo(work)


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
