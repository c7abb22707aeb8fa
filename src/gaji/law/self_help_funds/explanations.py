"""How one person's contributions to the funds came about."""

from collections.abc import Mapping

from gaji.law.columns import Cents, cents, single_person
from gaji.law.explanation import (
    Explanation,
    UsedParameter,
    earlier_payslips_input,
    earlier_payslips_lines,
    money,
    step,
    used_parameter,
)
from gaji.law.months import Month
from gaji.law.notation import Clause, choose, equals, format_clauses, otherwise, up_to
from gaji.law.parameters import DatedValue
from gaji.law.self_help_funds import eligibility
from gaji.law.self_help_funds.contributions import (
    NO_CHOSEN_AMOUNT,
    NO_ELECTIONS,
    FundElection,
    FundMembers,
    contributions_cents,
    is_member,
    mosque_share_cents,
)
from gaji.law.self_help_funds.parameters import Fund, FundParameters, FundRates


def explain(
    parameters: FundParameters,
    month: Month,
    givers: FundMembers,
    total_wages_cents: Cents,
    choices: Mapping[Fund, FundElection] = NO_ELECTIONS,
    index: int = 0,
    earlier_cents: Mapping[Fund, int] | None = None,
) -> tuple[Explanation, ...]:
    """How the person at this place in the columns came to the contribution to each fund that applies."""
    taken, giver = earlier_cents or {}, single_person(givers, index)
    every = explain_all_funds(parameters, month, givers, total_wages_cents, choices, index, earlier_cents)
    return tuple(
        explained
        for fund, explained in every.items()
        if is_member(parameters, month, fund, giver)[0] or taken.get(fund)
    )


def explain_all_funds(
    parameters: FundParameters,
    month: Month,
    givers: FundMembers,
    total_wages_cents: Cents,
    choices: Mapping[Fund, FundElection] = NO_ELECTIONS,
    index: int = 0,
    earlier_cents: Mapping[Fund, int] | None = None,
) -> dict[Fund, Explanation]:
    """The same for every fund: also why one gets nothing that does not apply."""
    giver, wages = single_person(givers, index), total_wages_cents[index : index + 1]
    chosen = {fund: single_person(choice, index) for fund, choice in choices.items()}
    taken = earlier_cents or {}
    return {
        fund: _explain(parameters, month, fund, giver, wages, chosen.get(fund), int(amount[0]), taken.get(fund, 0))
        for fund, amount in contributions_cents(parameters, month, giver, wages, chosen).items()
    }


def explain_mosque_share(
    parameters: FundParameters, month: Month, total_wages_cents: int, mbmf_cents: int
) -> Explanation:
    """How the part of a contribution to MBMF that is for the Mosque Building Fund came about."""
    in_force = parameters.rates[Fund.MBMF].at(month)
    rates = in_force.value
    mosque = int(mosque_share_cents(parameters, month, cents([total_wages_cents]), cents([mbmf_cents]))[0])
    place = _band(rates, total_wages_cents)
    part, whole = rates.mosque_cents[place], rates.amounts_cents[place]
    return Explanation(
        figure="mbmf_mosque",
        amount_cents=mosque,
        inputs={
            "month": str(month),
            "total wages of the month to date": money(total_wages_cents),
            "mbmf": money(mbmf_cents),
        },
        rule="Of a contribution to MBMF, as much is for mosques as of the standard amount of the same wages.",
        source=in_force.source,
        branch=_band_words(rates, total_wages_cents),
        parameters=(
            _all_bands("MBMF", in_force),
            used_parameter("of it for mosques", in_force, format_clauses(_mosque_bands(rates))),
        ),
        arithmetic=(
            step(choose(money(total_wages_cents), *_mosque_bands(rates)), part),
            step(choose(money(total_wages_cents), *_bands(rates)), whole),
            step(f"round_cents({money(mbmf_cents)} × {money(part)} ÷ {money(whole)})", mosque),
        ),
    )


def _explain(
    parameters: FundParameters,
    month: Month,
    fund: Fund,
    giver: FundMembers,
    wages: Cents,
    choice: FundElection | None,
    amount_cents: int,
    taken_cents: int,
) -> Explanation:
    in_force, total = parameters.rates[fund].at(month), int(wages[0])
    belongs = bool(is_member(parameters, month, fund, giver)[0])
    lines = (
        _lines(parameters, month, fund, total, choice)
        if belongs
        else eligibility.why_not(parameters, month, fund, giver)
    )
    return Explanation(
        figure=fund.name.lower(),
        amount_cents=amount_cents - taken_cents,
        inputs={"month": str(month), "total wages of the month to date": money(total)}
        | eligibility.inputs(giver)
        | _choice_inputs(choice)
        | earlier_payslips_input(taken_cents),
        rule="The employee contributes the amount of the band that the month's total wages are in, "
        "unless the fund was given notice of another amount.",
        source=in_force.source,
        branch=_branch(parameters, month, fund, giver, total, choice),
        parameters=tuple(_parameters(parameters, month, fund, total)),
        arithmetic=(*lines, *earlier_payslips_lines(amount_cents, taken_cents)),
    )


