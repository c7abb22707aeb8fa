"""Wage offset parameters: the schemes by year, the switches for open questions, and the certainty of each source."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from gaji.law.parameters import History, ParameterFiles, SubjectReader, TableReader

GRADES = ("A", "B", "C", "D")
"""Certainty, best first. Grades compare like their letters."""
UNKNOWN = "D"
NOT_ESTIMATED = "not_estimated"
NOTHING, PART_BELOW = "nothing", "part_below"
YEAR_OF_PAYMENT, YEAR_OF_INCREASE = "year_of_payment", "year_of_increase"
LINEAR = "linear"
FIRST_DAY, LAST_DAY = "first_day", "last_day"
ORDINARY, ORDINARY_AND_ADDITIONAL = "ordinary", "ordinary_and_additional"
FULL_RATES = "full_rates"


@dataclass(frozen=True)
class OffsetSwitch:
    """The answer to an open question, or `not_estimated`."""

    choice: str
    certainty: str


@dataclass(frozen=True)
class WageTier:
    """The rate for the part of an increase up to a wage. The upper wage is None where it is not known."""

    up_to_cents: int | None
    rate: int


@dataclass(frozen=True)
class ProgressiveWageTerms:
    """The terms of the Progressive Wage Credit in a year."""

    tiers: tuple[WageTier, ...]
    minimum_increase_cents: int
    minimum_months: int
    certainty: str
    formula_certainty: str

    @property
    def ceiling_cents(self) -> int | None:
        """The wage ceiling. None if it is not known."""
        return self.tiers[-1].up_to_cents


@dataclass(frozen=True)
class AgeBand:
    """The rate of the Senior Employment Credit from an age on."""

    from_age: int
    rate: int
    certainty: str


@dataclass(frozen=True)
class SeniorTerms:
    """The terms of the Senior Employment Credit. Without bands, the rates are not known."""

    bands: tuple[AgeBand, ...]
    """Youngest first."""
    full_rate_up_to_cents: int
    nothing_from_cents: int


@dataclass(frozen=True)
class TransitionTerms:
    """The share of the rise of the employer's CPF rate that is offset."""

    share: int
    certainty: str


@dataclass(frozen=True)
class CappedRate:
    """A percentage of the wage up to a cap, in the first months of employment."""

    rate: int
    cap_cents: int
    months: int


@dataclass(frozen=True)
class EnablingTerms:
    """The terms of the Enabling Employment Credit."""

    rate: int
    cap_cents: int
    wage_below_cents: int
    minimum_age: int
    permanent_residents: bool
    new_hire: CappedRate
    certainty: str


@dataclass(frozen=True)
class UpliftingTerms:
    """The terms of the Uplifting Employment Credit."""

    credit: CappedRate
    wage_below_cents: int
    certainty: str


@dataclass(frozen=True)
class WageOffsetParameters:
    """All wage offset parameters."""

    lowest_certainty: History[str]
    progressive_wage_credit: History[ProgressiveWageTerms]
    above_ceiling: History[OffsetSwitch]
    sustained_ceiling: History[OffsetSwitch]
    senior_employment_credit: History[SeniorTerms]
    taper: History[OffsetSwitch]
    age_day: History[OffsetSwitch]
    cpf_transition_offset: History[TransitionTerms]
    transition_wages: History[OffsetSwitch]
    new_residents: History[OffsetSwitch]
    enabling_employment_credit: History[EnablingTerms]
    uplifting_employment_credit: History[UpliftingTerms]


