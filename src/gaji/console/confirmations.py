"""Pages that ask before something is deleted, or done that is unusual."""

from dataclasses import replace

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


def render_question(request: PageRequest, confirmation: Confirmation) -> HttpResponse:
    """Ask whether the form is to be processed. The answer sends it again with `confirmed`."""
    return request.render(
        "confirmation.html",
        confirmation=confirmation,
        subject=request.form.get("subject", ""),
        fields={name: values for name, values in request.fields.items() if name not in OWN_FIELDS},
        back=request.back_path,
    )
