"""Chromium windows for tests."""

import asyncio
import contextvars
import os
import shutil
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, TypeVar, cast

from playwright.sync_api import Browser, BrowserContext, Page, Playwright

from tests.console.console_user import PASSWORD, signed_in_user, with_password
from tests.support.running import WAIT_S, Member, Service

Result = TypeVar("Result")

# The headless shell has no user interface, and takes half of the processor time of Chromium.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# Chromium has no sandbox as root. The other flags turn off network access in the background.
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
MISSING = (
    "The console's tests need Chromium. Install it (Debian: apt-get install chromium-headless-shell) "
    "or set GAJI_TEST_CHROMIUM=/path/to/chromium"
)


class ThreadRunner:
    """Runs coroutines of a runner in another thread, because Playwright runs an event loop in this one."""

    def __init__(self, runner: asyncio.Runner) -> None:
        self._runner = runner
        self._thread = ThreadPoolExecutor(1)

    def run(self, coro: Coroutine[Any, Any, Result], *, context: contextvars.Context | None = None) -> Result:
        """Run a coroutine and wait for it."""
        return self._thread.submit(self._runner.run, coro, context=context).result()


def with_separate_runner(service: Service) -> Service:
    """Return the service for tests with an open browser."""
    return replace(service, runner=cast(asyncio.Runner, ThreadRunner(service.runner)))


def find_chromium() -> str:
    """Return the path of Chromium. Raises RuntimeError if there is none, so that tests are not skipped silently."""
    data = os.environ.get("GAJI_TEST_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if data is None:
        raise RuntimeError(MISSING)
    return data


def launch_browser(playwright: Playwright) -> Browser:
    """Start the browser."""
    return playwright.chromium.launch(executable_path=find_chromium(), args=list(ARGUMENTS))


@dataclass
class BrowserWindow:
    """A browser window."""

    page: Page
    context: BrowserContext
    page_errors: list[str]
    """Script errors and violations of the content security policy."""

    def take_page_errors(self) -> list[str]:
        """Return the page errors since the last call."""
        errors = list(self.page_errors)
        self.page_errors.clear()
        return errors

    def go(self, path: str) -> None:
        """Open a page."""
        self.page.goto(path)

    def sign_in(self, member: Member) -> None:
        """Sign in over HTTP, which is faster than the form, and open the first page."""
        for cookie in signed_in_user(member).browser.cookies.jar:
            self.context.add_cookies(
                [
                    {
                        "name": cookie.name,
                        "value": cookie.value or "",
                        "url": member.service.url,
                        "httpOnly": True,
                        "sameSite": "Lax",
                    }
                ]
            )
        self.go("/")

    def sign_in_with_form(self, member: Member) -> None:
        """Sign in with the form."""
        with_password(member)
        self.go("/sign-in")
        self.page.get_by_label("Email").fill(member.email)
        self.page.get_by_label("Password").fill(PASSWORD)
        self.page.get_by_role("button", name="Sign in", exact=True).click()
        self.page.wait_for_url(lambda url: "/sign-in" not in url)


def open_window(browser: Browser, url: str, *, scripts: bool = True, width: int = 1280) -> BrowserWindow:
    """Open a window with its own cookies."""
    context = browser.new_context(
        base_url=url, java_script_enabled=scripts, viewport={"width": width, "height": 900}, accept_downloads=True
    )
    context.set_default_timeout(WAIT_S * 1000)
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on(
        "console", lambda message: errors.append(message.text) if "Content Security Policy" in message.text else None
    )
    return BrowserWindow(page, context, errors)
