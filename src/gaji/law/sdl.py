"""The skills development levy: a percentage of the month's remuneration, within bounds, paid by the employer."""

from dataclasses import dataclass

import numpy as np

from gaji.law.columns import CENTS_PER_DOLLAR, RATE_SCALE, Cents, Flags, cents, divide_half_up, flags
from gaji.law.explanation import (
    Explanation,
    earlier_payslips_input,
    earlier_payslips_lines,
    money,
    percent,
    rate,
    step,
    used_parameter,
    yes_no,
)
from gaji.law.months import Month
from gaji.law.notation import choose, equals, up_to
from gaji.law.parameters import History, ParameterFiles

ACT = "Skills Development Levy Act 1979, s. 3"
HALF_UP, DOWN = "half_up", "down"


@dataclass(frozen=True)
class SdlParameters:
    """The levy's figures."""

    rate: History[int]
    max_remuneration_cents: History[int]
    min_levy_cents: History[int]
    parts_of_a_cent: History[str]


def read_parameters(files: ParameterFiles) -> SdlParameters:
    """The levy's figures from their file."""
    subject = files.subject("sdl")
    parameters = SdlParameters(
        rate=subject.percent("rate"),
        max_remuneration_cents=subject.cents_above_zero("most_remuneration"),
        min_levy_cents=subject.cents("least_levy"),
        parts_of_a_cent=subject.choice("parts_of_a_cent", HALF_UP, DOWN),
    )
    subject.reject_unknown()
    return parameters


def levy_cents(parameters: SdlParameters, month: Month, remuneration_cents: Cents, exempt: Flags) -> Cents:
    """The levy of each employee: the rate on the month's remuneration up to the cap, at least the least levy.

    Whoever was paid nothing, or is exempt, costs nothing (Skills Development Levy Act 1979, s. 3).
    """
    counted = np.minimum(remuneration_cents, parameters.max_remuneration_cents.at(month).value)
    exact = counted * parameters.rate.at(month).value
    half_up = parameters.parts_of_a_cent.at(month).value == HALF_UP
    levy = divide_half_up(exact, RATE_SCALE) if half_up else exact // RATE_SCALE
    due = np.maximum(levy, parameters.min_levy_cents.at(month).value)
    return np.where(exempt | (remuneration_cents <= 0), 0, due)


def remittance_cents(levies_cents: Cents) -> int:
    """What the company remits for the month: the sum over its employees, without the cents."""
    return int(levies_cents.sum()) // CENTS_PER_DOLLAR * CENTS_PER_DOLLAR


def explain(
    parameters: SdlParameters, month: Month, remuneration_cents: int, exempt: bool, earlier_cents: int = 0
) -> Explanation:
    """How the levy of one employee came about, less what earlier payslips of the month took."""
    amount = int(levy_cents(parameters, month, cents([remuneration_cents]), flags([exempt]))[0])
    percentage, parts = parameters.rate.at(month), parameters.parts_of_a_cent.at(month)
    most, least = parameters.max_remuneration_cents.at(month), parameters.min_levy_cents.at(month)
    rounded = "round_cents" if parts.value == HALF_UP else "floor_cents"
    counted = f"min({money(remuneration_cents)}, {money(most.value)})"
    levy = f"max({money(least.value)}, {rounded}({rate(percentage.value)} × {counted}))"
    if exempt:
        levy = choose("sdl_exempt yes", equals("yes", money(0)))
    elif remuneration_cents <= 0:
        levy = choose(money(remuneration_cents), up_to(money(0), money(0)))
    return Explanation(
        figure="sdl",
        amount_cents=amount - earlier_cents,
        inputs={"month": str(month), "remuneration": money(remuneration_cents), "sdl_exempt": yes_no(exempt)}
        | earlier_payslips_input(earlier_cents),
        rule="The employer pays a percentage of the month's remuneration up to a cap, at least the least levy.",
        source=ACT,
        branch=_branch(remuneration_cents, exempt, most.value),
        parameters=(
            used_parameter("rate", percentage, percent(percentage.value)),
            used_parameter("most remuneration", most, money(most.value)),
            used_parameter("least levy", least, money(least.value)),
            used_parameter("parts of a cent", parts, parts.value),
        ),
        arithmetic=(step(levy, amount), *earlier_payslips_lines(amount, earlier_cents)),
    )


def _branch(remuneration_cents: int, exempt: bool, most_cents: int) -> str:
    if exempt:
        return "the employee is exempt"
    if remuneration_cents <= 0:
        return "there is no remuneration, so nothing is due"
    return "the remuneration counts " + ("in full" if remuneration_cents <= most_cents else "up to the cap")
