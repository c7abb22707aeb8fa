"""Levy amounts: the days a pass was held, and the monthly and daily rates."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from gaji.law.columns import Cents, Codes, Dates, Flags
from gaji.law.levy.parameters import SECTORS, SKILLS, SPASS_SCHEME, TIERS, LevyParameters
from gaji.law.months import MONTHS_PER_YEAR, Month
from gaji.law.parameters import DatedValue, MonthNotCovered
from gaji.law.residency import WorkPass

NO_RATE = -1
DAYS_PER_YEAR = 365
"""The divisor of the daily rate, also in leap years."""
LIABLE_PASSES = (WorkPass.WP, WorkPass.SPASS)


class UnknownLevyRate(LookupError):
    """No rate is known for this worker and month; the amount must be entered."""


class LevyWorkers(Struct, frozen=True):
    """The personal details that determine the levy."""

    work_passes: Codes
    sectors: Codes
    """Indices into SECTORS."""
    tiers: Codes
    """Indices into TIERS."""
    skills: Codes
    """Indices into SKILLS."""
    pass_from: Dates
    """The day the pass was issued; missing if it was held before any month that matters."""
    pass_to: Dates
    """The last day the pass is held: the day of expiry, or the day before cancellation; missing while it is held."""


@dataclass(frozen=True)
class LevyAmounts:
    """The levy of each person, and whether a rate is known."""

    amount_cents: Cents
    has_rate: Flags
    """If false, the amount must be entered."""


def levy_amounts(parameters: LevyParameters, month: Month, workers: LevyWorkers) -> LevyAmounts:
    """The levy of each person for a month; zero without a work permit or S Pass."""
    monthly = _monthly_cents(parameters, month, workers)
    days = days_held(month, workers.pass_from, workers.pass_to)
    liable = np.isin(workers.work_passes, LIABLE_PASSES) & (days > 0)
    has_rate = ~liable | (monthly != NO_RATE)
    amount = np.where(days == month.last_day.day, monthly, daily_cents(monthly) * days)
    return LevyAmounts(np.where(liable & has_rate, amount, 0), has_rate)


def daily_cents(monthly_cents: Cents) -> Cents:
    """The daily rate: twelve monthly rates divided by 365, rounded up to the cent."""
    return -(-monthly_cents * MONTHS_PER_YEAR // DAYS_PER_YEAR)


def days_held(month: Month, pass_from: Dates, pass_to: Dates) -> npt.NDArray[np.int64]:
    """The days of the month on which the pass was held, first and last day included."""
    first, last = np.datetime64(month.first_day, "D"), np.datetime64(month.last_day, "D")
    start = np.fmax(pass_from, first)
    end = np.fmin(pass_to, last)
    days: npt.NDArray[np.int64] = (end - start).astype(np.int64) + 1
    return np.maximum(days, 0)


def monthly_rate(
    parameters: LevyParameters, month: Month, work_pass: WorkPass, sector: str, tier: str, skill: str
) -> DatedValue[int]:
    """The monthly rate of one person; raises UnknownLevyRate."""
    scheme, skill = (SPASS_SCHEME, "none") if work_pass == WorkPass.SPASS else (sector, skill)
    try:
        in_force = parameters.rates[scheme].at(month)
        return DatedValue(in_force.value[tier][skill], in_force.since, in_force.source)
    except (KeyError, MonthNotCovered):
        message = f"no levy rate is known for {scheme}, tier {tier}, skill {skill} in {month}; enter the amount"
        raise UnknownLevyRate(message) from None


def _monthly_cents(parameters: LevyParameters, month: Month, workers: LevyWorkers) -> Cents:
    """The monthly rate of each person, NO_RATE where none is known."""
    schemes = (*SECTORS, SPASS_SCHEME)
    rates = np.full((len(schemes), len(TIERS), len(SKILLS)), NO_RATE, dtype=np.int64)
    for scheme, history in parameters.rates.items():
        if not history.covered_from <= month <= history.covered_until:
            continue
        for tier, by_skill in history.at(month).value.items():
            for skill, rate in by_skill.items():
                rates[schemes.index(scheme), TIERS.index(tier), SKILLS.index(skill)] = rate
    is_s_pass = workers.work_passes == WorkPass.SPASS
    scheme_indices = np.where(is_s_pass, schemes.index(SPASS_SCHEME), workers.sectors)
    skill_indices = np.where(is_s_pass, SKILLS.index("none"), workers.skills)
    monthly: Cents = rates[scheme_indices, workers.tiers, skill_indices]
    return monthly
