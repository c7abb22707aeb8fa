"""A reference implementation of the foreign worker levy: one worker, fractions, the published rates as a table."""

import math
from calendar import monthrange
from datetime import date
from fractions import Fraction

CENT = Fraction(1, 100)
WORK_PERMITS = {
    ("services", "1"): (300, 450),
    ("services", "2"): (400, 600),
    ("services", "3"): (600, 800),
    ("manufacturing", "1"): (250, 370),
    ("manufacturing", "2"): (350, 470),
    ("manufacturing", "3"): (550, 650),
    ("construction", "NTS"): (500, 900),
    ("construction", "MYS_NAS_PRC"): (300, 700),
    ("construction", "offsite"): (250, 370),
    ("construction", "none"): (None, 900),
    ("process", "NTS"): (300, 650),
    ("process", "MYS_NAS_PRC"): (200, 450),
    ("marine", "none"): (350, 500),
}
"""By sector and tier: the rates of higher-skilled and basic-skilled workers."""
FIRST_MONTHS = {
    "services": (2022, 1),
    "manufacturing": (2022, 1),
    "construction": (2024, 1),
    "process": (2024, 1),
    "marine": (2026, 1),
}


def rate(year: int, month: int, work_pass: str, sector: str, tier: str, skill: str) -> Fraction | None:
    """The monthly rate. None if it is not known."""
    if work_pass == "SPASS":
        return _s_pass_rate((year, month), tier)
    if (year, month) < FIRST_MONTHS.get(sector, (9999, 1)):
        return None
    higher, basic = WORK_PERMITS.get((sector, tier), (None, None))
    if (sector, tier, skill) == ("construction", "none", "none"):
        return Fraction(900)
    amount = {"R1": higher, "R2": basic}.get(skill)
    return None if amount is None else Fraction(amount)


def _s_pass_rate(month: tuple[int, int], tier: str) -> Fraction | None:
    if month >= (2025, 9):
        return Fraction(650)
    if month < (2022, 9) or tier not in ("1", "2"):
        return None
    if tier == "2":
        return Fraction(650)
    return Fraction(550 if month >= (2023, 9) else 450)


def month_levy(year: int, month: int, monthly: Fraction, pass_from: date | None, pass_to: date | None) -> Fraction:
    """The levy of a month for the days on which the work pass was valid."""
    days = monthrange(year, month)[1]
    valid_days = sum(
        1
        for day in (date(year, month, number) for number in range(1, days + 1))
        if (pass_from is None or pass_from <= day) and (pass_to is None or day <= pass_to)
    )
    return monthly if valid_days == days else valid_days * math.ceil(monthly * 12 / 365 / CENT) * CENT
