"""Who costs how much: days held, monthly and daily rate."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gaji.law.columns import Cents, Codes, Dates, Flags, codes
from gaji.law.levy.parameters import SPASS_SCHEME, SECTORS, SKILLS, TIERS, LevyParameters
from gaji.law.months import MONTHS_PER_YEAR, Month
from gaji.law.parameters import DatedValue, MonthNotCovered
from gaji.law.residency import WorkPass

NO_RATE = -1
DAYS_PER_YEAR = 365
"""Of the daily rate, also in leap years."""
LIABLE_PASSES = (WorkPass.WP, WorkPass.SPASS)


class UnknownLevyRate(LookupError):
    """No rate is known, so that the amount has to be entered; the message says for what."""


@dataclass(frozen=True)
class LevyWorkers:
    """The facts about each person that decide on the levy."""

    work_passes: Codes
    sectors: Codes
    """Places in SECTORS."""
    tiers: Codes
    """Places in TIERS."""
    skills: Codes
    """Places in SKILLS."""
    pass_from: Dates
    """The day the pass was issued; none when it was before anything that matters."""
    pass_to: Dates
    """The last day the pass is held: the day before its cancellation, or that of its expiry; none while it goes on."""


@dataclass(frozen=True)
class LevyAmounts:
    """The levy of each person, and for whom there is a rate at all."""

    amount_cents: Cents
    has_rate: Flags
    """Where not, the amount has to be entered."""


def index_column(names: Sequence[str], known: Sequence[str]) -> Codes:
    """A column of SECTORS, TIERS or SKILLS from their names."""
    return codes([known.index(name) for name in names])


def levy_amounts(parameters: LevyParameters, month: Month, workers: LevyWorkers) -> LevyAmounts:
    """The levy of each person for a month; nothing for whoever has neither a work permit nor an S Pass."""
    monthly = _monthly_cents(parameters, month, workers)
    held = days_held(month, workers.pass_from, workers.pass_to)
    liable = np.isin(workers.work_passes, LIABLE_PASSES) & (held > 0)
    has_rate = ~liable | (monthly != NO_RATE)
    amount = np.where(held == month.last_day.day, monthly, daily_cents(monthly) * held)
    return LevyAmounts(np.where(liable & has_rate, amount, 0), has_rate)


def daily_cents(monthly_cents: Cents) -> Cents:
    """The rate of a day: twelve monthly rates by 365, rounded up to the cent."""
    return -(-monthly_cents * MONTHS_PER_YEAR // DAYS_PER_YEAR)


def days_held(month: Month, pass_from: Dates, pass_to: Dates) -> npt.NDArray[np.int64]:
    """For how many days of the month the pass was held, first and last day included."""
    first, last = np.datetime64(month.first_day, "D"), np.datetime64(month.last_day, "D")
    start = np.fmax(pass_from, first)
    end = np.fmin(pass_to, last)
    days: npt.NDArray[np.int64] = (end - start).astype(np.int64) + 1
    return np.maximum(days, 0)


def monthly_rate(
    parameters: LevyParameters, month: Month, work_pass: WorkPass, sector: str, tier: str, skill: str
) -> DatedValue[int]:
    """The monthly rate of one person; raises NoLevyRate."""
    scheme, skill = (SPASS_SCHEME, "none") if work_pass == WorkPass.SPASS else (sector, skill)
    words = f"{scheme}, tier {tier}, skill {skill} in {month}"
    try:
        in_force = parameters.rates[scheme].at(month)
        return DatedValue(in_force.value[tier][skill], in_force.since, in_force.source)
    except (KeyError, MonthNotCovered):
        raise UnknownLevyRate(f"no levy rate is known for {words}; enter the amount") from None


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
    s_pass = workers.work_passes == WorkPass.SPASS
    scheme_places = np.where(s_pass, schemes.index(SPASS_SCHEME), workers.sectors)
    found: Cents = rates[scheme_places, workers.tiers, np.where(s_pass, SKILLS.index("none"), workers.skills)]
    return found
