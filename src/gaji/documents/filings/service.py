"""Filing use cases."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from functools import partial
from hashlib import sha256
from typing import Any

import msgspec

from gaji.company.clients.service import require_client
from gaji.core import clock
from gaji.core.clock import SINGAPORE
from gaji.core.errors import Conflict, ErrorCode, Errors, Forbidden, NotFound, ValidationError, invalid
from gaji.core.law_loader import current_law
from gaji.core.threads import run_in_thread_if_many
from gaji.db.tenancy import Tenant, Transaction
from gaji.documents.certainty import CPF_FILE
from gaji.documents.ezpay.submission import CPF, PAYMENT_KINDS, CpfSubmission, submission_payments
from gaji.documents.ezpay.supplements import AmountDifference, MonthComparison, SubmittedAdvice
from gaji.documents.file_result import FileResult, json_amount
from gaji.documents.filings import repository
from gaji.documents.filings.cpf_submission import (
    MonthInput,
    RecordedSubmission,
    SeparatePayment,
    build_file,
    load_month_input,
    load_recorded,
)
from gaji.documents.filings.schemas import ADVICE_CODE, FIRST_ADVICE, LAST_ADVICE
from gaji.identity.roles import can_write, require_writer
from gaji.law.due_dates import due_date
from gaji.law.late_contributions import interest_cents
from gaji.law.months import Month
from gaji.payroll.payment_runs.queries import load_open_between
from gaji.payroll.payslips.statutory_totals import (
    MonthTotals,
    OpenDraft,
    UnfinalisedPeriod,
    load_month_totals,
    load_open_drafts,
    load_open_periods,
)
from gaji.payroll.retro_proposals.queries import load_claims
from gaji.periods.locks import lock_drafts_shared

MAX_LISTED_DRAFTS = 100
CPF_SHARES = ("cpf_employee", "cpf_employer")
CLAIMED_FIGURES = ("mbmf", "sinda", "cdac", "ecf", "levy", "sdl")
NOT_SUBMITTED, SUBMITTED, CHANGED = "not_submitted", "submitted", "changed"

NOT_FINALISED = ErrorCode("payment_run_not_finalised", "the payment run of {period_end_date} is not finalised")
ADVICE_CODE_USED = ErrorCode("advice_code_used", "{advice_code} was used by an earlier submission of {month}")
NOTHING_NEW = ErrorCode(
    "nothing_new_to_submit", "nothing is new since the submission with advice code {last}; leave the parameter out"
)


class ChangedCpfFile(Conflict):
    """A file would have other names or numbers than when it was downloaded."""

    def __init__(self, message: str, submission: RecordedSubmission) -> None:
        super().__init__(message)
        self.submission = submission


@dataclass(frozen=True)
class LevyFiling:
    """The foreign worker levy of a month, which is paid to the Ministry of Manpower."""

    month: Month
    amounts: Mapping[int, int]
    """Cents by employee."""
    rules_versions: frozenset[str]

    @property
    def due_date(self) -> date:
        """The day on which the levy is due."""
        return levy_due_date(self.month)

    @property
    def total_cents(self) -> int:
        """The levy of all employees."""
        return sum(self.amounts.values())

    def to_json(self) -> dict[str, Any]:
        """Return the filing as the API returns it."""
        return {
            "name": "foreign_worker_levy",
            "month": str(self.month),
            "due_date": self.due_date,
            "payable_to": "Ministry of Manpower",
            "employees": len(self.amounts),
            "total": json_amount(self.total_cents),
            "amounts": [
                {"employee_id": employee_id, "amount": json_amount(cents)}
                for employee_id, cents in self.amounts.items()
            ],
        }


@dataclass(frozen=True)
class CpfFiling:
    """The payments to the CPF Board for a month, what was submitted of them, and the file to submit."""

    month: Month
    advice: SubmittedAdvice
    submission: CpfSubmission
    file: FileResult
    recorded: Sequence[RecordedSubmission]
    comparison: MonthComparison
    separate: Sequence[SeparatePayment]
    open_drafts: Sequence[OpenDraft]
    open_periods: Sequence[UnfinalisedPeriod]
    rules_versions: frozenset[str]

    @property
    def due_date(self) -> date:
        """The day on which the payments are due."""
        return cpf_due_date(self.month)

    @property
    def late_interest_cents(self) -> int:
        """The interest on the contributions in a file that has not been downloaded, if they are paid today."""
        if not self.is_new:
            return 0
        law = current_law()
        contributions = sum(item.total_cents for item in submission_payments(self.submission) if item.kind == CPF)
        return interest_cents(
            law.late_contributions, law.due_dates, law.holidays, self.month, contributions, clock.today()
        )

    @property
    def is_new(self) -> bool:
        """Whether the file is a submission that has not been downloaded."""
        return all(submission.advice is not self.advice for submission in self.recorded)

    @property
    def employees(self) -> int:
        """The number of employees with a payment in the file."""
        payments = submission_payments(self.submission)
        return len({member.employee_id for payment in payments for member in payment.members})

    @property
    def differences(self) -> list[AmountDifference]:
        """What differs from the submissions. Empty if there are none."""
        return self.comparison.differences if self.recorded else []

    @property
    def state(self) -> str:
        """Whether the month was submitted, and whether it changed since."""
        if not self.recorded:
            return NOT_SUBMITTED
        return CHANGED if self.differences else SUBMITTED

    def to_json(self) -> dict[str, Any]:
        """Return the filing as the API returns it."""
        submitted, current = self.comparison.submitted_cents, self.comparison.current_cents
        differences = self.differences
        return {
            "name": "cpf",
            "month": str(self.month),
            "due_date": self.due_date,
            "late_interest": json_amount(self.late_interest_cents),
            "state": self.state,
            "advice_code": self.advice.advice_code,
            "certainty": CPF_FILE.to_json(),
            "employees": self.employees,
            "payments": [
                {
                    "payment_code": payment.kind.code,
                    "name": payment.kind.name,
                    "amount": json_amount(payment.total_cents),
                    "employees": len(payment.members),
                }
                for payment in submission_payments(self.submission)
            ],
            **self.file.to_json(),
            "comparison": [
                {
                    "payment_code": kind.code,
                    "name": kind.name,
                    "submitted": json_amount(submitted[kind]),
                    "current": json_amount(current[kind]),
                    "difference": json_amount(current[kind] - submitted[kind]),
                }
                for kind in PAYMENT_KINDS
                if submitted[kind] or current[kind]
            ],
            "submitted": json_amount(sum(submitted.values())),
            "current": json_amount(sum(current.values())),
            "difference": json_amount(sum(current.values()) - sum(submitted.values())),
            "changes": [_difference_json(difference) for difference in differences],
            "refunds": [
                {**_payment_json(difference), "amount": json_amount(-difference.difference_cents)}
                for difference in differences
                if difference.difference_cents < 0
            ],
            "submissions": [_submission_json(submission) for submission in self.recorded],
            "payable_separately": [
                {
                    "payment_code": payment.kind.code,
                    "name": payment.kind.name,
                    "employee_id": payment.employee_id,
                    "amount": json_amount(payment.cents),
                }
                for payment in self.separate
            ],
            "open_draft_count": len(self.open_drafts),
            "open_drafts": [
                {"payslip_id": draft.payslip_id, "employee_id": draft.employee_id, "date": draft.period_end}
                for draft in self.open_drafts[:MAX_LISTED_DRAFTS]
            ],
            "open_periods": [_period_json(period) for period in self.open_periods],
        }


def cpf_due_date(month: Month) -> date:
    """Return the day on which the payments to the CPF Board for a month are due."""
    law = current_law()
    return due_date(law.due_dates.cpf, month, law.holidays)


def levy_due_date(month: Month) -> date:
    """Return the day on which the foreign worker levy of a month is due to the Ministry of Manpower."""
    law = current_law()
    return due_date(law.due_dates.foreign_worker_levy, month, law.holidays)


async def list_filings(
    tenant: Tenant, client_id: int, month: Month, advice_code: int | None = None
) -> list[CpfFiling | LevyFiling]:
    """Return the filings of a month, with their errors. The list is empty if nothing is payable."""
    async with tenant.snapshot() as tx:
        totals = await _load_totals(tx, client_id, month)
        filing = await _load_cpf_filing(tx, client_id, month, totals, advice_code)
    levy = _levy_filing(month, totals)
    return [item for item in (filing, levy) if item]


async def is_submitted(tenant: Tenant, client_id: int, month: Month) -> bool:
    """Return whether a CPF file of a month was downloaded."""
    async with tenant.read_only() as tx:
        await require_client(tx, client_id)
        return await repository.find_last_id(tx, client_id, month.first_day) is not None


async def load_submission_time(tx: Transaction, client_id: int, month: Month) -> datetime | None:
    """Load when the last CPF file of a month that counts was downloaded."""
    times = await repository.load_submission_times(tx, [client_id], month.first_day)
    return times.get((client_id, month.first_day))


async def is_complete(tx: Transaction, client_id: int, month: Month) -> bool:
    """Return whether the downloaded CPF files of a month have exactly what is payable now."""
    return not (await compare_month(tx, client_id, month)).differences


async def compare_month(tx: Transaction, client_id: int, month: Month) -> MonthComparison:
    """Compare what is payable now for a month with its downloaded CPF files."""
    recorded = await load_recorded(tx, client_id, month)
    totals = await _load_finalised_totals(tx, client_id, month)
    month_input = await load_month_input(tx, client_id, month, totals, recorded)
    submitted = [submission.advice for submission in recorded]
    return await run_in_thread_if_many(len(totals), lambda: MonthComparison(month_input.members, submitted))


async def list_open_periods(tenant: Tenant, client_id: int, month: Month) -> list[UnfinalisedPeriod]:
    """Return the pay periods that are not finalised and start in a month or before."""
    async with tenant.read_only() as tx:
        await require_client(tx, client_id)
        return await load_open_periods(tx, client_id, month.last_day)


async def download_cpf_filing(
    tenant: Tenant,
    client_id: int,
    month: Month,
    advice_code: int | None = None,
    *,
    is_repeat: bool = False,
    counts_again_after: timedelta | None = None,
) -> CpfFiling:
    """Return the filing for the CPF Board and record its file as submitted. A reader's first download is not recorded.

    If nothing is new, it is the last submission again. Raises ValidationError if the file cannot be generated, and
    Conflict if the download repeats an earlier one and the file is new. If the caller's last download of the file is
    more recent than `counts_again_after`, it is not counted again.
    """
    async with tenant.transaction() as tx:
        await require_client(tx, client_id)
        await lock_drafts_shared(tx, client_id)
        await repository.lock_submissions(tx, client_id)
        totals = await _load_totals(tx, client_id, month)
        filing = await _load_cpf_filing(tx, client_id, month, totals, advice_code)
        if tenant.caller.hide_identifiers:
            raise Forbidden("The file contains identifiers, which this API key is not allowed to see")
        if filing is None:
            raise NotFound(f"The finalised payslips of {month} have nothing payable to the CPF Board")
        if is_repeat and filing.is_new:
            raise Conflict(f"The CPF file of {month} has changed, or its submission was discarded")
        if filing.file.errors:
            raise ValidationError(filing.file.errors, f"The CPF file of {month} cannot be generated: see errors")
        if not filing.is_new or await can_write(tx, client_id):
            await _record_download(tx, client_id, filing, counts_again_after)
    return filing


async def read_submitted_file(
    tenant: Tenant, client_id: int, month: Month, submission_id: int, *, allows_changes: bool = False
) -> FileResult:
    """Return the file of a recorded submission again, with its amounts and the names and numbers of today.

    The download is not counted. Raises Conflict if the file differs from the one that was downloaded, unless changes
    are allowed, and ValidationError if it cannot be generated.
    """
    async with tenant.snapshot() as tx:
        await require_client(tx, client_id)
        if tenant.caller.hide_identifiers:
            raise Forbidden("The file contains identifiers, which this API key is not allowed to see")
        recorded = [item for item in await load_recorded(tx, client_id, month) if item.id == submission_id]
        month_input = await load_month_input(tx, client_id, month, [], recorded)
    if not recorded:
        raise NotFound(f"CPF submission {submission_id} does not exist")
    submission = month_input.submission(recorded[0].advice)
    file = await asyncio.to_thread(build_file, submission, month_input.names(submission))
    if file.errors:
        raise ValidationError(file.errors, f"The CPF file of {month} cannot be generated: see errors")
    if not allows_changes and sha256(file.data or b"").hexdigest() != recorded[0].sha256:
        message = f"Details in the CPF file of {month} have changed since it was downloaded"
        raise ChangedCpfFile(message, recorded[0])
    return file


async def discard_submission(tenant: Tenant, submission_id: int) -> Month:
    """Record that the last submission of a month was not sent, so that the next one has its amounts."""
    async with tenant.transaction() as tx:
        row = await repository.find_submission(tx, submission_id)
        if row is None:
            raise NotFound(f"CPF submission {submission_id} does not exist")
        await require_writer(tx, row["client_id"])
        await repository.lock_submissions(tx, row["client_id"])
        last = await repository.find_last_id(tx, row["client_id"], row["month"])
        if last != submission_id:
            raise Conflict(f"CPF submission {submission_id} is not the last one of its month; discard that one first")
        await repository.discard(tx, row["client_id"], submission_id)
    return Month(row["month"].year, row["month"].month)


async def _load_totals(tx: Transaction, client_id: int, month: Month) -> list[MonthTotals]:
    """Load the totals of a month whose payment runs are all finalised."""
    await require_client(tx, client_id)
    await _require_no_open_run(tx, client_id, month)
    return await _load_finalised_totals(tx, client_id, month)


async def _load_finalised_totals(tx: Transaction, client_id: int, month: Month) -> list[MonthTotals]:
    totals = await load_month_totals(tx, client_id, month.first_day, month.last_day)
    claims = await load_claims(tx, client_id, month)
    return [without_claims(total, claims.get(total.employee_id, {})) for total in totals]


def without_claims(total: MonthTotals, claims: Mapping[str, int]) -> MonthTotals:
    """Return the totals of an employee less the contributions that corrections found to be too much."""
    if not claims:
        return total
    payable = {name: getattr(total, name) - claims.get(name, 0) for name in CLAIMED_FIGURES}
    cpf = total.cpf - sum(claims.get(share, 0) for share in CPF_SHARES)
    return replace(total, cpf=cpf, **payable)


async def _load_cpf_filing(
    tx: Transaction, client_id: int, month: Month, totals: Sequence[MonthTotals], advice_code: int | None
) -> CpfFiling | None:
    recorded = await load_recorded(tx, client_id, month)
    if not totals and not recorded:
        return None
    month_input = await load_month_input(tx, client_id, month, totals, recorded)
    open_periods = await load_open_periods(tx, client_id, month.last_day)
    drafts = await load_open_drafts(tx, client_id, month.first_day, month.last_day)
    build = partial(_build_filing, month_input, totals, recorded, drafts, open_periods, advice_code)
    return await asyncio.to_thread(build)


def _levy_filing(month: Month, totals: Sequence[MonthTotals]) -> LevyFiling | None:
    payable = [total for total in totals if total.levy]
    rules_versions = frozenset(version for total in payable for version in total.rules_versions)
    return LevyFiling(month, {total.employee_id: total.levy for total in payable}, rules_versions) if payable else None


def _build_filing(
    month_input: MonthInput,
    totals: Sequence[MonthTotals],
    recorded: Sequence[RecordedSubmission],
    drafts: Sequence[OpenDraft],
    open_periods: Sequence[UnfinalisedPeriod],
    advice_code: int | None,
) -> CpfFiling | None:
    month = month_input.month
    comparison = MonthComparison(month_input.members, [submission.advice for submission in recorded])
    if comparison.has_new:
        code = _next_advice_code(month, recorded, advice_code)
        created = max(total.finalised_at for total in totals).astimezone(SINGAPORE)
        advice = comparison.new_advice(code, created)
    elif recorded:
        advice = _last_advice(recorded, advice_code)
    else:
        return None
    submission = month_input.submission(advice)
    file = build_file(submission, month_input.names(submission))
    rules_versions = frozenset(version for total in totals for version in total.rules_versions)
    return CpfFiling(
        month,
        advice,
        submission,
        file,
        recorded,
        comparison,
        month_input.separate,
        drafts,
        open_periods,
        rules_versions,
    )


def _next_advice_code(month: Month, recorded: Sequence[RecordedSubmission], wanted: int | None) -> int:
    used = {submission.advice.advice_code for submission in recorded}
    if wanted in used:
        raise invalid(ADVICE_CODE, ADVICE_CODE_USED, advice_code=wanted, month=str(month))
    code = wanted or max(used, default=FIRST_ADVICE - 1) + 1
    if code > LAST_ADVICE:
        raise Conflict(f"All advice codes of {month} up to {LAST_ADVICE} have been used")
    return code


def _last_advice(recorded: Sequence[RecordedSubmission], wanted: int | None) -> SubmittedAdvice:
    last = recorded[-1].advice
    if wanted not in (None, last.advice_code):
        raise invalid(ADVICE_CODE, NOTHING_NEW, last=last.advice_code)
    return last


async def _record_download(
    tx: Transaction, client_id: int, filing: CpfFiling, counts_again_after: timedelta | None
) -> None:
    digest = sha256(filing.file.data or b"").hexdigest()
    file_name = filing.file.file_name or ""
    if not filing.is_new:
        submission_id = filing.recorded[-1].id
        await repository.count_download(tx, client_id, submission_id, file_name, digest, counts_again_after)
        return
    advice = filing.advice
    members = await asyncio.to_thread(msgspec.json.encode, advice.members)
    values = {
        "advice_code": advice.advice_code,
        "file_created_at": advice.created,
        "file_name": file_name,
        "sha256": digest,
        "employees": filing.employees,
        "total": filing.file.total_cents,
        "sdl_total": advice.sdl_total_cents,
        "members": members.decode(),
    }
    await repository.insert_submission(tx, client_id, filing.month.first_day, values)


async def _require_no_open_run(tx: Transaction, client_id: int, month: Month) -> None:
    """Raise Conflict, with every open payment run, while the totals of the month can still change."""
    open_runs = await load_open_between(tx, client_id, month.first_day, month.last_day)
    if open_runs:
        errors = Errors()
        for run_id, period_end_date in open_runs.items():
            errors.add(f"payment_runs.{run_id}", NOT_FINALISED, period_end_date=period_end_date)
        raise Conflict(f"Filing for {month} is not possible until its payment runs are finalised", errors=errors)


def _payment_json(difference: AmountDifference) -> dict[str, Any]:
    kind = difference.kind
    return {"payment_code": kind.code, "name": kind.name, "employee_id": difference.employee_id}


def _period_json(period: UnfinalisedPeriod) -> dict[str, Any]:
    return {
        "wave_id": period.wave_id,
        "period_end_date": period.period_end,
        "payment_run_id": period.payment_run_id,
        "payslips": period.payslips,
    }


def _difference_json(difference: AmountDifference) -> dict[str, Any]:
    return {
        **_payment_json(difference),
        "submitted": json_amount(difference.submitted_cents),
        "current": json_amount(difference.current_cents),
        "difference": json_amount(difference.difference_cents),
    }


def _submission_json(submission: RecordedSubmission) -> dict[str, Any]:
    return {
        "id": submission.id,
        "advice_code": submission.advice.advice_code,
        "file_name": submission.file_name,
        "sha256": submission.sha256,
        "employees": submission.employees,
        "total": json_amount(submission.total_cents),
        **submission.history.to_json(),
    }
