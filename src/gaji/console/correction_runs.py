"""Start a correction of a finalised pay run, with a preview of the differences."""

from collections.abc import Sequence
from dataclasses import dataclass

from gaji.console.error_messages import summarise
from gaji.console.forms import require_known_ids
from gaji.console.pages import PageRouter
from gaji.console.pay_deadlines import find_missed_deadlines
from gaji.console.request import PageRequest
from gaji.core.errors import Conflict, GajiError, ValidationError
from gaji.engine.correction_remarks import CLAIMED_BACK, EXCESS_ADVICE
from gaji.engine.earnings import ABSENCES
from gaji.engine.payslip_input import PastDifference
from gaji.payroll.calculation_definitions.queries import load_catalogue
from gaji.payroll.payment_runs import correction_runs, overview
from gaji.payroll.payment_runs import open_run as opening
from gaji.payroll.payslips.rendering import captions_by_item
from gaji.people.employees import directory
from gaji.people.employees.display_name import EmployeeLabel
from gaji.web.responses import HttpResponse

router = PageRouter()

CORRECT = "/payment_runs/{payment_run_id}/correct"
EMPLOYEES = "employee_ids"
OPENED = "Correction opened. Review it, then finalise it"
CPF = ("cpf_employee", "cpf_employer")
OTHER_PAYMENTS = ("cdac", "ecf", "mbmf", "sinda", "sdl", "levy")


@dataclass(frozen=True)
class CorrectedEmployee:
    """What a correction would change for an employee. Money is in cents."""

    id: int
    label: EmployeeLabel
    differences: Sequence[PastDifference]

    @property
    def pay_cents(self) -> int:
        """The difference of pay. Negative if the employee was overpaid."""
        return sum(difference.total_cents for difference in self.differences)

    @property
    def has_items(self) -> bool:
        """Whether pay items differ, and not only contributions."""
        return any(difference.items for difference in self.differences)

    @property
    def cpf_cents(self) -> int:
        """Both shares of CPF that are contributed now."""
        return self._figures_cents(CPF)

    @property
    def other_cents(self) -> int:
        """The funds and levies that are contributed now."""
        return self._figures_cents(OTHER_PAYMENTS)

    @property
    def excess_cents(self) -> int:
        """The contributions that were too much."""
        return excess_cents(self.differences)

    def _figures_cents(self, names: Sequence[str]) -> int:
        return sum(
            figures[name].accepted
            for difference in self.differences
            for figures in difference.months.values()
            for name in names
            if name in figures
        )


def excess_cents(differences: Sequence[PastDifference]) -> int:
    """Return the contributions that were too much, as the differences show."""
    return sum(
        max(figures[name].paid + figures[name].accepted - figures[name].due, 0)
        for difference in differences
        for figures in difference.months.values()
        for name in CLAIMED_BACK
        if name in figures
    )


def missing_cents(differences: Sequence[PastDifference]) -> int:
    """Return the contributions that were too little, as the differences show."""
    return sum(
        max(figures[name].accepted, 0)
        for difference in differences
        for figures in difference.months.values()
        for name in CLAIMED_BACK
        if name in figures
    )


@router.get(CORRECT)
async def preview(request: PageRequest) -> HttpResponse:
    """Show what a correction of the pay run would change."""
    return await _page(request)


@router.post(CORRECT)
async def open_correction(request: PageRequest) -> HttpResponse:
    """Open a correction for the chosen employees, or for all with differences if none can be chosen."""
    run_id = request.ids["payment_run_id"]
    company = await request.writable_company(await overview.load_client_id(request.tenant, run_id))
    chosen = list(dict.fromkeys(request.fields.get(EMPLOYEES, [])))
    if chosen:
        preview = await correction_runs.preview_correction(request.tenant, run_id)
        require_known_ids(chosen, [str(employee_id) for employee_id in preview.differences or ()], "employee")
    body = {"corrects": run_id, EMPLOYEES: chosen} if chosen or "all" not in request.form else {"corrects": run_id}
    try:
        correction_id, _ = await opening.open_run(request.tenant, company.id, body)
    except (ValidationError, Conflict) as error:
        return await _page(request, error)
    return request.redirect(f"/payment_runs/{correction_id}", OPENED)


async def _page(request: PageRequest, error: GajiError | None = None) -> HttpResponse:
    run_id = request.ids["payment_run_id"]
    company = await request.writable_company(await overview.load_client_id(request.tenant, run_id))
    run = (await overview.load_overview(request.tenant, run_id)).run
    preview = await correction_runs.preview_correction(request.tenant, run_id) if run.finalised else None
    differences = preview.differences or {} if preview else {}
    async with request.tenant.read_only() as tx:
        labels = await directory.load_employee_labels(tx, company.id, list(differences))
        captions = captions_by_item(await load_catalogue(tx, company.id))
    return request.render(
        "correction_run.html",
        status=error.status if error else 200,
        company=company,
        here="Pay runs",
        error=summarise(error) if error else None,
        run=run,
        month=str(preview.month) if preview else "",
        pay_date=preview.pay_date if preview else None,
        deadlines=find_missed_deadlines(run.corrected_end or run.period_end_date, preview.pay_date)
        if preview
        else None,
        is_large=preview is not None and preview.differences is None,
        employees=[
            CorrectedEmployee(employee_id, labels[employee_id], past) for employee_id, past in differences.items()
        ],
        captions=captions,
        absences=ABSENCES,
        excess_advice=EXCESS_ADVICE,
    )
