"""Work on a rest day (Employment Act 1968, s. 37): days at the basic rate, by who asked for it, counted in halves.

Up to half the normal hours of a day is half a rest day, more is a whole one; hours beyond the normal ones are overtime,
and a part of such an hour is a whole one.
"""

import numpy as np

from gaji.law.columns import Cents, single_person
from gaji.law.explanation import Explanation, UsedParameter, used_parameter
from gaji.law.months import Month
from gaji.law.notation import choose, equals, line
from gaji.law.pay import part_four, rates
from gaji.law.pay.parameters import PayParameters
from gaji.law.pay.part_four import PartFourStatus
from gaji.law.pay.rates import PayTerms
from gaji.law.quantities import HALF_DAY, MILLI, Counts, Millis, format_millis, millis

ACT = "Employment Act 1968, s. 37"


def half_days(millidays: Millis) -> Counts:
    """The halves of rest days that were worked; one that has begun counts."""
    return -(-millidays // HALF_DAY)


def rest_day_millidays(worked_millihours: Millis, normal_millihours: Millis) -> Millis:
    """How much of one rest day these hours are: none, half or all of it."""
    return np.select(
        [worked_millihours <= 0, 2 * worked_millihours <= normal_millihours],
        [0, HALF_DAY],
        MILLI,
    )


def overtime_millihours(worked_millihours: Millis, normal_millihours: Millis) -> Millis:
    """The overtime of one rest day: each hour, or part of one, beyond the normal hours."""
    beyond: Millis = np.maximum(worked_millihours - normal_millihours, 0)
    return -(-beyond // MILLI) * MILLI


def paid_millidays(
    parameters: PayParameters, month: Month, employer_millidays: Millis, employee_millidays: Millis
) -> Millis:
    """The days at the basic rate that rest days bring, those at the employer's and those at the employee's request."""
    brings = parameters.rest_day.at(month).value
    employer, employee = half_days(employer_millidays), half_days(employee_millidays)
    return (
        employer // 2 * brings.employer_day
        + employer % 2 * brings.employer_half_day
        + employee // 2 * brings.employee_day
        + employee % 2 * brings.employee_half_day
    )


def pay_cents(
    parameters: PayParameters, month: Month, terms: PayTerms, employer_millidays: Millis, employee_millidays: Millis
) -> Cents:
    """The rest day pay of each person, both kinds in one line with one rounding."""
    paid = paid_millidays(parameters, month, employer_millidays, employee_millidays)
    return rates.daily_rates(terms).cents(paid)


def explain(
    parameters: PayParameters,
    month: Month,
    terms: PayTerms,
    standing: PartFourStatus,
    employer_millidays: int,
    employee_millidays: int,
    index: int = 0,
) -> Explanation:
    """How the rest day pay of the person at this place came about."""
    terms, standing = single_person(terms, index), single_person(standing, index)
    employer, employee = millis([0]) + employer_millidays, millis([0]) + employee_millidays
    amount = int(pay_cents(parameters, month, terms, employer, employee)[0])
    return Explanation(
        figure="rest_day_pay",
        amount_cents=amount,
        inputs=rates.term_inputs(terms)
        | {
            "month": str(month),
            "days at the employer's request": format_millis(employer_millidays),
            "days at the employee's request": format_millis(employee_millidays),
        },
        rule="Rest days worked, counted in halves, bring days at the basic rate, rounded once to the nearest cent.",
        source=ACT,
        branch=part_four.coverage_sentence(parameters, month, standing),
        parameters=(_shown(parameters, month), part_four.limits_parameter(parameters, month)),
        arithmetic=_lines(parameters, month, terms, employer_millidays, employee_millidays, amount),
    )


def _lines(
    parameters: PayParameters, month: Month, terms: PayTerms, employer: int, employee: int, amount_cents: int
) -> tuple[str, ...]:
    """The days worked to the half above, the days at the basic rate that they bring, and their pay."""
    brings = parameters.rest_day.at(month).value
    kinds = (
        (employer, brings.employer_half_day, brings.employer_day),
        (employee, brings.employee_half_day, brings.employee_day),
    )
    halves, terms_of_sum = [], []
    for worked, half, whole in kinds:
        if worked:
            counted = format_millis(int(half_days(millis([0]) + worked)[0]) * HALF_DAY)
            halves.append(line(f"ceil(2 × {format_millis(worked)}) ÷ 2", counted))
            rest = choose(
                f"{counted} − floor({counted})", equals(0, 0), equals(format_millis(HALF_DAY), format_millis(half))
            )
            terms_of_sum.append(f"floor({counted}) × {format_millis(whole)} + {rest}")
    if not terms_of_sum:
        return (rates.rate_line("", "0", amount_cents),)
    days = paid_millidays(parameters, month, millis([0]) + employer, millis([0]) + employee)
    paid = format_millis(int(days[0]))
    pay = rates.rate_line(rates.daily_expression(terms), paid, amount_cents)
    return (*halves, line(" + ".join(terms_of_sum), paid), pay)


def _shown(parameters: PayParameters, month: Month) -> UsedParameter:
    in_force = parameters.rest_day.at(month)
    brings = in_force.value
    value = (
        f"at the employer's request {format_millis(brings.employer_half_day)} for half a day, {format_millis(brings.employer_day)} "
        f"for a day; at the employee's {format_millis(brings.employee_half_day)} and {format_millis(brings.employee_day)}"
    )
    return used_parameter("days at the basic rate", in_force, value)
