"""How the CPF of one person came about, from the same inputs, parameters and results that the rules have."""

from gaji.law.columns import single_person
from gaji.law.cpf.assessment import assess
from gaji.law.cpf.explanations.additional_wages import additional
from gaji.law.cpf.explanations.person_month import PersonMonth
from gaji.law.cpf.explanations.shares import employee, employer
from gaji.law.cpf.explanations.tables import explain_age_group, explain_pr_year, explain_tables
from gaji.law.cpf.inputs import CpfContributions, CpfMembers, MonthWages, PriorMonths, no_contributions
from gaji.law.cpf.parameters import CpfParameters
from gaji.law.explanation import Explanation
from gaji.law.months import Month

__all__ = ["explain", "explain_age_group", "explain_pr_year", "explain_tables"]


def explain(
    parameters: CpfParameters,
    month: Month,
    people: CpfMembers,
    wages: MonthWages,
    year: PriorMonths,
    earlier: CpfContributions | None = None,
    index: int = 0,
) -> tuple[Explanation, ...]:
    """How the person at this place in the columns came to the contributions of a payslip.

    Three figures: the additional wages that bear CPF (where there are any), the employee's share, the employer's share.
    """
    earlier = no_contributions(len(wages.ordinary_cents)) if earlier is None else earlier
    alone = (
        single_person(people, index),
        single_person(wages, index),
        single_person(year, index),
        single_person(earlier, index),
    )
    case = PersonMonth(parameters, month, *alone, assess(parameters, month, *alone))
    wages_first = [additional(case)] if case.has_additional else []
    return (*wages_first, employee(case), employer(case))
