"""Central Provident Fund: the contributions of employer and employee for a calendar month.

Order of computation, for whole columns of people:

1. `tables.applicability`: the rate table and age group of each person, and the day of the month from which wages count.
2. `contributions.ordinary_subject_cents`: the ordinary wages up to the month's ceiling.
3. `additional_wages.subject_cents`: the additional wages within the year's ceiling.
4. `contributions.contributions_on_total_wages`: the contributions, rounded once for the month.
5. Less the contributions on the month's earlier payslips.

`assess` runs all five steps. `explain` explains the results for one person.
"""

from gaji.law.cpf.assessment import CpfAssessment, assess, reduction_refund_cents, refund_cents
from gaji.law.cpf.contributions import last_payable_day
from gaji.law.cpf.explanations import explain
from gaji.law.cpf.inputs import (
    CpfContributions,
    CpfMembers,
    MonthWages,
    PriorMonths,
    no_contributions,
)
from gaji.law.cpf.parameters import CpfParameters, read_parameters
from gaji.law.cpf.tables import (
    AgeGroup,
    CpfApplicability,
    PrRateElection,
    RateTable,
    age_groups,
    applicability,
    counts_after_leaving,
    pr_years,
)

__all__ = [
    "AgeGroup",
    "CpfApplicability",
    "CpfAssessment",
    "CpfContributions",
    "CpfMembers",
    "CpfParameters",
    "MonthWages",
    "PrRateElection",
    "PriorMonths",
    "RateTable",
    "age_groups",
    "applicability",
    "assess",
    "counts_after_leaving",
    "explain",
    "last_payable_day",
    "no_contributions",
    "pr_years",
    "read_parameters",
    "reduction_refund_cents",
    "refund_cents",
]
