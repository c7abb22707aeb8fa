"""PageRouter: one method on one path, and who answers it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from gaji.console.request import PageRequest
from gaji.web.responses import Response

Handler = Callable[[PageRequest], Awaitable[Response]]


@dataclass(frozen=True)
class Page:
    """One method on one path. A page that is not public is for people who are signed in."""

    method: str
    path: str
    handler: Handler
    public: bool = False
    for_whoever: bool = False
    """It is the same for everyone, so that nobody needs to be looked up."""


class PageRouter:
    """The pages of one subject, in the order of their declaration."""

    def __init__(self) -> None:
        self.declared: list[Page] = []

    def get(self, path: str, *, public: bool = False, for_whoever: bool = False) -> Callable[[Handler], Handler]:
        """Declare a page that is looked at."""
        return self._declare("GET", path, public or for_whoever, for_whoever)

    def post(self, path: str, *, public: bool = False) -> Callable[[Handler], Handler]:
        """Declare what a form does; its form token is checked before."""
        return self._declare("POST", path, public)

    def _declare(self, method: str, path: str, public: bool, for_whoever: bool = False) -> Callable[[Handler], Handler]:
        def declare(handler: Handler) -> Handler:
            self.declared.append(Page(method, path, handler, public, for_whoever))
            return handler

        return declare
