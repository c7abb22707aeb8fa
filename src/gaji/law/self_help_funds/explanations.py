"""Explanations of one person's contributions to the funds."""

from collections.abc import Mapping

from gaji.law.columns import Cents, single_person
from gaji.law.explanation import (
    Explanation,
    UsedParameter,
    dollars,
    earlier_payslips_input,
    earlier_payslips_lines,
    money,
    step,
    used_parameter,
    yes_no,
)
from gaji.law.months import Month
from gaji.law.notation import Clause, choose, equals, format_clauses, otherwise, up_to
from gaji.law.parameters import DatedValue
from gaji.law.reasons import ChosenAmount, NothingDue, Reason, TableAmount, less_earlier_payslips
from gaji.law.self_help_funds import eligibility
from gaji.law.self_help_funds.contributions import (
    NO_CHOSEN_AMOUNT,
    NO_ELECTIONS,
    FundElection,
    FundMembers,
    contributions_cents,
    is_member,
)
from gaji.law.self_help_funds.parameters import Fund, FundParameters, FundRates


def explain(
    parameters: FundParameters,
    month: Month,
    members: FundMembers,
    total_wages_cents: Cents,
    elections: Mapping[Fund, FundElection] = NO_ELECTIONS,
    index: int = 0,
    earlier_cents: Mapping[Fund, int] | None = None,
) -> tuple[Explanation, ...]:
    """Explain the contribution of the person at this index to each fund that applies or was charged earlier."""
    earlier, member = earlier_cents or {}, single_person(members, index)
    all_funds = explain_all_funds(parameters, month, members, total_wages_cents, elections, index, earlier_cents)
    return tuple(
        explanation
        for fund, explanation in all_funds.items()
        if is_member(parameters, month, fund, member)[0] or earlier.get(fund)
    )


def explain_all_funds(
    parameters: FundParameters,
    month: Month,
    members: FundMembers,
    total_wages_cents: Cents,
    elections: Mapping[Fund, FundElection] = NO_ELECTIONS,
    index: int = 0,
    earlier_cents: Mapping[Fund, int] | None = None,
) -> dict[Fund, Explanation]:
    """Explain the contribution of the person at this index to every fund, including those that do not apply."""
    member, wages = single_person(members, index), total_wages_cents[index : index + 1]
    elected = {fund: single_person(election, index) for fund, election in elections.items()}
    earlier = earlier_cents or {}
    return {
        fund: _explain(parameters, month, fund, member, wages, elected.get(fund), int(amount[0]), earlier.get(fund, 0))
        for fund, amount in contributions_cents(parameters, month, member, wages, elected).items()
    }


def _explain(
    parameters: FundParameters,
    month: Month,
    fund: Fund,
    member: FundMembers,
    wages: Cents,
    election: FundElection | None,
    amount_cents: int,
    earlier_cents: int,
) -> Explanation:
    in_force, total = parameters.rates[fund].at(month), int(wages[0])
    parts = _branch_parts(parameters, month, fund, member, total, election)
    reason = _reason(amount_cents, total, election, parts[-1])
    if is_member(parameters, month, fund, member)[0]:
        lines = _member_lines(parameters, month, fund, total, election)
    else:
        lines = eligibility.not_member_lines(parameters, month, fund, member)
    return Explanation(
        figure=fund.name.lower(),
        amount_cents=amount_cents - earlier_cents,
        inputs={"month": str(month), "total wages of the month to date": money(total)}
        | eligibility.member_inputs(member)
        | _election_inputs(election)
        | earlier_payslips_input(earlier_cents),
        rule="The employee contributes the amount for the month's total wages, "
        "unless the employee has opted out or chosen another amount.",
        source=in_force.source,
        branch="; ".join(parts),
        parameters=tuple(_parameters(parameters, month, fund, total)),
        arithmetic=(*lines, *earlier_payslips_lines(amount_cents, earlier_cents)),
        reason=less_earlier_payslips(reason, amount_cents, earlier_cents),
        deciding=_deciding(parameters, month, fund, total) if isinstance(reason, TableAmount) else (),
    )


def _reason(amount_cents: int, total_cents: int, election: FundElection | None, case: str) -> Reason:
    if not amount_cents:
        return NothingDue(case)
    if election is not None and election.chosen_amount_cents[0] != NO_CHOSEN_AMOUNT:
        return ChosenAmount(amount_cents)
    return TableAmount(amount_cents, total_cents)


def _election_inputs(election: FundElection | None) -> dict[str, str]:
    if election is None:
        return {}
    inputs = {"opt_out": yes_no(bool(election.opt_out[0]))}
    chosen = int(election.chosen_amount_cents[0])
    return inputs if chosen == NO_CHOSEN_AMOUNT else inputs | {"amount": money(chosen)}


