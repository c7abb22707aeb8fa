"""How the CPF of one person came about, from the same inputs, parameters and results that the rules have."""

from gaji.law.columns import only
from gaji.law.cpf.assessment import assess
from gaji.law.cpf.explanations.additional_wages import additional
from gaji.law.cpf.explanations.person_month import Case
from gaji.law.cpf.explanations.shares import employee, employer
from gaji.law.cpf.explanations.tables import explain_age_group, explain_pr_year, explain_tables
from gaji.law.cpf.inputs import Contributions, People, Wages, Year, nothing_taken
from gaji.law.cpf.parameters import CpfParameters
from gaji.law.explanation import Explanation
from gaji.law.months import Month

__all__ = ["explain", "explain_age_group", "explain_pr_year", "explain_tables"]


def explain(
    parameters: CpfParameters,
    month: Month,
    people: People,
    wages: Wages,
    year: Year,
    taken: Contributions | None = None,
    place: int = 0,
) -> tuple[Explanation, ...]:
    """How the person at this place in the columns came to the contributions of a payslip.

    Three figures: the additional wages that bear CPF (where there are any), the employee's share, the employer's share.
    """
    taken = nothing_taken(len(wages.ordinary_cents)) if taken is None else taken
    alone = only(people, place), only(wages, place), only(year, place), only(taken, place)
    case = Case(parameters, month, *alone, assess(parameters, month, *alone))
    wages_first = [additional(case)] if case.has_additional else []
    return (*wages_first, employee(case), employer(case))
