"""The foreign worker levy: a monthly rate for each work permit or S Pass holder, charged by the day for part months.

The levy runs from the day a pass is issued to the last day it is held, whether or not the person is in service. A pass
held for the whole calendar month costs the monthly rate. Otherwise each day costs twelve monthly rates divided by 365,
rounded up to the cent (Employment of Foreign Manpower (Levy) Order 2011, para. 8).
"""

from gaji.law.levy.amounts import (
    DAYS_PER_YEAR,
    LevyAmounts,
    LevyWorkers,
    UnknownLevyRate,
    daily_cents,
    days_held,
    levy_amounts,
    monthly_rate,
)
from gaji.law.levy.explanations import explain
from gaji.law.levy.parameters import (
    SECTORS,
    SKILLS,
    SPASS_SCHEME,
    TIERS,
    LevyParameters,
    LevyRates,
    read_parameters,
)

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
    "levy_amounts",
    "monthly_rate",
    "read_parameters",
]
