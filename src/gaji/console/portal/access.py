"""Who may come to which page: people with the role employee have pages of their own, and there is nothing else."""

from dataclasses import replace

from gaji.console.pages import Page
from gaji.console.request import PageRequest
from gaji.core.errors import NotFound
from gaji.people.self_service.service import standing
from gaji.web.responses import Response

OWN = "/own"
FOR_EVERYONE = ("/password", "/sign-out", "/two-steps", "/two-steps/on", "/two-steps/off")


def admitting(page: Page) -> Page:
    """The same page, for those whom it is for; to others there is nothing here, as if it did not exist."""
    if page.public:
        return page
    for_employees = page.path in FOR_EVERYONE or page.path.split("/")[1] == OWN[1:]

    async def handler(request: PageRequest) -> Response:
        # An administrator owns every company of the account, so this is asked of others only.
        if request.person and not request.person.caller.administrator:
            request.access = await standing(request.tenant)
            if request.access.only_employee and not for_employees:
                return _elsewhere(request, page)
        return await page.handler(request)

    return replace(page, handler=handler)


def _elsewhere(request: PageRequest, page: Page) -> Response:
    if page.path == "/":
        return request.redirect(OWN)
    raise NotFound(f"There is nothing at {request.path[:200]}")
