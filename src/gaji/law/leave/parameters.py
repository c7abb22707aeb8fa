"""The figures of statutory leave, from `parameters/leave.toml`."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from gaji.law.parameters import History, ParameterFiles, SubjectReader, TableReader
from gaji.law.scale import Scale, parse_scales

T = TypeVar("T")


@dataclass(frozen=True)
class SickLeaveScales:
    """The two scales of sick leave; the second includes the first."""

    outpatient: Scale
    with_hospitalisation: Scale


@dataclass(frozen=True)
class ExtendedChildcareLeave:
    """Leave for children from 7 to 12."""

    days: int
    with_childcare: int
    least_months: int


@dataclass(frozen=True)
class InfantCareLeave:
    """Unpaid leave for children under 2."""

    days: int
    least_months: int


@dataclass(frozen=True)
class MaternityLeave:
    """Weeks of the mother."""

    citizen: int
    other: int
    other_paid: int
    least_months: int


@dataclass(frozen=True)
class PaternityLeave:
    """Weeks of the father."""

    weeks: int
    required: int
    least_months: int


@dataclass(frozen=True)
class SharedParentalLeave:
    """Weeks that both parents divide."""

    weeks: int
    each: int
    from_maternity: bool


@dataclass(frozen=True)
class AdoptionLeave:
    """Weeks of the adoptive mother."""

    weeks: int
    least_months: int


@dataclass(frozen=True)
class LeaveParameters:
    """Every figure, each over time."""

    annual: History[Scale]
    annual_min_months: History[int]
    annual_max_absence: History[int]
    sick: History[SickLeaveScales]
    childcare: History[Scale]
    childcare_other_child: History[int]
    childcare_lifetime: History[int]
    childcare_paid_by_employer: History[int]
    extended_childcare: History[ExtendedChildcareLeave]
    infant_care: History[InfantCareLeave]
    maternity: History[MaternityLeave]
    paternity: History[PaternityLeave]
    shared_parental: History[SharedParentalLeave]
    adoption: History[AdoptionLeave]


def read_parameters(files: ParameterFiles) -> LeaveParameters:
    """The figures of leave from their file."""
    subject = files.subject("leave")
    parameters = LeaveParameters(
        annual=subject.history("annual", _annual),
        annual_min_months=_whole(subject, "annual_least_service"),
        annual_max_absence=subject.percent("annual_most_absence"),
        sick=subject.history("sick", _sick),
        childcare=subject.history("childcare", lambda entry: parse_scales(entry, "months", "days")[0]),
        childcare_other_child=_whole(subject, "childcare_other_child"),
        childcare_lifetime=_whole(subject, "childcare_lifetime"),
        childcare_paid_by_employer=_whole(subject, "childcare_paid_by_employer"),
        extended_childcare=subject.history("extended_childcare", _whole_numbers(ExtendedChildcareLeave)),
        infant_care=subject.history("infant_care", _whole_numbers(InfantCareLeave)),
        maternity=subject.history("maternity", _whole_numbers(MaternityLeave)),
        paternity=subject.history("paternity", _whole_numbers(PaternityLeave)),
        shared_parental=subject.history("shared_parental", _shared_parental),
        adoption=subject.history("adoption", _whole_numbers(AdoptionLeave)),
    )
    subject.reject_unknown()
    return parameters


def _whole(subject: SubjectReader, key: str) -> History[int]:
    return subject.history(key, lambda entry: entry.whole_number("value"))


def _annual(entry: TableReader) -> Scale:
    (scale,) = parse_scales(entry, "years", "days")
    if scale.thresholds[0] != 1:
        raise entry.error("years", f"must begin with year 1, not {scale.thresholds[0]}")
    return scale


def _sick(entry: TableReader) -> SickLeaveScales:
    return SickLeaveScales(*parse_scales(entry, "months", "outpatient", "with_hospitalisation"))


def _shared_parental(entry: TableReader) -> SharedParentalLeave:
    return SharedParentalLeave(entry.whole_number("weeks"), entry.whole_number("each"), entry.flag("from_maternity"))


def _whole_numbers(record: type[T]) -> Callable[[TableReader], T]:
    """A reader of a record all of whose fields are whole numbers."""
    names = tuple(record.__dataclass_fields__)  # type: ignore[attr-defined]
    return lambda entry: record(*(entry.whole_number(name) for name in names))
