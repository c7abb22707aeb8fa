"""The page to enter the code of a printed slip."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from urllib.parse import urlencode

from gaji.console.request import PageRequest
from gaji.core.errors import NotFound
from gaji.db.pool import Pool
from gaji.identity.invitation_codes import LENGTH, count_characters
from gaji.web.responses import HttpResponse

MAX_CODE_LENGTH = 30
"""A longer text is the token of a link."""


@dataclass(frozen=True)
class CodeEntry:
    """What a code is for."""

    title: str
    path: str
    ended: str
    """Why a code without typing errors does not work, and what to do."""

    def show(self, request: PageRequest) -> HttpResponse:
        """Ask for the code."""
        return self._page(request, 200, "", "")

    async def redirect_or_show_error(
        self, request: PageRequest, token: str, other_path: str, find: Callable[[Pool, str], Awaitable[object]]
    ) -> HttpResponse:
        """Redirect to the other page with a form for codes if the code is found there. Otherwise ask again.

        Slips for invitations and for passwords look alike, so people enter the code of one on the page of the other.
        """
        try:
            await find(request.state.pool, token)
        except NotFound:
            return self.show_error(request, token)
        return request.redirect(f"{other_path}?{urlencode({'token': token})}")

    def show_error(self, request: PageRequest, token: str) -> HttpResponse:
        """Ask again after a code or a link that does not work."""
        count = count_characters(token)
        ended = f"{self.ended}. If you have used it already, sign in instead"
        if len(token) > MAX_CODE_LENGTH:
            error = f"This link does not work: {ended}"
        elif count != LENGTH:
            error = f"The code has {LENGTH} letters and digits. You entered {count}"
        else:
            error = f"Check the code for typing errors. If it has none, {ended}"
        return self._page(request, 404, error, token[:MAX_CODE_LENGTH])

    def show_ended(self, request: PageRequest) -> HttpResponse:
        """Ask for another code when a form is sent after its code was used or has ended."""
        error = f"This link or code no longer works: {self.ended}. If you have just used it yourself, sign in instead"
        return self._page(request, 404, error, "")

    def _page(self, request: PageRequest, status: int, error: str, code: str) -> HttpResponse:
        return request.render("code_entry.html", status=status, error=error, code=code, entry=self, length=LENGTH)
