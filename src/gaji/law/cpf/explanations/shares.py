"""Explanations of one person's employee and employer share."""

from collections.abc import Iterator
from fractions import Fraction

from gaji.law.columns import RATE_SCALE
from gaji.law.cpf.explanations.person_month import (
    ACT,
    PersonMonth,
    branch_parts,
    capped,
    common_inputs,
    common_parameters,
    entry,
    left_out_cents,
    unknown_left_out_cents,
)
from gaji.law.cpf.explanations.rates import (
    RateKind,
    band_rate,
    band_rate_parts,
    deciding_parameters,
    not_liable_line,
    percentages,
    rate_lines,
    rate_sum,
)
from gaji.law.cpf.parameters import RateTable
from gaji.law.explanation import Explanation, earlier_payslips_lines, money, step
from gaji.law.reasons import (
    NothingDue,
    Percentage,
    ProductSum,
    Reason,
    ReducedAmount,
    RoundingRule,
    Subtrahend,
    WagesToDate,
    less_earlier_payslips,
)


def explain_employee_share(person: PersonMonth) -> Explanation:
    """Explain the employee's share on the payslip."""
    due, liability = person.assessment.due, person.assessment.liability
    employee, earlier = entry(liability.employee_cents), entry(person.earlier.employee_cents)
    lines = (
        *_wage_lines(person),
        *rate_lines(person, RateKind.EMPLOYEE),
        step(f"floor({_employee_expression(person)})", employee),
    )
    return Explanation(
        figure="cpf_employee",
        amount_cents=entry(due.employee_cents),
        inputs=common_inputs(person),
        rule="The employee's share for the month on ordinary and additional wages, rounded down to whole dollars, "
        "less the employee's share on earlier payslips of the month.",
        source=ACT,
        branch="; ".join(branch_parts(person)),
        parameters=tuple(common_parameters(person)),
        arithmetic=_share_lines(person, lines, employee, earlier),
        reason=less_earlier_payslips(_employee_reason(person, employee), employee, earlier),
        deciding=tuple(deciding_parameters(person, RateKind.EMPLOYEE)) if employee else (),
    )


def explain_employer_share(person: PersonMonth) -> Explanation:
    """Explain the employer's share on the payslip."""
    due, liability = person.assessment.due, person.assessment.liability
    total, employee, employer = (
        entry(column) for column in (liability.total_cents, liability.employee_cents, liability.employer_cents)
    )
    earlier = entry(person.earlier.employer_cents)
    lines = (
        *_wage_lines(person),
        *rate_lines(person, RateKind.TOTAL),
        *rate_lines(person, RateKind.EMPLOYEE),
        step(f"round({_total_expression(person)})", total),
        step(f"floor({_employee_expression(person)})", employee),
        step(f"{money(total)} − {money(employee)}", employer),
    )
    return Explanation(
        figure="cpf_employer",
        amount_cents=entry(due.employer_cents),
        inputs=common_inputs(person),
        rule="The total contribution for the month, rounded to the nearest dollar, less the employee's share and "
        "less the employer's share on earlier payslips of the month.",
        source=ACT,
        branch="; ".join(branch_parts(person)),
        parameters=tuple(common_parameters(person)),
        arithmetic=_share_lines(person, lines, employer, earlier),
        reason=less_earlier_payslips(_employer_reason(person, total, employee), employer, earlier),
        deciding=tuple(deciding_parameters(person, RateKind.TOTAL)) if total else (),
    )


def _employee_reason(person: PersonMonth, employee_cents: int) -> Reason | None:
    """The reason of the employee's share. None if the share is graduated and has rates of several tables."""
    if not employee_cents:
        return NothingDue(branch_parts(person)[-1])
    if not person.in_graduated_band:
        return _employee_products(person, *percentages(person, RateKind.EMPLOYEE))
    graduated = _graduated_percentage(person)
    return _employee_products(person, graduated) if graduated else None


def _employee_products(person: PersonMonth, *products: Percentage) -> ProductSum:
    """The sum of the employee's share, and the bound that the wages of earlier payslips had not passed, if any."""
    bound = person.bands.employer_only_up_to_cents
    was_nil = 0 < person.earlier_wages_cents <= bound and not entry(person.earlier.employee_cents)
    nil_before_cents = bound if was_nil else None
    return ProductSum(products, RoundingRule.DOLLAR_DOWN, person.has_earlier_payslips, nil_before_cents)


