"""Pay points."""

from gaji.company.pay_points import service as pay_points
from gaji.company.pay_points.schemas import PAY_POINT
from gaji.console.forms import build_form
from gaji.console.pages import Confirmation, PageRouter
from gaji.console.request import PageRequest
from gaji.console.settings.record_page import RecordPage, Section, decode_elements, get_by_id
from gaji.web.responses import HttpResponse

router = PageRouter()

SECTION = Section("", "Settings", "", "")


@router.get("/companies/{client_id}/pay_points/new")
async def new_pay_point(request: PageRequest) -> HttpResponse:
    """Show the form for a new pay point."""
    return (await _new_page(request)).show(request)


@router.post("/companies/{client_id}/pay_points/new")
async def create_pay_point(request: PageRequest) -> HttpResponse:
    """Create a pay point."""
    page = await _new_page(request)
    work = pay_points.create_pay_point(request.tenant, page.company.id, page.form.to_body(request.form))
    return await page.save(request, work, "Pay point added")


@router.get("/companies/{client_id}/pay_points/{pay_point_id}/edit")
async def edit_pay_point(request: PageRequest) -> HttpResponse:
    """Show the form of a pay point."""
    return (await _pay_point_page(request)).show(request)


@router.post("/companies/{client_id}/pay_points/{pay_point_id}/edit")
async def change_pay_point(request: PageRequest) -> HttpResponse:
    """Save a pay point."""
    page = await _pay_point_page(request)
    body = page.form.to_body(request.form)
    work = pay_points.update_pay_point(request.tenant, request.ids["pay_point_id"], body)
    return await page.save(request, work, "Pay point saved")


@router.post(
    "/companies/{client_id}/pay_points/{pay_point_id}/delete",
    confirm=Confirmation(
        "Delete this pay point?",
        "A pay point with employees cannot be deleted: move them to another one first.",
        refusal="Employees have this pay point. Move them to another one first",
    ),
)
async def delete_pay_point(request: PageRequest) -> HttpResponse:
    """Delete a pay point that has no employees."""
    page = await _pay_point_page(request)
    await pay_points.delete_pay_point(request.tenant, request.ids["pay_point_id"])
    return request.redirect(SECTION.path(page.company.id), "Pay point deleted")


async def _new_page(request: PageRequest) -> RecordPage:
    company = await request.writable_company(request.ids["client_id"])
    return RecordPage(company, SECTION, "Add pay point", build_form("pay_point", PAY_POINT.attributes, {}))


async def _pay_point_page(request: PageRequest) -> RecordPage:
    company = await request.writable_company(request.ids["client_id"])
    elements = decode_elements(await pay_points.list_pay_points(request.tenant, company.id, None))
    pay_point = get_by_id(elements, request.ids["pay_point_id"], "Pay point")
    form = build_form("pay_point", PAY_POINT.attributes, pay_point)
    delete_path = f"/companies/{company.id}/pay_points/{pay_point['id']}/delete"
    return RecordPage(company, SECTION, pay_point["name"], form, delete_path)
