"""The process that started this one, such as `gaji serve`."""

import asyncio
import os
import signal
import threading
import time
from contextlib import suppress

PARENT_VARIABLE = "GAJI_PARENT"
"""Holds the ID of that process."""
POLL_S = 0.25
STOP_TIMEOUT_S = 20


def end_with_parent(loop: asyncio.AbstractEventLoop | None = None) -> None:
    """End this process when its parent has ended, even if the parent was killed with SIGKILL.

    With `loop`, the event loop sends the signal, because uvloop loses one that arrives before it runs.
    """
    parent = int(os.environ.get(PARENT_VARIABLE) or 0)
    if parent in (0, os.getpid()):
        return

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(POLL_S)
        if loop is None:
            _stop()
        else:
            with suppress(RuntimeError):  # the loop is closed, so the process is about to end
                loop.call_soon_threadsafe(_stop)
        time.sleep(STOP_TIMEOUT_S)
        os._exit(1)

    threading.Thread(target=watch, name="parent watch", daemon=True).start()


def _stop() -> None:
    os.kill(os.getpid(), signal.SIGTERM)