def _branch_parts(
    parameters: FundParameters,
    month: Month,
    fund: Fund,
    member: FundMembers,
    total_cents: int,
    election: FundElection | None,
) -> tuple[str, ...]:
    """Why the fund applies, and the case that gives the amount."""
    if not is_member(parameters, month, fund, member)[0]:
        return ("does not apply",)
    if member.religion_funds[0] == fund:
        reason = "by religion"
    else:
        reason = "by race" if member.race_funds[0] == fund else "elected for the second race"
    return reason, _amount_case(parameters, month, fund, total_cents, election)


def _amount_case(
    parameters: FundParameters, month: Month, fund: Fund, total_cents: int, election: FundElection | None
) -> str:
    if election is not None and election.opt_out[0]:
        return "opted out"
    if total_cents <= 0:
        return "no wages, so no contribution"
    if election is not None and election.chosen_amount_cents[0] != NO_CHOSEN_AMOUNT:
        return "amount chosen by the employee"
    if total_cents <= _exempt_up_to_cents(parameters, month, fund):
        return "wages too low for a contribution"
    return _band_label(parameters.rates[fund].at(month).value, total_cents)


def _member_lines(
    parameters: FundParameters, month: Month, fund: Fund, total_cents: int, election: FundElection | None
) -> tuple[str, ...]:
    """The arithmetic of a fund that applies."""
    if election is not None and election.opt_out[0]:
        return (step(choose("opt_out yes", equals("yes", money(0))), 0),)
    if total_cents <= 0:
        return (step(choose(money(total_cents), up_to(money(0), money(0))), 0),)
    if election is not None and election.chosen_amount_cents[0] != NO_CHOSEN_AMOUNT:
        chosen = int(election.chosen_amount_cents[0])
        return (step(choose("opt_out no", equals("no", f"amount {money(chosen)}")), chosen),)
    rates, exempt_up_to = parameters.rates[fund].at(month).value, _exempt_up_to_cents(parameters, month, fund)
    amount = rates.amounts_cents[_band_index(rates, total_cents)] if total_cents > exempt_up_to else 0
    exempt = (up_to(money(exempt_up_to), money(0)),) if exempt_up_to else ()
    return (step(choose(money(total_cents), *exempt, *_band_clauses(rates)), amount),)


def _exempt_up_to_cents(parameters: FundParameters, month: Month, fund: Fund) -> int:
    return parameters.mbmf_exempt_up_to_cents.at(month).value if fund == Fund.MBMF else 0


def _band_index(rates: FundRates, total_cents: int) -> int:
    """The index of the wage band that contains these wages."""
    return sum(total_cents > bound for bound in rates.up_to_cents)


def _band_label(rates: FundRates, total_cents: int) -> str:
    bounds, band = rates.up_to_cents, _band_index(rates, total_cents)
    lower = f"above {dollars(bounds[band - 1])}" if band else ""
    upper = f"up to {dollars(bounds[band])}" if band < len(bounds) else ""
    return f"wages {' '.join(filter(None, (lower, upper)))}"


def _band_clauses(rates: FundRates) -> tuple[Clause, ...]:
    """Every wage band with its amount."""
    return _clauses(rates, rates.amounts_cents)


def _clauses(rates: FundRates, amounts_cents: tuple[int, ...]) -> tuple[Clause, ...]:
    *bounded, last = amounts_cents
    bands = zip(rates.up_to_cents, bounded, strict=True)
    return (*(up_to(money(bound), money(amount)) for bound, amount in bands), otherwise(money(last)))


def _bands_parameter(name: str, in_force: DatedValue[FundRates]) -> UsedParameter:
    return used_parameter(f"{name}, all wage bands", in_force, format_clauses(_band_clauses(in_force.value)))


def _parameters(parameters: FundParameters, month: Month, fund: Fund, total_cents: int) -> list[UsedParameter]:
    in_force, passes = parameters.rates[fund].at(month), parameters.foreign_passes.at(month)
    pass_names = ", ".join(work_pass.name for work_pass in passes.value[fund]) or "none"
    band, *exempt = _table_parameters(parameters, month, fund, total_cents)
    return [
        band,
        _bands_parameter(fund.name, in_force),
        used_parameter("passes of foreigners who contribute", passes, pass_names),
        *exempt,
    ]


def _deciding(parameters: FundParameters, month: Month, fund: Fund, total_cents: int) -> tuple[UsedParameter, ...]:
    band, *exempt = _table_parameters(parameters, month, fund, total_cents)
    return (band, *exempt) if _exempt_up_to_cents(parameters, month, fund) else (band,)


def _table_parameters(parameters: FundParameters, month: Month, fund: Fund, total_cents: int) -> list[UsedParameter]:
    """The amount of the wage band, and the wages without a contribution."""
    in_force = parameters.rates[fund].at(month)
    amount = in_force.value.amounts_cents[_band_index(in_force.value, total_cents)]
    used = [used_parameter(f"{fund.name}, {_band_label(in_force.value, total_cents)}", in_force, money(amount))]
    if fund == Fund.MBMF:
        exempt = parameters.mbmf_exempt_up_to_cents.at(month)
        used.append(used_parameter("no contribution up to", exempt, money(exempt.value)))
    return used
