"""The foreign worker levy: a monthly rate for each holder of a work permit or an S Pass, by the day in part months.

It runs from the day a pass is issued to the last day it is held, and follows the pass, not the service. A pass held
for the whole calendar month costs the monthly rate; otherwise each day costs twelve monthly rates divided by 365,
rounded up to the cent (Employment of Foreign Manpower (Levy) Order 2011, para. 8).
"""

from gaji.law.levy.amounts import (
    DAYS_PER_YEAR,
    LevyAmounts,
    LevyWorkers,
    UnknownLevyRate,
    daily_cents,
    days_held,
    index_column,
    levy_amounts,
    monthly_rate,
)
from gaji.law.levy.explanations import explain, explain_daily
from gaji.law.levy.parameters import SPASS_SCHEME, SECTORS, SKILLS, TIERS, LevyParameters, LevyRates, read_parameters

__all__ = [
    "DAYS_PER_YEAR",
    "SECTORS",
    "SKILLS",
    "SPASS_SCHEME",
    "TIERS",
    "LevyAmounts",
    "LevyParameters",
    "LevyRates",
    "LevyWorkers",
    "UnknownLevyRate",
    "daily_cents",
    "days_held",
    "explain",
    "explain_daily",
    "index_column",
    "levy_amounts",
    "monthly_rate",
    "read_parameters",
]
