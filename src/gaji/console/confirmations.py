"""Pages that ask before something is deleted, or done that is unusual."""

from dataclasses import replace

from gaji.company.clients import service as clients
from gaji.company.clients.service import ClientMembership
from gaji.console.pages import Confirmation, Page
from gaji.console.portal.access import PORTAL
from gaji.console.request import COLLECTIONS, PageRequest
from gaji.web.responses import HttpResponse

OWN_FIELDS = frozenset({"form_token", "back", "subject"})


def ask_first(page: Page) -> Page:
    """Return the page with the question that it declares, if any. The answer sends the same form again."""
    if page.confirm is None:
        return page

    async def handler(request: PageRequest) -> HttpResponse:
        confirmation = page.confirmation(request)
        if confirmation is None:
            return await page.handler(request)
        return render_question(request, confirmation, await _find_company(request))

    return replace(page, handler=handler)


def _is_in_portal(request: PageRequest) -> bool:
    return request.path.startswith(f"{PORTAL}/")


async def _find_company(request: PageRequest) -> ClientMembership | None:
    """Return the company of the record that the path starts with. None if there is none, or in the portal."""
    if not request.ids.keys() & COLLECTIONS.keys() or _is_in_portal(request):
        return None
    companies = await clients.list_memberships(request.tenant)
    return companies[0] if companies else None


def render_question(
    request: PageRequest, confirmation: Confirmation, company: ClientMembership | None = None
) -> HttpResponse:
    """Ask whether the form is to be processed. The answer sends it again with `confirmed`.

    With a company, the page has its menu, else that of the account or the portal.
    """
    employments = request.access.employments if request.access and _is_in_portal(request) else ()
    return request.render(
        "confirmation.html",
        company=company,
        employment=next((item for item in employments if item.employee_id == request.ids["employee_id"]), None),
        confirmation=confirmation,
        subject=request.form.get("subject", ""),
        fields={name: values for name, values in request.fields.items() if name not in OWN_FIELDS},
        back=request.back_path,
    )
