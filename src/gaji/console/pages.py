"""Declaration of pages: one method on one path, and its handler."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gaji.console.request import PageRequest
from gaji.web.responses import HttpResponse

Handler = Callable[[PageRequest], Awaitable[HttpResponse]]


@dataclass(frozen=True)
class Confirmation:
    """What a page asks before it deletes something."""

    question: str
    effect: str
    button: str = "Delete"
    keep_button: str = "Cancel"
    """The button that changes nothing."""
    refusal: str = ""
    """What a conflict means to a person, and the way out."""
    names: Sequence[str] = ()
    """What it is done to, shown as a list."""
    is_removal: bool = True
    """Whether the button has the colour of deletions."""


StepUp = bool | Callable[[PageRequest], Awaitable[bool]]
"""Whether a page needs a recent proof of who the user is, or a function that says it for a request."""
Confirmations = Confirmation | Mapping[str, Confirmation]
"""What a form action asks. A mapping has it for some values of the path parameter `decision`."""


@dataclass(frozen=True)
class Page:
    """One method on one path. Pages require sign-in unless they are public."""

    method: str
    path: str
    handler: Handler
    public: bool = False
    static: bool = False
    """The response is the same for everyone, so the session is not loaded."""
    confirm: Confirmations | None = None
    """What is asked first. The handler runs when the answer was yes."""
    step_up: StepUp = False
    """Users of sessions that are not recent prove first who they are."""
    is_file: bool = False
    """The response is a file to download, so a browser stays on the page before."""
    allows_replica: bool = False
    """A replica may serve it. It only reads, and starts over on the primary if the replica fails."""

    def confirmation(self, request: PageRequest) -> Confirmation | None:
        """Return what has to be asked before the handler runs."""
        if request.form.get("confirmed") == "yes":
            return None
        if isinstance(self.confirm, Mapping):
            return self.confirm.get(request.names.get("decision", ""))
        return self.confirm


def when_queried(*names: str) -> StepUp:
    """Return the rule for a page that returns a file if its query has one of these parameters."""

    async def is_queried(request: PageRequest) -> bool:
        return any(name in request.query for name in names)

    return is_queried


class PageRouter:
    """Collects the pages of one module in the order of declaration."""

    def __init__(self) -> None:
        self.pages: list[Page] = []

    def get(
        self,
        path: str,
        *,
        public: bool = False,
        static: bool = False,
        step_up: StepUp = False,
        is_file: bool = False,
        allows_replica: bool = False,
    ) -> Callable[[Handler], Handler]:
        """Declare a page."""
        return self._declare(
            "GET",
            path,
            public=public or static,
            static=static,
            step_up=step_up,
            is_file=is_file,
            allows_replica=allows_replica,
        )

    def post(
        self, path: str, *, public: bool = False, confirm: Confirmations | None = None, step_up: StepUp = False
    ) -> Callable[[Handler], Handler]:
        """Declare a form action. The form token is checked before the handler runs."""
        return self._declare("POST", path, public=public, confirm=confirm, step_up=step_up)

    def _declare(self, method: str, path: str, **options: Any) -> Callable[[Handler], Handler]:
        def declare(handler: Handler) -> Handler:
            self.pages.append(Page(method, path, handler, **options))
            return handler

        return declare
