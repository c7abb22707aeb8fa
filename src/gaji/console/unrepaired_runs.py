"""Earlier pay runs without a file for the bank, which cannot be reopened after a later one is finalised."""

from collections.abc import Sequence
from dataclasses import dataclass

from gaji.console.formats import format_day
from gaji.console.pay_run_warnings import select_employee_errors
from gaji.db.tenancy import Tenant
from gaji.documents.payment_files.service import find_finalised_errors
from gaji.payroll.payment_runs import overview
from gaji.payroll.payment_runs.correction_runs import MAX_CHECKED_PAYSLIPS
from gaji.payroll.payment_runs.overview import RunHeader, RunSummary
from gaji.payroll.payslips.run_lines import load_employee_ids

MAX_CHECKED_RUNS = 3
"""How many earlier pay runs are checked. Usually there is one, because others are blocked by it already."""


@dataclass(frozen=True)
class UnrepairedRun:
    """A finalised pay run with employees whom its file for the bank cannot pay."""

    text: str
    """What is wrong, and that it has to be repaired now."""
    path: str
    """Its payment files, which say how to repair it."""


async def find_unrepaired_run(
    tenant: Tenant, header: RunHeader, runs: Sequence[RunSummary] | None = None
) -> UnrepairedRun | None:
    """Return an earlier pay run that has to be reopened to pay its employees, before this one is finalised.

    `runs` are those of the company, if they are known.
    """
    if runs is None:
        async with tenant.read_only() as tx:
            runs = await overview.list_runs(tx, header.client_id)
    for earlier in _list_unpaid(header.run, runs)[:MAX_CHECKED_RUNS]:
        if not select_employee_errors(await find_finalised_errors(tenant, earlier.id)):
            continue
        async with tenant.read_only() as tx:
            employee_ids = await load_employee_ids(tx, header.client_id, header.run.id)
            earlier_ids = await load_employee_ids(tx, header.client_id, earlier.id)
        if not set(employee_ids).isdisjoint(earlier_ids):
            return UnrepairedRun(_unrepaired_text(earlier), f"/payment_runs/{earlier.id}/files")
    return None


def _list_unpaid(run: RunSummary, runs: Sequence[RunSummary]) -> list[RunSummary]:
    """Return the earlier runs that are not marked as paid and can be reopened now, newest first.

    Those before the previous regular run cannot, because that is finalised.
    """
    earlier = [
        item
        for item in sorted(runs, key=lambda item: (item.period_end_date, item.id), reverse=True)
        if item.finalised and item.wave_id == run.wave_id and item.period_end_date <= run.period_end_date
    ]
    regular_ends = [item.period_end_date for item in earlier if not item.special]
    corrected_ids = {item.corrects for item in runs}
    return [
        item
        for item in earlier
        if item.paid_at is None
        and item.total
        and (item.payslips or 0) <= MAX_CHECKED_PAYSLIPS
        and item.id not in corrected_ids
        and item.period_end_date >= max(regular_ends, default=item.period_end_date)
    ]


def _unrepaired_text(run: RunSummary) -> str:
    day = format_day(run.corrected_end or run.period_end_date)
    name = f"correction of {day}" if run.corrected_end else f"pay run for {day}"
    return (
        f"The {name} is not marked as paid, and its file for the bank cannot be created because of employees' "
        "accounts. It cannot be reopened after this one is finalised"
    )
