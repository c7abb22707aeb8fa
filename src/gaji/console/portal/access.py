"""Who may come to which page: people with the role employee have pages of their own, and there is nothing else."""

from dataclasses import replace

from gaji.console.pages import Page
from gaji.console.request import Visit
from gaji.core.errors import NotFound
from gaji.people.self_service.service import standing
from gaji.web.gateway import Response

OWN = "/own"
FOR_EVERYONE = ("/password", "/sign-out", "/two-steps", "/two-steps/on", "/two-steps/off")


def admitting(page: Page) -> Page:
    """The same page, for those whom it is for; to others there is nothing here, as if it did not exist."""
    if page.public:
        return page
    for_employees = page.path in FOR_EVERYONE or page.path.split("/")[1] == OWN[1:]

    async def handler(visit: Visit) -> Response:
        # An administrator owns every company of the account, so this is asked of others only.
        if visit.person and not visit.person.caller.administrator:
            visit.standing = await standing(visit.tenant)
            if visit.standing.only_employee and not for_employees:
                return _elsewhere(visit, page)
        return await page.handler(visit)

    return replace(page, handler=handler)


def _elsewhere(visit: Visit, page: Page) -> Response:
    if page.path == "/":
        return visit.go(OWN)
    raise NotFound(f"There is nothing at {visit.path[:200]}")
