"""Levy parameters: monthly rates by sector, tier and skill."""

from collections.abc import Mapping
from dataclasses import dataclass

from gaji.law.parameters import History, ParameterFiles, SubjectReader, TableReader

SECTORS = ("services", "manufacturing", "construction", "process", "marine")
TIERS = ("1", "2", "3", "NTS", "MYS_NAS_PRC", "offsite", "none")
SKILLS = ("none", "R1", "R2")
SPASS_SCHEME = "s_pass"

LevyRates = Mapping[str, Mapping[str, int]]
"""Cents per month by tier and skill."""


@dataclass(frozen=True)
class LevyParameters:
    """The rates by sector. S Passes have their own rates in every sector."""

    rates: Mapping[str, History[LevyRates]]


def read_parameters(files: ParameterFiles) -> LevyParameters:
    """Read the parameters from `levy.toml`."""
    subject = files.subject("levy")
    schemes = (SPASS_SCHEME, *SECTORS)
    rates = {scheme: subject.history(scheme, _tiers, from_the_start=False) for scheme in schemes}
    subject.reject_unknown()
    for scheme in schemes:
        _check_complete(subject, scheme, rates[scheme])
    return LevyParameters(rates)


def _check_complete(subject: SubjectReader, scheme: str, history: History[LevyRates]) -> None:
    """Reject later rates without a tier or skill that the first rates have, because workers would lose their rate."""
    *later, first = history.values
    for in_force in later:
        for tier, by_skill in first.value.items():
            for skill in by_skill:
                if skill not in in_force.value.get(tier, {}):
                    reason = f"is missing, but the rates from {first.since} have it"
                    raise subject.error(scheme, in_force.since, f"{tier}.{skill}", reason)


def _tiers(entry: TableReader) -> LevyRates:
    tiers = [tier for tier in TIERS if tier in entry]
    return {tier: _skills(entry.table(tier)) for tier in tiers}


def _skills(tier: TableReader) -> Mapping[str, int]:
    rates = {skill: tier.cents(skill) for skill in SKILLS if skill in tier}
    tier.reject_unknown()
    return rates
