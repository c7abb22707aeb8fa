"""What a submission to the CPF Board is made of, and what it comes to."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import NamedTuple

from gaji.law.columns import cents
from gaji.law.months import Month
from gaji.law.sdl import remittance_cents


class MemberStatus(StrEnum):
    """What an employee is to the employer in the month."""

    EXISTING = "E"
    LEAVER = "L"
    NEW = "N"
    JOINED_AND_LEFT = "O"


@dataclass(frozen=True, slots=True)
class SubmissionMember:
    """An employee, and what the payslips of the month come to, in cents."""

    employee_id: int
    name: str
    nric: str | None
    fin: str | None
    status: MemberStatus
    ordinary_cents: int = 0
    additional_cents: int = 0
    cpf_cents: int = 0
    """Both shares."""
    mbmf_cents: int = 0
    sinda_cents: int = 0
    cdac_cents: int = 0
    ecf_cents: int = 0
    levy_cents: int = 0
    sdl_cents: int = 0

    @property
    def identity_number(self) -> str | None:
        """What a fund knows them by: foreigners, who have no CPF account, by their FIN."""
        return self.nric or self.fin


@dataclass(frozen=True, slots=True)
class CpfSubmission:
    """One submission of an employer."""

    employer: str
    """The UEN."""
    payment_type: str
    serial: str
    advice_code: int
    month: Month
    created: datetime
    members: Sequence[SubmissionMember]


class Kind(NamedTuple):
    """One of the things that are paid: its code, and what of a member it takes."""

    code: str
    name: str
    of: Callable[[SubmissionMember], int]
    is_fund: bool = False

    @property
    def has_details(self) -> bool:
        """Whether the file says for whom it is paid."""
        return self.is_fund or self is CPF


CPF = Kind("01", "CPF", lambda one: one.cpf_cents)
LEVY = Kind("08", "Foreign worker levy", lambda one: one.levy_cents)
SDL = Kind("11", "Skills development levy", lambda one: one.sdl_cents)
KINDS = (
    CPF,
    Kind("02", "MBMF", lambda one: one.mbmf_cents, is_fund=True),
    Kind("03", "SINDA", lambda one: one.sinda_cents, is_fund=True),
    Kind("04", "CDAC", lambda one: one.cdac_cents, is_fund=True),
    Kind("05", "ECF", lambda one: one.ecf_cents, is_fund=True),
    LEVY,
    SDL,
)
"""In the order of their codes."""


@dataclass(frozen=True, slots=True)
class Payment:
    """What is paid of one kind."""

    kind: Kind
    cents: int
    members: Sequence[SubmissionMember]
    """For whom."""


def payments(submission: CpfSubmission) -> list[Payment]:
    """What is paid, kind by kind; what comes to nothing is left out."""
    found = []
    for kind in KINDS:
        members = [one for one in submission.members if kind.of(one)]
        amounts = cents([kind.of(one) for one in members])
        due = remittance_cents(amounts) if kind is SDL else int(amounts.sum())
        if due:
            found.append(Payment(kind, due, members))
    return found


def member_status(service: Sequence[tuple[date, date | None]], month: Month) -> MemberStatus:
    """What someone with these times of service, first and last days, is in a month; who left before it is a leaver."""
    first, last = month.first_day, month.last_day
    begun = [(start, end) for start, end in service if start <= last]
    new = all(start >= first for start, _ in begun)
    left = all(end is not None and end <= last for _, end in begun)
    return STATUSES[new, left]


STATUSES: Mapping[tuple[bool, bool], MemberStatus] = {
    (False, False): MemberStatus.EXISTING,
    (False, True): MemberStatus.LEAVER,
    (True, False): MemberStatus.NEW,
    (True, True): MemberStatus.JOINED_AND_LEFT,
}
