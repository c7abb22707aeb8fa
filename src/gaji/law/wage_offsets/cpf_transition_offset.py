"""CPF Transition Offset: a share of the rise of the employer's CPF rate for older workers, in the year of the rise."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

from gaji.law import cpf
from gaji.law.columns import RATE_SCALE, date_column
from gaji.law.explanation import UsedParameter, dollars, money, percent, rate, step, used_parameter
from gaji.law.months import DECEMBER, Month
from gaji.law.notation import line
from gaji.law.rounding import round_half_up
from gaji.law.wage_offsets.estimate import (
    MonthlyWage,
    OffsetEmployee,
    Scheme,
    WageOffset,
    not_estimated,
    value_in_force,
)
from gaji.law.wage_offsets.parameters import (
    NOT_ESTIMATED,
    NOTHING,
    ORDINARY_AND_ADDITIONAL,
    WageOffsetParameters,
)

RULE = (
    "In the year in which the employer's CPF rate of an age group rises, half of the rise is offset, on monthly wages "
    "up to the ordinary wage ceiling."
)
YOUNGEST_AGE = 55
SECOND_YEAR = 2


def transition_offset(
    parameters: WageOffsetParameters,
    cpf_parameters: cpf.CpfParameters,
    month: Month,
    employee: OffsetEmployee,
    wage: MonthlyWage,
) -> WageOffset | None:
    """The offset for a month. None for age groups whose rate did not rise, and for people who are not residents."""
    in_force = value_in_force(parameters.cpf_transition_offset, month)
    if in_force is None or employee.age_on(month.first_day) < YOUNGEST_AGE or not employee.is_resident(month):
        return None
    group = int(cpf.age_groups(month, date_column([employee.birthdate]))[0])
    now, before = (
        cpf_parameters.rates(rates_month, cpf.RateTable.T1) for rates_month in (month, Month(month.year - 1, DECEMBER))
    )
    rates = [dated.value[group].total - dated.value[group].employee for dated in (now, before)]
    if rates[0] <= rates[1]:
        return None
    share, ceiling = in_force.value.share, cpf_parameters.ordinary_wage_ceiling_cents.at(month)
    offset_rate = Fraction(share * (rates[0] - rates[1]), RATE_SCALE)
    points = Decimal(offset_rate.numerator) / Decimal(offset_rate.denominator)
    draft = WageOffset(
        scheme=Scheme.CPF_TRANSITION_OFFSET,
        rate=f"{(points * 100 / RATE_SCALE).normalize():f} %",
        rule=RULE,
        inputs={
            "month": str(month),
            "birthdate": str(employee.birthdate),
            "ordinary wages": money(wage.ordinary_cents),
            "additional wages": money(wage.additional_cents),
        },
        terms=used_parameter("share of the rise", in_force, percent(share)),
        other_parameters=(
            UsedParameter("employer's rate", percent(rates[0]), now.since, now.source),
            UsedParameter("employer's rate last year", percent(rates[1]), before.since, before.source),
            used_parameter("ordinary wage ceiling", ceiling, money(ceiling.value)),
        ),
        certainty=in_force.value.certainty,
    )
    is_new_resident = not employee.is_citizen(month) and _pr_year(month, employee) <= SECOND_YEAR
    if is_new_resident:
        residents = parameters.new_residents.at(month).value
        draft = replace(draft, certainty=max(draft.certainty, residents.certainty))
        if residents.choice == NOTHING:
            return None
        if residents.choice == NOT_ESTIMATED:
            reason = "whether permanent residents in their first two years count is not known"
            return not_estimated(draft, reason)
    alone, together = (
        round_half_up(offset_rate * min(cents, ceiling.value) / RATE_SCALE)
        for cents in (wage.ordinary_cents, wage.cents)
    )
    wage_text, amount = money(wage.ordinary_cents), alone
    if alone != together:
        switch = parameters.transition_wages.at(month).value
        draft = replace(draft, certainty=max(draft.certainty, switch.certainty))
        if switch.choice == NOT_ESTIMATED:
            reason = (
                "whether additional wages count is not known. "
                f"{dollars(alone)} without them, {dollars(together)} with them"
            )
            return not_estimated(draft, reason)
        if switch.choice == ORDINARY_AND_ADDITIONAL:
            wage_text, amount = f"{money(wage.ordinary_cents)} + {money(wage.additional_cents)}", together
    points_text = f"{(points / RATE_SCALE).normalize():f}"
    return replace(
        draft,
        amount_cents=amount,
        branch=f"the employer's rate of this age group rose from {percent(rates[1])} to {percent(rates[0])}",
        arithmetic=(
            line(f"{rate(share)} × ({rate(rates[0])} − {rate(rates[1])})", points_text),
            step(f"round_cents({points_text} × min({wage_text}, {money(ceiling.value)}))", amount),
        ),
    )


def _pr_year(month: Month, employee: OffsetEmployee) -> int:
    return int(cpf.pr_years(month, date_column([employee.pr_date]))[0])
