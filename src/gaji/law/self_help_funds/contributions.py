"""Who contributes to which fund, and how much."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gaji.law.columns import Cents, Codes, Days, Flags, anyone, being, codes, flags, nearest
from gaji.law.months import Month
from gaji.law.residency import WorkPass, resident
from gaji.law.self_help_funds.parameters import FUNDS, RACES, RELIGIONS, Fund, FundParameters

NOT_GIVEN = -(2**63)
"""The own amount of whoever has not fixed one; no amount that anybody could have meant."""
MOST_RACES = 2


@dataclass(frozen=True)
class Givers:
    """The facts about each person that decide on funds."""

    race_funds: Codes
    """Fund of the first race."""
    second_race_funds: Codes
    """Fund of the second race, of whoever has two."""
    elects_second: Flags
    religion_funds: Codes
    legal_status: Codes
    pr_dates: Days
    citizenship_dates: Days
    work_passes: Codes


@dataclass(frozen=True)
class Choice:
    """What each person has agreed with one fund."""

    opt_out: Flags
    own_amount_cents: Cents
    """NOT_GIVEN where there is none."""


NO_CHOICES: Mapping[Fund, Choice] = {}


def funds_of_races(parameters: FundParameters, month: Month, races: Sequence[str]) -> tuple[Codes, Codes]:
    """The funds of the first and of the second race; two races are joined by a hyphen, as in CHINESE-INDIAN.

    Raises ValueError for a race that is not one of RACES, and for more than two.
    """
    by_race, _ = parameters.of_races_and_religions(month)
    parts = [_parts_of_race(race) for race in races]
    first = [by_race.get(part[0], Fund.NONE) for part in parts]
    second = [by_race.get(part[1], Fund.NONE) if len(part) == MOST_RACES else Fund.NONE for part in parts]
    return codes(first), codes(second)


def funds_of_religions(parameters: FundParameters, month: Month, religions: Sequence[str]) -> Codes:
    """The fund of each religion; raises ValueError for one that is not of RELIGIONS."""
    if unknown := [religion for religion in religions if religion not in RELIGIONS]:
        raise ValueError(f"religion {unknown[0]!r} is not known; there are {', '.join(RELIGIONS)}")
    _, by_religion = parameters.of_races_and_religions(month)
    return codes([by_religion.get(religion, Fund.NONE) for religion in religions])


def applies(parameters: FundParameters, month: Month, fund: Fund, givers: Givers) -> Flags:
    """Who contributes to a fund unless they opt out."""
    of_race = being(givers.race_funds, fund) | (givers.elects_second & being(givers.second_race_funds, fund))
    of_fund: Flags = of_race | being(givers.religion_funds, fund)
    if not anyone(of_fund):
        return of_fund
    is_resident = resident(month, givers.legal_status, givers.pr_dates, givers.citizenship_dates)
    takes = [work_pass in parameters.foreign_passes.at(month).value[fund] for work_pass in WorkPass]
    return of_fund & (is_resident | flags(takes)[givers.work_passes])


def contributions_cents(
    parameters: FundParameters,
    month: Month,
    givers: Givers,
    total_wages_cents: Cents,
    choices: Mapping[Fund, Choice] = NO_CHOICES,
) -> dict[Fund, Cents]:
    """The contribution of each person to each fund for the month; no wages, no contribution.

    Raises ValueError for an own amount below zero, also of someone to whom the fund does not apply.
    """
    _check_own_amounts(choices)
    contributions: dict[Fund, Cents] = {fund: np.zeros(len(total_wages_cents), dtype=np.int64) for fund in FUNDS}
    for fund in _present(givers):
        who = np.flatnonzero(applies(parameters, month, fund, givers) & (total_wages_cents > 0))
        if not len(who):
            continue
        amount = standard_cents(parameters, month, fund, total_wages_cents[who])
        if fund in choices:
            own = choices[fund].own_amount_cents[who]
            amount = np.where(own == NOT_GIVEN, amount, own)
            amount = np.where(choices[fund].opt_out[who], 0, amount)
        contributions[fund][who] = amount
    return contributions


def _present(givers: Givers) -> list[Fund]:
    """The funds that are anyone's."""
    found = {*givers.race_funds.tolist(), *givers.second_race_funds.tolist(), *givers.religion_funds.tolist()}
    return [fund for fund in FUNDS if int(fund) in found]


def standard_cents(parameters: FundParameters, month: Month, fund: Fund, total_wages_cents: Cents) -> Cents:
    """What a fund asks of these wages."""
    rates = parameters.rates[fund].at(month).value
    bands = np.searchsorted(rates.up_to_cents, total_wages_cents, side="left")
    nothing_up_to = parameters.mbmf_nothing_up_to_cents.at(month).value if fund == Fund.MBMF else 0
    return np.where(total_wages_cents > nothing_up_to, np.array(rates.amounts_cents, dtype=np.int64)[bands], 0)


def mosque_cents(parameters: FundParameters, month: Month, total_wages_cents: Cents, mbmf_cents: Cents) -> Cents:
    """Of the contribution to MBMF, what is for the Mosque Building Fund; the rest is for Mendaki.

    An own amount is divided as the standard amount of the same wages would be.
    """
    rates = parameters.rates[Fund.MBMF].at(month).value
    bands = np.searchsorted(rates.up_to_cents, total_wages_cents, side="left")
    mosque: Cents = np.array(rates.mosque_cents, dtype=np.int64)[bands]
    amount: Cents = np.array(rates.amounts_cents, dtype=np.int64)[bands]
    return nearest(mbmf_cents * mosque, amount)


def _parts_of_race(race: str) -> list[str]:
    parts = race.split("-")
    if len(parts) > MOST_RACES:
        raise ValueError(f"race {race!r} has {len(parts)} parts; there are at most two, the first one decides")
    if unknown := [part for part in parts if part not in RACES]:
        raise ValueError(f"race {unknown[0]!r} is not known; there are {', '.join(RACES)}")
    return parts


def _check_own_amounts(choices: Mapping[Fund, Choice]) -> None:
    for fund, choice in choices.items():
        own = choice.own_amount_cents
        negative = (own < 0) & (own != NOT_GIVEN)
        if anyone(negative):
            people = np.flatnonzero(negative)[:10].tolist()
            raise ValueError(f"the own amount for {fund.name} is negative for the people at {people}")
