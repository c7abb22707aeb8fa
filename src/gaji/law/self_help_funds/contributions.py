"""Membership of the funds and the contributions to them."""

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from gaji.law.columns import Cents, Codes, Dates, Flags, any_nonzero, codes, equals_code, flags
from gaji.law.months import Month
from gaji.law.residency import WorkPass, is_resident
from gaji.law.rounding import divide_half_up
from gaji.law.self_help_funds.parameters import FUNDS, RACES, RELIGIONS, Fund, FundParameters

NO_CHOSEN_AMOUNT = -(2**63)
"""Marks people who have not chosen an amount; not a possible amount."""
MAX_RACES = 2


class FundMembers(Struct, frozen=True):
    """The personal details that determine the funds."""

    race_funds: Codes
    """Fund of the first race."""
    second_race_funds: Codes
    """Fund of the second race, for people with two races."""
    elects_second: Flags
    religion_funds: Codes
    legal_status: Codes
    pr_dates: Dates
    citizenship_dates: Dates
    work_passes: Codes


class FundElection(Struct, frozen=True):
    """What each person has agreed with one fund."""

    opt_out: Flags
    chosen_amount_cents: Cents
    """NO_CHOSEN_AMOUNT for people who have not chosen one."""


NO_ELECTIONS: Mapping[Fund, FundElection] = {}


def lookup_race_funds(parameters: FundParameters, month: Month, races: Sequence[str]) -> tuple[Codes, Codes]:
    """The funds of the first and second race of each person. Two races are joined by a hyphen: CHINESE-INDIAN.

    Raises ValueError for a race that is not in RACES, and for more than two races.
    """
    by_race, _ = parameters.funds_by_race_and_religion(month)
    parts = [_split_race(race) for race in races]
    first = [by_race.get(part[0], Fund.NONE) for part in parts]
    second = [by_race.get(part[1], Fund.NONE) if len(part) == MAX_RACES else Fund.NONE for part in parts]
    return codes(first), codes(second)


def lookup_religion_funds(parameters: FundParameters, month: Month, religions: Sequence[str]) -> Codes:
    """The fund of each religion; raises ValueError for a religion that is not in RELIGIONS."""
    if unknown := [religion for religion in religions if religion not in RELIGIONS]:
        raise ValueError(f"religion {unknown[0]!r} is not one of {', '.join(RELIGIONS)}")
    _, by_religion = parameters.funds_by_race_and_religion(month)
    return codes([by_religion.get(religion, Fund.NONE) for religion in religions])


def is_member(parameters: FundParameters, month: Month, fund: Fund, members: FundMembers) -> Flags:
    """Whether each person contributes to a fund unless they opt out."""
    by_second_race = members.elects_second & equals_code(members.second_race_funds, fund)
    by_race = equals_code(members.race_funds, fund) | by_second_race
    belongs: Flags = by_race | equals_code(members.religion_funds, fund)
    if not any_nonzero(belongs):
        return belongs
    residents = is_resident(month, members.legal_status, members.pr_dates, members.citizenship_dates)
    if not any_nonzero(belongs & ~residents):
        return belongs
    foreign_passes = [work_pass in parameters.foreign_passes.at(month).value[fund] for work_pass in WorkPass]
    return belongs & (residents | flags(foreign_passes)[members.work_passes])


def contributions_cents(
    parameters: FundParameters,
    month: Month,
    members: FundMembers,
    total_wages_cents: Cents,
    elections: Mapping[Fund, FundElection] = NO_ELECTIONS,
) -> dict[Fund, Cents]:
    """The contribution of each person to each fund for the month. Zero without wages.

    Raises ValueError for a negative chosen amount, even if the fund does not apply to the person.
    """
    _check_chosen_amounts(elections)
    contributions: dict[Fund, Cents] = {fund: np.zeros(len(total_wages_cents), dtype=np.int64) for fund in FUNDS}
    for fund in _funds_present(members):
        indices = np.flatnonzero(is_member(parameters, month, fund, members) & (total_wages_cents > 0))
        if not len(indices):
            continue
        contributions[fund][indices] = _elected_cents(
            parameters, month, fund, total_wages_cents[indices], elections.get(fund), indices
        )
    return contributions


def _elected_cents(
    parameters: FundParameters,
    month: Month,
    fund: Fund,
    total_wages_cents: Cents,
    election: FundElection | None,
    indices: npt.NDArray[np.intp],
) -> Cents:
    """The standard amounts, except for those who chose another amount or opted out."""
    if election is None:
        return standard_contribution_cents(parameters, month, fund, total_wages_cents)
    chosen = election.chosen_amount_cents[indices]
    elected = np.where(election.opt_out[indices], 0, chosen)
    if not any_nonzero(elected == NO_CHOSEN_AMOUNT):
        return elected
    return np.where(
        elected == NO_CHOSEN_AMOUNT,
        standard_contribution_cents(parameters, month, fund, total_wages_cents),
        elected,
    )


def _funds_present(members: FundMembers) -> list[Fund]:
    """The funds that at least one person belongs to."""
    present = {*members.race_funds.tolist(), *members.second_race_funds.tolist(), *members.religion_funds.tolist()}
    return [fund for fund in FUNDS if int(fund) in present]


def standard_contribution_cents(
    parameters: FundParameters, month: Month, fund: Fund, total_wages_cents: Cents
) -> Cents:
    """The standard contribution to a fund on these wages."""
    rates = parameters.rates[fund].at(month).value
    bands = np.searchsorted(rates.up_to_cents, total_wages_cents, side="left")
    exempt_up_to = parameters.mbmf_exempt_up_to_cents.at(month).value if fund == Fund.MBMF else 0
    return np.where(total_wages_cents > exempt_up_to, np.array(rates.amounts_cents, dtype=np.int64)[bands], 0)


def mosque_share_cents(parameters: FundParameters, month: Month, total_wages_cents: Cents, mbmf_cents: Cents) -> Cents:
    """The part of an MBMF contribution for the Mosque Building Fund; the rest is for Mendaki.

    A chosen amount is divided in the same proportion as the standard amount on the same wages. Amounts before the first
    known rates are divided like those rates.
    """
    history = parameters.rates[Fund.MBMF]
    rates = history.at(max(month, history.covered_from)).value
    bands = np.searchsorted(rates.up_to_cents, total_wages_cents, side="left")
    mosque: Cents = np.array(rates.mosque_cents, dtype=np.int64)[bands]
    amount: Cents = np.array(rates.amounts_cents, dtype=np.int64)[bands]
    return divide_half_up(mbmf_cents * mosque, amount)


def _split_race(race: str) -> list[str]:
    parts = race.split("-")
    if len(parts) > MAX_RACES:
        raise ValueError(f"race {race!r} has {len(parts)} parts; at most two are allowed, the first one decides")
    if unknown := [part for part in parts if part not in RACES]:
        raise ValueError(f"race {unknown[0]!r} is not one of {', '.join(RACES)}")
    return parts


def _check_chosen_amounts(elections: Mapping[Fund, FundElection]) -> None:
    for fund, election in elections.items():
        chosen = election.chosen_amount_cents
        negative = (chosen < 0) & (chosen != NO_CHOSEN_AMOUNT)
        if any_nonzero(negative):
            indices = np.flatnonzero(negative)[:10].tolist()
            raise ValueError(f"the chosen amount for {fund.name} is negative for the people at index {indices}")
