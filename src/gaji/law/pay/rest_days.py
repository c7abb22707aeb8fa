"""Work on a rest day (Employment Act 1968, s. 37): paid in days at the basic rate, depending on who requested it.

Up to half the normal hours of a day count as half a rest day, more as a whole one. Hours beyond the normal hours are
overtime, and part of such an hour counts as a whole hour.
"""

from gaji.law.columns import Cents, single_person
from gaji.law.explanation import Explanation, UsedParameter, used_parameter
from gaji.law.months import Month
from gaji.law.notation import choose, equals, line
from gaji.law.pay import part_four_coverage, rates
from gaji.law.pay.parameters import PayParameters
from gaji.law.pay.part_four_coverage import PartFourStatus
from gaji.law.pay.rates import PayTerms
from gaji.law.quantities import HALF_DAY, Counts, Millis, format_millis, millis
from gaji.law.reasons import Unit

ACT = "Employment Act 1968, s. 37"


def half_days(millidays: Millis) -> Counts:
    """The half rest days worked, rounded up."""
    return -(-millidays // HALF_DAY)


def paid_millidays(
    parameters: PayParameters, month: Month, employer_millidays: Millis, employee_millidays: Millis
) -> Millis:
    """The days at the basic rate paid for rest days worked at the employer's and at the employee's request."""
    paid = parameters.rest_day.at(month).value
    employer, employee = half_days(employer_millidays), half_days(employee_millidays)
    return (
        employer // 2 * paid.employer_day
        + employer % 2 * paid.employer_half_day
        + employee // 2 * paid.employee_day
        + employee % 2 * paid.employee_half_day
    )


def pay_cents(
    parameters: PayParameters, month: Month, terms: PayTerms, employer_millidays: Millis, employee_millidays: Millis
) -> Cents:
    """The rest day pay of each person, for both kinds of request in one line, rounded once."""
    paid = paid_millidays(parameters, month, employer_millidays, employee_millidays)
    return rates.daily_rates(terms).cents(paid)


def explain(
    parameters: PayParameters,
    month: Month,
    terms: PayTerms,
    status: PartFourStatus,
    employer_millidays: int,
    employee_millidays: int,
    index: int = 0,
) -> Explanation:
    """Explain the rest day pay of the person at this index."""
    terms, status = single_person(terms, index), single_person(status, index)
    employer, employee = millis([0]) + employer_millidays, millis([0]) + employee_millidays
    amount = int(pay_cents(parameters, month, terms, employer, employee)[0])
    paid_days = paid_millidays(parameters, month, employer, employee)
    return Explanation(
        figure="rest_day_pay",
        amount_cents=amount,
        inputs=rates.term_inputs(terms)
        | {
            "month": str(month),
            "days at the employer's request": format_millis(employer_millidays),
            "days at the employee's request": format_millis(employee_millidays),
        },
        rule="Rest days worked are counted in half days and paid in days at the basic rate, "
        "rounded once to the nearest cent.",
        source=ACT,
        branch=part_four_coverage.coverage_sentence(parameters, month, status),
        parameters=(_rates_parameter(parameters, month), part_four_coverage.limits_parameter(parameters, month)),
        arithmetic=_lines(parameters, month, terms, employer_millidays, employee_millidays, amount),
        reason=rates.units_reason(rates.daily_rates(terms), Unit.REST_DAY, int(paid_days[0])),
    )


def _lines(
    parameters: PayParameters,
    month: Month,
    terms: PayTerms,
    employer_millidays: int,
    employee_millidays: int,
    amount_cents: int,
) -> tuple[str, ...]:
    """The days worked rounded up to half days, the paid days at the basic rate, and the pay."""
    paid = parameters.rest_day.at(month).value
    requests = (
        (employer_millidays, paid.employer_half_day, paid.employer_day),
        (employee_millidays, paid.employee_half_day, paid.employee_day),
    )
    rounding_lines, terms_of_sum = [], []
    for worked, paid_half_day, paid_day in requests:
        if worked:
            rounded = format_millis(int(half_days(millis([0]) + worked)[0]) * HALF_DAY)
            rounding_lines.append(line(f"ceil(2 × {format_millis(worked)}) ÷ 2", rounded))
            half_day = equals(format_millis(HALF_DAY), format_millis(paid_half_day))
            remainder = choose(f"{rounded} − floor({rounded})", equals(0, 0), half_day)
            terms_of_sum.append(f"floor({rounded}) × {format_millis(paid_day)} + {remainder}")
    if not terms_of_sum:
        return (rates.rate_line("", "0", amount_cents),)
    days = paid_millidays(parameters, month, millis([0]) + employer_millidays, millis([0]) + employee_millidays)
    paid_days = format_millis(int(days[0]))
    pay = rates.rate_line(rates.daily_expression(terms), paid_days, amount_cents)
    return (*rounding_lines, line(" + ".join(terms_of_sum), paid_days), pay)


def _rates_parameter(parameters: PayParameters, month: Month) -> UsedParameter:
    in_force = parameters.rest_day.at(month)
    paid = in_force.value
    value = (
        f"at the employer's request {format_millis(paid.employer_half_day)} for half a day and "
        f"{format_millis(paid.employer_day)} for a day; at the employee's request "
        f"{format_millis(paid.employee_half_day)} and {format_millis(paid.employee_day)}"
    )
    return used_parameter("days at the basic rate", in_force, value)
