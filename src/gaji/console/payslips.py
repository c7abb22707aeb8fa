"""One payslip, with an explanation for every line."""

import asyncio
from collections.abc import Container, Mapping
from datetime import date
from decimal import Decimal
from typing import Any

import msgspec

from gaji.console.calculation_form import pay_item_values
from gaji.console.explained_lines import LineView, line_view
from gaji.console.formats import format_day
from gaji.console.forms import build_form
from gaji.console.pages import PageRouter
from gaji.console.paid_holidays import with_paid_holidays
from gaji.console.request import PageRequest
from gaji.console.work_items import entered_items
from gaji.db.tenancy import Transaction
from gaji.documents.payslips.line_details import make_line_formatter
from gaji.documents.payslips.pdf_context import leave_notes, list_corrected_items, withheld_text
from gaji.engine.earnings import ABSENCES, CORRECTED_PAY
from gaji.engine.explanations import ExplainedLine
from gaji.leave.types.queries import load_unlimited_types
from gaji.payroll.calculation_definitions.queries import load_catalogue
from gaji.payroll.calculations import service as calculations
from gaji.payroll.corrections.later_changes import has_later_changes
from gaji.payroll.payslips import service, summaries
from gaji.payroll.payslips.queries import list_corrections, load_payslip_periods
from gaji.payroll.payslips.rendering import captions_by_item, detail_json
from gaji.payroll.payslips.service import CalculationBasis, ExplainedPayslip
from gaji.payroll.payslips.summaries import PayslipSummary
from gaji.payroll.retro_proposals import service as retro_proposals
from gaji.payroll.retro_proposals.models import OPEN
from gaji.payroll.withheld_payments.queries import ClearancePayment, load_clearance_payments
from gaji.payroll.withheld_payments.schemas import RELEASE
from gaji.people.employees import directory
from gaji.web.responses import HttpResponse

router = PageRouter()

SECTIONS: Mapping[str, str] = {
    "income": "Earnings",
    "deduction": "Deductions",
    "grand_total": "",
    "employer_contribution": "Employer contributions",
    "benefit": "Benefits in kind",
}
"""Headings of the sections, in the order of a payslip."""
RELEASE_FORM = build_form("release_payment", RELEASE.attributes, {})
NO_PAY_ITEMS: Mapping[str, Any] = {
    "calculations": [],
    "types": [],
    "chosen": None,
    "form": None,
    "replaces_recurring": False,
    "captions": {},
}


class PayslipLeave(msgspec.Struct):
    """The days of leave on a payslip, by leave type."""

    leave: dict[str, dict[str, Decimal]]


def leave_in_period(explained: ExplainedPayslip, unlimited_types: Container[str]) -> dict[str, Mapping[str, Decimal]]:
    """Return the days of leave added, taken and left in the period of a payslip, by leave type.

    Leave of unlimited types, such as unpaid leave, has no balance.
    """
    days_by_type = msgspec.json.decode(detail_json(None, explained.lines), type=PayslipLeave).leave
    for name, days in days_by_type.items():
        if name in unlimited_types:
            days["balance"] = Decimal(0)
    return {name: days for name, days in days_by_type.items() if any(days.values())}


async def lines_by_section(explained: ExplainedPayslip) -> dict[str, list[LineView]]:
    """Return the explained lines of a payslip by the heading of their section, with the details that its PDF prints."""
    lines = await asyncio.to_thread(_line_views, explained)
    return {title: [line for line in lines if line.section == section] for section, title in SECTIONS.items()}


def _line_views(explained: ExplainedPayslip) -> list[LineView]:
    if (basis := explained.basis) is None:
        return [line_view(line) for line in explained.explanation]
    format_detail = make_line_formatter(basis.law, basis.catalogue, basis.inputs)
    return [
        line_view(line, _corrected_detail(basis, line) or format_detail(line.name, line.explanation.amount_cents))
        for line in explained.explanation
    ]


def _corrected_detail(basis: CalculationBasis, line: ExplainedLine) -> str:
    """Return the items of the pay of earlier months, which are lines of their own in the PDF. Empty for other lines."""
    if line.name != CORRECTED_PAY:
        return ""
    items = list_corrected_items(basis.catalogue, basis.inputs, line.explanation.amount_cents)
    return "; ".join(f"{item['caption']}, {item['detail']}" for _, item in items)


