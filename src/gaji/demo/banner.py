"""The first start: a demo company in an empty installation, and a welcome text with the first API call."""

import asyncio
import os

import msgspec

from gaji.db.installation import Installation
from gaji.demo.account import Demo, create_demo, is_unfinished
from gaji.demo.demo_file import DEMO_FILE
from gaji.identity import service as accounts

DEMO_SEED = 1
FORGOTTEN = "the password that the first start printed (for a new one: .venv/bin/gaji demo)"


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
    return "\n".join(["", *lines, "Press Ctrl-C to stop.", ""])
