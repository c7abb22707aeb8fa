"""What the worker can be asked to do for a client. Each can be done again at any time, and by several at once."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from gaji.core.vault import Vault
from gaji.db.pool import Pool
from gaji.documents.payslips.bundles import service as bundle_service
from gaji.imports.employees import service as spreadsheet_service
from gaji.payroll.payment_runs import taking_up
from gaji.payroll.payslips import recalculation as drafts
from gaji.reports import service as report_service
from gaji.tasks import recalculation, run_opening
from gaji.tasks.errand_jobs import BUNDLE_JOB, IMPORT_JOB, REPORT_JOB


@dataclass(frozen=True)
class Sweep:
    """A job for whichever client it is to be done for, asked or not: a queue can be lost, and a job with it."""

    do: Callable[[Pool, Vault], Awaitable[None]]
    times: str
    """When it is done beside the start of a worker, as for cron."""


JOBS: Mapping[str, Callable[[Pool, Vault, int], Awaitable[None]]] = {
    drafts.JOB: recalculation.calculate_all,
    taking_up.JOB: run_opening.open_all,
    report_service.JOB: REPORT_JOB.do_all,
    bundle_service.JOB: BUNDLE_JOB.do_all,
    spreadsheet_service.JOB: IMPORT_JOB.do_all,
}
SWEEPS: Mapping[str, Sweep] = {
    "calculate_what_waits": Sweep(recalculation.calculate_what_waits, "*/10 * * * *"),
    "open_what_waits": Sweep(run_opening.open_what_waits, "* * * * *"),
    "make_what_waits": Sweep(REPORT_JOB.do_what_waits, "* * * * *"),
    "bundle_what_waits": Sweep(BUNDLE_JOB.do_what_waits, "* * * * *"),
    "import_what_waits": Sweep(IMPORT_JOB.do_what_waits, "* * * * *"),
    "forget_old_employee_imports": Sweep(IMPORT_JOB.forget_old, "*/10 * * * *"),
    "forget_old_payslip_bundles": Sweep(BUNDLE_JOB.forget_old, "*/10 * * * *"),
    "forget_old_reports": Sweep(REPORT_JOB.forget_old, "*/10 * * * *"),
}
