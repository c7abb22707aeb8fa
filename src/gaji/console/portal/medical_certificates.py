"""The employee's medical certificates: upload and download."""

from gaji.console.medical_certificate_files import ADDED, file_response, store_certificate
from gaji.console.pages import PageRouter
from gaji.console.portal.employment import load_employment
from gaji.console.portal.leave import show_leave_page
from gaji.console.request import PageRequest
from gaji.core.errors import Conflict, ValidationError
from gaji.web.responses import HttpResponse

router = PageRouter()


@router.post("/own/{employee_id}/medical_certificates")
async def add_certificate(request: PageRequest) -> HttpResponse:
    """Add a certificate to the employee's leave."""
    employment = await load_employment(request)
    try:
        await store_certificate(request, employment.employee_id)
    except (ValidationError, Conflict) as error:
        return await show_leave_page(request, employment, certificate_error=error)
    return request.redirect(f"/own/{employment.employee_id}/leave", ADDED)


@router.get("/own/{employee_id}/medical_certificates/{medical_certificate_id}", is_file=True)
async def download_certificate(request: PageRequest) -> HttpResponse:
    """Download the file of a certificate."""
    employment = await load_employment(request)
    return await file_response(request, employment.employee_id)
