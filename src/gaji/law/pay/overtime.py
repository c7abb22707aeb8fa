"""Overtime: 1.5 times the hourly basic rate, rounded once per line.

It is computed for everyone with overtime hours. `part_four_coverage` tells whether the law requires it.
"""

from fractions import Fraction

from gaji.law.columns import Cents, Flags, single_person
from gaji.law.explanation import Explanation, UsedParameter, money, rate, used_parameter
from gaji.law.months import Month
from gaji.law.pay import part_four_coverage, rates
from gaji.law.pay.parameters import CAPPED, PayParameters
from gaji.law.pay.part_four_coverage import EmploymentActGroup, PartFourStatus
from gaji.law.pay.rates import PayRates, PayTerms
from gaji.law.quantities import MILLI, Millis, format_millis, millis
from gaji.law.reasons import OvertimeHours, Reason

ACT = "Employment Act 1968, s. 38 and Fourth Schedule"


def overtime_base_rates(parameters: PayParameters, month: Month, terms: PayTerms, status: PartFourStatus) -> PayRates:
    """The hourly basic rates for overtime, capped for non-workmen if the switch says so."""
    hourly = rates.hourly_rates(parameters, month, terms)
    if parameters.non_workman_overtime_rate.at(month).value != CAPPED:
        return hourly
    cap = parameters.non_workman_overtime_cap_cents.at(month).value
    return hourly.capped(cap, status.groups == EmploymentActGroup.NON_WORKMAN)


def pay_cents(
    parameters: PayParameters, month: Month, terms: PayTerms, status: PartFourStatus, millihours: Millis
) -> Cents:
    """The overtime pay of each person."""
    factor = rates.as_fraction(parameters.overtime_factor.at(month).value)
    return overtime_base_rates(parameters, month, terms, status).times(factor).cents(millihours)


def exceeds_limit(parameters: PayParameters, month: Month, millihours: Millis) -> Flags:
    """Whether the overtime of a month exceeds the legal limit (s. 38(5)). It is paid anyway; this is a warning."""
    return millihours > parameters.max_overtime_hours.at(month).value * MILLI


def explain(
    parameters: PayParameters,
    month: Month,
    terms: PayTerms,
    status: PartFourStatus,
    millihours: int,
    index: int = 0,
) -> Explanation:
    """Explain the overtime pay of the person at this index."""
    terms, status, hours = single_person(terms, index), single_person(status, index), millis([0]) + millihours
    factor, switch = parameters.overtime_factor.at(month), parameters.non_workman_overtime_rate.at(month)
    limit, weekly = parameters.max_overtime_hours.at(month), parameters.weekly_hours.at(month)
    amount = int(pay_cents(parameters, month, terms, status, hours)[0])
    used_factor = used_parameter("factor on the hourly basic rate", factor, rate(factor.value))
    hours_per_week = used_parameter("hours per week", weekly, str(weekly.value))
    hourly = _base_rate_expression(parameters, month, terms, status)
    warning = f"; this exceeds the limit of {limit.value} hours per month"
    return Explanation(
        figure="overtime",
        amount_cents=amount,
        inputs=rates.term_inputs(terms) | {"month": str(month), "overtime hours": format_millis(millihours)},
        rule=f"Overtime hours × the hourly basic rate × {rate(factor.value)}, rounded once to the nearest cent.",
        source=ACT,
        branch=part_four_coverage.coverage_sentence(parameters, month, status)
        + (warning if exceeds_limit(parameters, month, hours)[0] else ""),
        parameters=(
            used_factor,
            hours_per_week,
            used_parameter("overtime rate of non-workmen", switch, switch.value),
            used_parameter("maximum overtime hours per month", limit, str(limit.value)),
            part_four_coverage.limits_parameter(parameters, month),
            *_cap_parameters(parameters, month),
        ),
        arithmetic=(rates.rate_line(f"{rate(factor.value)} × {hourly}", format_millis(millihours), amount),),
        reason=_reason(parameters, month, terms, status, millihours),
        deciding=(
            used_factor,
            *((hours_per_week,) if terms.pay_types[0] == rates.PayType.MONTHLY else ()),
            *(_cap_parameters(parameters, month) if _is_capped(parameters, month, status) else ()),
        ),
    )


def _reason(
    parameters: PayParameters, month: Month, terms: PayTerms, status: PartFourStatus, millihours: int
) -> Reason | None:
    hourly_cents = overtime_base_rates(parameters, month, terms, status).exact_cents()
    if hourly_cents is None or not millihours:
        return None
    factor = rates.as_fraction(parameters.overtime_factor.at(month).value)
    return OvertimeHours(Fraction(millihours, MILLI), factor, hourly_cents)


def _cap_parameters(parameters: PayParameters, month: Month) -> tuple[UsedParameter, ...]:
    """The rate cap of non-workmen, if the switch applies it."""
    if parameters.non_workman_overtime_rate.at(month).value != CAPPED:
        return ()
    cap = parameters.non_workman_overtime_cap_cents.at(month)
    return (used_parameter("maximum overtime rate of non-workmen", cap, money(cap.value)),)


def _base_rate_expression(parameters: PayParameters, month: Month, terms: PayTerms, status: PartFourStatus) -> str:
    hourly = rates.hourly_expression(parameters, month, terms)
    if not _is_capped(parameters, month, status):
        return hourly
    cap = parameters.non_workman_overtime_cap_cents.at(month).value
    return f"min({hourly}, {money(cap)})"


def _is_capped(parameters: PayParameters, month: Month, status: PartFourStatus) -> bool:
    """Whether the rate of the first person has a maximum."""
    capped = parameters.non_workman_overtime_rate.at(month).value == CAPPED
    return capped and bool(status.groups[0] == EmploymentActGroup.NON_WORKMAN)
