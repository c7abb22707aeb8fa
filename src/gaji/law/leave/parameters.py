"""The figures of statutory leave, from `parameters/leave.toml`."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from gaji.law.parameters import Fields, Files, History, Subject
from gaji.law.scale import Scale, read_scales

T = TypeVar("T")


@dataclass(frozen=True)
class Sick:
    """The two scales of sick leave; the second includes the first."""

    outpatient: Scale
    with_hospitalisation: Scale


@dataclass(frozen=True)
class ExtendedChildcare:
    """Leave for children from 7 to 12."""

    days: int
    with_childcare: int
    least_months: int


@dataclass(frozen=True)
class InfantCare:
    """Unpaid leave for children under 2."""

    days: int
    least_months: int


@dataclass(frozen=True)
class Maternity:
    """Weeks of the mother."""

    citizen: int
    other: int
    other_paid: int
    least_months: int


@dataclass(frozen=True)
class Paternity:
    """Weeks of the father."""

    weeks: int
    required: int
    least_months: int


@dataclass(frozen=True)
class SharedParental:
    """Weeks that both parents divide."""

    weeks: int
    each: int
    from_maternity: bool


@dataclass(frozen=True)
class Adoption:
    """Weeks of the adoptive mother."""

    weeks: int
    least_months: int


@dataclass(frozen=True)
class LeaveParameters:
    """Every figure, each over time."""

    annual: History[Scale]
    annual_least_service: History[int]
    annual_most_absence: History[int]
    sick: History[Sick]
    childcare: History[Scale]
    childcare_other_child: History[int]
    childcare_lifetime: History[int]
    childcare_paid_by_employer: History[int]
    extended_childcare: History[ExtendedChildcare]
    infant_care: History[InfantCare]
    maternity: History[Maternity]
    paternity: History[Paternity]
    shared_parental: History[SharedParental]
    adoption: History[Adoption]


def read(files: Files) -> LeaveParameters:
    """The figures of leave from their file."""
    subject = files.subject("leave")
    parameters = LeaveParameters(
        annual=subject.history("annual", _annual),
        annual_least_service=_whole(subject, "annual_least_service"),
        annual_most_absence=subject.percent("annual_most_absence"),
        sick=subject.history("sick", _sick),
        childcare=subject.history("childcare", lambda entry: read_scales(entry, "months", "days")[0]),
        childcare_other_child=_whole(subject, "childcare_other_child"),
        childcare_lifetime=_whole(subject, "childcare_lifetime"),
        childcare_paid_by_employer=_whole(subject, "childcare_paid_by_employer"),
        extended_childcare=subject.history("extended_childcare", _whole_numbers(ExtendedChildcare)),
        infant_care=subject.history("infant_care", _whole_numbers(InfantCare)),
        maternity=subject.history("maternity", _whole_numbers(Maternity)),
        paternity=subject.history("paternity", _whole_numbers(Paternity)),
        shared_parental=subject.history("shared_parental", _shared_parental),
        adoption=subject.history("adoption", _whole_numbers(Adoption)),
    )
    subject.end()
    return parameters


def _whole(subject: Subject, key: str) -> History[int]:
    return subject.history(key, lambda entry: entry.whole("value"))


def _annual(entry: Fields) -> Scale:
    (scale,) = read_scales(entry, "years", "days")
    if scale.least[0] != 1:
        raise entry.wrong("years", f"must begin with year 1, not {scale.least[0]}")
    return scale


def _sick(entry: Fields) -> Sick:
    return Sick(*read_scales(entry, "months", "outpatient", "with_hospitalisation"))


def _shared_parental(entry: Fields) -> SharedParental:
    return SharedParental(entry.whole("weeks"), entry.whole("each"), entry.flag("from_maternity"))


def _whole_numbers(record: type[T]) -> Callable[[Fields], T]:
    """A reader of a record all of whose fields are whole numbers."""
    names = tuple(record.__dataclass_fields__)  # type: ignore[attr-defined]
    return lambda entry: record(*(entry.whole(name) for name in names))
