"""The submission to the CPF Board that the payslips of a month make."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gaji.company.clients.payer import employer
from gaji.core.clock import SINGAPORE
from gaji.db.tenancy import Transaction
from gaji.documents.ezpay import rules
from gaji.documents.ezpay.submission import SubmissionMember, CpfSubmission, payments, member_status
from gaji.documents.ezpay.file_format import file_name, name_of, encode_submission
from gaji.documents.file_result import FileResult, Respelled, of_employees
from gaji.engine.payslip_input import ServiceInterval
from gaji.law.months import Month
from gaji.payroll.payslips.statutory_totals import MonthFigures
from gaji.people.employees.filed import Identified, identified
from gaji.people.service_periods.facts import services

SUBMISSION_NUMBER = "cpf_submission_number"
PAYMENT_TYPE_AND_SERIAL = 5
"""Letters and digits at the end of a submission number: what comes before is the UEN."""
MEDIA_TYPE = "text/plain"


@dataclass(frozen=True)
class Gathered:
    """A submission, and who is in it."""

    submission: CpfSubmission
    names: Mapping[int, str]

    def made(self) -> FileResult:
        """The file, or all that keeps it from being made."""
        one = self.submission
        errors = rules.total_errors(one) | of_employees(rules.member_errors(one), self.names)
        if not one.employer:
            errors = {SUBMISSION_NUMBER: "is required of the client: the file names the employer by it", **errors}
        return FileResult(
            file_name=file_name(one) if one.employer else None,
            media_type=MEDIA_TYPE,
            data=None if errors else encode_submission(one),
            errors=errors,
            total_cents=sum(paid.cents for paid in payments(one)),
            respelled=_respelled(one),
        )


async def gather(
    tx: Transaction, client_id: int, month: Month, advice_code: int, figures: Sequence[MonthFigures]
) -> Gathered:
    """The submission of a client for a month in which there are payslips.

    It is as old as the last of them, so that the same payslips give the same bytes whenever they are asked for.
    """
    employee_ids = [one.employee_id for one in figures]
    people = await identified(tx, client_id, employee_ids)
    service = await services(tx, client_id, employee_ids)
    number = (await employer(tx, client_id)).cpf_submission_number or ""
    rest = number[-PAYMENT_TYPE_AND_SERIAL:]
    submission = CpfSubmission(
        employer=number[:-PAYMENT_TYPE_AND_SERIAL],
        payment_type=rest[:3],
        serial=rest[3:],
        advice_code=advice_code,
        month=month,
        created=max(one.finalised_at for one in figures).astimezone(SINGAPORE),
        members=[_member(one, people[one.employee_id], service[one.employee_id], month) for one in figures],
    )
    return Gathered(submission, {employee_id: str(one.named) for employee_id, one in people.items()})


def _member(paid: MonthFigures, person: Identified, service: Sequence[ServiceInterval], month: Month) -> SubmissionMember:
    return SubmissionMember(
        employee_id=paid.employee_id,
        name=person.named.name,
        nric=person.nric,
        fin=person.fin,
        status=member_status([(one.start, one.end) for one in service], month),
        ordinary_cents=paid.ordinary,
        additional_cents=paid.additional,
        cpf_cents=paid.cpf,
        mbmf_cents=paid.mbmf,
        sinda_cents=paid.sinda,
        cdac_cents=paid.cdac,
        ecf_cents=paid.ecf,
        levy_cents=paid.levy,
        sdl_cents=paid.sdl,
    )


def _respelled(submission: CpfSubmission) -> list[Respelled]:
    named = {one.employee_id: one for paid in payments(submission) if paid.kind.has_details for one in paid.members}
    return [
        Respelled(one.employee_id, one.name, in_file) for one in named.values() if (in_file := name_of(one)) != one.name
    ]
