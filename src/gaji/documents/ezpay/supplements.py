"""Further submissions of a month: what is new since the earlier ones, and what was overpaid.

The CPF Board collects each submission in full, so a further one must have only what the earlier ones did not. Wages are
those of the whole month. A file has no negative amounts: what was overpaid is applied for as a refund.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

import msgspec

from gaji.documents.ezpay.submission import PAYMENT_KINDS, SDL, PaymentKind, SubmissionMember, levy_remittance_cents


class SubmittedMember(msgspec.Struct, frozen=True, array_like=True):
    """A member of a submission, as it is recorded."""

    employee_id: int
    status: str
    ordinary_cents: int
    additional_cents: int
    amounts: dict[str, int]
    """Cents by payment code. For the skills development levy the change since the earlier submissions."""


@dataclass(frozen=True, slots=True)
class SubmittedAdvice:
    """A submission of the month, as it is recorded."""

    advice_code: int
    created: datetime
    """The creation time in the file."""
    members: Sequence[SubmittedMember]
    sdl_total_cents: int


@dataclass(frozen=True, slots=True)
class AmountDifference:
    """An amount that differs from what was submitted. The skills development levy has no employee."""

    kind: PaymentKind
    employee_id: int | None
    submitted_cents: int
    current_cents: int

    @property
    def difference_cents(self) -> int:
        """What is new. Negative if too much was submitted."""
        return self.current_cents - self.submitted_cents


class MonthComparison:
    """The current amounts of a month, compared with what was submitted. Everything is calculated once."""

    def __init__(self, members: Sequence[SubmissionMember], submitted: Sequence[SubmittedAdvice]) -> None:
        self._members = members
        self._amounts: dict[str, Counter[int]] = {kind.code: Counter() for kind in PAYMENT_KINDS}
        for member in (member for advice in submitted for member in advice.members):
            for code in member.amounts.keys() & self._amounts.keys():
                self._amounts[code][member.employee_id] += member.amounts[code]
        self.submitted_cents = {kind: self._amounts[kind.code].total() for kind in PAYMENT_KINDS}
        """What was submitted, by kind."""
        self.submitted_cents[SDL] = sum(advice.sdl_total_cents for advice in submitted)
        self.current_cents = {kind: sum(kind.amount_cents(member) for member in members) for kind in PAYMENT_KINDS}
        """What is payable, by kind."""
        self.current_cents[SDL] = levy_remittance_cents(members)
        self.differences = [difference for kind in PAYMENT_KINDS for difference in self._differences(kind)]
        """The amounts that differ, by kind and employee."""

    @property
    def has_new(self) -> bool:
        """Whether there is anything to submit."""
        return any(difference.difference_cents > 0 for difference in self.differences)

    def new_advice(self, advice_code: int, created: datetime) -> SubmittedAdvice:
        """Return the next submission: everything that has not been submitted."""
        members = [new for member in self._members if (new := self._new_member(member)).amounts]
        sdl_total_cents = max(0, self.current_cents[SDL] - self.submitted_cents[SDL])
        return SubmittedAdvice(advice_code, created, members, sdl_total_cents)

    def _differences(self, kind: PaymentKind) -> Iterator[AmountDifference]:
        if kind is SDL:
            differences = [AmountDifference(SDL, None, self.submitted_cents[SDL], self.current_cents[SDL])]
        else:
            submitted = self._amounts[kind.code]
            current = {member.employee_id: kind.amount_cents(member) for member in self._members}
            differences = [
                AmountDifference(kind, employee_id, submitted[employee_id], current.get(employee_id, 0))
                for employee_id in sorted(current.keys() | submitted.keys())
            ]
        return (difference for difference in differences if difference.difference_cents)

    def _new_member(self, member: SubmissionMember) -> SubmittedMember:
        submitted = {kind: self._amounts[kind.code][member.employee_id] for kind in PAYMENT_KINDS}
        changes = {kind: kind.amount_cents(member) - submitted[kind] for kind in PAYMENT_KINDS}
        amounts = {kind.code: change for kind, change in changes.items() if change > 0 or (kind is SDL and change)}
        return SubmittedMember(
            member.employee_id, str(member.status), member.ordinary_cents, member.additional_cents, amounts
        )