def _employer_reason(person: PersonMonth, total_cents: int, employee_cents: int) -> Reason:
    """The reason of the employer's share: the total, and the employee's share that is subtracted."""
    if not total_cents:
        return NothingDue(branch_parts(person)[-1])
    products, total = tuple(percentages(person, RateKind.TOTAL)), None
    if not person.in_graduated_band:
        total = ProductSum(products, RoundingRule.DOLLAR, person.has_earlier_payslips)
    elif graduated := _graduated_percentage(person):
        total = ProductSum((*products, graduated), RoundingRule.DOLLAR, person.has_earlier_payslips)
    return ReducedAmount(total, total_cents, employee_cents, Subtrahend.EMPLOYEE_SHARE)


def _graduated_percentage(person: PersonMonth) -> Percentage | None:
    """The percentage of the wages above the bound. None if several rates apply."""
    if len(person.parts) != 1:
        return None
    graduated = Fraction(band_rate_parts(person, person.parts[0], RateKind.EMPLOYEE), RATE_SCALE)
    bound = person.bands.employer_only_up_to_cents
    return Percentage(graduated, Fraction(person.total_wages_cents), WagesToDate.ALL, bound)


def _share_lines(person: PersonMonth, lines: tuple[str, ...], share_cents: int, earlier_cents: int) -> tuple[str, ...]:
    """The lines of a share, or the reason for zero, and the subtraction of earlier payslips."""
    liability_lines = (not_liable_line(person),) if person.table == RateTable.NONE else lines
    return (*liability_lines, *earlier_payslips_lines(share_cents, earlier_cents))


def _wage_lines(person: PersonMonth) -> tuple[str, ...]:
    """The wages subject to CPF, and how they divide between two rate tables."""
    ordinary, additional = person.ordinary_cents, person.additional_cents
    lines = [step(capped(entry(person.wages.ordinary_cents), person.ceiling_cents), ordinary)]
    if additional:
        lines.append(step(f"{money(ordinary)} + {money(additional)}", person.total_wages_cents))
    if any(person.divided_parts):
        ordinary_before, additional_before = person.divided_parts
        before = capped(entry(person.wages.ordinary_before_cents), ordinary)
        after = f"{money(ordinary)} − {money(ordinary_before)}"
        lines += [step(before, ordinary_before), step(after, ordinary - ordinary_before)]
    lines += _shortfall_lines(person)
    if any(person.divided_parts) and additional:
        paid = person.paid_this_month_cents
        before = capped(entry(person.wages.additional_before_cents), paid)
        after = f"{money(paid)} − {money(additional_before)}"
        lines += [step(before, additional_before), step(after, paid - additional_before)]
    return tuple(lines)


def _shortfall_lines(person: PersonMonth) -> Iterator[str]:
    """The subject additional wages, divided by the months in which they were paid. The earliest come first."""
    remaining = person.additional_cents
    if not person.shortfall:
        return
    if unknown := unknown_left_out_cents(person):
        charged = min(unknown, remaining)
        yield step(f"min({money(unknown)}, {money(remaining)})", charged)
        yield step(f"{money(remaining)} − {money(charged)}", remaining - charged)
        remaining -= charged
    for part in person.shortfall:
        yield step(f"min({money(left_out_cents(person, part.month))}, {money(remaining)})", part.additional_cents)
        rest = remaining - part.additional_cents
        yield step(f"{money(remaining)} − {money(part.additional_cents)}", rest)
        remaining = rest
    if unknown:
        yield step(f"{money(remaining)} + {money(charged)}", remaining + charged)


def _employee_expression(person: PersonMonth) -> str:
    if not person.in_graduated_band:
        return rate_sum(person, RateKind.EMPLOYEE)
    excess = f"({money(person.total_wages_cents)} − {money(person.bands.employer_only_up_to_cents)})"
    if len(person.parts) == 1:
        return f"{band_rate(person, person.parts[0], RateKind.EMPLOYEE)} × {excess}"
    return f"({rate_sum(person, RateKind.EMPLOYEE)}) × {excess} ÷ {money(person.total_wages_cents)}"


def _total_expression(person: PersonMonth) -> str:
    employee = f" + {_employee_expression(person)}" if person.in_graduated_band else ""
    return rate_sum(person, RateKind.TOTAL) + employee
