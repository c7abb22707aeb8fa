"""The start page of the portal, and the employee's released payslips."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import msgspec

from gaji.console.downloads import pdf_response
from gaji.console.formats import format_day
from gaji.console.pages import PageRouter
from gaji.console.payslip_lists import with_period_ends
from gaji.console.payslips import leave_in_period, lines_by_section, load_corrected_period
from gaji.console.portal.decisions import list_recent_decisions
from gaji.console.portal.employment import load_access, load_employment, render_portal
from gaji.console.portal.leave_expiries import list_expiries
from gaji.console.portal.pay_difference import PayDifference, compare_lines
from gaji.console.request import PageRequest
from gaji.console.tables import SortKeys, build_table
from gaji.core.errors import GajiError, NotFound
from gaji.documents.payslips.pdf_context import leave_notes, withheld_text
from gaji.documents.payslips.service import load_year_to_date
from gaji.leave.balances import service as balances
from gaji.leave.balances.service import MovementJson
from gaji.leave.types.queries import LeaveType, list_unlimited_types, load_leave_types
from gaji.payroll.payslips import service, summaries
from gaji.payroll.payslips.service import ExplainedPayslip
from gaji.payroll.payslips.summaries import PayslipSummary
from gaji.payroll.withheld_payments.queries import load_withheld_pay
from gaji.people.self_service.access import client_view
from gaji.people.self_service.service import Employment, load_company_name
from gaji.web.responses import HttpResponse

router = PageRouter()

SOON = timedelta(days=60)
"""How long after its period a payslip says that leave expires."""

SORT_KEYS: SortKeys[Mapping[str, Any]] = {
    "date": lambda payslip: (payslip["date"], payslip["id"]),
    "nett_pay": lambda payslip: payslip["nett_pay"],
}


@dataclass(frozen=True)
class PayslipFacts:
    """What pages say about a payslip besides its summary."""

    corrected: tuple[date, date] | None
    """The period that a correction corrects."""
    start_date: date
    end_date: date
    """The last day of the period that it pays: that of the corrected payslip for a correction."""
    withheld_text: str
    """What is, or was, withheld for tax clearance. Empty if nothing was."""


@router.get("/own")
async def start(request: PageRequest) -> HttpResponse:
    """Redirect to the payslips of the only employment, or list the companies."""
    employments = (await load_access(request)).employments
    if not employments:
        raise NotFound("Your account is not linked to an employee")
    if len(employments) == 1:
        return request.redirect(f"/own/{employments[0].employee_id}")
    names = {employment.employee_id: await load_company_name(request.tenant, employment) for employment in employments}
    return request.render("portal_companies.html", here="", employments=employments, names=names)


@router.get("/own/{employee_id}")
async def list_payslips(request: PageRequest) -> HttpResponse:
    """Show the released payslips, latest first, and what was decided lately."""
    employment = await load_employment(request)
    (elements, _), _ = await service.list_payslips(request.tenant, employment.employee_id, None)
    payslips = with_period_ends([msgspec.json.decode(element) for element in elements])
    payslips.sort(key=lambda payslip: (payslip["date"], payslip["id"]), reverse=True)
    latest = await _load_released(request, employment, payslips[0]["id"]) if payslips else None
    return await render_portal(
        request,
        employment,
        "portal_payslips.html",
        here="Payslips",
        table=build_table(request, payslips, SORT_KEYS, largest_first=SORT_KEYS),
        latest=latest,
        facts=await _load_facts(request, latest) if latest else None,
        decisions=await list_recent_decisions(request, employment),
    )


@router.get("/own/{employee_id}/payslips/{payslip_id}")
async def show_payslip(request: PageRequest) -> HttpResponse:
    """Show a payslip, with an explanation for every line."""
    employment = await load_employment(request)
    summary = await _load_released(request, employment, request.ids["payslip_id"])
    explained = await service.explain_payslip(request.tenant, summary.id)
    facts = await _load_facts(request, summary)
    async with request.tenant.snapshot() as tx:
        async with client_view(tx, summary.client_id):
            leave_types = await load_leave_types(tx, summary.client_id)
        year_to_date = await load_year_to_date(tx, summary.id)
    earlier = await _find_earlier(request, employment, summary)
    leave = leave_in_period(explained, list_unlimited_types(leave_types, summary.end_date))
    return await render_portal(
        request,
        employment,
        "portal_payslip.html",
        here="Payslips",
        payslip=summary,
        sections=await lines_by_section(explained),
        leave=leave,
        leave_notes=leave_notes(leave),
        leave_expiries=await _list_expiries(request, summary, [entry for entry in leave_types if entry.name in leave]),
        facts=facts,
        remarks=explained.employee_remarks,
        year_to_date=year_to_date,
        difference=await _compare(request, earlier, explained) if earlier else None,
    )


@router.get("/own/{employee_id}/payslips/{payslip_id}.pdf")
async def show_pdf(request: PageRequest) -> HttpResponse:
    """Return a payslip as PDF."""
    employment = await load_employment(request)
    await _load_released(request, employment, request.ids["payslip_id"])
    return await pdf_response(request)


async def _load_facts(request: PageRequest, summary: PayslipSummary) -> PayslipFacts:
    """Return the period and the payment of a payslip. The payslip that it corrects may not be released."""
    async with request.tenant.snapshot() as tx, client_view(tx, summary.client_id):
        corrected = await load_corrected_period(tx, summary)
        withheld = await load_withheld_pay(tx, summary.client_id, [summary.id])
    return PayslipFacts(
        corrected=corrected,
        start_date=corrected[0] if corrected else summary.start_date,
        end_date=corrected[1] if corrected else summary.end_date,
        withheld_text=withheld_text(withheld[summary.id], format_day) if withheld else "",
    )


async def _list_expiries(
    request: PageRequest, summary: PayslipSummary, leave_types: Sequence[LeaveType]
) -> list[MovementJson]:
    """List what expires of the leave on a payslip in its period, and soon after it.

    The payslip itself has expired days only within the added ones.
    """
    if not leave_types:
        return []
    end = summary.end_date
    movements = await balances.list_movements(request.tenant, summary.employee_id, summary.start_date, end + SOON, None)
    return list_expiries(leave_types, movements, end)


async def _find_earlier(request: PageRequest, employment: Employment, summary: PayslipSummary) -> PayslipSummary | None:
    """Return the released payslip before this one. Once-off payslips and corrections are not compared."""
    if summary.special or summary.corrects is not None:
        return None
    (elements, _), _ = await service.list_payslips(request.tenant, employment.employee_id, None)
    listed = [payslip for payslip in map(msgspec.json.decode, elements) if payslip["ss_released"]]
    earlier = [payslip for payslip in listed if payslip["date"] < str(summary.end_date) and not payslip["special"]]
    for payslip in sorted(earlier, key=lambda payslip: payslip["date"], reverse=True):
        try:
            candidate = await _load_released(request, employment, payslip["id"])
        except NotFound:  # reopened in the meantime
            continue
        if candidate.corrects is None:
            return candidate
    return None


async def _compare(request: PageRequest, earlier: PayslipSummary, explained: ExplainedPayslip) -> PayDifference | None:
    """Compare a payslip with an earlier one. None if one of them cannot be explained."""
    try:
        before = await service.explain_payslip(request.tenant, earlier.id)
    except GajiError:
        return None
    if not (before.explanation and explained.explanation):
        return None
    return compare_lines(earlier.end_date, before.explanation, explained.explanation)


async def _load_released(request: PageRequest, employment: Employment, payslip_id: int) -> PayslipSummary:
    """Return a released payslip of this employee. Raises NotFound for any other."""
    async with request.tenant.read_only() as tx:
        summary = await summaries.load_summary(tx, payslip_id)
    if summary.employee_id != employment.employee_id or not summary.released:
        raise NotFound(f"Payslip {payslip_id} does not exist")
    return summary
