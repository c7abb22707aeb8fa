"""The first five minutes: a demo company in an empty installation, and the words that lead to a first call."""

import asyncio
import os
import threading
import time
import urllib.error
import urllib.request

import msgspec

from gaji.db.installation import Installation
from gaji.demo import Demo, demo, is_unfinished
from gaji.identity import service as accounts

FILE = "demo.json"
"""What the demo was made with, readable by its owner only: the key could not be shown again otherwise."""
SEED = 1


def ensure_demo(installation: Installation) -> Demo | None:
    """The demo of this installation: made when there is no account yet, none when there are only real ones."""
    path = installation.settings.data / FILE
    if path.exists():
        return msgspec.json.decode(path.read_bytes(), type=Demo)
    if asyncio.run(accounts.any_account(installation.database)) and not asyncio.run(is_unfinished(installation, SEED)):
        return None
    made = asyncio.run(demo(installation, SEED))
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(msgspec.json.encode(made))
    return made


def words(address: str, made: Demo | None) -> str:
    """What a person reads when the server is up."""
    lines = [f"Gaji is at {address}: open it in a browser to sign in (its API reference: {address}/docs)"]
    if made is None:
        lines.append("Make an API key with: .venv/bin/gaji key create --email YOU")
    else:
        lines += [
            f"Sign in as {made.email} with the password {made.password}",
            f"API key: {made.api_key}",
            f"Try it: curl -H 'Authorization: {made.api_key}' {address}{made.base_path}/clients/",
        ]
    return "\n".join([*lines, "Ctrl-C stops everything."])


def greet_when_ready(address: str, made: Demo | None) -> None:
    """Print the words as soon as the server answers."""

    def greet() -> None:
        for _ in range(600):
            try:
                with urllib.request.urlopen(f"{address}/readyz", timeout=2):  # noqa: S310 - our own server
                    print(f"\n{words(address, made)}\n", flush=True)
                    return
            except (urllib.error.URLError, OSError):
                time.sleep(0.1)

    threading.Thread(target=greet, name="greeting", daemon=True).start()
