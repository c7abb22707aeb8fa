"""What can be asked about filings."""

import asyncio
from dataclasses import dataclass
from typing import Any

from gaji.company.clients.service import require_client
from gaji.core.errors import Conflict, Forbidden, NotFound, ValidationError
from gaji.db.tenancy import Tenant, Transaction
from gaji.documents.ezpay.submission import CpfSubmission, payments
from gaji.documents.filings import cpf_submission as submission
from gaji.documents.file_result import FileResult, amount
from gaji.law.months import Month
from gaji.payroll.payment_runs.queries import open_between
from gaji.payroll.payslips.statutory_totals import month_figures


@dataclass(frozen=True)
class CpfFiling:
    """What is paid to the CPF Board for a month, and the file about it."""

    month: Month
    submission: CpfSubmission
    file: FileResult
    rules_versions: frozenset[str]

    def to_json(self) -> dict[str, Any]:
        """The filing as the API shows it."""
        paid = payments(self.submission)
        return {
            "name": "cpf",
            "month": str(self.month),
            "employees": len({member.employee_id for one in paid for member in one.members}),
            "payments": [
                {
                    "payment_code": one.kind.code,
                    "name": one.kind.name,
                    "amount": amount(one.cents),
                    "employees": len(one.members),
                }
                for one in paid
            ],
            **self.file.to_json(),
        }


async def list_filings(tenant: Tenant, client_id: int, month: Month, advice_code: int) -> list[CpfFiling]:
    """The filings of a month, with what keeps them from being made; none when there is nothing to pay."""
    found = await _cpf(tenant, client_id, month, advice_code)
    return [found] if found else []


async def read_cpf_filing(tenant: Tenant, client_id: int, month: Month, advice_code: int) -> CpfFiling:
    """The filing for the CPF Board; refused with all that keeps its file from being made."""
    found = await _cpf(tenant, client_id, month, advice_code)
    if tenant.caller.hide_identifiers:
        raise Forbidden("This API key may not see identifiers, and the file has them")
    if found is None:
        raise NotFound(f"The finalised payslips of {month} have nothing to be paid to the CPF Board")
    if found.file.errors:
        raise ValidationError(found.file.errors, f"The CPF file of {month} cannot be made: see errors")
    return found


async def _cpf(tenant: Tenant, client_id: int, month: Month, advice_code: int) -> CpfFiling | None:
    async with tenant.snapshot() as tx:
        await require_client(tx, client_id)
        await _require_closed(tx, client_id, month)
        figures = await month_figures(tx, client_id, month.first_day, month.last_day)
        if not figures:
            return None
        gathered = await submission.gather(tx, client_id, month, advice_code, figures)
    versions = frozenset(version for one in figures for version in one.rules_versions)
    if not payments(gathered.submission):
        return None
    return CpfFiling(month, gathered.submission, await asyncio.to_thread(gathered.made), versions)


async def _require_closed(tx: Transaction, client_id: int, month: Month) -> None:
    """Refuse while what is paid for the month can still change; every run that is open is named."""
    still_open = await open_between(tx, client_id, month.first_day, month.last_day)
    if still_open:
        errors = {f"payment_runs.{run_id}": f"of {end} is not finalised" for run_id, end in still_open.items()}
        raise Conflict(f"Nothing can be filed for {month} while a payment run of it is open", errors=errors)
