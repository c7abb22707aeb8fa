"""A real Chromium, and people who use it."""

import asyncio
import contextvars
import os
import shutil
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, TypeVar, cast

from playwright.sync_api import Browser, BrowserContext, Page, Playwright

from tests.console.console_user import PASSWORD, with_password
from tests.support.running import WAIT_S, Member, Service

Result = TypeVar("Result")

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# As root there is no sandbox to be had; and nothing is to be fetched from anywhere.
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
MISSING = (
    "There is no Chromium for the console's tests. Install one (Debian: apt-get install chromium; `make test` does so "
    "itself as root) or say where it is with GAJI_TEST_CHROMIUM=/path/to/chromium"
)


class RunnerElsewhere:
    """Runs what another runner would, in a thread of its own: while a browser is open, this one has a running loop."""

    def __init__(self, runner: asyncio.Runner) -> None:
        self._runner = runner
        self._thread = ThreadPoolExecutor(1)

    def run(self, coro: Coroutine[Any, Any, Result], *, context: contextvars.Context | None = None) -> Result:
        """Run it there, and wait."""
        return self._thread.submit(self._runner.run, coro, context=context).result()


def with_separate_runner(service: Service) -> Service:
    """The same server, for tests that have a browser open."""
    return replace(service, runner=cast(asyncio.Runner, RunnerElsewhere(service.runner)))


def chromium() -> str:
    """Where it is; raises when there is none, because a flow that nobody has seen work is not known to work."""
    given = os.environ.get("GAJI_TEST_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if given is None:
        raise RuntimeError(MISSING)
    return given


def launch_browser(playwright: Playwright) -> Browser:
    """The browser."""
    return playwright.chromium.launch(executable_path=chromium(), args=list(ARGUMENTS))


@dataclass
class BrowserWindow:
    """Someone with a window."""

    page: Page
    context: BrowserContext
    faults: list[str]
    """What the page complained about: errors of scripts, and what its policy kept it from loading."""

    def go(self, path: str) -> None:
        """Look at a page."""
        self.page.goto(path)

    def sign_in(self, member: Member) -> None:
        """Sign in."""
        with_password(member)
        self.go("/sign-in")
        self.page.get_by_label("Email").fill(member.email)
        self.page.get_by_label("Password").fill(PASSWORD)
        self.page.get_by_role("button", name="Sign in").click()
        self.page.wait_for_url(lambda url: "/sign-in" not in url)


def open_window(browser: Browser, url: str, *, scripts: bool = True, width: int = 1280) -> BrowserWindow:
    """Someone with a fresh window."""
    context = browser.new_context(
        base_url=url, java_script_enabled=scripts, viewport={"width": width, "height": 900}, accept_downloads=True
    )
    context.set_default_timeout(WAIT_S * 1000)
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda said: faults.append(said.text) if "Content Security Policy" in said.text else None)
    return BrowserWindow(page, context, faults)
