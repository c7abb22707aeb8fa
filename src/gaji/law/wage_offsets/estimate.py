"""The estimate of one wage offset for one employee and month, and the facts about the employee that the schemes use."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum
from fractions import Fraction
from typing import TypeVar

from gaji.law.explanation import Explanation, UsedParameter
from gaji.law.months import Month
from gaji.law.parameters import DatedValue, History
from gaji.law.residency import LegalStatus
from gaji.law.wage_offsets.parameters import UNKNOWN, WageOffsetParameters

T = TypeVar("T")
NOT_ESTIMATED_PREFIX = "not estimated: "


class Scheme(StrEnum):
    """The figures, in the order in which they are listed."""

    PROGRESSIVE_WAGE_CREDIT = "Progressive Wage Credit"
    SUSTAINED_INCREASE = "Progressive Wage Credit, last year's increase"
    SENIOR_EMPLOYMENT_CREDIT = "Senior Employment Credit"
    CPF_TRANSITION_OFFSET = "CPF Transition Offset"
    ENABLING_EMPLOYMENT_CREDIT = "Enabling Employment Credit"
    UPLIFTING_EMPLOYMENT_CREDIT = "Uplifting Employment Credit"


@dataclass(frozen=True)
class OffsetEmployee:
    """The facts about an employee that decide on wage offsets."""

    birthdate: date
    legal_status: LegalStatus
    pr_date: date | None = None
    citizenship_date: date | None = None
    hired_on: date | None = None
    """The first day of the service that the month belongs to."""
    is_owner: bool = False
    """Sole proprietor, partner, or director who holds shares."""
    enabling: bool = False
    """Marked for the Enabling Employment Credit."""
    enabling_new_hire: bool = False
    """Had not worked for at least six months when hired."""
    uplifting: bool = False
    """Marked for the Uplifting Employment Credit."""

    def is_citizen(self, month: Month) -> bool:
        """Whether the employee is a citizen at the end of a month."""
        became_later = self.citizenship_date is not None and self.citizenship_date > month.last_day
        return self.legal_status == LegalStatus.CITIZEN and not became_later

    def is_resident(self, month: Month) -> bool:
        """Whether the employee is a citizen or a permanent resident at the end of a month."""
        is_settled = self.legal_status in (LegalStatus.CITIZEN, LegalStatus.PR)
        became_later = self.pr_date is not None and self.pr_date > month.last_day
        return self.is_citizen(month) or (is_settled and not became_later)

    def age_on(self, day: date) -> int:
        """The age in completed years."""
        birthday_is_later = (day.month, day.day) < (self.birthdate.month, self.birthdate.day)
        return day.year - self.birthdate.year - birthday_is_later


@dataclass(frozen=True)
class MonthlyWage:
    """The wages of a month on which CPF was paid."""

    ordinary_cents: int
    additional_cents: int

    @property
    def cents(self) -> int:
        """The gross monthly wage."""
        return self.ordinary_cents + self.additional_cents


@dataclass(frozen=True)
class YearlyWages:
    """The wages of a calendar year on which CPF was paid, and the number of months with CPF."""

    cents: int = 0
    months: int = 0

    @property
    def average(self) -> Fraction:
        """The average gross monthly wage in cents. There must be a month with CPF."""
        return Fraction(self.cents, self.months)


@dataclass(frozen=True)
class WageOffset:
    """An estimated offset with its explanation."""

    scheme: Scheme
    rule: str
    inputs: Mapping[str, str]
    terms: UsedParameter
    """The parameter with the rate: its value, date and source."""
    certainty: str
    """The worst grade of the sources that were used."""
    rate: str = ""
    """The rate as text; empty if it is not known."""
    other_parameters: tuple[UsedParameter, ...] = ()
    amount_cents: int | None = None
    """None where it is not estimated. `branch` says why."""
    branch: str = ""
    """Which case of the rule applied, and why."""
    arithmetic: tuple[str, ...] = ()

    def explanation(self) -> Explanation:
        """Return the explanation of the amount; raise NotEstimated."""
        if self.amount_cents is None:
            raise NotEstimated(self.branch)
        return Explanation(
            figure=self.scheme.name.lower(),
            amount_cents=self.amount_cents,
            inputs=dict(self.inputs),
            rule=self.rule,
            source=self.terms.source,
            branch=self.branch,
            parameters=(self.terms, *self.other_parameters),
            arithmetic=self.arithmetic,
        )


class NotEstimated(LookupError):
    """The offset has no amount, because the facts do not settle it."""


def not_estimated(draft: WageOffset, reason: str) -> WageOffset:
    """Return the offset without an amount, because the published facts do not settle it."""
    return replace(draft, amount_cents=None, branch=f"{NOT_ESTIMATED_PREFIX}{reason}", arithmetic=(), certainty=UNKNOWN)


def require_certainty(parameters: WageOffsetParameters, month: Month, offset: WageOffset) -> WageOffset:
    """Remove the amount of an offset whose certainty is below the lowest that is estimated."""
    lowest = parameters.lowest_certainty.at(month).value
    if offset.amount_cents is None or offset.certainty <= lowest:
        return offset
    reason = f"{NOT_ESTIMATED_PREFIX}the certainty is {offset.certainty}, and the lowest that is estimated is {lowest}"
    return replace(offset, amount_cents=None, branch=reason, arithmetic=())


def value_in_force(history: History[T], month: Month) -> DatedValue[T] | None:
    """Return the value in force in a month, or None outside the months that the history covers."""
    return history.at(month) if history.covered_from <= month <= history.covered_until else None
