"""A submission to the CPF Board and the payments in it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from enum import StrEnum
from typing import Any, NamedTuple

from gaji.law.columns import cents
from gaji.law.months import Month
from gaji.law.sdl import remittance_cents

NRIC_SERIES = ("S", "T")


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
    community_chest_cents: int = 0
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
    sdl_total_cents: int | None = None
    """The skills development levy. None: calculated from the members."""


class PaymentKind(NamedTuple):
    """A kind of payment: its code and the member's attribute with its amount."""

    code: str
    name: str
    attribute: str
    is_fund: bool = False
    has_donors: bool = False
    """Whether the summary has the number of donors. That of self-help funds always does."""

    def amount_cents(self, member: SubmissionMember) -> int:
        """Return the member's amount."""
        cents: int = getattr(member, self.attribute)
        return cents

    @property
    def has_details(self) -> bool:
        """Whether the file has a record for each member."""
        return self.is_fund or self is CPF


CPF = PaymentKind("01", "CPF", "cpf_cents")
SDL = PaymentKind("11", "Skills development levy", "sdl_cents")
PAYMENT_KINDS = (
    CPF,
    PaymentKind("02", "MBMF", "mbmf_cents", is_fund=True),
    PaymentKind("03", "SINDA", "sinda_cents", is_fund=True),
    PaymentKind("04", "CDAC", "cdac_cents", is_fund=True),
    PaymentKind("05", "ECF", "ecf_cents", is_fund=True),
    PaymentKind("10", "Community Chest", "community_chest_cents", has_donors=True),
    SDL,
)
"""Ordered by code. The foreign worker levy (08) has been paid to the Ministry of Manpower since 26 September 2022."""


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
        total_cents = _total_cents(submission, kind, members)
        if total_cents:
            payments.append(SubmissionPayment(kind, total_cents, members))
    return payments


def payable_separately(member: SubmissionMember) -> list[PaymentKind]:
    """Return the self-help funds of a member whose identity number the layout refuses: it wants an NRIC, S or T."""
    if member.nric is not None and member.nric.startswith(NRIC_SERIES):
        return []
    return [kind for kind in PAYMENT_KINDS if kind.is_fund and kind.amount_cents(member)]


def without_payments(member: SubmissionMember, kinds: Sequence[PaymentKind]) -> SubmissionMember:
    """Return the member without the amounts of these kinds."""
    no_cents: dict[str, Any] = {kind.attribute: 0 for kind in kinds}
    return replace(member, **no_cents) if kinds else member


def levy_remittance_cents(members: Sequence[SubmissionMember]) -> int:
    """Return the skills development levy of all members, rounded down to the dollar once."""
    return int(remittance_cents(cents([member.sdl_cents for member in members])))


def _total_cents(submission: CpfSubmission, kind: PaymentKind, members: Sequence[SubmissionMember]) -> int:
    if kind is not SDL:
        return sum(kind.amount_cents(member) for member in members)
    return levy_remittance_cents(members) if submission.sdl_total_cents is None else submission.sdl_total_cents


def member_status(service: Sequence[tuple[date, date | None]], month: Month) -> MemberStatus:
    """Return the status in a month, given the first and last days of service.

    An employee who left before the month is a leaver, unless a new service starts in the month.
    """
    first, last = month.first_day, month.last_day
    started = [(start, end) for start, end in service if start <= last]
    in_month = [(start, end) for start, end in started if end is None or end >= first] or started
    is_new = all(start >= first for start, _ in in_month)
    has_left = all(end is not None and end <= last for _, end in in_month)
    return STATUSES[is_new, has_left]


STATUSES: Mapping[tuple[bool, bool], MemberStatus] = {
    (False, False): MemberStatus.EXISTING,
    (False, True): MemberStatus.LEAVER,
    (True, False): MemberStatus.NEW,
    (True, True): MemberStatus.JOINED_AND_LEFT,
}
"""By whether the employee is new and has left."""
