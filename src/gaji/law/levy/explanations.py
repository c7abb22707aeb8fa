"""How the levy of one person came about: the rate out of its table, the days of the pass, and the sum."""

from collections.abc import Mapping
from datetime import date

from gaji.law.columns import cents, date_at, single_person
from gaji.law.explanation import Explanation, UsedParameter, money, step, used_parameter
from gaji.law.levy.amounts import (
    DAYS_PER_YEAR,
    LIABLE_PASSES,
    LevyWorkers,
    daily_cents,
    days_held,
    levy_amounts,
    monthly_rate,
)
from gaji.law.levy.parameters import SPASS_SCHEME, SECTORS, SKILLS, TIERS, LevyParameters, LevyRates
from gaji.law.months import MONTHS_PER_YEAR, Month
from gaji.law.notation import choose, equals, line, otherwise
from gaji.law.parameters import DatedValue
from gaji.law.residency import WorkPass

ORDER = "Employment of Foreign Manpower (Levy) Order 2011, para. 8"


def explain(parameters: LevyParameters, month: Month, workers: LevyWorkers, index: int = 0) -> Explanation:
    """How the levy of the person at this place in the columns came about; raises NoLevyRate."""
    worker = single_person(workers, index)
    work_pass = WorkPass(int(worker.work_passes[0]))
    held = int(days_held(month, worker.pass_from, worker.pass_to)[0])
    inputs = _inputs(month, worker, held)
    shown: tuple[UsedParameter, ...] = ()
    arithmetic: tuple[str, ...]
    if work_pass not in LIABLE_PASSES:
        branch, arithmetic = "no levy on this pass", (_no_levy(work_pass),)
    elif not held:
        nothing = step(choose(0, equals(0, money(0))), 0)
        branch, arithmetic = "the pass was not held this month", (_days_line(month, worker, held), nothing)
    else:
        rate = monthly_rate(parameters, month, work_pass, inputs["sector"], inputs["tier"], inputs["skill"])
        table = parameters.rates[SPASS_SCHEME if work_pass == WorkPass.SPASS else inputs["sector"]].at(month)
        shown = (used_parameter("monthly rate", rate, money(rate.value)), _table(table, inputs, work_pass))
        branch = f"held for {'the whole' if held == month.last_day.day else 'part of the'} month"
        arithmetic = _sum(parameters, month, worker, rate.value, table.value)
    return Explanation(
        figure="foreign_worker_levy",
        amount_cents=int(levy_amounts(parameters, month, worker).amount_cents[0]),
        inputs=inputs,
        rule="The employer pays the monthly rate, or for each day of a part month twelve monthly rates divided by 365.",
        source=ORDER,
        branch=branch,
        parameters=shown,
        arithmetic=arithmetic,
    )


def explain_daily(monthly_cents: int) -> Explanation:
    """How the rate of a day comes from a monthly rate."""
    daily = int(daily_cents(cents([monthly_cents]))[0])
    return Explanation(
        figure="foreign_worker_levy_a_day",
        amount_cents=daily,
        inputs={"monthly rate": money(monthly_cents)},
        rule="A day costs twelve monthly rates divided by 365, rounded up to the cent.",
        source=ORDER,
        branch="also in a leap year",
        parameters=(),
        arithmetic=(_daily_line(monthly_cents, daily),),
    )


def _inputs(month: Month, worker: LevyWorkers, held: int) -> dict[str, str]:
    return {
        "month": str(month),
        "work_pass": WorkPass(int(worker.work_passes[0])).name,
        "sector": SECTORS[worker.sectors[0]],
        "tier": TIERS[worker.tiers[0]],
        "skill": SKILLS[worker.skills[0]],
        "pass_from": str(date_at(worker.pass_from) or ""),
        "pass_to": str(date_at(worker.pass_to) or ""),
        "days held": f"{held} of {month.last_day.day}",
    }


def _sum(
    parameters: LevyParameters, month: Month, worker: LevyWorkers, monthly_cents: int, table: LevyRates
) -> tuple[str, ...]:
    """Rate, days, and the one by the other."""
    held, whole = int(days_held(month, worker.pass_from, worker.pass_to)[0]), month.last_day.day
    amount = int(levy_amounts(parameters, month, worker).amount_cents[0])
    lines = (_rate_line(worker, table, monthly_cents), _days_line(month, worker, held))
    if held == whole:
        return (*lines, step(choose(held, equals(whole, money(monthly_cents))), amount))
    daily = int(daily_cents(cents([monthly_cents]))[0])
    by_the_day = choose(held, equals(whole, money(monthly_cents)), otherwise(f"{held} × {money(daily)}"))
    return (*lines, _daily_line(monthly_cents, daily), step(by_the_day, amount))


def _rate_line(worker: LevyWorkers, table: LevyRates, monthly_cents: int) -> str:
    """The rate out of the table that is in force, whole."""
    if worker.work_passes[0] == WorkPass.SPASS:
        rows = [equals(tier, money(by_skill["none"])) for tier, by_skill in table.items()]
    else:
        rows = [equals(tier, _by_skill(SKILLS[worker.skills[0]], by_skill)) for tier, by_skill in table.items()]
    return step(choose(f"tier {TIERS[worker.tiers[0]]}", *rows), monthly_cents)


def _by_skill(skill: str, rates: Mapping[str, int]) -> str:
    """The rate of a skill in a tier; a tier need not have one for each."""
    known = (equals(name, money(rate)) for name, rate in rates.items())
    return choose(f"skill {skill}", *known, otherwise("unknown"))


def _days_line(month: Month, worker: LevyWorkers, held: int) -> str:
    """From the later of the first days to the earlier of the last ones."""
    first = _one_of("max", date_at(worker.pass_from), month.first_day)
    last = _one_of("min", date_at(worker.pass_to), month.last_day)
    return line(f"days({first}, {last})", held)


def _one_of(which: str, of_pass: date | None, of_month: date) -> str:
    return str(of_month) if of_pass is None else f"{which}({of_pass}, {of_month})"


def _daily_line(monthly_cents: int, daily: int) -> str:
    return step(f"ceil_cents({money(monthly_cents)} × {MONTHS_PER_YEAR} ÷ {DAYS_PER_YEAR})", daily)


def _no_levy(work_pass: WorkPass) -> str:
    without = (equals(each.name, money(0)) for each in WorkPass if each not in LIABLE_PASSES)
    return step(choose(f"work_pass {work_pass.name}", *without), 0)


def _table(table: DatedValue[LevyRates], inputs: dict[str, str], work_pass: WorkPass) -> UsedParameter:
    """All rates among which this one was found."""
    s_pass = work_pass == WorkPass.SPASS
    rows = (
        f"tier {tier}: " + ", ".join(money(rate) if s_pass else f"{skill} {money(rate)}" for skill, rate in row.items())
        for tier, row in table.value.items()
    )
    return used_parameter("rates of S Passes" if s_pass else f"rates of {inputs['sector']}", table, "; ".join(rows))
