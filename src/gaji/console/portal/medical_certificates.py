"""The employee's medical certificates: upload, download and removal."""

from dataclasses import replace

from gaji.console.medical_certificate_files import (
    ADDED,
    REMOVED,
    REMOVING,
    file_response,
    require_certificate,
    store_certificate,
)
from gaji.console.pages import PageRouter
from gaji.console.portal.employment import load_employment
from gaji.console.portal.leave import show_leave_page
from gaji.console.request import PageRequest
from gaji.core.errors import Conflict, ValidationError
from gaji.leave.medical_certificates import service as certificates
from gaji.leave.types import service as leave_types
from gaji.leave.types.queries import list_certified_ids
from gaji.people.self_service.service import company_view
from gaji.web.responses import HttpResponse

router = PageRouter()

REMOVAL = replace(
    REMOVING, refusal="Your employer has decided about this leave or paid it. Ask them to remove the file"
)


@router.post("/own/{employee_id}/medical_certificates")
async def add_certificate(request: PageRequest) -> HttpResponse:
    """Add a certificate to the employee's sick or hospitalisation leave."""
    employment = await load_employment(request)
    async with company_view(request.tenant, employment):
        types = await leave_types.load_types(request.tenant, employment.client_id)
    try:
        await store_certificate(request, employment.employee_id, list_certified_ids(types))
    except (ValidationError, Conflict) as error:
        return await show_leave_page(request, employment, certificate_error=error)
    return request.redirect(f"/own/{employment.employee_id}/leave", ADDED)


@router.get("/own/{employee_id}/medical_certificates/{medical_certificate_id}", is_file=True)
async def download_certificate(request: PageRequest) -> HttpResponse:
    """Download the file of a certificate."""
    employment = await load_employment(request)
    return await file_response(request, employment.employee_id)


@router.post("/own/{employee_id}/medical_certificates/{medical_certificate_id}/delete", confirm=REMOVAL)
async def remove_certificate(request: PageRequest) -> HttpResponse:
    """Remove a certificate that the employee added."""
    employment = await load_employment(request)
    await require_certificate(request, employment.employee_id)
    await certificates.delete_certificate(request.tenant, request.ids["medical_certificate_id"])
    return request.redirect(f"/own/{employment.employee_id}/leave", REMOVED)
