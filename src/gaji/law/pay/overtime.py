"""Overtime: 1.5 times the hourly basic rate, exact until the one rounding of the line.

It is computed for whoever has hours; whether the law requires it is told by `part_four`.
"""

from gaji.law.columns import Cents, Flags, single_person
from gaji.law.explanation import Explanation, UsedParameter, money, rate, used_parameter
from gaji.law.months import Month
from gaji.law.pay import part_four, rates
from gaji.law.pay.parameters import CAPPED, PayParameters
from gaji.law.pay.part_four import EmploymentActGroup, PartFourStatus
from gaji.law.pay.rates import PayRates, PayTerms
from gaji.law.quantities import MILLI, Millis, format_millis, millis

ACT = "Employment Act 1968, s. 38 and Fourth Schedule"


def overtime_base_rates(parameters: PayParameters, month: Month, terms: PayTerms, standing: PartFourStatus) -> PayRates:
    """The hourly basic rates that overtime goes by; of non-workmen capped where the switch says so."""
    own = rates.hourly_rates(parameters, month, terms)
    if parameters.non_workman_overtime_rate.at(month).value != CAPPED:
        return own
    cap = parameters.non_workman_overtime_cap_cents.at(month).value
    return own.capped(cap, standing.groups == EmploymentActGroup.NON_WORKMAN)


def pay_cents(
    parameters: PayParameters, month: Month, terms: PayTerms, standing: PartFourStatus, millihours: Millis
) -> Cents:
    """The overtime pay of each person."""
    times = rates.as_fraction(parameters.overtime_factor.at(month).value)
    return overtime_base_rates(parameters, month, terms, standing).times(times).cents(millihours)


def exceeds_limit(parameters: PayParameters, month: Month, millihours: Millis) -> Flags:
    """Whose overtime of a month is more than the law allows (s. 38(5)): a warning, it is paid all the same."""
    return millihours > parameters.max_overtime_hours.at(month).value * MILLI


def explain(
    parameters: PayParameters, month: Month, terms: PayTerms, standing: PartFourStatus, millihours: int, index: int = 0
) -> Explanation:
    """How the overtime pay of the person at this place came about."""
    terms, standing, hours = single_person(terms, index), single_person(standing, index), millis([0]) + millihours
    times, switch = parameters.overtime_factor.at(month), parameters.non_workman_overtime_rate.at(month)
    limit, weekly = parameters.max_overtime_hours.at(month), parameters.weekly_hours.at(month)
    amount = int(pay_cents(parameters, month, terms, standing, hours)[0])
    hour = _hour_expression(parameters, month, terms, standing)
    warning = f"; more than the {limit.value} hours that a month may have"
    return Explanation(
        figure="overtime",
        amount_cents=amount,
        inputs=rates.term_inputs(terms) | {"month": str(month), "overtime hours": format_millis(millihours)},
        rule=f"Overtime hours × the hourly basic rate × {rate(times.value)}, rounded once to the nearest cent.",
        source=ACT,
        branch=part_four.coverage_sentence(parameters, month, standing)
        + (warning if exceeds_limit(parameters, month, hours)[0] else ""),
        parameters=(
            used_parameter("times the hourly basic rate", times, rate(times.value)),
            used_parameter("hours a week", weekly, str(weekly.value)),
            used_parameter("overtime rate of non-workmen", switch, switch.value),
            used_parameter("most overtime hours a month", limit, str(limit.value)),
            part_four.limits_parameter(parameters, month),
            *_shown_cap(parameters, month),
        ),
        arithmetic=(rates.rate_line(f"{rate(times.value)} × {hour}", format_millis(millihours), amount),),
    )


def _shown_cap(parameters: PayParameters, month: Month) -> tuple[UsedParameter, ...]:
    """The highest rate of non-workmen, where the switch says that it counts."""
    if parameters.non_workman_overtime_rate.at(month).value != CAPPED:
        return ()
    cap = parameters.non_workman_overtime_cap_cents.at(month)
    return (used_parameter("highest overtime rate of non-workmen", cap, money(cap.value)),)


def _hour_expression(parameters: PayParameters, month: Month, terms: PayTerms, standing: PartFourStatus) -> str:
    own = rates.hourly_expression(parameters, month, terms)
    cap = parameters.non_workman_overtime_cap_cents.at(month).value
    capped = parameters.non_workman_overtime_rate.at(month).value == CAPPED
    if capped and standing.groups[0] == EmploymentActGroup.NON_WORKMAN:
        return f"min({own}, {money(cap)})"
    return own
