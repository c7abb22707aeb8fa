"""The Central Provident Fund: what employer and employee contribute for a calendar month.

The order of computation, for whole columns of people:

1. `tables.applying`: who contributes by which table, at which age, from which day of the month.
2. `contributions.ordinary_subject_cents`: the ordinary wages up to the month's ceiling.
3. `additional_wages.subject_cents`: the additional wages within the year's ceiling.
4. `contributions.of_total_wages`: the contribution, rounded once for the month.
5. Less what the month's earlier payslips took.

`assess` does all five; `explain` tells how they came out for one person, `explain_tables` how the first step did.
"""

from gaji.law.cpf.assessment import CpfAssessment, assess
from gaji.law.cpf.explanations import explain, explain_age_group, explain_pr_year, explain_tables
from gaji.law.cpf.inputs import (
    CpfContributions,
    CpfMembers,
    MonthWages,
    PriorMonths,
    month_wages,
    no_contributions,
    prior_months,
)
from gaji.law.cpf.parameters import CpfParameters, read_parameters
from gaji.law.cpf.tables import (
    AgeGroup,
    CpfApplicability,
    PrRateElection,
    RateTable,
    age_groups,
    applicability,
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
    "explain",
    "explain_age_group",
    "explain_pr_year",
    "explain_tables",
    "month_wages",
    "no_contributions",
    "pr_years",
    "prior_months",
    "read_parameters",
]
