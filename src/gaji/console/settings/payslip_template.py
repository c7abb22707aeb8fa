"""The template of payslips: seen before it is saved, pointed at where it is wrong, and ours again at will."""

import re
from collections.abc import Sequence

from gaji.company.clients.service import ClientOfCaller
from gaji.console.settings.record_page import Section
from gaji.console.pages import PageRouter
from gaji.console.downloads import PDF
from gaji.console.request import PageRequest
from gaji.core.errors import INVALID, Errors, ValidationError
from gaji.documents.payslips import templates
from gaji.web.responses import HttpResponse

router = PageRouter()

SECTION = Section("payslip_template", "Payslip template", "", "")
PLACE = re.compile(r"^error: (.+)\n.*?template\.typ:(\d+):(\d+)$", re.MULTILINE)
"""How Typst says what is wrong, in which line and where in it; it counts places in a line from 0."""
MOST_PLACES = 20
NAME = ("Content-Disposition", 'inline; filename="payslip-preview.pdf"')
NO_TEXT = "is no text in UTF-8"


@router.get("/companies/{client_id}/settings/payslip_template")
async def show_template(request: PageRequest) -> HttpResponse:
    """The template in force."""
    return await _page(request, await request.company(request.ids["client_id"]))


@router.post("/companies/{client_id}/settings/payslip_template")
async def try_template(request: PageRequest) -> HttpResponse:
    """Show a payslip by a template as it was typed or sent, or put it in place of the one in force."""
    company = await request.writable_company(request.ids["client_id"])
    source = ""
    try:
        source = _source(request)
        if request.form.get("how") != "save":
            return request.respond(200, await templates.preview_template(request.tenant, company.id, {"template": source}), PDF, NAME)
        await templates.replace_template(request.tenant, company.id, {"template": source})
    except ValidationError as error:
        return await _page(request, company, source or request.form.get("template", ""), error)
    return request.redirect(request.path, "Payslips are set by this template from now on")


@router.post("/companies/{client_id}/settings/payslip_template/delete")
async def forget_template(request: PageRequest) -> HttpResponse:
    """Go back to the template that comes with Gaji."""
    company = await request.writable_company(request.ids["client_id"])
    await templates.delete_template(request.tenant, company.id)
    return request.redirect(SECTION.address(company.id), "Payslips are set by the standard template again")


async def _page(
    request: PageRequest, company: ClientOfCaller, typed: str | None = None, error: ValidationError | None = None
) -> HttpResponse:
    found = await templates.read_template(request.tenant, company.id)
    fault = "; ".join(error.errors.values()) if error else ""
    return request.render(
        "settings_payslip_template.html",
        status=error.status if error else 200,
        company=company,
        here="Settings",
        found=found,
        source=found["template"] if typed is None else typed,
        error=error,
        fault=fault,
        places=_places(fault),
    )


def _source(request: PageRequest) -> str:
    """The file where one was chosen, and otherwise what was typed; lines end as in files."""
    sent = request.files.get("file")
    try:
        text = sent.decode("utf-8-sig") if sent else request.form.get("template", "")
    except UnicodeDecodeError:
        raise ValidationError(Errors.single("file", INVALID, reason=NO_TEXT), "The file could not be read") from None
    return text.replace("\r\n", "\n")


def _places(fault: str) -> Sequence[tuple[int, int, str]]:
    """Line, place in it and what is wrong there, of everything that Typst names.

    >>> _places('error: unclosed delimiter\\n  ┌─ template.typ:3:4\\n  │\\n3 │ #foo(\\n  │     ^')
    [(3, 5, 'unclosed delimiter')]
    """
    return [(int(line), int(place) + 1, text) for text, line, place in PLACE.findall(fault)[:MOST_PLACES]]
