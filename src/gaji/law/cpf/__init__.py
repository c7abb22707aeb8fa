"""The Central Provident Fund: what employer and employee contribute for a calendar month.

The order of computation, for whole columns of people:

1. `tables.applying`: who contributes by which table, at which age, from which day of the month.
2. `contributions.ordinary_subject_cents`: the ordinary wages up to the month's ceiling.
3. `additional_wages.subject_cents`: the additional wages within the year's ceiling.
4. `contributions.of_total_wages`: the contribution, rounded once for the month.
5. Less what the month's earlier payslips took.

`assess` does all five; `explain` tells how they came out for one person, `explain_tables` how the first step did.
"""

from gaji.law.cpf.assessment import Assessment, assess
from gaji.law.cpf.explanations import explain, explain_age_group, explain_pr_year, explain_tables
from gaji.law.cpf.inputs import Contributions, People, Wages, Year, nothing_taken, wages, year
from gaji.law.cpf.parameters import CpfParameters, read
from gaji.law.cpf.tables import AgeGroup, Applying, PrRates, Table, age_groups, applying, pr_years

__all__ = [
    "AgeGroup",
    "Applying",
    "Assessment",
    "Contributions",
    "CpfParameters",
    "People",
    "PrRates",
    "Table",
    "Wages",
    "Year",
    "age_groups",
    "applying",
    "assess",
    "explain",
    "explain_age_group",
    "explain_pr_year",
    "explain_tables",
    "nothing_taken",
    "pr_years",
    "read",
    "wages",
    "year",
]
