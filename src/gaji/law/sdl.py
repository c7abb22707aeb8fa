"""The skills development levy: a percentage of the month's remuneration within limits, paid by the employer."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from gaji.law.columns import RATE_SCALE, Cents, Flags, cents, flags
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
from gaji.law.reasons import (
    MinimumLevy,
    NothingDue,
    Percentage,
    ProductSum,
    Reason,
    RoundingRule,
    WagesToDate,
    less_earlier_payslips,
)
from gaji.law.rounding import CENTS_PER_DOLLAR, divide_half_up, whole_dollars

ACT = "Skills Development Levy Act 1979, s. 3"
HALF_UP, DOWN = "half_up", "down"


@dataclass(frozen=True)
class SdlParameters:
    """The parameters of the levy."""

    rate: History[int]
    max_remuneration_cents: History[int]
    min_levy_cents: History[int]
    cent_rounding: History[str]


def read_parameters(files: ParameterFiles) -> SdlParameters:
    """Read the parameters from `sdl.toml`."""
    subject = files.subject("sdl")
    parameters = SdlParameters(
        rate=subject.percent("rate"),
        max_remuneration_cents=subject.cents_above_zero("most_remuneration"),
        min_levy_cents=subject.cents("least_levy"),
        cent_rounding=subject.choice("parts_of_a_cent", HALF_UP, DOWN),
    )
    subject.reject_unknown()
    return parameters


def levy_cents(parameters: SdlParameters, month: Month, remuneration_cents: Cents, exempt: Flags) -> Cents:
    """The levy for each employee: the rate on the month's remuneration up to the cap, but at least the minimum.

    Zero for exempt employees and without remuneration (Skills Development Levy Act 1979, s. 3).
    """
    capped = np.minimum(remuneration_cents, parameters.max_remuneration_cents.at(month).value)
    exact = capped * parameters.rate.at(month).value
    half_up = parameters.cent_rounding.at(month).value == HALF_UP
    levy = divide_half_up(exact, RATE_SCALE) if half_up else exact // RATE_SCALE
    due = np.maximum(levy, parameters.min_levy_cents.at(month).value)
    return np.where(exempt | (remuneration_cents <= 0), 0, due)


def remittance_cents(levies_cents: Cents) -> int:
    """The amount the company remits for the month: the total over its employees, rounded down to whole dollars."""
    return whole_dollars(int(levies_cents.sum())) * CENTS_PER_DOLLAR


def explain(
    parameters: SdlParameters, month: Month, remuneration_cents: int, exempt: bool, earlier_cents: int = 0
) -> Explanation:
    """Explain the levy for one employee, less what earlier payslips of the month charged."""
    amount = int(levy_cents(parameters, month, cents([remuneration_cents]), flags([exempt]))[0])
    percentage, rounding = parameters.rate.at(month), parameters.cent_rounding.at(month)
    cap, minimum = parameters.max_remuneration_cents.at(month), parameters.min_levy_cents.at(month)
    round_function = "round_cents" if rounding.value == HALF_UP else "floor_cents"
    capped = f"min({money(remuneration_cents)}, {money(cap.value)})"
    levy = f"max({money(minimum.value)}, {round_function}({rate(percentage.value)} × {capped}))"
    if exempt:
        levy = choose("sdl_exempt yes", equals("yes", money(0)))
    elif remuneration_cents <= 0:
        levy = choose(money(remuneration_cents), up_to(money(0), money(0)))
    used_rate = used_parameter("rate", percentage, percent(percentage.value))
    used_cap = used_parameter("maximum remuneration", cap, money(cap.value))
    used_minimum = used_parameter("minimum levy", minimum, money(minimum.value))
    reason = _reason(parameters, month, remuneration_cents, exempt)
    return Explanation(
        figure="sdl",
        amount_cents=amount - earlier_cents,
        inputs={"month": str(month), "remuneration": money(remuneration_cents), "sdl_exempt": yes_no(exempt)}
        | earlier_payslips_input(earlier_cents),
        rule="The employer pays a percentage of the month's remuneration up to a cap, but at least the minimum levy.",
        source=ACT,
        branch=_branch(remuneration_cents, exempt, cap.value),
        parameters=(
            used_rate,
            used_cap,
            used_minimum,
            used_parameter("rounding of fractions of a cent", rounding, rounding.value),
        ),
        arithmetic=(step(levy, amount), *earlier_payslips_lines(amount, earlier_cents)),
        reason=less_earlier_payslips(reason, amount, earlier_cents),
        deciding=() if isinstance(reason, NothingDue) else (used_rate, used_cap, used_minimum),
    )


def _reason(parameters: SdlParameters, month: Month, remuneration_cents: int, exempt: bool) -> Reason:
    cap, minimum = parameters.max_remuneration_cents.at(month).value, parameters.min_levy_cents.at(month).value
    if exempt or remuneration_cents <= 0:
        return NothingDue(_branch(remuneration_cents, exempt, cap))
    percentage = Percentage(
        rate=Fraction(parameters.rate.at(month).value, RATE_SCALE),
        base_cents=Fraction(min(remuneration_cents, cap)),
        wages=WagesToDate.REMUNERATION if remuneration_cents <= cap else None,
    )
    if percentage.cents <= minimum:
        return MinimumLevy(minimum)
    half_up = parameters.cent_rounding.at(month).value == HALF_UP
    return ProductSum((percentage,), RoundingRule.CENT if half_up else RoundingRule.CENT_DOWN)


def _branch(remuneration_cents: int, exempt: bool, cap_cents: int) -> str:
    if exempt:
        return "the employee is exempt"
    if remuneration_cents <= 0:
        return "no remuneration, so no levy"
    if remuneration_cents <= cap_cents:
        return "remuneration is within the cap"
    return "remuneration is above the cap"
