"""The server's log: one file for its startup, and one for each weekday."""

import time
from pathlib import Path

TAIL_LINES = 20
TAIL_BYTES = 8192
STALE_AFTER_S = 6 * 24 * 3600


def tail(startup: Path, folder: Path) -> str:
    """Return the last log lines since the latest start, each file after its path."""
    files = [startup]
    if startup.exists():  # the newest daily file is relevant only if it was written since
        daily = sorted(folder.glob("*.log"), key=lambda file: file.stat().st_mtime)
        files += [file for file in daily[-1:] if file.stat().st_mtime >= startup.stat().st_mtime - 1]
    return "\n".join(f"{file}:\n{_last_lines(file)}" for file in files)


def remove_stale_files(folder: Path) -> None:
    """Remove daily files of last week, which the server overwrites only if it runs on that weekday."""
    for file in folder.glob("*.log"):
        if file.lstat().st_mtime < time.time() - STALE_AFTER_S:
            file.unlink()


def _last_lines(file: Path) -> str:
    try:
        with file.open("rb") as opened:
            opened.seek(max(0, file.stat().st_size - TAIL_BYTES))
            lines = opened.read().decode(errors="replace").splitlines()
    except FileNotFoundError:
        return "(no log was written)"
    return "\n".join(lines[-TAIL_LINES:])
