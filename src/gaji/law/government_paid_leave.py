"""Leave pay that the government reimburses to the employer: the gross rate of pay and the employer's CPF, up to a cap.

Order of computation, for the days of one claim that the government pays, by calendar month:

1. The employer's CPF of the month is divided like the gross rate of pay: 12 × CPF ÷ (52 × working days a week) for each
   day, at most the CPF of the month.
2. Gross pay and CPF of the month are spread evenly over its days.
3. The days fill weeks, or four weeks, in chronological order. Each of them has a cap.
4. A month claims what the cap leaves after the earlier months.
"""

from calendar import monthrange
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from gaji.law.explanation import money
from gaji.law.months import MONTHS_PER_YEAR, Month
from gaji.law.notation import line
from gaji.law.parameters import DatedValue, History, ParameterFiles, SubjectReader, TableReader
from gaji.law.quantities import MILLI, format_millis
from gaji.law.rounding import divide_half_up

GRADES = ("A", "B", "C", "D")
WEEKS_PER_YEAR = 52
MAX_WEEK_MILLIDAYS = 6 * MILLI
GROSS_RATE, NOT_CLAIMED = "gross_rate", "not_claimed"
WHOLE, BY_DAYS = "whole", "by_days"


class CapUnit(StrEnum):
    """The leave that a cap is for."""

    DAY = "day"
    WEEK = "week"
    FOUR_WEEKS = "4_weeks"


@dataclass(frozen=True)
class ReimbursementTerms:
    """Who pays which part of a kind of leave, and the cap of the government's part."""

    employer_weeks: int
    employer_weeks_from_third: int
    cap_cents: int
    cap_for: CapUnit
    certainty: str

    def cap_millidays(self, week_millidays: int) -> int:
        """The thousandths of days of leave that one cap is for."""
        week = min(week_millidays, MAX_WEEK_MILLIDAYS)
        return {CapUnit.DAY: MILLI, CapUnit.WEEK: week, CapUnit.FOUR_WEEKS: 4 * week}[self.cap_for]


@dataclass(frozen=True)
class ReimbursementSwitch:
    """The answer to an open question."""

    choice: str
    certainty: str


@dataclass(frozen=True)
class GovernmentPaidLeaveParameters:
    """All parameters of government-paid leave."""

    maternity: History[ReimbursementTerms]
    adoption: History[ReimbursementTerms]
    paternity: History[ReimbursementTerms]
    shared_parental: History[ReimbursementTerms]
    childcare: History[ReimbursementTerms]
    extended_childcare: History[ReimbursementTerms]
    cpf_share: History[ReimbursementSwitch]
    incomplete_weeks: History[ReimbursementSwitch]
    claim_months: History[int]

    def terms(self, leave_type: str) -> History[ReimbursementTerms]:
        """The terms of a leave type, such as `maternity_leave`."""
        history: History[ReimbursementTerms] = getattr(self, leave_type.removesuffix("_leave"))
        return history


@dataclass(frozen=True)
class LeaveMonth:
    """The days of a claim in one calendar month that the government pays."""

    month: Month
    millidays: int
    gross_cents: int
    """The pay of these days at the gross rate."""
    cpf_cents: int
    """The employer's CPF of the whole month."""


@dataclass(frozen=True)
class MonthClaim:
    """What an employer can claim for the leave of one month."""

    cpf_cents: int
    """The employer's CPF on the pay of the days."""
    cap_cents: int
    """The caps of all weeks that the days belong to."""
    used_cents: int
    """What the earlier months of the claim used of these caps."""
    claim_cents: int
    arithmetic: tuple[str, ...]


def read_parameters(files: ParameterFiles) -> GovernmentPaidLeaveParameters:
    """Read the parameters from `government_paid_leave.toml`."""
    subject = files.subject("government_paid_leave")
    parameters = GovernmentPaidLeaveParameters(
        maternity=subject.history("maternity", _terms),
        adoption=subject.history("adoption", _terms),
        paternity=subject.history("paternity", _terms),
        shared_parental=subject.history("shared_parental", _terms),
        childcare=subject.history("childcare", _terms),
        extended_childcare=subject.history("extended_childcare", _terms),
        cpf_share=_switch(subject, "cpf_share", GROSS_RATE, NOT_CLAIMED),
        incomplete_weeks=_switch(subject, "incomplete_weeks", WHOLE, BY_DAYS),
        claim_months=subject.whole_number("claim_period"),
    )
    subject.reject_unknown()
    return parameters


def claim_by(parameters: GovernmentPaidLeaveParameters, last_day: date) -> date:
    """The last day on which leave can be claimed whose absence or calendar year ended on a day."""
    month = Month.from_date(last_day) + parameters.claim_months.nearest(last_day).value
    return date(month.year, month.month, min(last_day.day, monthrange(month.year, month.month)[1]))


def claim_months(
    parameters: GovernmentPaidLeaveParameters,
    terms: DatedValue[ReimbursementTerms],
    week_millidays: int,
    months: Sequence[LeaveMonth],
) -> list[MonthClaim]:
    """Return what each month of a claim reimburses, in chronological order."""
    caps = _Caps(terms.value, terms.value.cap_millidays(week_millidays), _divides_cap(parameters, terms.value, months))
    claims, millidays = [], 0
    for month in months:
        cpf, cpf_line = _cpf_share(parameters, month, week_millidays)
        claims.append(caps.claim(month, cpf, millidays, (cpf_line,) if cpf_line else ()))
        millidays += month.millidays
    return claims


