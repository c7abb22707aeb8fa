"""The self-help group funds: CDAC, ECF, MBMF and SINDA.

The first of someone's races decides on the fund of the race; the second one's fund can be elected beside it. MBMF goes
by religion and comes on top. Citizens and permanent residents contribute; foreigners to MBMF as they do, to the others
only with certain passes. The amount goes by the total wages of the calendar month. It is the employee's, who may opt
out of a fund or fix another amount.
"""

from gaji.law.self_help_funds.contributions import (
    NO_CHOSEN_AMOUNT,
    FundElection,
    FundMembers,
    contributions_cents,
    is_member,
    lookup_race_funds,
    lookup_religion_funds,
    mosque_share_cents,
    standard_contribution_cents,
)
from gaji.law.self_help_funds.explanations import explain, explain_all_funds, explain_mosque_share
from gaji.law.self_help_funds.parameters import FUNDS, RACES, RELIGIONS, Fund, FundParameters, read_parameters

__all__ = [
    "FUNDS",
    "NO_CHOSEN_AMOUNT",
    "RACES",
    "RELIGIONS",
    "Fund",
    "FundElection",
    "FundMembers",
    "FundParameters",
    "contributions_cents",
    "explain",
    "explain_all_funds",
    "explain_mosque_share",
    "is_member",
    "lookup_race_funds",
    "lookup_religion_funds",
    "mosque_share_cents",
    "read_parameters",
    "standard_contribution_cents",
]
