"""A submission to the CPF Board and the payments in it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import NamedTuple

from gaji.law.columns import cents
from gaji.law.months import Month
from gaji.law.sdl import remittance_cents


class MemberStatus(StrEnum):
    """Employment status of a member in the month."""

    EXISTING = "E"
    LEAVER = "L"
    NEW = "N"
    JOINED_AND_LEFT = "O"


@dataclass(frozen=True, slots=True)
class SubmissionMember:
    """An employee and the totals of the month's payslips."""

    employee_id: int
    name: str
    nric: str | None
    fin: str | None
    status: MemberStatus
    ordinary_cents: int = 0
    additional_cents: int = 0
    cpf_cents: int = 0
    """Employer's and employee's shares together."""
    mbmf_cents: int = 0
    sinda_cents: int = 0
    cdac_cents: int = 0
    ecf_cents: int = 0
    levy_cents: int = 0
    sdl_cents: int = 0

    @property
    def identity_number(self) -> str | None:
        """The number that self-help funds use: the NRIC, or the FIN of foreigners, who have no CPF account."""
        return self.nric or self.fin


@dataclass(frozen=True, slots=True)
class CpfSubmission:
    """One submission of an employer for a month."""

    employer: str
    """The UEN."""
    payment_type: str
    serial: str
    advice_code: int
    month: Month
    created: datetime
    members: Sequence[SubmissionMember]


class PaymentKind(NamedTuple):
    """A kind of payment: its code and the member's amount for it."""

    code: str
    name: str
    amount_cents: Callable[[SubmissionMember], int]
    is_fund: bool = False

    @property
    def has_details(self) -> bool:
        """Whether the file has a record for each member."""
        return self.is_fund or self is CPF


CPF = PaymentKind("01", "CPF", lambda member: member.cpf_cents)
LEVY = PaymentKind("08", "Foreign worker levy", lambda member: member.levy_cents)
SDL = PaymentKind("11", "Skills development levy", lambda member: member.sdl_cents)
PAYMENT_KINDS = (
    CPF,
    PaymentKind("02", "MBMF", lambda member: member.mbmf_cents, is_fund=True),
    PaymentKind("03", "SINDA", lambda member: member.sinda_cents, is_fund=True),
    PaymentKind("04", "CDAC", lambda member: member.cdac_cents, is_fund=True),
    PaymentKind("05", "ECF", lambda member: member.ecf_cents, is_fund=True),
    LEVY,
    SDL,
)
"""Ordered by code."""


@dataclass(frozen=True, slots=True)
class SubmissionPayment:
    """The total of one kind of payment, and the members with an amount in it."""

    kind: PaymentKind
    total_cents: int
    members: Sequence[SubmissionMember]


def submission_payments(submission: CpfSubmission) -> list[SubmissionPayment]:
    """Return the payments by kind. Kinds with a total of zero are omitted."""
    payments = []
    for kind in PAYMENT_KINDS:
        members = [member for member in submission.members if kind.amount_cents(member)]
        amounts = cents([kind.amount_cents(member) for member in members])
        total_cents = remittance_cents(amounts) if kind is SDL else int(amounts.sum())
        if total_cents:
            payments.append(SubmissionPayment(kind, total_cents, members))
    return payments


def member_status(service: Sequence[tuple[date, date | None]], month: Month) -> MemberStatus:
    """Return the status in a month, given the first and last days of service.

    An employee who left before the month is a leaver.
    """
    first, last = month.first_day, month.last_day
    started = [(start, end) for start, end in service if start <= last]
    is_new = all(start >= first for start, _ in started)
    has_left = all(end is not None and end <= last for _, end in started)
    return STATUSES[is_new, has_left]


STATUSES: Mapping[tuple[bool, bool], MemberStatus] = {
    (False, False): MemberStatus.EXISTING,
    (False, True): MemberStatus.LEAVER,
    (True, False): MemberStatus.NEW,
    (True, True): MemberStatus.JOINED_AND_LEFT,
}
"""By whether the employee is new and has left."""
