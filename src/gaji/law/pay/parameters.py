"""Parameters of pay under the Employment Act, from `parameters/pay.toml`."""

from dataclasses import dataclass
from enum import IntEnum

from gaji.law.columns import RATE_SCALE
from gaji.law.parameters import History, ParameterFiles, TableReader
from gaji.law.quantities import HALF_DAY, MILLI
from gaji.law.scale import Scale, parse_scales

UNCAPPED, CAPPED = "own", "capped"
PARTS_PER_MILLI = RATE_SCALE // MILLI


class DeductionKind(IntEnum):
    """The kinds of deductions from a salary that the limits distinguish."""

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
    """The highest monthly basic salary that Part 4 of the Act covers."""

    workman_cents: int
    non_workman_cents: int


@dataclass(frozen=True)
class RestDayRates:
    """The days at the basic rate paid for half a rest day and a whole one, in thousandths."""

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
    """All parameters of pay."""

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
    loan_instalment: History[int]
    salary_due: History[int]
    overtime_due: History[int]
    notice: History[NoticeScales]


def read_parameters(files: ParameterFiles) -> PayParameters:
    """Read the parameters from `pay.toml`."""
    subject = files.subject("pay")
    parameters = PayParameters(
        half_day_hours=subject.whole_number("half_day_hours"),
        weekly_hours=subject.history("weekly_hours", _weekly_hours),
        part_four=subject.history("part_four", _part_four),
        overtime_factor=subject.history("overtime_times", lambda entry: entry.factor("value")),
        max_overtime_hours=subject.whole_number("overtime_hours_a_month"),
        non_workman_overtime_rate=subject.choice("non_workman_overtime_rate", UNCAPPED, CAPPED),
        non_workman_overtime_cap_cents=subject.cents_above_zero("non_workman_overtime_cap"),
        rest_day=subject.history("rest_day", _rest_day),
        total_deductions=subject.percent("total_deductions"),
        excluded_deductions=subject.history("outside_total_deductions", _deduction_kinds),
        damage_or_loss=subject.percent("damage_or_loss"),
        accommodation=subject.percent("accommodation"),
        advance_instalment=subject.percent("advance_instalment"),
        loan_instalment=subject.percent("loan_instalment"),
        salary_due=subject.whole_number("salary_due"),
        overtime_due=subject.whole_number("overtime_due"),
        notice=subject.history("notice", _notice),
    )
    subject.reject_unknown()
    return parameters


def _weekly_hours(entry: TableReader) -> int:
    hours = entry.whole_number("value")
    if hours == 0:
        raise entry.error("value", "must be above 0")
    return hours


def _part_four(entry: TableReader) -> PartFourLimits:
    return PartFourLimits(
        workman_cents=entry.cents_above_zero("workman"),
        non_workman_cents=entry.cents_above_zero("non_workman"),
    )


def _rest_day(entry: TableReader) -> RestDayRates:
    return RestDayRates(
        employer_half_day=_millidays(entry, "employer_half_day"),
        employer_day=_millidays(entry, "employer_day"),
        employee_half_day=_millidays(entry, "employee_half_day"),
        employee_day=_millidays(entry, "employee_day"),
    )


def _millidays(entry: TableReader, name: str) -> int:
    """Read a number of whole or half days."""
    parts = entry.factor(name)
    if parts % (HALF_DAY * PARTS_PER_MILLI):
        raise entry.error(name, "must be a number of whole or half days")
    return parts // PARTS_PER_MILLI


def _deduction_kinds(entry: TableReader) -> frozenset[DeductionKind]:
    by_name = {kind.name.lower(): kind for kind in DeductionKind}
    return frozenset(by_name[name] for name in entry.choices("value", tuple(by_name)))


def _notice(entry: TableReader) -> NoticeScales:
    (by_weeks,) = parse_scales(entry, "by_weeks", "days")
    (by_years,) = parse_scales(entry, "by_years", "days")
    return NoticeScales(by_weeks, by_years)