def read_parameters(files: ParameterFiles) -> WageOffsetParameters:
    """Read the parameters from `wage_offsets.toml`."""
    subject = files.subject("wage_offsets")
    parameters = WageOffsetParameters(
        lowest_certainty=subject.choice("lowest_certainty", *GRADES[:-1]),
        progressive_wage_credit=subject.history("progressive_wage_credit", _progressive_wage, from_the_start=False),
        above_ceiling=_switch(subject, "progressive_wage_credit_above_ceiling", NOTHING, PART_BELOW),
        sustained_ceiling=_switch(
            subject, "progressive_wage_credit_sustained_ceiling", YEAR_OF_PAYMENT, YEAR_OF_INCREASE
        ),
        senior_employment_credit=subject.history("senior_employment_credit", _senior),
        taper=_switch(subject, "senior_employment_credit_taper", LINEAR),
        age_day=_switch(subject, "senior_employment_credit_age", FIRST_DAY, LAST_DAY),
        cpf_transition_offset=subject.history("cpf_transition_offset", _transition, from_the_start=False),
        transition_wages=_switch(subject, "cpf_transition_offset_wages", ORDINARY, ORDINARY_AND_ADDITIONAL),
        new_residents=_switch(subject, "cpf_transition_offset_new_residents", NOTHING, FULL_RATES),
        enabling_employment_credit=subject.history("enabling_employment_credit", _enabling),
        uplifting_employment_credit=subject.history("uplifting_employment_credit", _uplifting, from_the_start=False),
    )
    subject.reject_unknown()
    return parameters


def _switch(subject: SubjectReader, key: str, *answers: str) -> History[OffsetSwitch]:
    return subject.history(
        key, lambda entry: OffsetSwitch(entry.choice("value", (NOT_ESTIMATED, *answers)), _certainty(entry))
    )


def _certainty(entry: TableReader, name: str = "certainty") -> str:
    return entry.choice(name, GRADES)


def _progressive_wage(entry: TableReader) -> ProgressiveWageTerms:
    tiers = [_tier(row) for row in entry.tables("tiers")]
    limits = [tier.up_to_cents for tier in tiers]
    if None in limits[:-1]:
        raise entry.error("tiers", "may only leave out up_to in the last tier")
    if not _is_increasing([limit for limit in limits if limit is not None]):
        raise entry.error("tiers", "must be in the order of up_to, lowest first")
    return ProgressiveWageTerms(
        tiers=tuple(tiers),
        minimum_increase_cents=entry.cents_above_zero("minimum_increase"),
        minimum_months=entry.whole_number("minimum_months"),
        certainty=_certainty(entry),
        formula_certainty=_certainty(entry, "formula_certainty"),
    )


def _tier(row: TableReader) -> WageTier:
    tier = WageTier(row.cents_above_zero("up_to") if "up_to" in row else None, row.percent("rate"))
    row.reject_unknown()
    return tier


def _senior(entry: TableReader) -> SeniorTerms:
    bands = [_band(row) for row in entry.tables("bands", allow_empty=True)]
    if not _is_increasing([band.from_age for band in bands]):
        raise entry.error("bands", "must be in the order of from_age, youngest first")
    terms = SeniorTerms(tuple(bands), entry.cents("full_rate_up_to"), entry.cents("nothing_from"))
    if terms.nothing_from_cents <= terms.full_rate_up_to_cents:
        raise entry.error("nothing_from", "must be above full_rate_up_to")
    return terms


def _band(row: TableReader) -> AgeBand:
    band = AgeBand(row.whole_number("from_age"), row.percent("rate"), _certainty(row))
    row.reject_unknown()
    return band


def _transition(entry: TableReader) -> TransitionTerms:
    return TransitionTerms(entry.percent("value"), _certainty(entry))


def _enabling(entry: TableReader) -> EnablingTerms:
    new_hire = entry.table("new_hire")
    terms = EnablingTerms(
        rate=entry.percent("rate"),
        cap_cents=entry.cents_above_zero("cap"),
        wage_below_cents=entry.cents_above_zero("wage_below"),
        minimum_age=entry.whole_number("minimum_age"),
        permanent_residents=entry.flag("permanent_residents"),
        new_hire=_capped_rate(new_hire),
        certainty=_certainty(entry),
    )
    new_hire.reject_unknown()
    return terms


def _uplifting(entry: TableReader) -> UpliftingTerms:
    return UpliftingTerms(_capped_rate(entry), entry.cents_above_zero("wage_below"), _certainty(entry))


def _capped_rate(table: TableReader) -> CappedRate:
    return CappedRate(table.percent("rate"), table.cents_above_zero("cap"), table.whole_number("months"))


def _is_increasing(numbers: Sequence[int]) -> bool:
    return all(lower < higher for lower, higher in pairwise(numbers))
