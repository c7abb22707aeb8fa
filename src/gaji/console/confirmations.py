"""Pages that ask before something is deleted, or done that is unusual."""

from dataclasses import replace

from gaji.company.clients.service import ClientMembership
from gaji.console.pages import Confirmation, Page
from gaji.console.request import PageRequest
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
        return render_question(request, confirmation)

    return replace(page, handler=handler)


def render_question(
    request: PageRequest, confirmation: Confirmation, company: ClientMembership | None = None
) -> HttpResponse:
    """Ask whether the form is to be processed. The answer sends it again with `confirmed`.

    With a company, the page has its menu.
    """
    return request.render(
        "confirmation.html",
        company=company,
        confirmation=confirmation,
        subject=request.form.get("subject", ""),
        fields={name: values for name, values in request.fields.items() if name not in OWN_FIELDS},
        back=request.back_path,
    )
