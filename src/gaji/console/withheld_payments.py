"""Withholding of pay for tax clearance after a pay run was finalised, and the release of withheld pay."""

from gaji.console.confirmations import render_question
from gaji.console.error_messages import error_text
from gaji.console.file_approvals import files_path
from gaji.console.pages import Confirmation, PageRouter
from gaji.console.payslips import RELEASE_FORM, load_summary, payslip_page
from gaji.console.request import PageRequest
from gaji.console.return_paths import return_path
from gaji.core.errors import Conflict, Errors, ValidationError
from gaji.core.field_types import DateType
from gaji.documents.payment_files.value_dates import VALUE_DATE
from gaji.engine.money import format_dollars
from gaji.payroll.withheld_payments import service
from gaji.payroll.withheld_payments.queries import IRAS
from gaji.web.responses import HttpResponse

router = PageRouter()

NEXT_FILE = "Pay it with its own file under Payment files of the pay run"
TO_IRAS = (
    "Record this when you pay the tax authority. No payment file has this amount. A release cannot be undone, except "
    "by reopening the pay run."
)
TO_EMPLOYEE = (
    "The next payment file of the pay run has this amount. A release cannot be undone, except by reopening the pay run."
)
WITHHELD = "Pay withheld. Release it on the payslip when the tax authority has sent its directive"


@router.post(
    "/payslips/{payslip_id}/withhold_payment",
    confirm=Confirmation(
        "Withhold this pay?",
        "The payment files leave it out, and the payslip says so, until you release it there. If you have sent a file "
        "with it to the bank, ask the bank to stop the payment.",
        "Withhold",
        is_removal=False,
    ),
)
async def withhold_payment(request: PageRequest) -> HttpResponse:
    """Withhold the pay of a leaver that a finalised pay run does not withhold."""
    summary = await load_summary(request)
    await request.writable_company(summary.client_id)
    try:
        await service.withhold_payment(request.tenant, summary.id)
    except Conflict as error:
        if not error.errors:
            raise
        reasons = "; ".join(error_text(reason) for reason in error.errors.values())
        raise Conflict(f"The pay cannot be withheld: {reasons}") from None
    if summary.payment_run_id is None:
        return request.redirect(f"/payslips/{summary.id}", WITHHELD)
    text = request.form.get(VALUE_DATE)
    value_date = DateType().parse(text, VALUE_DATE, Errors()) if text else None
    return request.redirect(files_path(summary.payment_run_id, value_date, return_path(request.form)), WITHHELD)


@router.post("/payslips/{payslip_id}/release_payment")
async def release_payment(request: PageRequest) -> HttpResponse:
    """Release withheld pay, or a part of it. Asks first."""
    summary = await load_summary(request)
    company = await request.writable_company(summary.client_id)
    is_confirmed = request.form.get("confirmed") == "yes"
    run = service.release_payment if is_confirmed else service.check_release
    try:
        cents, validated = await run(request.tenant, summary.id, RELEASE_FORM.to_body(request.form))
    except (ValidationError, Conflict) as error:
        form = RELEASE_FORM.with_values(request.form).with_errors(error)
        return await payslip_page(request, status=error.status, release_form=form)
    is_to_iras = validated.data.to == IRAS
    recipient = "the tax authority" if is_to_iras else "the employee"
    if not is_confirmed:
        question = Confirmation(
            f"Release {format_dollars(cents)} to {recipient}?",
            TO_IRAS if is_to_iras else TO_EMPLOYEE,
            "Release pay",
            is_removal=False,
        )
        return render_question(request, question, company)
    notice = f"{format_dollars(cents)} released to {recipient}"
    return request.redirect(f"/payslips/{summary.id}", notice if is_to_iras else f"{notice}. {NEXT_FILE}")
