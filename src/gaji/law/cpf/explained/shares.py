"""The employee's and the employer's share of one person, explained."""

from collections.abc import Callable

from gaji.law.cpf.explained.case import ACT, Case, branch, inputs, one, parameters, within
from gaji.law.cpf.parameters import Rates, Table
from gaji.law.explanation import Explanation, less_taken, money, rate, step


def employee(case: Case) -> Explanation:
    """The employee's share of the payslip."""
    due, liability = case.assessment.due, case.assessment.liability
    return Explanation(
        figure="cpf_employee",
        amount_cents=one(due.employee_cents),
        inputs=inputs(case),
        rule="The employee's share of the month, ordinary and additional wages together, without its cents, "
        "less what earlier payslips of the month took.",
        source=ACT,
        branch=branch(case),
        parameters=tuple(parameters(case)),
        arithmetic=(
            *_ordinary_lines(case),
            _employee_line(case),
            *less_taken(one(liability.employee_cents), one(case.taken.employee_cents)),
        ),
    )


def employer(case: Case) -> Explanation:
    """The employer's share of the payslip."""
    due, liability = case.assessment.due, case.assessment.liability
    total, own, rest = (
        one(column) for column in (liability.total_cents, liability.employee_cents, liability.employer_cents)
    )
    return Explanation(
        figure="cpf_employer",
        amount_cents=one(due.employer_cents),
        inputs=inputs(case),
        rule="The total of the month to the nearest dollar, less the employee's share, "
        "less what earlier payslips of the month took.",
        source=ACT,
        branch=branch(case),
        parameters=tuple(parameters(case)),
        arithmetic=(
            *_ordinary_lines(case),
            step(f"round({_total_expression(case)})", total),
            _employee_line(case),
            step(f"{money(total)} − {money(own)}", rest),
            *less_taken(rest, one(case.taken.employer_cents)),
        ),
    )


def _ordinary_lines(case: Case) -> tuple[str, ...]:
    if case.table == Table.NONE:
        return ()
    return (step(within(one(case.wages.ordinary_cents), case.ceiling_cents), case.ordinary),)


def _employee_line(case: Case) -> str:
    return step(f"floor({_employee_expression(case)})", one(case.assessment.liability.employee_cents))


def _employee_expression(case: Case) -> str:
    bands = case.bands
    if case.table == Table.NONE or case.total_wages <= bands.employer_only_up_to_cents:
        return money(0)
    if case.total_wages > bands.graduated_up_to_cents:
        return _on_each(case, lambda rates: rates.employee)
    excess = f"({money(case.total_wages)} − {money(bands.employer_only_up_to_cents)})"
    if len(case.parts) == 1:
        return f"{rate(case.rates(case.table).value[case.group].graduated)} × {excess}"
    return f"({_on_each(case, lambda rates: rates.graduated)}) × {excess} ÷ {money(case.total_wages)}"


def _total_expression(case: Case) -> str:
    bands = case.bands
    if case.table == Table.NONE or case.total_wages <= bands.nil_up_to_cents:
        return money(0)
    if case.total_wages > bands.graduated_up_to_cents:
        return _on_each(case, lambda rates: rates.total)
    employer = _on_each(case, lambda rates: rates.employer_only)
    if case.total_wages <= bands.employer_only_up_to_cents:
        return employer
    return f"{employer} + {_employee_expression(case)}"


def _on_each(case: Case, pick: Callable[[Rates], int]) -> str:
    """A rate on the ordinary and on the additional wages of each table of the month."""
    terms = []
    for table, ordinary, additional in case.parts:
        percentage = rate(pick(case.rates(table).value[case.group]) if table != Table.NONE else 0)
        terms.append(f"{percentage} × {money(ordinary)}")
        if additional:
            terms.append(f"{percentage} × {money(additional)}")
    return " + ".join(terms)
