"""Medical certificates of an employee: pages for officers."""

from gaji.console.employee_record_page import load_writable_employee, redirect_to_leave
from gaji.console.employee_tabs import load_employee, show_tab
from gaji.console.medical_certificate_files import (
    ADDED,
    REMOVED,
    REMOVING,
    file_response,
    require_certificate,
    store_certificate,
)
from gaji.console.pages import PageRouter
from gaji.console.request import PageRequest
from gaji.core.errors import Conflict, ValidationError
from gaji.leave.medical_certificates import service as certificates
from gaji.web.responses import HttpResponse

router = PageRouter()


@router.post("/employees/{employee_id}/medical_certificates")
async def add_certificate(request: PageRequest) -> HttpResponse:
    """Add a certificate to leave of an employee."""
    employee = await load_writable_employee(request)
    try:
        await store_certificate(request, employee["id"])
    except (ValidationError, Conflict) as error:
        return await show_tab(request, "leave", status=error.status, error=error)
    return redirect_to_leave(request, employee, ADDED)


@router.get("/employees/{employee_id}/medical_certificates/{medical_certificate_id}", is_file=True)
async def download_certificate(request: PageRequest) -> HttpResponse:
    """Download the file of a certificate."""
    employee = await load_employee(request)
    return await file_response(request, employee["id"])


@router.post(
    "/employees/{employee_id}/medical_certificates/{medical_certificate_id}/delete",
    confirm=REMOVING,
)
async def remove_certificate(request: PageRequest) -> HttpResponse:
    """Remove a certificate."""
    employee = await load_writable_employee(request)
    await require_certificate(request, employee["id"])
    await certificates.delete_certificate(request.tenant, request.ids["medical_certificate_id"])
    return redirect_to_leave(request, employee, REMOVED)
