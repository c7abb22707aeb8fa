"""The self-help group funds: CDAC, ECF, MBMF and SINDA.

The first of someone's races decides on the fund of the race; the second one's fund can be elected beside it. MBMF goes
by religion and comes on top. Citizens and permanent residents contribute; foreigners to MBMF as they do, to the others
only with certain passes. The amount goes by the total wages of the calendar month. It is the employee's, who may opt
out of a fund or fix another amount.
"""

from gaji.law.self_help_funds.contributions import (
    NOT_GIVEN,
    Choice,
    Givers,
    applies,
    contributions_cents,
    funds_of_races,
    funds_of_religions,
    mosque_cents,
    standard_cents,
)
from gaji.law.self_help_funds.explanations import explain, explain_every, explain_mosque
from gaji.law.self_help_funds.parameters import FUNDS, RACES, RELIGIONS, Fund, FundParameters, read

__all__ = [
    "FUNDS",
    "NOT_GIVEN",
    "RACES",
    "RELIGIONS",
    "Choice",
    "Fund",
    "FundParameters",
    "Givers",
    "applies",
    "contributions_cents",
    "explain",
    "explain_every",
    "explain_mosque",
    "funds_of_races",
    "funds_of_religions",
    "mosque_cents",
    "read",
    "standard_cents",
]
