"""The foreign worker levy: a monthly rate for each holder of a work permit or an S Pass, by the day in part months.

It runs from the day a pass is issued to the last day it is held, and follows the pass, not the service. A pass held
for the whole calendar month costs the monthly rate; otherwise each day costs twelve monthly rates divided by 365,
rounded up to the cent (Employment of Foreign Manpower (Levy) Order 2011, para. 8).
"""

from gaji.law.levy.explanations import explain, explain_daily
from gaji.law.levy.amounts import (
    DAYS_A_YEAR,
    Levies,
    NoLevyRate,
    Workers,
    daily_cents,
    days_held,
    levies,
    monthly_rate,
    places,
)
from gaji.law.levy.parameters import S_PASSES, SECTORS, SKILLS, TIERS, LevyParameters, Rates, read

__all__ = [
    "DAYS_A_YEAR",
    "SECTORS",
    "SKILLS",
    "S_PASSES",
    "TIERS",
    "Levies",
    "LevyParameters",
    "NoLevyRate",
    "Rates",
    "Workers",
    "daily_cents",
    "days_held",
    "explain",
    "explain_daily",
    "levies",
    "monthly_rate",
    "places",
    "read",
]
