"""One payslip, with the reason of every line."""

from collections.abc import Mapping
from typing import Any

import msgspec

from gaji.console.entries import entry_values
from gaji.console.pages import PageRouter
from gaji.console.request import PageRequest
from gaji.payroll.calculations import service as calculations
from gaji.payroll.payslips import service
from gaji.payroll.payslips import summaries
from gaji.payroll.payslips.rendering import detail_json
from gaji.payroll.payslips.summaries import Heading
from gaji.payroll.payslips.service import Explained
from gaji.people.employees import directory
from gaji.web.responses import HttpResponse

router = PageRouter()

SECTIONS: Mapping[str, str] = {
    "income": "Income",
    "deduction": "Deductions",
    "grand_total": "",
    "employer_contribution": "Paid by the employer on top",
    "benefit": "Benefits in kind",
}
"""In the order in which a payslip shows them."""


def leave_of(explained: Explained) -> dict[str, Mapping[str, float]]:
    """What leave came to in the period of a payslip, by type and in days, without types that nothing is known of."""
    found: dict[str, Mapping[str, float]] = msgspec.json.decode(detail_json(None, explained.lines))["leave"]
    return {name: days for name, days in found.items() if any(days.values())}


async def read_heading(request: PageRequest) -> Heading:
    """The payslip of the path, without its lines."""
    async with request.tenant.reading() as tx:
        return await summaries.heading(tx, request.ids["payslip_id"])


@router.get("/payslips/{payslip_id}")
async def show_payslip(request: PageRequest) -> HttpResponse:
    """One payslip."""
    return await show_payslip_page(request)


async def show_payslip_page(request: PageRequest, *, status: int = 200, **more: Any) -> HttpResponse:
    """One payslip; what is given replaces what the page would show by itself."""
    heading = await read_heading(request)
    company = await request.company(heading.client_id)
    explained = await service.explain_payslip(request.tenant, heading.id)
    async with request.tenant.reading() as tx:
        names = await directory.names(tx, heading.client_id, [heading.employee_id])
    sections = {
        title: [one for one in explained.explanation if one["section"] == section]
        for section, title in SECTIONS.items()
    }
    values: dict[str, Any] = {"calculations": [], "enterable": [], "chosen": None, "form": None, "captions": {}}
    if company.writes and not heading.finalised:
        found = await calculations.list_for_payslip(request.tenant, heading.id)
        values = await entry_values(request, heading.client_id, "payslip", found)
    return request.render(
        "payslip.html",
        status=status,
        company=company,
        here="Pay runs" if heading.payment_run_id else "Employees",
        slip=heading,
        who=names[heading.employee_id],
        sections=sections,
        attention=explained.attention,
        remarks=explained.remarks,
        leave=leave_of(explained),
        rules_version=explained.rules_version,
        **{**values, **more},
    )
