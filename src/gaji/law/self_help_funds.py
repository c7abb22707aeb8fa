"""The self-help group funds: CDAC, ECF, MBMF and SINDA.

The first of someone's races decides on the fund of the race; the second one's fund can be elected beside it. MBMF goes
by religion and comes on top. Citizens and permanent residents contribute, foreigners only with certain passes. The
amount goes by the total wages of the calendar month. It is the employee's, who may opt out of a fund or fix another
amount.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from gaji.law.columns import Cents, Codes, Days, Flags, codes, flags, nearest, only
from gaji.law.explanation import Explanation, Parameter, less_taken, money, parameter, step
from gaji.law.months import Month
from gaji.law.parameters import Fields, Files, History
from gaji.law.residency import LegalStatus, WorkPass, resident

NOT_GIVEN = -1
"""The own amount of whoever has not fixed one."""


class Fund(IntEnum):
    """The funds; none for races and religions without one."""

    NONE = 0
    CDAC = 1
    ECF = 2
    MBMF = 3
    SINDA = 4


FUNDS = tuple(fund for fund in Fund if fund != Fund.NONE)


@dataclass(frozen=True)
class FundRates:
    """Whom a fund is for, and what it asks of which wages."""

    races: tuple[str, ...]
    religions: tuple[str, ...]
    up_to_cents: tuple[int, ...]
    """The upper bound of each band but the last, included in it."""
    amounts_cents: tuple[int, ...]
    mosque_cents: tuple[int, ...]
    """Of each amount, what is for the Mosque Building Fund; nothing but in MBMF."""


@dataclass(frozen=True)
class FundParameters:
    """The figures of all funds."""

    rates: Mapping[Fund, History[FundRates]]
    foreign_passes: History[Mapping[Fund, tuple[WorkPass, ...]]]
    mbmf_nothing_up_to_cents: History[int]


def read(files: Files) -> FundParameters:
    """The figures of the funds from their file."""
    subject = files.subject("self_help_funds")
    parameters = FundParameters(
        rates={fund: subject.history(fund.name, _rates) for fund in FUNDS},
        foreign_passes=subject.history("foreign_passes", _passes),
        mbmf_nothing_up_to_cents=subject.cents("mbmf_nothing_up_to"),
    )
    subject.end()
    return parameters


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
    work_passes: Codes


@dataclass(frozen=True)
class Choice:
    """What each person has agreed with one fund."""

    opt_out: Flags
    own_amount_cents: Cents
    """NOT_GIVEN where there is none."""


NO_CHOICES: Mapping[Fund, Choice] = {}


def funds_of_races(parameters: FundParameters, month: Month, races: Sequence[str]) -> tuple[Codes, Codes]:
    """The funds of the first and of the second race; two races are joined by a hyphen, as in CHINESE-INDIAN."""
    by_race = {race: fund for fund, history in parameters.rates.items() for race in history.at(month).value.races}
    parts = [race.partition("-") for race in races]
    first = [by_race.get(part[0], Fund.NONE) for part in parts]
    second = [by_race.get(part[2], Fund.NONE) for part in parts]
    return codes(first), codes(second)


def funds_of_religions(parameters: FundParameters, month: Month, religions: Sequence[str]) -> Codes:
    """The fund of each religion."""
    by_religion = {
        religion: fund for fund, history in parameters.rates.items() for religion in history.at(month).value.religions
    }
    return codes([by_religion.get(religion, Fund.NONE) for religion in religions])


def applies(parameters: FundParameters, month: Month, fund: Fund, givers: Givers) -> Flags:
    """Who contributes to a fund unless they opt out."""
    of_race = (givers.race_funds == fund) | (givers.elects_second & (givers.second_race_funds == fund))
    is_resident = resident(month, givers.legal_status, givers.pr_dates)
    takes = [work_pass in parameters.foreign_passes.at(month).value[fund] for work_pass in WorkPass]
    of_fund: Flags = of_race | (givers.religion_funds == fund)
    return of_fund & (is_resident | flags(takes)[givers.work_passes])


def contributions_cents(
    parameters: FundParameters,
    month: Month,
    givers: Givers,
    total_wages_cents: Cents,
    choices: Mapping[Fund, Choice] = NO_CHOICES,
) -> dict[Fund, Cents]:
    """The contribution of each person to each fund for the month; no wages, no contribution."""
    contributions: dict[Fund, Cents] = {}
    for fund in FUNDS:
        who = np.flatnonzero(applies(parameters, month, fund, givers) & (total_wages_cents > 0))
        amount = standard_cents(parameters, month, fund, total_wages_cents[who])
        if fund in choices:
            own = choices[fund].own_amount_cents[who]
            amount = np.where(own == NOT_GIVEN, amount, own)
            amount = np.where(choices[fund].opt_out[who], 0, amount)
        contributions[fund] = np.zeros_like(total_wages_cents)
        contributions[fund][who] = amount
    return contributions


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


def explain(
    parameters: FundParameters,
    month: Month,
    givers: Givers,
    total_wages_cents: Cents,
    choices: Mapping[Fund, Choice] = NO_CHOICES,
    place: int = 0,
    taken_cents: Mapping[Fund, int] | None = None,
) -> tuple[Explanation, ...]:
    """How the person at this place in the columns came to the contribution to each fund that applies."""
    giver, wages = only(givers, place), total_wages_cents[place : place + 1]
    chosen = {fund: only(choice, place) for fund, choice in choices.items()}
    contributions = contributions_cents(parameters, month, giver, wages, chosen)
    return tuple(
        _explain(
            parameters, month, fund, giver, wages, chosen.get(fund), int(amount[0]), (taken_cents or {}).get(fund, 0)
        )
        for fund, amount in contributions.items()
        if applies(parameters, month, fund, giver)[0]
    )


def _explain(
    parameters: FundParameters,
    month: Month,
    fund: Fund,
    giver: Givers,
    wages: Cents,
    choice: Choice | None,
    amount_cents: int,
    taken_cents: int,
) -> Explanation:
    in_force = parameters.rates[fund].at(month)
    total = int(wages[0])
    return Explanation(
        figure=fund.name.lower(),
        amount_cents=amount_cents - taken_cents,
        inputs={
            "month": str(month),
            "total wages of the month to date": money(total),
            "legal_status": LegalStatus(int(giver.legal_status[0])).name,
            "work_pass": WorkPass(int(giver.work_passes[0])).name,
        },
        rule="The employee contributes the amount of the band that the month's total wages are in, "
        "unless the fund was given notice of another amount.",
        source=in_force.source,
        branch=_branch(parameters, month, fund, giver, total, choice),
        parameters=tuple(_parameters(parameters, month, fund, total)),
        arithmetic=(step(money(amount_cents), amount_cents), *less_taken(amount_cents, taken_cents)),
    )


def _branch(
    parameters: FundParameters, month: Month, fund: Fund, giver: Givers, total_cents: int, choice: Choice | None
) -> str:
    if giver.religion_funds[0] == fund:
        why = "by religion"
    else:
        why = "by race" if giver.race_funds[0] == fund else "elected, by the second race"
    if choice is not None and choice.opt_out[0]:
        return f"{why}; opted out"
    if total_cents <= 0:
        return f"{why}; no wages, so nothing is due"
    if choice is not None and choice.own_amount_cents[0] != NOT_GIVEN:
        return f"{why}; an amount of their own"
    if fund == Fund.MBMF and total_cents <= parameters.mbmf_nothing_up_to_cents.at(month).value:
        return f"{why}; wages so low that nothing is due"
    return f"{why}; {_band(parameters, month, fund, total_cents)}"


def _band(parameters: FundParameters, month: Month, fund: Fund, total_cents: int) -> str:
    """The band that these wages are in, in words."""
    bounds = parameters.rates[fund].at(month).value.up_to_cents
    place = int(np.searchsorted(bounds, total_cents, side="left"))
    above = f"above {money(bounds[place - 1])}" if place else ""
    up_to = f"up to {money(bounds[place])}" if place < len(bounds) else ""
    return f"wages {' '.join(filter(None, (above, up_to)))}"


def _parameters(parameters: FundParameters, month: Month, fund: Fund, total_cents: int) -> list[Parameter]:
    in_force, passes = parameters.rates[fund].at(month), parameters.foreign_passes.at(month)
    place = int(np.searchsorted(in_force.value.up_to_cents, total_cents, side="left"))
    band = _band(parameters, month, fund, total_cents)
    allowed = ", ".join(each.name for each in passes.value[fund]) or "none"
    found = [
        parameter(f"{fund.name}, {band}", in_force, money(in_force.value.amounts_cents[place])),
        parameter("passes of foreigners who contribute", passes, allowed),
    ]
    if fund == Fund.MBMF:
        floor = parameters.mbmf_nothing_up_to_cents.at(month)
        found.append(parameter("nothing is due up to", floor, money(floor.value)))
    return found


def _rates(entry: Fields) -> FundRates:
    bands = entry.tables("bands")
    bounds = tuple(band.cents("up_to") for band in bands[:-1])
    amounts = tuple(band.cents("amount") for band in bands)
    mosque = tuple(band.cents("mosque") if "mosque" in band else 0 for band in bands)
    for band in bands:
        band.end()
    if list(bounds) != sorted(set(bounds)):
        raise entry.wrong("bands", "must ascend")
    if any(part > amount for part, amount in zip(mosque, amounts, strict=True)) or 0 in amounts:
        raise entry.wrong("bands", "need an amount, and a mosque's part that is not above it")
    return FundRates(entry.texts("races"), entry.texts("religions"), bounds, amounts, mosque)


def _passes(entry: Fields) -> Mapping[Fund, tuple[WorkPass, ...]]:
    names = [work_pass.name for work_pass in WorkPass if work_pass != WorkPass.NONE]
    return {fund: tuple(WorkPass[name] for name in entry.choices(fund.name, names)) for fund in FUNDS}
