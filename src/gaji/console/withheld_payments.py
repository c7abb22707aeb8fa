"""Release of pay that is withheld for tax clearance."""

from gaji.console.pages import PageRouter
from gaji.console.payslips import RELEASE_FORM, load_summary, payslip_page
from gaji.console.request import PageRequest
from gaji.core.errors import Conflict, ValidationError
from gaji.engine.money import format_dollars
from gaji.payroll.withheld_payments import service
from gaji.payroll.withheld_payments.queries import IRAS
from gaji.web.responses import HttpResponse

router = PageRouter()

NEXT_FILE = "Pay it with its own file under Payment files of the pay run"


@router.post("/payslips/{payslip_id}/release_payment")
async def release_payment(request: PageRequest) -> HttpResponse:
    """Release withheld pay, or a part of it."""
    summary = await load_summary(request)
    await request.writable_company(summary.client_id)
    try:
        body = RELEASE_FORM.to_body(request.form)
        cents, validated = await service.release_payment(request.tenant, summary.id, body)
    except (ValidationError, Conflict) as error:
        form = RELEASE_FORM.with_values(request.form).with_errors(error)
        return await payslip_page(request, status=error.status, release_form=form)
    is_to_iras = validated.data.to == IRAS
    notice = f"{format_dollars(cents)} released to {'the tax authority' if is_to_iras else 'the employee'}"
    return request.redirect(f"/payslips/{summary.id}", notice if is_to_iras else f"{notice}. {NEXT_FILE}")
