"""Declaration of pages: one method on one path, and its handler."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from gaji.console.request import PageRequest
from gaji.web.responses import HttpResponse

Handler = Callable[[PageRequest], Awaitable[HttpResponse]]


@dataclass(frozen=True)
class Page:
    """One method on one path. Pages require sign-in unless they are public."""

    method: str
    path: str
    handler: Handler
    public: bool = False
    static: bool = False
    """The response is the same for everyone, so the session is not loaded."""


class PageRouter:
    """Collects the pages of one module in the order of declaration."""

    def __init__(self) -> None:
        self.pages: list[Page] = []

    def get(self, path: str, *, public: bool = False, static: bool = False) -> Callable[[Handler], Handler]:
        """Declare a page."""
        return self._declare("GET", path, public or static, static)

    def post(self, path: str, *, public: bool = False) -> Callable[[Handler], Handler]:
        """Declare a form action. The form token is checked before the handler runs."""
        return self._declare("POST", path, public)

    def _declare(self, method: str, path: str, public: bool, static: bool = False) -> Callable[[Handler], Handler]:
        def declare(handler: Handler) -> Handler:
            self.pages.append(Page(method, path, handler, public, static))
            return handler

        return declare
