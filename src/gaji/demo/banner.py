"""The first start: a demo company in an empty installation, and a welcome text with the first API call."""

import asyncio
import os
import ssl
import threading
import time
import urllib.error
import urllib.request

import msgspec

from gaji.db.installation import Installation
from gaji.demo.account import Demo, create_demo, is_unfinished
from gaji.demo.demo_file import DEMO_FILE
from gaji.identity import service as accounts

DEMO_SEED = 1
FORGOTTEN = "the password that the first start printed (for a new one: .venv/bin/gaji demo)"
POLL_ATTEMPTS = 600
POLL_INTERVAL_S = 0.1


def ensure_demo(installation: Installation) -> Demo | None:
    """Return the demo of an installation. It is created if there are no accounts; None if there are only real ones."""
    path = installation.settings.data / DEMO_FILE
    if path.exists():
        return msgspec.json.decode(path.read_bytes(), type=Demo)
    has_accounts = asyncio.run(accounts.has_accounts(installation.database))
    if has_accounts and not asyncio.run(is_unfinished(installation, DEMO_SEED)):
        return None
    demo = asyncio.run(create_demo(installation, DEMO_SEED))
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(msgspec.json.encode(msgspec.structs.replace(demo, password="")))
    return demo


def welcome_text(address: str, demo: Demo | None) -> str:
    """Return the text that is printed when the server is ready."""
    lines = [f"Gaji is at {address}: open it in a browser to sign in (API reference: {address}/docs)"]
    if demo is None:
        lines.append("Create an API key with: .venv/bin/gaji key create --email YOU")
    else:
        password = f"the password {demo.password}" if demo.password else FORGOTTEN
        lines += [
            f"Sign in as {demo.email} with {password}",
            f"API key: {demo.api_key}",
            f"Try it: curl -H 'Authorization: {demo.api_key}' {address}{demo.base_path}/clients/",
        ]
    return "\n".join([*lines, "Press Ctrl-C to stop."])


def print_welcome_when_ready(address: str, demo: Demo | None) -> None:
    """Print the welcome text as soon as the server is ready, without blocking."""

    # The certificate is for the name by which others reach the server.
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE

    def poll() -> None:
        for _ in range(POLL_ATTEMPTS):
            try:
                with urllib.request.urlopen(f"{address}/readyz", timeout=2, context=context):  # noqa: S310 - our own server
                    print(f"\n{welcome_text(address, demo)}\n", flush=True)
                    return
            except (urllib.error.URLError, OSError):
                time.sleep(POLL_INTERVAL_S)

    threading.Thread(target=poll, name="welcome", daemon=True).start()
