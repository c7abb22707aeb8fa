"""Access rule: if the account requires two-step sign-in, users turn it on before they see anything else."""

from dataclasses import replace

from gaji.console.auth import account_switch, step_up
from gaji.console.pages import Page
from gaji.console.request import PageRequest
from gaji.core.errors import Forbidden
from gaji.web.responses import HttpResponse

SETUP = "/two-steps"
PATHS_WITHOUT_SETUP = (
    *(SETUP, "/two-steps/on", "/passkeys", "/passkeys/options", "/sign-out"),
    *step_up.PATHS,
    account_switch.PATH,
)


def require_two_step(page: Page) -> Page:
    """Return the page with the access rule."""
    if page.public or page.path in PATHS_WITHOUT_SETUP:
        return page

    async def handler(request: PageRequest) -> HttpResponse:
        if request.user is None or not request.user.two_step_missing:
            return await page.handler(request)
        if page.method == "GET":
            return request.redirect(
                SETUP, "Your account requires two-step sign-in. Turn it on, or add a passkey, to continue"
            )
        raise Forbidden("Your account requires two-step sign-in, so nothing was saved. Turn it on to continue")

    return replace(page, handler=handler)
