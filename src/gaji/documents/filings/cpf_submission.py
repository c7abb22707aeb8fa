"""Build the CPF submission from the finalised payslips of a month."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gaji.company.clients.queries import load_filing_details
from gaji.core.clock import SINGAPORE
from gaji.core.errors import ErrorCode, Errors
from gaji.db.tenancy import Transaction
from gaji.documents.ezpay.file_format import encode_submission, file_name, name_in_file
from gaji.documents.ezpay.rules import member_errors, total_errors
from gaji.documents.ezpay.submission import CpfSubmission, SubmissionMember, member_status, submission_payments
from gaji.documents.file_result import FileResult, TransliteratedName, employee_errors
from gaji.engine.payslip_input import ServiceInterval
from gaji.law.months import Month
from gaji.payroll.payslips.statutory_totals import MonthTotals
from gaji.people.employees.queries import IdentityNumbers, load_identity_numbers
from gaji.people.service_periods.queries import load_service_intervals

SUBMISSION_NUMBER = "cpf_submission_number"
PAYMENT_TYPE_AND_SERIAL_LENGTH = 5
"""Length of the payment type and serial at the end of a submission number. The UEN comes before them."""
MEDIA_TYPE = "text/plain"

SUBMISSION_NUMBER_REQUIRED = ErrorCode(
    "submission_number_required", "is required on the client: the file identifies the employer by it"
)


@dataclass(frozen=True)
class CpfFileInput:
    """A submission and the display names of its employees."""

    submission: CpfSubmission
    names: Mapping[int, str]

    def build_file(self) -> FileResult:
        """Encode the submission, or collect the errors that prevent it."""
        submission = self.submission
        errors = Errors()
        if not submission.employer:
            errors.add(SUBMISSION_NUMBER, SUBMISSION_NUMBER_REQUIRED)
        errors.update(total_errors(submission))
        errors.update(employee_errors(member_errors(submission), self.names))
        return FileResult(
            file_name=file_name(submission) if submission.employer else None,
            media_type=MEDIA_TYPE,
            data=None if errors else encode_submission(submission),
            errors=errors,
            total_cents=sum(payment.total_cents for payment in submission_payments(submission)),
            transliterated=_transliterated_names(submission),
        )


async def load_file_input(
    tx: Transaction, client_id: int, month: Month, advice_code: int, totals: Sequence[MonthTotals]
) -> CpfFileInput:
    """Load the submission of a client for a month that has payslips.

    Its creation time is that of the last finalised payslip, so that the same payslips always give the same bytes.
    """
    employee_ids = [total.employee_id for total in totals]
    identities = await load_identity_numbers(tx, client_id, employee_ids)
    service = await load_service_intervals(tx, client_id, employee_ids)
    number = (await load_filing_details(tx, client_id)).cpf_submission_number or ""
    uen, suffix = number[:-PAYMENT_TYPE_AND_SERIAL_LENGTH], number[-PAYMENT_TYPE_AND_SERIAL_LENGTH:]
    submission = CpfSubmission(
        employer=uen,
        payment_type=suffix[:3],
        serial=suffix[3:],
        advice_code=advice_code,
        month=month,
        created=max(total.finalised_at for total in totals).astimezone(SINGAPORE),
        members=[_member(total, identities[total.employee_id], service[total.employee_id], month) for total in totals],
    )
    names = {employee_id: str(identity.employee) for employee_id, identity in identities.items()}
    return CpfFileInput(submission, names)


def _member(
    total: MonthTotals, identity: IdentityNumbers, service: Sequence[ServiceInterval], month: Month
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
        levy_cents=total.levy,
        sdl_cents=total.sdl,
    )


def _transliterated_names(submission: CpfSubmission) -> list[TransliteratedName]:
    payments = (payment for payment in submission_payments(submission) if payment.kind.has_details)
    members = {member.employee_id: member for payment in payments for member in payment.members}
    return [
        TransliteratedName(member.employee_id, member.name, ascii_name)
        for member in members.values()
        if (ascii_name := name_in_file(member)) != member.name
    ]
