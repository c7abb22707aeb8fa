"""Access rule: users whose only role is employee see the portal and nothing else."""

from dataclasses import replace

from gaji.console.pages import Page
from gaji.console.request import PageRequest, page_not_found
from gaji.people.self_service.service import load_employee_access
from gaji.web.responses import HttpResponse

PORTAL = "/own"
SHARED_PATHS = (
    "/account/switch",
    "/email",
    "/email/keep",
    "/password",
    "/sign-out",
    "/two-steps",
    "/two-steps/on",
    "/two-steps/off",
    "/passkeys",
    "/passkeys/options",
    "/passkeys/{passkey_id}/rename",
    "/passkeys/{passkey_id}/delete",
    "/confirm-identity",
    "/confirm-identity/options",
    "/devices",
    "/unsent-form",
    "/devices/sign-out",
    "/devices/{session_id}/sign-out",
)


def restrict_to_role(page: Page) -> Page:
    """Return the page with the access rule. Users without access get a 404."""
    if page.public:
        return page
    for_employees = page.path in SHARED_PATHS or page.path.split("/")[1] == PORTAL[1:]

    async def handler(request: PageRequest) -> HttpResponse:
        await load_access(request)
        if request.access and request.access.is_employee_only and not for_employees:
            return _redirect_or_reject(request, page)
        return await page.handler(request)

    return replace(page, handler=handler)


async def load_access(request: PageRequest) -> None:
    """Load the employments of the signed-in user, which decide what the menu has."""
    # Administrators own every company of the account, so the lookup is not needed for them.
    if request.user and not request.user.caller.administrator:
        request.access = await load_employee_access(request.tenant_of_all_companies)


def _redirect_or_reject(request: PageRequest, page: Page) -> HttpResponse:
    if page.path == "/":
        return request.redirect(PORTAL)
    raise page_not_found(request)