async def load_summary(request: PageRequest) -> PayslipSummary:
    """Return the payslip with the ID in the path, without its lines."""
    async with request.tenant.read_only() as tx:
        return await summaries.load_summary(tx, request.ids["payslip_id"])


@router.get("/payslips/{payslip_id}")
async def show_payslip(request: PageRequest) -> HttpResponse:
    """Show a payslip."""
    return await payslip_page(request)


async def payslip_page(request: PageRequest, *, status: int = 200, **overrides: Any) -> HttpResponse:
    """Return the page of a payslip. `overrides` replace what the page would show."""
    summary = await load_summary(request)
    company = await request.company(summary.client_id)
    explained = await service.explain_payslip(request.tenant, summary.id)
    async with request.tenant.read_only() as tx:
        names = await directory.load_employee_labels(tx, summary.client_id, [summary.employee_id])
        clearance = await _load_clearance(tx, summary)
        corrected = await load_corrected_period(tx, summary)
        item_captions = captions_by_item(await load_catalogue(tx, company.id)) if explained.past_differences else {}
        unlimited_types = await load_unlimited_types(tx, summary.client_id, summary.end_date)
        correction_ids = await list_corrections(tx, summary.client_id, summary.employee_id, summary.id)
    values = NO_PAY_ITEMS
    if company.can_write and summary.corrects is None:
        entered = (await calculations.list_for_payslip(request.tenant, summary.id, late=True)).elements
        enter = request.query.get("enter", "") or request.form.get("calc_type", "")
        values = await pay_item_values(request, summary.client_id, "payslip", entered, enter, special=summary.special)
        days = (summary.start_date, summary.end_date)
        values["form"] = await with_paid_holidays(request.tenant, company.id, summary.employee_id, days, values["form"])
    leave = leave_in_period(explained, unlimited_types)
    return request.render(
        "payslip.html",
        status=status,
        company=company,
        here="Pay runs" if summary.payment_run_id else "Employees",
        payslip=summary,
        employee=names[summary.employee_id],
        sections=await lines_by_section(explained),
        attention=explained.attention,
        remarks=explained.remarks,
        leave=leave,
        leave_notes=leave_notes(leave),
        rules_version=explained.rules_version,
        clearance=clearance,
        withheld_text=withheld_text(clearance, format_day) if clearance else "",
        corrected=corrected,
        correction_ids=correction_ids,
        differs=company.can_write and await _has_open_difference(request, summary),
        differences=explained.past_differences,
        item_captions=item_captions,
        absences=ABSENCES,
        **{"release_form": RELEASE_FORM, **values, "entered": entered_items(values["calculations"]), **overrides},
    )


async def load_corrected_period(tx: Transaction, summary: PayslipSummary) -> tuple[date, date] | None:
    """Return the period of the payslip that this one corrects, or None."""
    if summary.corrects is None:
        return None
    return (await load_payslip_periods(tx, summary.client_id, [summary.corrects]))[summary.corrects]


async def _has_open_difference(request: PageRequest, summary: PayslipSummary) -> bool:
    """Return whether a finalised payslip differs from what is recorded, and nobody has decided on it."""
    if not summary.finalised or summary.corrects is not None:
        return False
    async with request.tenant.read_only() as tx:
        if not await has_later_changes(tx, summary.client_id, summary.id):
            return False
    proposals = await retro_proposals.list_proposals(request.tenant, summary.employee_id)
    differences = (item for proposal in proposals if proposal.status == OPEN for item in proposal.differences)
    return any(difference.payslip_id == summary.id for difference in differences)


async def _load_clearance(tx: Transaction, summary: PayslipSummary) -> ClearancePayment | None:
    """Return the payment of the payslip if it is, or was, withheld for tax clearance."""
    if not summary.finalised:
        return None
    payments = await load_clearance_payments(tx, summary.client_id, summary.employee_id)
    return next((payment for payment in payments if payment.payslip_id == summary.id), None)
