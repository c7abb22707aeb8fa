"""Self-help fund parameters: the races and religions of each fund, and its wage bands."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from functools import partial

from gaji.law.months import Month
from gaji.law.parameters import History, ParameterFiles, SubjectReader, TableReader
from gaji.law.residency import WorkPass


class Fund(IntEnum):
    """The funds; NONE for races and religions without a fund."""

    NONE = 0
    CDAC = 1
    ECF = 2
    MBMF = 3
    SINDA = 4


# fmt: off
RACES = (
    "CHINESE", "MALAY", "INDIAN", "EURASIAN", "BANGLADESHI", "BENGALI", "GOAN", "GUJARATI", "MALAYALEE", "PAKISTANI",
    "PARSEE", "PUNJABI", "SIKH", "SINDHI", "SINHALESE", "SRI_LANKAN", "TAMIL", "TELUGU", "ARAB", "BOYANESE", "BUGIS",
    "BURMESE", "CAUCASIAN", "FILIPINO", "INDONESIAN", "JAPANESE", "JAVANESE", "KOREAN", "NEPALESE", "THAI",
    "VIETNAMESE", "OTHER",
)
RELIGIONS = (
    "BUDDHISM", "CATHOLICISM", "CHRISTIANITY", "HINDUISM", "ISLAM", "JAINISM", "JUDAISM", "SIKHISM", "TAOISM",
    "ZOROASTRIANISM", "NONE", "OTHER",
)
# fmt: on
FUNDS = tuple(fund for fund in Fund if fund != Fund.NONE)


@dataclass(frozen=True)
class FundRates:
    """The races and religions of a fund, and its wage bands."""

    races: tuple[str, ...]
    religions: tuple[str, ...]
    up_to_cents: tuple[int, ...]
    """The upper bound of each wage band except the last, included in the band."""
    amounts_cents: tuple[int, ...]
    mosque_cents: tuple[int, ...]
    """The part of each amount for the Mosque Building Fund; zero except in MBMF."""


@dataclass(frozen=True)
class FundParameters:
    """The parameters of all funds."""

    rates: Mapping[Fund, History[FundRates]]
    foreign_passes: History[Mapping[Fund, tuple[WorkPass, ...]]]
    mbmf_exempt_up_to_cents: History[int]
    _funds_by_month: dict[int, tuple[Mapping[str, Fund], Mapping[str, Fund]]] = field(
        default_factory=dict, compare=False, repr=False
    )
    """A cache by month number: consecutive batches are often for the same month."""

    def funds_by_race_and_religion(self, month: Month) -> tuple[Mapping[str, Fund], Mapping[str, Fund]]:
        """The fund of each race and of each religion that has one; raises MonthNotCovered.

        A fund whose first amounts are later than the month already has its members.
        """
        if (funds := self._funds_by_month.get(month.number)) is None:
            self.foreign_passes.at(month)
            rates = {fund: history.at(max(month, history.covered_from)).value for fund, history in self.rates.items()}
            races = {race: fund for fund, fund_rates in rates.items() for race in fund_rates.races}
            religions = {religion: fund for fund, fund_rates in rates.items() for religion in fund_rates.religions}
            funds = self._funds_by_month[month.number] = races, religions
        return funds


def read_parameters(files: ParameterFiles) -> FundParameters:
    """Read the parameters from `self_help_funds.toml`."""
    subject = files.subject("self_help_funds")
    parameters = FundParameters(
        rates={fund: subject.history(fund.name, partial(_rates, fund), from_the_start=False) for fund in FUNDS},
        foreign_passes=subject.history("foreign_passes", _passes),
        mbmf_exempt_up_to_cents=subject.cents("mbmf_nothing_up_to"),
    )
    subject.reject_unknown()
    _check_one_fund_each(subject, parameters)
    return parameters


def _rates(fund: Fund, entry: TableReader) -> FundRates:
    bands = entry.tables("bands")
    bounds = tuple(band.cents("up_to") for band in bands[:-1])
    amounts = tuple(band.cents("amount") for band in bands)
    mosque = tuple(band.cents("mosque") if fund == Fund.MBMF or "mosque" in band else 0 for band in bands)
    for band in bands:
        band.reject_unknown()
    if list(bounds) != sorted(set(bounds)):
        raise entry.error("bands", "must be in ascending order")
    if any(part > amount for part, amount in zip(mosque, amounts, strict=True)) or 0 in amounts:
        raise entry.error("bands", "must have an amount above 0 and a mosque part that is not above it")
    return FundRates(entry.choices("races", RACES), entry.choices("religions", RELIGIONS), bounds, amounts, mosque)


def _passes(entry: TableReader) -> Mapping[Fund, tuple[WorkPass, ...]]:
    names = [work_pass.name for work_pass in WorkPass]
    return {fund: tuple(WorkPass[name] for name in entry.choices(fund.name, names)) for fund in FUNDS}


def _check_one_fund_each(subject: SubjectReader, parameters: FundParameters) -> None:
    """Reject a race or religion that belongs to two funds at the same time."""
    for day in subject.change_dates(*parameters.rates.values()):
        owners: dict[str, Fund] = {}
        for fund, history in parameters.rates.items():
            in_force = history.on(max(day, history.values[-1].since))
            for kind, names in (("races", in_force.value.races), ("religions", in_force.value.religions)):
                for name in names:
                    other = owners.setdefault(f"{kind} {name}", fund)
                    if other != fund:
                        reason = f"{name} already belongs to {other.name}"
                        raise subject.error(fund.name, in_force.since, kind, reason)
