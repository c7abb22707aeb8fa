"""The figures of pay under the Employment Act, from `parameters/pay.toml`."""

from dataclasses import dataclass
from enum import IntEnum

from gaji.law.columns import RATE_SCALE
from gaji.law.parameters import History, ParameterFiles, SubjectReader, TableReader
from gaji.law.quantities import HALF_DAY, MILLI
from gaji.law.scale import Scale, parse_scales

UNCAPPED, CAPPED = "own", "capped"
PARTS_A_MILLI = RATE_SCALE // MILLI


class DeductionKind(IntEnum):
    """Why something is taken from a salary, as far as the limits go by it."""

    ABSENCE = 0
    DAMAGE_OR_LOSS = 1
    ACCOMMODATION = 2
    ADVANCE = 3
    LOAN = 4
    OVERPAYMENT = 5
    CO_OPERATIVE = 6
    OTHER = 7


@dataclass(frozen=True)
class PartFourLimits:
    """The basic salary up to which Part 4 covers someone."""

    workman_cents: int
    non_workman_cents: int


@dataclass(frozen=True)
class RestDayRates:
    """What half a rest day and a whole one bring, in days at the basic rate."""

    employer_half_day: int
    employer_day: int
    employee_half_day: int
    employee_day: int


@dataclass(frozen=True)
class NoticeScales:
    """Calendar days of notice; the longer of the two applies."""

    by_weeks: Scale
    by_years: Scale


@dataclass(frozen=True)
class PayParameters:
    """Every figure, each over time."""

    half_day_hours: History[int]
    weekly_hours: History[int]
    part_four: History[PartFourLimits]
    overtime_factor: History[int]
    max_overtime_hours: History[int]
    non_workman_overtime_rate: History[str]
    non_workman_overtime_cap_cents: History[int]
    rest_day: History[RestDayRates]
    total_deductions: History[int]
    excluded_deductions: History[frozenset[DeductionKind]]
    damage_or_loss: History[int]
    accommodation: History[int]
    advance_instalment: History[int]
    advance_months: History[int]
    loan_instalment: History[int]
    salary_due: History[int]
    overtime_due: History[int]
    resigned_without_notice_due: History[int]
    terminated_by_employer_due: History[int]
    notice: History[NoticeScales]


def read_parameters(files: ParameterFiles) -> PayParameters:
    """The figures of pay from their file."""
    subject = files.subject("pay")
    parameters = PayParameters(
        half_day_hours=_whole(subject, "half_day_hours"),
        weekly_hours=subject.history("weekly_hours", _weekly_hours),
        part_four=subject.history("part_four", _part_four),
        overtime_factor=subject.history("overtime_times", lambda entry: entry.factor("value")),
        max_overtime_hours=_whole(subject, "overtime_hours_a_month"),
        non_workman_overtime_rate=subject.choice("non_workman_overtime_rate", UNCAPPED, CAPPED),
        non_workman_overtime_cap_cents=subject.cents_above_zero("non_workman_overtime_cap"),
        rest_day=subject.history("rest_day", _rest_day),
        total_deductions=subject.percent("total_deductions"),
        excluded_deductions=subject.history("outside_total_deductions", _outside),
        damage_or_loss=subject.percent("damage_or_loss"),
        accommodation=subject.percent("accommodation"),
        advance_instalment=subject.percent("advance_instalment"),
        advance_months=_whole(subject, "advance_months"),
        loan_instalment=subject.percent("loan_instalment"),
        salary_due=_whole(subject, "salary_due"),
        overtime_due=_whole(subject, "overtime_due"),
        resigned_without_notice_due=_whole(subject, "resigned_without_notice_due"),
        terminated_by_employer_due=_whole(subject, "ended_by_employer_due"),
        notice=subject.history("notice", _notice),
    )
    subject.reject_unknown()
    return parameters


def _whole(subject: SubjectReader, key: str) -> History[int]:
    return subject.history(key, lambda entry: entry.whole_number("value"))


def _weekly_hours(entry: TableReader) -> int:
    hours = entry.whole_number("value")
    if hours == 0:
        raise entry.error("value", "must be above 0")
    return hours


def _part_four(entry: TableReader) -> PartFourLimits:
    return PartFourLimits(entry.cents_above_zero("workman"), entry.cents_above_zero("non_workman"))


def _rest_day(entry: TableReader) -> RestDayRates:
    return RestDayRates(*(_millidays(entry, field) for field in RestDayRates.__dataclass_fields__))


def _millidays(entry: TableReader, name: str) -> int:
    """Days, of which halves are the finest."""
    parts = entry.factor(name)
    if parts % (HALF_DAY * PARTS_A_MILLI):
        raise entry.error(name, "must be a number of whole or half days")
    return parts // PARTS_A_MILLI


def _outside(entry: TableReader) -> frozenset[DeductionKind]:
    names = {kind.name.lower(): kind for kind in DeductionKind}
    return frozenset(names[name] for name in entry.choices("value", tuple(names)))


def _notice(entry: TableReader) -> NoticeScales:
    (by_weeks,) = parse_scales(entry, "by_weeks", "days")
    (by_years,) = parse_scales(entry, "by_years", "days")
    return NoticeScales(by_weeks, by_years)
