"""Filing use cases."""

import asyncio
from dataclasses import dataclass
from datetime import date
from typing import Any

from gaji.company.clients.service import require_client
from gaji.core.errors import Conflict, ErrorCode, Errors, Forbidden, NotFound, ValidationError
from gaji.core.law_loader import current_law
from gaji.db.tenancy import Tenant, Transaction
from gaji.documents.ezpay.submission import CpfSubmission, submission_payments
from gaji.documents.file_result import FileResult, json_amount
from gaji.documents.filings.cpf_submission import load_file_input
from gaji.law.due_dates import due_date
from gaji.law.months import Month
from gaji.payroll.payment_runs.queries import load_open_between
from gaji.payroll.payslips.statutory_totals import load_month_totals

NOT_FINALISED = ErrorCode("payment_run_not_finalised", "the payment run of {period_end_date} is not finalised")


@dataclass(frozen=True)
class CpfFiling:
    """The payments to the CPF Board for a month, and their file."""

    month: Month
    submission: CpfSubmission
    file: FileResult
    rules_versions: frozenset[str]

    @property
    def due_date(self) -> date:
        """The day on which the payments are due."""
        return cpf_due_date(self.month)

    def to_json(self) -> dict[str, Any]:
        """Return the filing as the API returns it."""
        payments = submission_payments(self.submission)
        return {
            "name": "cpf",
            "month": str(self.month),
            "due_date": self.due_date,
            "employees": len({member.employee_id for payment in payments for member in payment.members}),
            "payments": [
                {
                    "payment_code": payment.kind.code,
                    "name": payment.kind.name,
                    "amount": json_amount(payment.total_cents),
                    "employees": len(payment.members),
                }
                for payment in payments
            ],
            **self.file.to_json(),
        }


def cpf_due_date(month: Month) -> date:
    """Return the day on which the payments to the CPF Board for a month are due."""
    law = current_law()
    return due_date(law.due_dates.cpf, month, law.holidays)


def levy_due_date(month: Month) -> date:
    """Return the day on which the foreign worker levy of a month is due to the Ministry of Manpower."""
    law = current_law()
    return due_date(law.due_dates.foreign_worker_levy, month, law.holidays)


async def list_filings(tenant: Tenant, client_id: int, month: Month, advice_code: int) -> list[CpfFiling]:
    """Return the filings of a month, with their errors. The list is empty if nothing is payable."""
    filing = await _load_cpf_filing(tenant, client_id, month, advice_code)
    return [filing] if filing else []


async def read_cpf_filing(tenant: Tenant, client_id: int, month: Month, advice_code: int) -> CpfFiling:
    """Return the filing for the CPF Board. Raises ValidationError if its file cannot be generated."""
    filing = await _load_cpf_filing(tenant, client_id, month, advice_code)
    if tenant.caller.hide_identifiers:
        raise Forbidden("The file contains identifiers, which this API key is not allowed to see")
    if filing is None:
        raise NotFound(f"The finalised payslips of {month} have nothing payable to the CPF Board")
    if filing.file.errors:
        raise ValidationError(filing.file.errors, f"The CPF file of {month} cannot be generated: see errors")
    return filing


async def _load_cpf_filing(tenant: Tenant, client_id: int, month: Month, advice_code: int) -> CpfFiling | None:
    async with tenant.snapshot() as tx:
        await require_client(tx, client_id)
        await _require_no_open_run(tx, client_id, month)
        totals = await load_month_totals(tx, client_id, month.first_day, month.last_day)
        if not totals:
            return None
        file_input = await load_file_input(tx, client_id, month, advice_code, totals)
    rules_versions = frozenset(version for total in totals for version in total.rules_versions)
    if not submission_payments(file_input.submission):
        return None
    file = await asyncio.to_thread(file_input.build_file)
    return CpfFiling(month, file_input.submission, file, rules_versions)


async def _require_no_open_run(tx: Transaction, client_id: int, month: Month) -> None:
    """Raise Conflict, with every open payment run, while the totals of the month can still change."""
    open_runs = await load_open_between(tx, client_id, month.first_day, month.last_day)
    if open_runs:
        errors = Errors()
        for run_id, period_end_date in open_runs.items():
            errors.add(f"payment_runs.{run_id}", NOT_FINALISED, period_end_date=period_end_date)
        raise Conflict(f"Filing for {month} is not possible until its payment runs are finalised", errors=errors)
