"""The employee's and the employer's share of one person, explained."""

from gaji.law.cpf.explanations.person_month import ACT, PersonMonth, branch, inputs, one, parameters, within
from gaji.law.cpf.explanations.rates import Share, nothing_line, on_each, rate_lines, rate_of
from gaji.law.cpf.parameters import RateTable
from gaji.law.explanation import Explanation, earlier_payslips_lines, money, step


def employee(case: PersonMonth) -> Explanation:
    """The employee's share of the payslip."""
    due, liability = case.assessment.due, case.assessment.liability
    own = one(liability.employee_cents)
    lines = (*_wages_lines(case), *rate_lines(case, Share.EMPLOYEE), step(f"floor({_employee(case)})", own))
    return Explanation(
        figure="cpf_employee",
        amount_cents=one(due.employee_cents),
        inputs=inputs(case),
        rule="The employee's share of the month, ordinary and additional wages together, without its cents, "
        "less what earlier payslips of the month took.",
        source=ACT,
        branch=branch(case),
        parameters=tuple(parameters(case)),
        arithmetic=_or_nothing(case, lines, own, one(case.taken.employee_cents)),
    )


def employer(case: PersonMonth) -> Explanation:
    """The employer's share of the payslip."""
    due, liability = case.assessment.due, case.assessment.liability
    total, own, rest = (
        one(column) for column in (liability.total_cents, liability.employee_cents, liability.employer_cents)
    )
    lines = (
        *_wages_lines(case),
        *rate_lines(case, Share.TOTAL),
        *rate_lines(case, Share.EMPLOYEE),
        step(f"round({_total(case)})", total),
        step(f"floor({_employee(case)})", own),
        step(f"{money(total)} − {money(own)}", rest),
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
        arithmetic=_or_nothing(case, lines, rest, one(case.taken.employer_cents)),
    )


def _or_nothing(case: PersonMonth, lines: tuple[str, ...], share: int, taken: int) -> tuple[str, ...]:
    """The lines of a share, or why there is none, and what earlier payslips took of it."""
    return (*((nothing_line(case),) if case.table == RateTable.NONE else lines), *earlier_payslips_lines(share, taken))


def _wages_lines(case: PersonMonth) -> tuple[str, ...]:
    """The wages that bear CPF, and which of them go by which table."""
    ordinary, additional = case.ordinary, case.additional_subject
    lines = [step(within(one(case.wages.ordinary_cents), case.ceiling_cents), ordinary)]
    if additional:
        lines.append(step(f"{money(ordinary)} + {money(additional)}", case.total_wages))
    if len(case.parts) == 1:
        return tuple(lines)
    (_, ordinary_before, additional_before), (_, ordinary_after, additional_after) = case.parts
    before = within(one(case.wages.ordinary_before_cents), ordinary)
    lines += [step(before, ordinary_before), step(f"{money(ordinary)} − {money(ordinary_before)}", ordinary_after)]
    if additional:
        before = within(one(case.wages.additional_before_cents), additional)
        after = f"{money(additional)} − {money(additional_before)}"
        lines += [step(before, additional_before), step(after, additional_after)]
    return tuple(lines)


def _employee(case: PersonMonth) -> str:
    bands = case.bands
    if not bands.employer_only_up_to_cents < case.total_wages <= bands.graduated_up_to_cents:
        return on_each(case, Share.EMPLOYEE)
    excess = f"({money(case.total_wages)} − {money(bands.employer_only_up_to_cents)})"
    if len(case.parts) == 1:
        return f"{rate_of(case, case.table, Share.EMPLOYEE)} × {excess}"
    return f"({on_each(case, Share.EMPLOYEE)}) × {excess} ÷ {money(case.total_wages)}"


def _total(case: PersonMonth) -> str:
    bands = case.bands
    graduated = bands.employer_only_up_to_cents < case.total_wages <= bands.graduated_up_to_cents
    return on_each(case, Share.TOTAL) + (f" + {_employee(case)}" if graduated else "")
