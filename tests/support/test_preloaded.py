"""Preloaded commands behave like those that a shell starts."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from gaji import __version__
from tests.support.preloaded import run_gaji, start_gaji
from tests.support.running import START_WITHIN_S, free_port

NO_DATABASE = {"GAJI_DATABASE_URL": "postgresql://nobody@127.0.0.1:1/nothing"}


def until_logged(log: Path, text: str) -> None:
    """Wait until a process has logged this text."""
    deadline = time.monotonic() + START_WITHIN_S
    while text not in log.read_text():
        assert time.monotonic() < deadline, log.read_text()
        time.sleep(0.05)


def test_output_and_exit_codes_are_returned() -> None:
    version, failure = run_gaji(["--version"], os.environ), run_gaji(["restore"], {**os.environ, **NO_DATABASE})
    assert (version.returncode, version.stdout, version.stderr) == (0, f"gaji {__version__}\n", "")
    assert (failure.returncode, failure.stdout) == (1, "")
    assert failure.stderr == "gaji: give either the file of a backup, or a time with --to\n"


def test_a_process_waits_runs_in_its_folder_and_ends_by_a_signal(tmp_path: Path) -> None:
    with (tmp_path / "log").open("wb") as log:
        arguments = ["serve", "--port", str(free_port())]
        process = start_gaji(arguments, {**os.environ, **NO_DATABASE}, stdout=log, stderr=log, folder=tmp_path)
    try:
        until_logged(tmp_path / "log", "waiting for the database")
        assert process.poll() is None
        assert Path(f"/proc/{process.pid}/cwd").readlink() == tmp_path
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0)
    finally:
        process.kill()
    assert process.wait() == process.poll() == -signal.SIGKILL
    process.terminate()