def _divides_cap(
    parameters: GovernmentPaidLeaveParameters, terms: ReimbursementTerms, months: Sequence[LeaveMonth]
) -> bool:
    """Whether leave that fills a cap's weeks in part has a part of the cap. A part of a day always has."""
    if terms.cap_for is CapUnit.DAY or not months:
        return True
    return parameters.incomplete_weeks.nearest(months[0].month.first_day).value.choice == BY_DAYS


def _cpf_share(
    parameters: GovernmentPaidLeaveParameters, month: LeaveMonth, week_millidays: int
) -> tuple[int, str | None]:
    """The employer's CPF on the pay of the days, with its arithmetic."""
    choice = parameters.cpf_share.nearest(month.month.first_day).value.choice
    if choice == NOT_CLAIMED or not month.cpf_cents or not week_millidays:
        return 0, None
    dividend, divisor = MONTHS_PER_YEAR * month.cpf_cents * month.millidays, WEEKS_PER_YEAR * week_millidays
    cents = min(divide_half_up(dividend, divisor), month.cpf_cents)
    cpf, days, week = money(month.cpf_cents), format_millis(month.millidays), format_millis(week_millidays)
    expression = f"min(round_cents({MONTHS_PER_YEAR} × {cpf} × {days} ÷ ({WEEKS_PER_YEAR} × {week})), {cpf})"
    return cents, line(expression, money(cents))


class _Caps:
    """The caps of one claim, and what was paid of each so far."""

    def __init__(self, terms: ReimbursementTerms, cap_millidays: int, divides: bool) -> None:
        self._terms = terms
        self._cap_millidays = cap_millidays
        self._divides = divides
        self._paid: dict[int, int] = {}
        """The pay before the cap, in cents, by number of the cap."""
        self._millidays: dict[int, int] = {}

    def claim(self, month: LeaveMonth, cpf_cents: int, start: int, lines: tuple[str, ...]) -> MonthClaim:
        """Claim a month whose days follow `start` thousandths of days."""
        pay = month.gross_cents + cpf_cents
        caps, used, total, paid = 0, 0, 0, 0
        arithmetic = [*lines, line(f"{money(month.gross_cents)} + {money(cpf_cents)}", money(pay))]
        claimed_parts = []
        for number, millidays in self._parts(start, month.millidays):
            end = paid + millidays
            part = divide_half_up(pay * end, month.millidays) - divide_half_up(pay * paid, month.millidays)
            paid = end
            before, claimed, cap, text = self._claim_part(number, millidays, part)
            caps, used, total = caps + cap, used + before, total + claimed
            arithmetic.append(text)
            claimed_parts.append(money(claimed))
        if len(claimed_parts) > 1:
            arithmetic.append(line(" + ".join(claimed_parts), money(total)))
        return MonthClaim(cpf_cents, caps, used, total, tuple(arithmetic))

    def _claim_part(self, number: int, millidays: int, part: int) -> tuple[int, int, int, str]:
        """Return what was used of a cap before, what a part of a month claims, the cap and the arithmetic."""
        before, cap_before = self._paid.get(number, 0), self._cap(self._millidays.get(number, 0))
        self._paid[number] = before + part
        self._millidays[number] = self._millidays.get(number, 0) + millidays
        cap = self._cap(self._millidays[number])
        used = min(before, cap_before)
        claimed = min(before + part, cap) - used
        if not before:
            return used, claimed, cap, line(f"min({money(part)}, {money(cap)})", money(claimed))
        expression = f"min({money(before)} + {money(part)}, {money(cap)}) − {money(used)}"
        return used, claimed, cap, line(expression, money(claimed))

    def _cap(self, millidays: int) -> int:
        if not self._divides:
            return self._terms.cap_cents
        return divide_half_up(self._terms.cap_cents * millidays, self._cap_millidays)

    def _parts(self, start: int, millidays: int) -> list[tuple[int, int]]:
        """The numbers of the caps that some days belong to, with the thousandths of days of each."""
        if self._terms.cap_for is CapUnit.DAY:
            return [(start, millidays)]
        parts, end = [], start + millidays
        while start < end:
            number = start // self._cap_millidays
            stop = min(end, (number + 1) * self._cap_millidays)
            parts.append((number, stop - start))
            start = stop
        return parts


def _terms(entry: TableReader) -> ReimbursementTerms:
    return ReimbursementTerms(
        employer_weeks=entry.whole_number("employer_weeks"),
        employer_weeks_from_third=entry.whole_number("employer_weeks_from_third"),
        cap_cents=entry.cents("cap"),
        cap_for=CapUnit(entry.choice("cap_for", tuple(CapUnit))),
        certainty=entry.choice("certainty", GRADES),
    )


def _switch(subject: SubjectReader, key: str, *answers: str) -> History[ReimbursementSwitch]:
    return subject.history(
        key, lambda entry: ReimbursementSwitch(entry.choice("value", answers), entry.choice("certainty", GRADES))
    )
