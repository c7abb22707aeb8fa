"""The self-help group funds: CDAC, ECF, MBMF and SINDA.

The first race determines the race fund; the fund of a second race can be elected as well. MBMF depends on religion and
is added to the race fund. Citizens and permanent residents contribute. Foreigners contribute to MBMF, and to the other
funds only with certain passes. The amount depends on the total wages of the calendar month and is deducted from the
employee, who may opt out of a fund or choose another amount.
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
from gaji.law.self_help_funds.explanations import explain, explain_all_funds
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
    "is_member",
    "lookup_race_funds",
    "lookup_religion_funds",
    "mosque_share_cents",
    "read_parameters",
    "standard_contribution_cents",
]
