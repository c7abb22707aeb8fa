"""How one person's contributions to the funds came about."""

from collections.abc import Mapping

import numpy as np

from gaji.law.columns import Cents, only
from gaji.law.explanation import Explanation, Parameter, less_taken, money, parameter, step, yes_no
from gaji.law.months import Month
from gaji.law.residency import LegalStatus, WorkPass
from gaji.law.self_help_funds.contributions import (
    NO_CHOICES,
    NOT_GIVEN,
    Choice,
    Givers,
    applies,
    contributions_cents,
)
from gaji.law.self_help_funds.parameters import Fund, FundParameters


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
    taken = taken_cents or {}
    return tuple(
        _explain(parameters, month, fund, giver, wages, chosen.get(fund), int(amount[0]), taken.get(fund, 0))
        for fund, amount in contributions_cents(parameters, month, giver, wages, chosen).items()
        if applies(parameters, month, fund, giver)[0] or taken.get(fund)
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
            "fund of the race": Fund(int(giver.race_funds[0])).name,
            "fund of the second race": Fund(int(giver.second_race_funds[0])).name,
            "elects the second": yes_no(bool(giver.elects_second[0])),
            "fund of the religion": Fund(int(giver.religion_funds[0])).name,
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
    if not applies(parameters, month, fund, giver)[0]:
        return "does not apply"
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
