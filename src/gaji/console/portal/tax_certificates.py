"""The employee's released tax certificates."""

import msgspec

from gaji.console.pages import PageRouter
from gaji.console.portal.employment import load_employment, render_portal
from gaji.console.request import PageRequest
from gaji.console.tax_certificates import pdf_response
from gaji.core.errors import NotFound
from gaji.documents.tax_certificates import service as certificates
from gaji.web.responses import HttpResponse

router = PageRouter()


@router.get("/own/{employee_id}/certificates")
async def show_certificates(request: PageRequest) -> HttpResponse:
    """Show the released certificates of the employee, or return one as PDF."""
    employment = await load_employment(request)
    page = await certificates.list_released(request.tenant, employment.employee_id, None)
    elements = [msgspec.json.decode(element) for element in page.elements]
    if "pdf" in request.query:
        if request.query["pdf"] not in {str(element["id"]) for element in elements}:
            raise NotFound("This certificate does not exist")
        return await pdf_response(request, int(request.query["pdf"]))
    return await render_portal(request, employment, "portal_certificates.html", here="Tax", certificates=elements)
