"""Programs that run as PostgreSQL's user."""

import os
import pwd
import signal
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO, Any, cast

import pytest

from gaji.db.embedded import EmbeddedServerError, system_user
from gaji.db.embedded.system_user import server_user

TALKATIVE = "i=0; while test $i -lt 20000; do echo message $i >&2; i=$((i+1)); done; cat > /dev/null; exit 3"


def test_a_program_can_print_any_number_of_messages() -> None:
    messages: list[str] = []

    def run() -> None:
        with pytest.raises(EmbeddedServerError) as error, server_user().start(["sh", "-c", TALKATIVE]) as process:
            cast(IO[bytes], process.stdin).write(bytes(1_000_000))
        messages.append(str(error.value))

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(30)
    assert len(messages) == 1
    assert messages[0].startswith("sh failed: ")
    assert messages[0].endswith("message 19999")
    assert len(messages[0]) < 5000


def test_a_process_that_is_forked_meanwhile_does_not_keep_the_pipes_of_a_program(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fork_exec = subprocess._fork_exec  # type: ignore[attr-defined]
    reached, forked = threading.Event(), threading.Event()

    def pause_with_pipes_open(*arguments: Any) -> Any:
        reached.set()
        forked.wait(1)
        return fork_exec(*arguments)

    monkeypatch.setattr(subprocess, "_fork_exec", pause_with_pipes_open)
    outputs: list[str] = []
    thread = threading.Thread(target=lambda: outputs.append(server_user().run(["echo", "done"]).stdout), daemon=True)
    thread.start()
    assert reached.wait(30)
    child = os.fork()
    if child == 0:
        time.sleep(60)
        os._exit(0)
    try:
        forked.set()
        thread.join(10)
        assert outputs == ["done\n"]
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def test_processes_that_start_at_once_create_the_user_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    created = tmp_path / "created"
    own_entry = pwd.getpwuid(os.getuid())
    # Like useradd: check whether the user exists, wait for the lock, then create it, or give it another ID.
    command = ["sh", "-c", f"sleep 0.2; echo user >> {created}"]
    monkeypatch.setattr(system_user, "_creation_commands", lambda: [command])
    monkeypatch.setattr(system_user, "_find_user", lambda name: own_entry if created.exists() else None)
    with ThreadPoolExecutor(4) as threads:
        entries = list(threads.map(lambda _: system_user._create_dedicated(), range(4)))
    assert entries == [own_entry] * 4
    assert created.read_text() == "user\n"
