"""Income tax parameters."""

from dataclasses import dataclass

from gaji.law.parameters import History, ParameterFiles, TableReader

MAX_DAY = 28
"""The last day that every month has."""
EARNED, PAID = "earned", "paid"
PERIOD, PAYMENT = "period", "payment"


@dataclass(frozen=True)
class LatePenalty:
    """The penalty for paying a directive late, in parts of 100,000 of the tax."""

    at_once: int
    monthly: int
    maximum: int


@dataclass(frozen=True)
class ClearanceExemptions:
    """The limits below which no tax clearance is required."""

    short_days: int
    long_days: int
    income_cents: int


@dataclass(frozen=True)
class DayOfYear:
    """A day of any year."""

    month: int
    day: int


@dataclass(frozen=True)
class LaterDay:
    """A day of a later month."""

    day: int
    months_later: int


@dataclass(frozen=True)
class TaxParameters:
    """The parameters of income tax."""

    clearance_filing: History[int]
    directive_payment: History[int]
    directive_penalty: History[LatePenalty]
    clearance_exemptions: History[ClearanceExemptions]
    yearly_submission: History[DayOfYear]
    commission_year: History[str]
    arrears_year: History[str]
    contribution_year: History[str]
    director_rate: History[int]
    resident_days: History[int]
    director_due: History[LaterDay]


def read_parameters(files: ParameterFiles) -> TaxParameters:
    """Read the parameters of income tax."""
    subject = files.subject("tax")
    parameters = TaxParameters(
        clearance_filing=subject.whole_number("clearance_filing"),
        directive_payment=subject.whole_number("directive_payment"),
        directive_penalty=subject.history("directive_penalty", _read_penalty),
        clearance_exemptions=subject.history("clearance_exemptions", _read_exemptions),
        yearly_submission=subject.history("yearly_submission", _read_day),
        commission_year=subject.choice("commission_year", EARNED, PAID),
        arrears_year=subject.choice("arrears_year", PERIOD, PAYMENT),
        contribution_year=subject.choice("contribution_year", PERIOD, PAYMENT),
        director_rate=subject.percent("director_rate"),
        resident_days=subject.whole_number("resident_days"),
        director_due=subject.history("director_due", _read_later_day),
    )
    subject.reject_unknown()
    return parameters


def _read_penalty(row: TableReader) -> LatePenalty:
    return LatePenalty(row.percent("at_once"), row.percent("monthly"), row.percent("maximum"))


def _read_exemptions(row: TableReader) -> ClearanceExemptions:
    return ClearanceExemptions(
        row.whole_number("short_days"), row.whole_number("long_days"), row.cents_above_zero("income")
    )


def _read_later_day(row: TableReader) -> LaterDay:
    day = LaterDay(row.whole_number("day"), row.whole_number("months_later"))
    if not 1 <= day.day <= MAX_DAY:
        raise row.error("day", f"must be 1 to {MAX_DAY}")
    return day


def _read_day(row: TableReader) -> DayOfYear:
    day = DayOfYear(row.whole_number("month"), row.whole_number("day"))
    if not (1 <= day.month <= 12 and 1 <= day.day <= MAX_DAY):
        raise row.error("day", f"must be a day of every year, 1 to {MAX_DAY}")
    return day
