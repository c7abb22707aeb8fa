"""The foreign worker levy: a monthly rate for each holder of a work permit or an S Pass, by the day in part months.

It runs from the day a pass is issued to the last day it is held, and follows the pass, not the service. A pass held
for the whole calendar month costs the monthly rate; otherwise each day costs twelve monthly rates divided by 365,
rounded up to the cent (Employment of Foreign Manpower (Levy) Order 2011, para. 8).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gaji.law.columns import Cents, Codes, Days, Flags, codes, one_day, only
from gaji.law.explanation import Explanation, money, parameter, step
from gaji.law.months import MONTHS_A_YEAR, Month
from gaji.law.parameters import Fields, Files, History, InForce, LawDoesNotCover, Subject
from gaji.law.residency import WorkPass

ORDER = "Employment of Foreign Manpower (Levy) Order 2011, para. 8"
SECTORS = ("services", "manufacturing", "construction", "process", "marine")
TIERS = ("1", "2", "3", "NTS", "MYS_NAS_PRC", "offsite", "none")
SKILLS = ("none", "R1", "R2")
S_PASSES = "s_pass"
NO_RATE = -1
DAYS_A_YEAR = 365
"""Of the daily rate, also in leap years."""

Rates = Mapping[str, Mapping[str, int]]
"""Cents a month by tier and skill."""


class NoLevyRate(LookupError):
    """No rate is known, so that the amount has to be entered; the message says for what."""


@dataclass(frozen=True)
class LevyParameters:
    """The rates, by sector; S Passes have their own, whatever the sector."""

    rates: Mapping[str, History[Rates]]


def read(files: Files) -> LevyParameters:
    """The rates from their file."""
    subject = files.subject("levy")
    schemes = (S_PASSES, *SECTORS)
    rates = {scheme: subject.history(scheme, _tiers, from_the_start=False) for scheme in schemes}
    subject.end()
    for scheme in schemes:
        _check_complete(subject, scheme, rates[scheme])
    return LevyParameters(rates)


@dataclass(frozen=True)
class Workers:
    """The facts about each person that decide on the levy."""

    work_passes: Codes
    sectors: Codes
    """Places in SECTORS."""
    tiers: Codes
    """Places in TIERS."""
    skills: Codes
    """Places in SKILLS."""
    pass_from: Days
    """The day the pass was issued; none when it was before anything that matters."""
    pass_to: Days
    """The last day the pass is held: the day before its cancellation, or that of its expiry; none while it goes on."""


@dataclass(frozen=True)
class Levies:
    """The levy of each person, and for whom there is a rate at all."""

    amount_cents: Cents
    has_rate: Flags
    """Where not, the amount has to be entered."""


def places(names: Sequence[str], known: Sequence[str]) -> Codes:
    """A column of SECTORS, TIERS or SKILLS from their names."""
    return codes([known.index(name) for name in names])


def levies(parameters: LevyParameters, month: Month, workers: Workers) -> Levies:
    """The levy of each person for a month; nothing for whoever has neither a work permit nor an S Pass."""
    monthly = _monthly_cents(parameters, month, workers)
    held = days_held(month, workers.pass_from, workers.pass_to)
    liable = np.isin(workers.work_passes, (WorkPass.WP, WorkPass.SPASS)) & (held > 0)
    has_rate = ~liable | (monthly != NO_RATE)
    amount = np.where(held == month.last_day.day, monthly, daily_cents(monthly) * held)
    return Levies(np.where(liable & has_rate, amount, 0), has_rate)


def daily_cents(monthly_cents: Cents) -> Cents:
    """The rate of a day: twelve monthly rates by 365, rounded up to the cent."""
    return -(-monthly_cents * MONTHS_A_YEAR // DAYS_A_YEAR)


def days_held(month: Month, pass_from: Days, pass_to: Days) -> npt.NDArray[np.int64]:
    """For how many days of the month the pass was held, first and last day included."""
    first, last = np.datetime64(month.first_day, "D"), np.datetime64(month.last_day, "D")
    start = np.fmax(pass_from, first)
    end = np.fmin(pass_to, last)
    days: npt.NDArray[np.int64] = (end - start).astype(np.int64) + 1
    return np.maximum(days, 0)


def monthly_rate(
    parameters: LevyParameters, month: Month, work_pass: WorkPass, sector: str, tier: str, skill: str
) -> InForce[int]:
    """The monthly rate of one person; raises NoLevyRate."""
    scheme, skill = (S_PASSES, "none") if work_pass == WorkPass.SPASS else (sector, skill)
    words = f"{scheme}, tier {tier}, skill {skill} in {month}"
    try:
        in_force = parameters.rates[scheme].at(month)
        return InForce(in_force.value[tier][skill], in_force.since, in_force.source)
    except (KeyError, LawDoesNotCover):
        raise NoLevyRate(f"no levy rate is known for {words}; enter the amount") from None


def explain(parameters: LevyParameters, month: Month, workers: Workers, place: int = 0) -> Explanation:
    """How the levy of the person at this place in the columns came about; raises NoLevyRate."""
    worker = only(workers, place)
    work_pass = WorkPass(int(worker.work_passes[0]))
    sector, tier = SECTORS[worker.sectors[0]], TIERS[worker.tiers[0]]
    skill = SKILLS[worker.skills[0]]
    held, whole = int(days_held(month, worker.pass_from, worker.pass_to)[0]), month.last_day.day
    inputs = {
        "month": str(month),
        "work_pass": work_pass.name,
        "sector": sector,
        "tier": tier,
        "skill": skill,
        "pass_from": str(one_day(worker.pass_from) or ""),
        "pass_to": str(one_day(worker.pass_to) or ""),
        "days held": f"{held} of {whole}",
    }
    rule = "The employer pays the monthly rate, or for each day of a part month twelve monthly rates divided by 365."
    if work_pass not in (WorkPass.WP, WorkPass.SPASS) or not held:
        why = (
            "the pass was not held this month" if work_pass in (WorkPass.WP, WorkPass.SPASS) else "no levy on this pass"
        )
        return Explanation("foreign_worker_levy", 0, inputs, rule, ORDER, why, (), (step(money(0), 0),))
    rate = monthly_rate(parameters, month, work_pass, sector, tier, skill)
    amount = int(levies(parameters, month, worker).amount_cents[0])
    daily = int(daily_cents(np.array([rate.value]))[0])
    by_the_day = (
        step(f"ceil_cents({money(rate.value)} × {MONTHS_A_YEAR} ÷ {DAYS_A_YEAR})", daily),
        step(f"{money(daily)} × {held}", amount),
    )
    return Explanation(
        figure="foreign_worker_levy",
        amount_cents=amount,
        inputs=inputs,
        rule=rule,
        source=ORDER,
        branch="held for the whole month" if held == whole else "held for part of the month",
        parameters=(parameter("monthly rate", rate, money(rate.value)),),
        arithmetic=(step(money(amount), amount),) if held == whole else by_the_day,
    )


def _monthly_cents(parameters: LevyParameters, month: Month, workers: Workers) -> Cents:
    """The monthly rate of each person, NO_RATE where none is known."""
    schemes = (*SECTORS, S_PASSES)
    rates = np.full((len(schemes), len(TIERS), len(SKILLS)), NO_RATE, dtype=np.int64)
    for scheme, history in parameters.rates.items():
        if not history.covered_from <= month <= history.covered_until:
            continue
        for tier, by_skill in history.at(month).value.items():
            for skill, rate in by_skill.items():
                rates[schemes.index(scheme), TIERS.index(tier), SKILLS.index(skill)] = rate
    s_pass = workers.work_passes == WorkPass.SPASS
    scheme_places = np.where(s_pass, schemes.index(S_PASSES), workers.sectors)
    found: Cents = rates[scheme_places, workers.tiers, np.where(s_pass, SKILLS.index("none"), workers.skills)]
    return found


def _check_complete(subject: Subject, scheme: str, history: History[Rates]) -> None:
    """Refuse later rates without a tier or a skill that the first ones had: someone would lose the rate in silence."""
    *later, first = history.values
    for in_force in later:
        for tier, by_skill in first.value.items():
            for skill in by_skill:
                if skill not in in_force.value.get(tier, {}):
                    reason = f"is missing, but the rates from {first.since} have it"
                    raise subject.wrong(scheme, in_force.since, f"{tier}.{skill}", reason)


def _tiers(entry: Fields) -> Rates:
    tiers = [tier for tier in TIERS if tier in entry]
    return {tier: _skills(entry.table(tier)) for tier in tiers}


def _skills(tier: Fields) -> Mapping[str, int]:
    rates = {skill: tier.cents(skill) for skill in SKILLS if skill in tier}
    tier.end()
    return rates
