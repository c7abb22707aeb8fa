"""Build CPF submissions from the finalised payslips of a month and from recorded submissions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import asyncpg
import msgspec

from gaji.company.clients.queries import load_filing_details
from gaji.core.clock import SINGAPORE
from gaji.core.errors import ErrorCode, Errors
from gaji.core.law_loader import current_law
from gaji.core.threads import run_in_thread_if_many
from gaji.db.tenancy import Transaction
from gaji.documents.downloads import DownloadHistory, download_history
from gaji.documents.ezpay.file_format import encode_submission, file_name, name_in_file
from gaji.documents.ezpay.rules import member_errors, total_errors
from gaji.documents.ezpay.submission import (
    CPF,
    PAYMENT_KINDS,
    CpfSubmission,
    MemberStatus,
    PaymentKind,
    SubmissionMember,
    member_status,
    payable_separately,
    submission_payments,
    without_payments,
)
from gaji.documents.ezpay.supplements import SubmittedAdvice, SubmittedMember
from gaji.documents.file_result import FileResult, TransliteratedName, employee_errors
from gaji.documents.filings import repository
from gaji.engine.payslip_input import ServiceInterval
from gaji.law.filings import SEPARATELY
from gaji.law.months import Month
from gaji.payroll.payslips.statutory_totals import MonthTotals, load_deduction_totals
from gaji.people.employees.queries import IdentityNumbers, load_identity_numbers
from gaji.people.service_periods.queries import load_service_intervals

SUBMISSION_NUMBER = "cpf_submission_number"
PAYMENT_TYPE_AND_SERIAL_LENGTH = 5
"""Length of the payment type and serial at the end of a submission number. The UEN comes before them."""
MEDIA_TYPE = "text/plain"
COMMUNITY_CHEST = "community_chest"

SUBMISSION_NUMBER_REQUIRED = ErrorCode(
    "submission_number_required", "is required on the client: the file identifies the employer by it"
)
VOLUNTARY_PAYMENT_TYPES = ("VCT", "AMS", "MSE")
VOLUNTARY_NUMBER = ErrorCode(
    "voluntary_submission_number",
    "{payment_type} numbers are for voluntary contributions; the CPF Board rejects {payments} under them",
)

_decode_members = msgspec.json.Decoder(list[SubmittedMember]).decode


@dataclass(frozen=True)
class RecordedSubmission:
    """A submission that was downloaded. Money is in cents."""

    id: int
    advice: SubmittedAdvice
    file_name: str
    sha256: str
    employees: int
    total_cents: int
    history: DownloadHistory


@dataclass(frozen=True, slots=True)
class SeparatePayment:
    """An amount that the file cannot have, because it refuses the identity number of the employee."""

    employee_id: int
    kind: PaymentKind
    cents: int


@dataclass(frozen=True)
class MonthInput:
    """The employer and the employees of a month: of its payslips, and of its recorded submissions."""

    month: Month
    submission_number: str
    identities: Mapping[int, IdentityNumbers]
    members: Sequence[SubmissionMember]
    """From the payslips, without what is paid separately."""
    separate: Sequence["SeparatePayment"] = ()

    def submission(self, advice: SubmittedAdvice) -> CpfSubmission:
        """Return a recorded submission, with the names and identity numbers of today."""
        uen = self.submission_number[:-PAYMENT_TYPE_AND_SERIAL_LENGTH]
        suffix = self.submission_number[-PAYMENT_TYPE_AND_SERIAL_LENGTH:]
        return CpfSubmission(
            employer=uen,
            payment_type=suffix[:3],
            serial=suffix[3:],
            advice_code=advice.advice_code,
            month=self.month,
            created=advice.created,
            members=[_recorded_member(member, self.identities.get(member.employee_id)) for member in advice.members],
            sdl_total_cents=advice.sdl_total_cents,
        )

    def names(self, submission: CpfSubmission) -> dict[int, str]:
        """Return the display names of the members by employee."""
        identities = self.identities
        return {
            member.employee_id: str(identities[member.employee_id].employee)
            if member.employee_id in identities
            else f"Employee {member.employee_id}"
            for member in submission.members
        }


def build_file(submission: CpfSubmission, names: Mapping[int, str]) -> FileResult:
    """Encode a submission, or collect the errors that prevent it."""
    errors = Errors()
    if not submission.employer:
        errors.add(SUBMISSION_NUMBER, SUBMISSION_NUMBER_REQUIRED)
    others = [payment.kind.name for payment in submission_payments(submission) if payment.kind is not CPF]
    if submission.payment_type in VOLUNTARY_PAYMENT_TYPES and others:
        errors.add(SUBMISSION_NUMBER, VOLUNTARY_NUMBER, payment_type=submission.payment_type, payments=others)
    errors.update(total_errors(submission))
    errors.update(employee_errors(member_errors(submission), names))
    return FileResult(
        file_name=file_name(submission) if submission.employer else None,
        media_type=MEDIA_TYPE,
        data=None if errors else encode_submission(submission),
        errors=errors,
        total_cents=sum(payment.total_cents for payment in submission_payments(submission)),
        transliterated=_transliterated_names(submission),
    )


async def load_recorded(tx: Transaction, client_id: int, month: Month) -> list[RecordedSubmission]:
    """Load the submissions of a month that were downloaded, in order."""
    return [
        RecordedSubmission(
            row["id"],
            _advice(row),
            row["file_name"],
            row["sha256"],
            row["employees"],
            row["total"],
            download_history(row),
        )
        for row in await repository.load_submissions(tx, client_id, month.first_day)
    ]


def _advice(row: asyncpg.Record) -> SubmittedAdvice:
    created = row["created"].astimezone(SINGAPORE)
    return SubmittedAdvice(row["advice_code"], created, _decode_members(row["members"]), row["sdl_total"])


async def load_month_input(
    tx: Transaction,
    client_id: int,
    month: Month,
    totals: Sequence[MonthTotals],
    recorded: Sequence[RecordedSubmission],
) -> MonthInput:
    """Load the employer and the employees of a month."""
    paid_ids = [total.employee_id for total in totals]
    submitted_ids = {member.employee_id for submission in recorded for member in submission.advice.members}
    identities = await load_identity_numbers(tx, client_id, sorted({*paid_ids, *submitted_ids}))
    service = await load_service_intervals(tx, client_id, paid_ids)
    details = await load_filing_details(tx, client_id)
    donations = await load_deduction_totals(tx, client_id, COMMUNITY_CHEST, month.first_day, month.last_day)
    number = details.cpf_submission_number or ""
    return await run_in_thread_if_many(
        len(totals), lambda: _build_month_input(month, number, totals, identities, service, donations)
    )


def _build_month_input(
    month: Month,
    submission_number: str,
    totals: Sequence[MonthTotals],
    identities: Mapping[int, IdentityNumbers],
    service: Mapping[int, Sequence[ServiceInterval]],
    donations: Mapping[int, int],
) -> MonthInput:
    members = [
        _member(total, identities[total.employee_id], service[total.employee_id], month, donations) for total in totals
    ]
    payable = [payable_separately(member) for member in members] if pays_separately(month) else [[] for _ in members]
    return MonthInput(
        month,
        submission_number,
        identities,
        [without_payments(member, kinds) for member, kinds in zip(members, payable, strict=True)],
        [
            SeparatePayment(member.employee_id, kind, kind.amount_cents(member))
            for member, kinds in zip(members, payable, strict=True)
            for kind in kinds
        ],
    )


def pays_separately(month: Month) -> bool:
    """Return whether self-help funds of employees without an NRIC are not in the file."""
    return current_law().filings.funds_without_nric.nearest(month.first_day).value == SEPARATELY


def _member(
    total: MonthTotals,
    identity: IdentityNumbers,
    service: Sequence[ServiceInterval],
    month: Month,
    donations: Mapping[int, int],
) -> SubmissionMember:
    return SubmissionMember(
        employee_id=total.employee_id,
        name=identity.employee.name,
        nric=identity.nric,
        fin=identity.fin,
        status=member_status([(interval.start, interval.end) for interval in service], month),
        ordinary_cents=total.ordinary,
        additional_cents=total.additional,
        cpf_cents=total.cpf,
        mbmf_cents=total.mbmf,
        sinda_cents=total.sinda,
        cdac_cents=total.cdac,
        ecf_cents=total.ecf,
        community_chest_cents=donations.get(total.employee_id, 0),
        sdl_cents=total.sdl,
    )


def _recorded_member(member: SubmittedMember, identity: IdentityNumbers | None) -> SubmissionMember:
    """Return a member of a submission. An employee who was deleted since has no name and no number."""
    amounts = {kind.attribute: max(0, member.amounts.get(kind.code, 0)) for kind in PAYMENT_KINDS}
    return SubmissionMember(
        employee_id=member.employee_id,
        name=identity.employee.name if identity else "",
        nric=identity.nric if identity else None,
        fin=identity.fin if identity else None,
        status=MemberStatus(member.status),
        ordinary_cents=member.ordinary_cents,
        additional_cents=member.additional_cents,
        **amounts,
    )


def _transliterated_names(submission: CpfSubmission) -> list[TransliteratedName]:
    payments = (payment for payment in submission_payments(submission) if payment.kind.has_details)
    members = {member.employee_id: member for payment in payments for member in payment.members}
    return [
        TransliteratedName(member.employee_id, member.name, ascii_name)
        for member in members.values()
        if (ascii_name := name_in_file(member)) != member.name
    ]
