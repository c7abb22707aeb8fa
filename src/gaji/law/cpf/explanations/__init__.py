"""Explanations of one person's CPF, written from the inputs, parameters and results of the rules."""

from gaji.law.columns import single_person
from gaji.law.cpf.assessment import assess
from gaji.law.cpf.explanations.additional_wages import explain_additional_wages
from gaji.law.cpf.explanations.person_month import PersonMonth
from gaji.law.cpf.explanations.shares import explain_employee_share, explain_employer_share
from gaji.law.cpf.inputs import CpfContributions, CpfMembers, MonthWages, PriorMonths, no_contributions
from gaji.law.cpf.parameters import CpfParameters
from gaji.law.explanation import Explanation
from gaji.law.months import Month


def explain(
    parameters: CpfParameters,
    month: Month,
    members: CpfMembers,
    wages: MonthWages,
    prior: PriorMonths,
    earlier: CpfContributions | None = None,
    index: int = 0,
) -> tuple[Explanation, ...]:
    """Explain the contributions on a payslip of the person at this index.

    There are up to three figures: the additional wages subject to CPF (if any), the employee's share and the employer's
    share.
    """
    earlier = no_contributions(len(wages.ordinary_cents)) if earlier is None else earlier
    records = (
        single_person(members, index),
        single_person(wages, index),
        single_person(prior, index),
        single_person(earlier, index),
    )
    person = PersonMonth(parameters, month, *records, assess(parameters, month, *records))
    additional = [explain_additional_wages(person)] if person.has_additional else []
    return (*additional, explain_employee_share(person), explain_employer_share(person))
