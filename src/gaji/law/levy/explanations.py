"""Explanations of one person's levy: the rate from its table, the days the pass was held, and the amount."""

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
from gaji.law.levy.parameters import SECTORS, SKILLS, SPASS_SCHEME, TIERS, LevyParameters, LevyRates
from gaji.law.months import MONTHS_PER_YEAR, Month
from gaji.law.notation import choose, equals, line, otherwise
from gaji.law.parameters import DatedValue
from gaji.law.reasons import NothingDue
from gaji.law.residency import WorkPass

ORDER = "Employment of Foreign Manpower (Levy) Order 2011, para. 8"


def explain(parameters: LevyParameters, month: Month, workers: LevyWorkers, index: int = 0) -> Explanation:
    """Explain the levy of the person at this index; raise UnknownLevyRate."""
    worker = single_person(workers, index)
    work_pass = WorkPass(int(worker.work_passes[0]))
    days = int(days_held(month, worker.pass_from, worker.pass_to)[0])
    inputs = _inputs(month, worker, days)
    used: tuple[UsedParameter, ...] = ()
    arithmetic: tuple[str, ...]
    if work_pass not in LIABLE_PASSES:
        branch, arithmetic = "no levy for this pass", (_not_liable_line(work_pass),)
    elif not days:
        zero = step(choose(0, equals(0, money(0))), 0)
        branch, arithmetic = "the pass was not held this month", (_days_line(month, worker, days), zero)
    else:
        rate = monthly_rate(parameters, month, work_pass, inputs["sector"], inputs["tier"], inputs["skill"])
        rates = parameters.rates[SPASS_SCHEME if work_pass == WorkPass.SPASS else inputs["sector"]].at(month)
        used = (
            used_parameter("monthly rate", rate, money(rate.value)),
            _rates_parameter(rates, inputs["sector"], work_pass),
        )
        branch = f"held for {'the whole' if days == month.last_day.day else 'part of the'} month"
        arithmetic = _amount_lines(parameters, month, worker, rate.value, rates.value)
    return Explanation(
        figure="foreign_worker_levy",
        amount_cents=int(levy_amounts(parameters, month, worker).amount_cents[0]),
        inputs=inputs,
        rule="The employer pays the monthly rate. For part of a month, each day costs twelve monthly rates divided by "
        "365.",
        source=ORDER,
        branch=branch,
        parameters=used,
        arithmetic=arithmetic,
        reason=None if used else NothingDue(branch),
        deciding=used[:1],
    )


def _inputs(month: Month, worker: LevyWorkers, days: int) -> dict[str, str]:
    return {
        "month": str(month),
        "work_pass": WorkPass(int(worker.work_passes[0])).name,
        "sector": SECTORS[worker.sectors[0]],
        "tier": TIERS[worker.tiers[0]],
        "skill": SKILLS[worker.skills[0]],
        "pass_from": str(date_at(worker.pass_from) or ""),
        "pass_to": str(date_at(worker.pass_to) or ""),
        "days held": f"{days} of {month.last_day.day}",
    }


def _amount_lines(
    parameters: LevyParameters, month: Month, worker: LevyWorkers, monthly_cents: int, rates: LevyRates
) -> tuple[str, ...]:
    """The rate, the days, and the amount."""
    days, days_in_month = int(days_held(month, worker.pass_from, worker.pass_to)[0]), month.last_day.day
    amount = int(levy_amounts(parameters, month, worker).amount_cents[0])
    lines = (_rate_line(worker, rates, monthly_cents), _days_line(month, worker, days))
    if days == days_in_month:
        return (*lines, step(choose(days, equals(days_in_month, money(monthly_cents))), amount))
    daily = int(daily_cents(cents([monthly_cents]))[0])
    by_days = choose(days, equals(days_in_month, money(monthly_cents)), otherwise(f"{days} × {money(daily)}"))
    return (*lines, _daily_line(monthly_cents, daily), step(by_days, amount))


def _rate_line(worker: LevyWorkers, rates: LevyRates, monthly_cents: int) -> str:
    """The choice of the rate from the complete table."""
    if worker.work_passes[0] == WorkPass.SPASS:
        clauses = [equals(tier, money(by_skill["none"])) for tier, by_skill in rates.items()]
    else:
        skill = SKILLS[worker.skills[0]]
        clauses = [equals(tier, _skill_choice(skill, by_skill)) for tier, by_skill in rates.items()]
    return step(choose(f"tier {TIERS[worker.tiers[0]]}", *clauses), monthly_cents)


def _skill_choice(skill: str, by_skill: Mapping[str, int]) -> str:
    """The rate of a skill in a tier. A tier need not have a rate for every skill."""
    clauses = (equals(name, money(rate)) for name, rate in by_skill.items())
    return choose(f"skill {skill}", *clauses, otherwise("unknown"))


def _days_line(month: Month, worker: LevyWorkers, days: int) -> str:
    """The days from the later of the first days to the earlier of the last days."""
    first = _date_expression("max", date_at(worker.pass_from), month.first_day)
    last = _date_expression("min", date_at(worker.pass_to), month.last_day)
    return line(f"days({first}, {last})", days)


def _date_expression(function: str, pass_date: date | None, month_date: date) -> str:
    return str(month_date) if pass_date is None else f"{function}({pass_date}, {month_date})"


def _daily_line(monthly_cents: int, daily: int) -> str:
    return step(f"ceil_cents({money(monthly_cents)} × {MONTHS_PER_YEAR} ÷ {DAYS_PER_YEAR})", daily)


def _not_liable_line(work_pass: WorkPass) -> str:
    clauses = (equals(other.name, money(0)) for other in WorkPass if other not in LIABLE_PASSES)
    return step(choose(f"work_pass {work_pass.name}", *clauses), 0)


def _rates_parameter(rates: DatedValue[LevyRates], sector: str, work_pass: WorkPass) -> UsedParameter:
    """The complete table that the rate comes from."""
    is_s_pass = work_pass == WorkPass.SPASS
    rows = (
        f"tier {tier}: "
        + ", ".join(money(rate) if is_s_pass else f"{skill} {money(rate)}" for skill, rate in by_skill.items())
        for tier, by_skill in rates.value.items()
    )
    return used_parameter("S Pass rates" if is_s_pass else f"{sector} rates", rates, "; ".join(rows))
