"""The skills development levy: a percentage of the month's remuneration, within bounds, paid by the employer."""

from dataclasses import dataclass

import numpy as np

from gaji.law.columns import CENTS_A_DOLLAR, RATE_SCALE, Cents, Flags, cents, flags, nearest
from gaji.law.explanation import Explanation, less_taken, money, parameter, percent, rate, step, taken_before, yes_no
from gaji.law.months import Month
from gaji.law.notation import choose, same, up_to
from gaji.law.parameters import Files, History

ACT = "Skills Development Levy Act 1979, s. 3"
HALF_UP, DOWN = "half_up", "down"


@dataclass(frozen=True)
class SdlParameters:
    """The levy's figures."""

    rate: History[int]
    most_remuneration_cents: History[int]
    least_levy_cents: History[int]
    parts_of_a_cent: History[str]


def read(files: Files) -> SdlParameters:
    """The levy's figures from their file."""
    subject = files.subject("sdl")
    parameters = SdlParameters(
        rate=subject.percent("rate"),
        most_remuneration_cents=subject.cents_above_zero("most_remuneration"),
        least_levy_cents=subject.cents("least_levy"),
        parts_of_a_cent=subject.choice("parts_of_a_cent", HALF_UP, DOWN),
    )
    subject.end()
    return parameters


def levy_cents(parameters: SdlParameters, month: Month, remuneration_cents: Cents, exempt: Flags) -> Cents:
    """The levy of each employee: the rate on the month's remuneration up to the cap, at least the least levy.

    Whoever was paid nothing, or is exempt, costs nothing (Skills Development Levy Act 1979, s. 3).
    """
    counted = np.minimum(remuneration_cents, parameters.most_remuneration_cents.at(month).value)
    exact = counted * parameters.rate.at(month).value
    half_up = parameters.parts_of_a_cent.at(month).value == HALF_UP
    levy = nearest(exact, RATE_SCALE) if half_up else exact // RATE_SCALE
    due = np.maximum(levy, parameters.least_levy_cents.at(month).value)
    return np.where(exempt | (remuneration_cents <= 0), 0, due)


def remittance_cents(levies_cents: Cents) -> int:
    """What the company remits for the month: the sum over its employees, without the cents."""
    return int(levies_cents.sum()) // CENTS_A_DOLLAR * CENTS_A_DOLLAR


def explain(
    parameters: SdlParameters, month: Month, remuneration_cents: int, exempt: bool, taken_cents: int = 0
) -> Explanation:
    """How the levy of one employee came about, less what earlier payslips of the month took."""
    amount = int(levy_cents(parameters, month, cents([remuneration_cents]), flags([exempt]))[0])
    percentage, parts = parameters.rate.at(month), parameters.parts_of_a_cent.at(month)
    most, least = parameters.most_remuneration_cents.at(month), parameters.least_levy_cents.at(month)
    rounded = "round_cents" if parts.value == HALF_UP else "floor_cents"
    counted = f"min({money(remuneration_cents)}, {money(most.value)})"
    levy = f"max({money(least.value)}, {rounded}({rate(percentage.value)} × {counted}))"
    if exempt:
        levy = choose("sdl_exempt yes", same("yes", money(0)))
    elif remuneration_cents <= 0:
        levy = choose(money(remuneration_cents), up_to(money(0), money(0)))
    return Explanation(
        figure="sdl",
        amount_cents=amount - taken_cents,
        inputs={"month": str(month), "remuneration": money(remuneration_cents), "sdl_exempt": yes_no(exempt)}
        | taken_before(taken_cents),
        rule="The employer pays a percentage of the month's remuneration up to a cap, at least the least levy.",
        source=ACT,
        branch=_branch(remuneration_cents, exempt, most.value),
        parameters=(
            parameter("rate", percentage, percent(percentage.value)),
            parameter("most remuneration", most, money(most.value)),
            parameter("least levy", least, money(least.value)),
            parameter("parts of a cent", parts, parts.value),
        ),
        arithmetic=(step(levy, amount), *less_taken(amount, taken_cents)),
    )


def _branch(remuneration_cents: int, exempt: bool, most_cents: int) -> str:
    if exempt:
        return "the employee is exempt"
    if remuneration_cents <= 0:
        return "there is no remuneration, so nothing is due"
    return "the remuneration counts " + ("in full" if remuneration_cents <= most_cents else "up to the cap")
