"""The logo of a company, and what its payslips show."""

from http import HTTPStatus
from urllib.parse import urlencode

from gaji.company.clients.service import ClientMembership
from gaji.company.logos import service as logos
from gaji.console.forms import Form, build_form
from gaji.console.pages import Confirmation, PageRouter
from gaji.console.request import PageRequest
from gaji.console.settings.record_page import RecordPage, Section
from gaji.core.errors import ValidationError
from gaji.documents.payslips import options, templates
from gaji.documents.payslips.design import PAYSLIP_OPTIONS
from gaji.web.responses import HttpResponse

router = PageRouter()

SECTION = Section("payslip_options", "Logo and payslip options", "", "")
PNG = "image/png"
OPTIONS_SAVED = "Payslip options saved"
CHOOSE_AGAIN = "The preview does not show the new image. Choose it again, then save"


@router.get("/companies/{client_id}/logo")
async def show_logo(request: PageRequest) -> HttpResponse:
    """Return the logo of a company."""
    company = await request.company(request.ids["client_id"])
    logo = await logos.read_logo(request.tenant, company.id)
    return request.respond(200, logo.content, logo.media_type)


@router.get("/companies/{client_id}/settings/payslip_options")
async def show_options(request: PageRequest) -> HttpResponse:
    """Show the options with a preview of a payslip."""
    return (await _page(request)).show(request)


@router.post("/companies/{client_id}/settings/payslip_options")
async def submit_options(request: PageRequest) -> HttpResponse:
    """Save the options, and the logo if one was chosen, or show the preview with options that are not saved."""
    company = await request.writable_company(request.ids["client_id"])
    page = await _page(request)
    submitted, image = page.form.with_values(request.form), request.files.get("logo")
    if request.form.get("how") == "preview":
        return (await _page(request, submitted, CHOOSE_AGAIN if image else "")).show(request)
    try:
        logo = await logos.check_logo(request.tenant, company.id, image) if image else None
    except ValidationError as error:
        message = f"The image {next(iter(error.errors.values())).message}. Nothing has been saved"
        return (await _page(request, submitted, message)).show(request, status=error.status)
    work = options.update_options(request.tenant, company.id, page.form.to_body(request.form))
    saved = await page.save(
        request, work, "Logo and payslip options saved" if logo else OPTIONS_SAVED, next_path=request.path
    )
    if logo and saved.status == HTTPStatus.SEE_OTHER:
        await logos.replace_logo(request.tenant, company.id, logo)
    return saved


@router.get("/companies/{client_id}/settings/payslip_options/preview.png")
async def show_preview(request: PageRequest) -> HttpResponse:
    """Return a picture of a payslip with the options in the query, or with those that are saved."""
    company = await request.company(request.ids["client_id"])
    form = await _form(request, company)
    body = form.to_body(request.query) if request.query else {}
    return request.respond(200, await options.preview_options(request.tenant, company.id, body), PNG)


@router.post(
    "/companies/{client_id}/settings/payslip_options/logo/delete",
    confirm=Confirmation(
        "Delete the logo?", "Payslips and the console no longer show it. You can upload it again.", "Delete logo"
    ),
)
async def delete_logo(request: PageRequest) -> HttpResponse:
    """Delete the logo."""
    company = await request.writable_company(request.ids["client_id"])
    await logos.delete_logo(request.tenant, company.id)
    return request.redirect(SECTION.path(company.id), "Logo deleted")


async def _page(request: PageRequest, submitted: Form | None = None, logo_error: str = "") -> RecordPage:
    company = await request.company(request.ids["client_id"])
    form = submitted or await _form(request, company)
    template = await templates.read_template(request.tenant, company.id)
    path = SECTION.path(company.id)
    values = {
        "base_path": path,
        "preview_path": f"{path}/preview.png?{urlencode({field.name: field.value for field in form.fields})}",
        "has_template": template["own"],
        "logo_error": logo_error,
    }
    return RecordPage(company, SECTION, SECTION.title, form, "", "settings_payslip_options.html", values)


async def _form(request: PageRequest, company: ClientMembership) -> Form:
    current = await options.read_options(request.tenant, company.id)
    return build_form("payslip_options", PAYSLIP_OPTIONS.attributes, current)
