"""Downloads of everything that is held about an employee."""

from gaji.console.downloads import PDF
from gaji.console.pages import Confirmation, PageRouter
from gaji.console.portal.employment import load_employment
from gaji.console.request import PageRequest
from gaji.privacy.erasure import service as erasure
from gaji.privacy.personal_data import service
from gaji.web.operations import JSON
from gaji.web.responses import HttpResponse

router = PageRouter()


@router.get("/employees/{employee_id}/personal_data.json", step_up=True, is_file=True)
async def download_json(request: PageRequest) -> HttpResponse:
    """Download everything that is held about an employee as JSON."""
    data, content = await service.read_json(request.tenant, request.ids["employee_id"])
    return _file(request, content, f"{data.file_name}.json", JSON)


@router.get("/employees/{employee_id}/personal_data.pdf", step_up=True, is_file=True)
async def download_pdf(request: PageRequest) -> HttpResponse:
    """Download everything that is held about an employee as PDF."""
    data, content = await service.read_pdf(request.tenant, request.ids["employee_id"])
    return _file(request, content, f"{data.file_name}.pdf", PDF)


@router.get("/own/{employee_id}/personal_data.json", step_up=True, is_file=True)
async def download_own_json(request: PageRequest) -> HttpResponse:
    """Download what is held about the employee who is signed in as JSON."""
    await load_employment(request)
    return await download_json(request)


@router.get("/own/{employee_id}/personal_data.pdf", step_up=True, is_file=True)
async def download_own_pdf(request: PageRequest) -> HttpResponse:
    """Download what is held about the employee who is signed in as PDF."""
    await load_employment(request)
    return await download_pdf(request)


@router.post(
    "/employees/{employee_id}/erase",
    confirm=Confirmation(
        "Erase this employee's personal data?",
        "Name, identity numbers, address, bank account, children, medical certificates and the sign-in are gone for "
        "good, also in the audit log. Amounts of payslips and certificates stay, so that past pay runs add up.",
        "Erase",
    ),
    step_up=True,
)
async def erase_employee(request: PageRequest) -> HttpResponse:
    """Erase the personal data of a former employee."""
    employee_id = request.ids["employee_id"]
    await erasure.erase_employee(request.tenant, employee_id)
    return request.redirect(f"/employees/{employee_id}", "Personal data erased")


def _file(request: PageRequest, content: bytes, file_name: str, media_type: str) -> HttpResponse:
    disposition = ("Content-Disposition", f'attachment; filename="{file_name}"')
    return request.respond(200, content, media_type, disposition)
