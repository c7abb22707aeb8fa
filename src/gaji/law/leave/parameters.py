"""Parameters of statutory leave, from `parameters/leave.toml` and `parameters/part_time_leave.toml`."""

from dataclasses import dataclass

from gaji.law.parameters import History, ParameterFiles, TableReader
from gaji.law.scale import Scale, parse_scales

GRADES = ("A", "B", "C", "D")
BY_HOURS, IN_FULL = "by_hours", "in_full"


@dataclass(frozen=True)
class SickLeaveScales:
    """The two scales of sick leave; the second includes the first."""

    outpatient: Scale
    with_hospitalisation: Scale


@dataclass(frozen=True)
class ExtendedChildcareLeave:
    """Leave for children aged 7 to 12."""

    days: int
    max_with_childcare: int
    """The maximum together with childcare leave."""
    min_months: int


@dataclass(frozen=True)
class PartTimeChildcareLeave:
    """Childcare, extended childcare and infant care leave of part-time employees."""

    by_hours: bool
    """Whether the days are in proportion to the hours."""
    min_days: int
    """The minimum of childcare and extended childcare leave, in days of the employee."""
    certainty: str


@dataclass(frozen=True)
class InfantCareLeave:
    """Unpaid leave for children under 2."""

    days: int
    min_months: int


@dataclass(frozen=True)
class MaternityLeave:
    """Weeks for the mother."""

    citizen_weeks: int
    other_weeks: int
    other_paid_weeks: int
    min_months: int


@dataclass(frozen=True)
class PaternityLeave:
    """Weeks for the father."""

    weeks: int
    required_weeks: int
    """The part that does not depend on the employer's agreement."""
    min_months: int


@dataclass(frozen=True)
class SharedParentalLeave:
    """Weeks that both parents share."""

    weeks: int
    weeks_each: int
    """The share of each parent unless they agree otherwise."""
    from_maternity: bool


@dataclass(frozen=True)
class AdoptionLeave:
    """Weeks for the adoptive mother."""

    weeks: int
    min_months: int


@dataclass(frozen=True)
class LeaveParameters:
    """All parameters of leave."""

    annual: History[Scale]
    annual_min_months: History[int]
    sick: History[SickLeaveScales]
    part_time_below: History[int]
    part_time_childcare: History[PartTimeChildcareLeave]
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
    """Read the parameters from `leave.toml`."""
    subject, part_time = files.subject("leave"), files.subject("part_time_leave")
    parameters = LeaveParameters(
        annual=subject.history("annual", _annual),
        annual_min_months=subject.whole_number("annual_least_service"),
        sick=subject.history("sick", _sick),
        part_time_below=part_time.whole_number("part_time_below"),
        part_time_childcare=part_time.history("childcare", _part_time_childcare),
        childcare=subject.history("childcare", lambda entry: parse_scales(entry, "months", "days")[0]),
        childcare_other_child=subject.whole_number("childcare_other_child"),
        childcare_lifetime=subject.whole_number("childcare_lifetime"),
        childcare_paid_by_employer=subject.whole_number("childcare_paid_by_employer"),
        extended_childcare=subject.history("extended_childcare", _extended_childcare),
        infant_care=subject.history("infant_care", _infant_care),
        maternity=subject.history("maternity", _maternity),
        paternity=subject.history("paternity", _paternity),
        shared_parental=subject.history("shared_parental", _shared_parental),
        adoption=subject.history("adoption", _adoption),
    )
    subject.reject_unknown()
    part_time.reject_unknown()
    return parameters


def _annual(entry: TableReader) -> Scale:
    (scale,) = parse_scales(entry, "years", "days")
    if scale.thresholds[0] != 1:
        raise entry.error("years", f"must start with year 1, not {scale.thresholds[0]}")
    return scale


def _sick(entry: TableReader) -> SickLeaveScales:
    outpatient, with_hospitalisation = parse_scales(entry, "months", "outpatient", "with_hospitalisation")
    return SickLeaveScales(outpatient, with_hospitalisation)


def _extended_childcare(entry: TableReader) -> ExtendedChildcareLeave:
    return ExtendedChildcareLeave(
        days=entry.whole_number("days"),
        max_with_childcare=entry.whole_number("with_childcare"),
        min_months=entry.whole_number("least_months"),
    )


def _part_time_childcare(entry: TableReader) -> PartTimeChildcareLeave:
    return PartTimeChildcareLeave(
        by_hours=entry.choice("value", (BY_HOURS, IN_FULL)) == BY_HOURS,
        min_days=entry.whole_number("minimum"),
        certainty=entry.choice("certainty", GRADES),
    )


def _infant_care(entry: TableReader) -> InfantCareLeave:
    return InfantCareLeave(days=entry.whole_number("days"), min_months=entry.whole_number("least_months"))


def _maternity(entry: TableReader) -> MaternityLeave:
    return MaternityLeave(
        citizen_weeks=entry.whole_number("citizen"),
        other_weeks=entry.whole_number("other"),
        other_paid_weeks=entry.whole_number("other_paid"),
        min_months=entry.whole_number("least_months"),
    )


def _paternity(entry: TableReader) -> PaternityLeave:
    return PaternityLeave(
        weeks=entry.whole_number("weeks"),
        required_weeks=entry.whole_number("required"),
        min_months=entry.whole_number("least_months"),
    )


def _shared_parental(entry: TableReader) -> SharedParentalLeave:
    return SharedParentalLeave(
        weeks=entry.whole_number("weeks"),
        weeks_each=entry.whole_number("each"),
        from_maternity=entry.flag("from_maternity"),
    )


def _adoption(entry: TableReader) -> AdoptionLeave:
    return AdoptionLeave(weeks=entry.whole_number("weeks"), min_months=entry.whole_number("least_months"))
