"""Who contributes to which fund, and how much."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gaji.law.columns import Cents, Codes, Dates, Flags, any_nonzero, codes, divide_half_up, equals_code, flags
from gaji.law.months import Month
from gaji.law.residency import WorkPass, is_resident
from gaji.law.self_help_funds.parameters import FUNDS, RACES, RELIGIONS, Fund, FundParameters

NO_CHOSEN_AMOUNT = -(2**63)
"""The own amount of whoever has not fixed one; no amount that anybody could have meant."""
MOST_RACES = 2


@dataclass(frozen=True)
class FundMembers:
    """The facts about each person that decide on funds."""

    race_funds: Codes
    """Fund of the first race."""
    second_race_funds: Codes
    """Fund of the second race, of whoever has two."""
    elects_second: Flags
    religion_funds: Codes
    legal_status: Codes
    pr_dates: Dates
    citizenship_dates: Dates
    work_passes: Codes


@dataclass(frozen=True)
class FundElection:
    """What each person has agreed with one fund."""

    opt_out: Flags
    chosen_amount_cents: Cents
    """NOT_GIVEN where there is none."""


NO_ELECTIONS: Mapping[Fund, FundElection] = {}


def lookup_race_funds(parameters: FundParameters, month: Month, races: Sequence[str]) -> tuple[Codes, Codes]:
    """The funds of the first and of the second race; two races are joined by a hyphen, as in CHINESE-INDIAN.

    Raises ValueError for a race that is not one of RACES, and for more than two.
    """
    by_race, _ = parameters.funds_by_race_and_religion(month)
    parts = [_parts_of_race(race) for race in races]
    first = [by_race.get(part[0], Fund.NONE) for part in parts]
    second = [by_race.get(part[1], Fund.NONE) if len(part) == MOST_RACES else Fund.NONE for part in parts]
    return codes(first), codes(second)


def lookup_religion_funds(parameters: FundParameters, month: Month, religions: Sequence[str]) -> Codes:
    """The fund of each religion; raises ValueError for one that is not of RELIGIONS."""
    if unknown := [religion for religion in religions if religion not in RELIGIONS]:
        raise ValueError(f"religion {unknown[0]!r} is not known; there are {', '.join(RELIGIONS)}")
    _, by_religion = parameters.funds_by_race_and_religion(month)
    return codes([by_religion.get(religion, Fund.NONE) for religion in religions])


def is_member(parameters: FundParameters, month: Month, fund: Fund, givers: FundMembers) -> Flags:
    """Who contributes to a fund unless they opt out."""
    of_race = equals_code(givers.race_funds, fund) | (
        givers.elects_second & equals_code(givers.second_race_funds, fund)
    )
    of_fund: Flags = of_race | equals_code(givers.religion_funds, fund)
    if not any_nonzero(of_fund):
        return of_fund
    residents = is_resident(month, givers.legal_status, givers.pr_dates, givers.citizenship_dates)
    takes = [work_pass in parameters.foreign_passes.at(month).value[fund] for work_pass in WorkPass]
    return of_fund & (residents | flags(takes)[givers.work_passes])


def contributions_cents(
    parameters: FundParameters,
    month: Month,
    givers: FundMembers,
    total_wages_cents: Cents,
    choices: Mapping[Fund, FundElection] = NO_ELECTIONS,
) -> dict[Fund, Cents]:
    """The contribution of each person to each fund for the month; no wages, no contribution.

    Raises ValueError for an own amount below zero, also of someone to whom the fund does not apply.
    """
    _check_own_amounts(choices)
    contributions: dict[Fund, Cents] = {fund: np.zeros(len(total_wages_cents), dtype=np.int64) for fund in FUNDS}
    for fund in _present(givers):
        who = np.flatnonzero(is_member(parameters, month, fund, givers) & (total_wages_cents > 0))
        if not len(who):
            continue
        amount = standard_contribution_cents(parameters, month, fund, total_wages_cents[who])
        if fund in choices:
            own = choices[fund].chosen_amount_cents[who]
            amount = np.where(own == NO_CHOSEN_AMOUNT, amount, own)
            amount = np.where(choices[fund].opt_out[who], 0, amount)
        contributions[fund][who] = amount
    return contributions


def _present(givers: FundMembers) -> list[Fund]:
    """The funds that are anyone's."""
    found = {*givers.race_funds.tolist(), *givers.second_race_funds.tolist(), *givers.religion_funds.tolist()}
    return [fund for fund in FUNDS if int(fund) in found]


def standard_contribution_cents(
    parameters: FundParameters, month: Month, fund: Fund, total_wages_cents: Cents
) -> Cents:
    """What a fund asks of these wages."""
    rates = parameters.rates[fund].at(month).value
    bands = np.searchsorted(rates.up_to_cents, total_wages_cents, side="left")
    nothing_up_to = parameters.mbmf_exempt_up_to_cents.at(month).value if fund == Fund.MBMF else 0
    return np.where(total_wages_cents > nothing_up_to, np.array(rates.amounts_cents, dtype=np.int64)[bands], 0)


def mosque_share_cents(parameters: FundParameters, month: Month, total_wages_cents: Cents, mbmf_cents: Cents) -> Cents:
    """Of the contribution to MBMF, what is for the Mosque Building Fund; the rest is for Mendaki.

    An own amount is divided as the standard amount of the same wages would be.
    """
    rates = parameters.rates[Fund.MBMF].at(month).value
    bands = np.searchsorted(rates.up_to_cents, total_wages_cents, side="left")
    mosque: Cents = np.array(rates.mosque_cents, dtype=np.int64)[bands]
    amount: Cents = np.array(rates.amounts_cents, dtype=np.int64)[bands]
    return divide_half_up(mbmf_cents * mosque, amount)


def _parts_of_race(race: str) -> list[str]:
    parts = race.split("-")
    if len(parts) > MOST_RACES:
        raise ValueError(f"race {race!r} has {len(parts)} parts; there are at most two, the first one decides")
    if unknown := [part for part in parts if part not in RACES]:
        raise ValueError(f"race {unknown[0]!r} is not known; there are {', '.join(RACES)}")
    return parts


def _check_own_amounts(choices: Mapping[Fund, FundElection]) -> None:
    for fund, choice in choices.items():
        own = choice.chosen_amount_cents
        negative = (own < 0) & (own != NO_CHOSEN_AMOUNT)
        if any_nonzero(negative):
            people = np.flatnonzero(negative)[:10].tolist()
            raise ValueError(f"the own amount for {fund.name} is negative for the people at {people}")
