"""The payslip template of a company: preview, save, and return to the standard one."""

import re
from collections.abc import Sequence

from gaji.company.clients.service import ClientMembership
from gaji.console.downloads import PDF
from gaji.console.error_messages import error_text
from gaji.console.pages import Confirmation, PageRouter
from gaji.console.request import PageRequest
from gaji.console.settings.record_page import Section
from gaji.core.errors import ErrorCode, ValidationError, invalid
from gaji.documents.payslips import templates
from gaji.web.responses import HttpResponse

router = PageRouter()

SECTION = Section("payslip_template", "Payslip template", "", "")
TYPST_ERROR = re.compile(r"^error: (.+)\n.*?template\.typ:(\d+):(\d+)$", re.MULTILINE)
"""An error of the Typst compiler: the message, the line and the column, which is counted from 0."""
MAX_TYPST_ERRORS = 20
DISPOSITION = ("Content-Disposition", 'inline; filename="payslip-preview.pdf"')
NOT_UTF8 = ErrorCode("not_utf8", "is not a text file in UTF-8")


@router.get("/companies/{client_id}/settings/payslip_template")
async def show_template(request: PageRequest) -> HttpResponse:
    """Show the current template."""
    return await _page(request, await request.company(request.ids["client_id"]))


@router.post("/companies/{client_id}/settings/payslip_template")
async def submit_template(request: PageRequest) -> HttpResponse:
    """Preview or save the submitted template."""
    company = await request.writable_company(request.ids["client_id"])
    source = ""
    try:
        source = _submitted_source(request)
        if request.form.get("how") != "save":
            pdf = await templates.preview_template(request.tenant, company.id, {"template": source})
            return request.respond(200, pdf, PDF, DISPOSITION)
        await templates.check_template(request.tenant, company.id, {"template": source})
        await templates.replace_template(request.tenant, company.id, {"template": source})
    except ValidationError as error:
        return await _page(request, company, source or request.form.get("template", ""), error)
    return request.redirect(request.path, "Template saved. Payslips use it from now on")


@router.post(
    "/companies/{client_id}/settings/payslip_template/delete",
    confirm=Confirmation(
        "Delete the template?",
        "Payslips have the standard layout again. The template cannot be restored.",
        "Delete template",
    ),
)
async def delete_template(request: PageRequest) -> HttpResponse:
    """Return to the standard template."""
    company = await request.writable_company(request.ids["client_id"])
    await templates.delete_template(request.tenant, company.id)
    return request.redirect(SECTION.path(company.id), "Payslips use the standard template again")


async def _page(
    request: PageRequest,
    company: ClientMembership,
    submitted: str | None = None,
    error: ValidationError | None = None,
) -> HttpResponse:
    template = await templates.read_template(request.tenant, company.id)
    message = "; ".join(error_text(field_error) for field_error in error.errors.values()) if error else ""
    return request.render(
        "settings_payslip_template.html",
        status=error.status if error else 200,
        company=company,
        here="Settings",
        template=template,
        source=template["template"] if submitted is None else submitted,
        error=error,
        message=message,
        typst_errors=_typst_errors(message),
    )


def _submitted_source(request: PageRequest) -> str:
    """Return the uploaded file, or else the submitted text, with Unix line endings."""
    upload = request.files.get("file")
    try:
        text = upload.decode("utf-8-sig") if upload else request.form.get("template", "")
    except UnicodeDecodeError:
        raise invalid("file", NOT_UTF8) from None
    return text.replace("\r\n", "\n")


def _typst_errors(message: str) -> Sequence[tuple[int, int, str]]:
    """Return line, column and text of each error that the compiler reports.

    >>> _typst_errors('error: unclosed delimiter\\n  ┌─ template.typ:3:4\\n  │\\n3 │ #foo(\\n  │     ^')
    [(3, 5, 'unclosed delimiter')]
    """
    return [
        (int(line), int(column) + 1, text) for text, line, column in TYPST_ERROR.findall(message)[:MAX_TYPST_ERRORS]
    ]