def _choice_inputs(choice: FundElection | None) -> dict[str, str]:
    if choice is None:
        return {}
    given = {"opt_out": "yes" if choice.opt_out[0] else "no"}
    own = int(choice.chosen_amount_cents[0])
    return given if own == NO_CHOSEN_AMOUNT else given | {"amount": money(own)}


def _branch(
    parameters: FundParameters,
    month: Month,
    fund: Fund,
    giver: FundMembers,
    total_cents: int,
    choice: FundElection | None,
) -> str:
    if not is_member(parameters, month, fund, giver)[0]:
        return "does not apply"
    if giver.religion_funds[0] == fund:
        why = "by religion"
    else:
        why = "by race" if giver.race_funds[0] == fund else "elected, by the second race"
    if choice is not None and choice.opt_out[0]:
        return f"{why}; opted out"
    if total_cents <= 0:
        return f"{why}; no wages, so nothing is due"
    if choice is not None and choice.chosen_amount_cents[0] != NO_CHOSEN_AMOUNT:
        return f"{why}; an amount of their own"
    if total_cents <= _nothing_up_to(parameters, month, fund):
        return f"{why}; wages so low that nothing is due"
    return f"{why}; {_band_words(parameters.rates[fund].at(month).value, total_cents)}"


def _lines(
    parameters: FundParameters, month: Month, fund: Fund, total_cents: int, choice: FundElection | None
) -> tuple[str, ...]:
    """The arithmetic of a fund that applies."""
    if choice is not None and choice.opt_out[0]:
        return (step(choose("opt_out yes", equals("yes", money(0))), 0),)
    if total_cents <= 0:
        return (step(choose(money(total_cents), up_to(money(0), money(0))), 0),)
    if choice is not None and choice.chosen_amount_cents[0] != NO_CHOSEN_AMOUNT:
        own = int(choice.chosen_amount_cents[0])
        return (step(choose("opt_out no", equals("no", f"amount {money(own)}")), own),)
    rates, nothing_up_to = parameters.rates[fund].at(month).value, _nothing_up_to(parameters, month, fund)
    amount = rates.amounts_cents[_band(rates, total_cents)] if total_cents > nothing_up_to else 0
    nothing = (up_to(money(nothing_up_to), money(0)),) if nothing_up_to else ()
    return (step(choose(money(total_cents), *nothing, *_bands(rates)), amount),)


def _nothing_up_to(parameters: FundParameters, month: Month, fund: Fund) -> int:
    return parameters.mbmf_exempt_up_to_cents.at(month).value if fund == Fund.MBMF else 0


def _band(rates: FundRates, total_cents: int) -> int:
    """The place of the band that these wages are in."""
    return sum(total_cents > bound for bound in rates.up_to_cents)


def _band_words(rates: FundRates, total_cents: int) -> str:
    bounds, place = rates.up_to_cents, _band(rates, total_cents)
    above = f"above {money(bounds[place - 1])}" if place else ""
    up_to = f"up to {money(bounds[place])}" if place < len(bounds) else ""
    return f"wages {' '.join(filter(None, (above, up_to)))}"


def _bands(rates: FundRates) -> tuple[Clause, ...]:
    """Every band with its amount."""
    *bounded, last = rates.amounts_cents
    bands = zip(rates.up_to_cents, bounded, strict=True)
    return (*(up_to(money(bound), money(amount)) for bound, amount in bands), otherwise(money(last)))


def _mosque_bands(rates: FundRates) -> tuple[Clause, ...]:
    *bounded, last = rates.mosque_cents
    bands = zip(rates.up_to_cents, bounded, strict=True)
    return (*(up_to(money(bound), money(amount)) for bound, amount in bands), otherwise(money(last)))


def _all_bands(name: str, in_force: DatedValue[FundRates]) -> UsedParameter:
    return used_parameter(f"{name}, all bands", in_force, format_clauses(_bands(in_force.value)))


def _parameters(parameters: FundParameters, month: Month, fund: Fund, total_cents: int) -> list[UsedParameter]:
    in_force, passes = parameters.rates[fund].at(month), parameters.foreign_passes.at(month)
    amount = in_force.value.amounts_cents[_band(in_force.value, total_cents)]
    allowed = ", ".join(each.name for each in passes.value[fund]) or "none"
    found = [
        used_parameter(f"{fund.name}, {_band_words(in_force.value, total_cents)}", in_force, money(amount)),
        _all_bands(fund.name, in_force),
        used_parameter("passes of foreigners who contribute", passes, allowed),
    ]
    if fund == Fund.MBMF:
        floor = parameters.mbmf_exempt_up_to_cents.at(month)
        found.append(used_parameter("nothing is due up to", floor, money(floor.value)))
    return found
