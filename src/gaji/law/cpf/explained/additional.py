"""The additional wages of one person that bear CPF, explained."""

from itertools import groupby

from gaji.law.columns import one_day
from gaji.law.cpf import additional_wages
from gaji.law.cpf.explained.case import ACT, Case, ceiling, day, inputs, one, within
from gaji.law.cpf.parameters import EXPECTED_MONTHS
from gaji.law.explanation import Explanation, money, parameter, step
from gaji.law.months import DECEMBER


def additional(case: Case) -> Explanation:
    """The additional wages of the month that bear CPF."""
    annual = case.parameters.annual_ceiling_cents.at(case.month)
    estimate = case.parameters.additional_wage_estimate.at(case.month)
    final = bool(additional_wages.is_final(case.month, case.wages.leaving_dates)[0])
    return Explanation(
        figure="cpf_additional_wages",
        amount_cents=case.additional_subject,
        inputs=inputs(case)
        | {
            "ordinary wages that bore CPF earlier in the year": money(one(case.year.ordinary_subject_cents)),
            "additional wages earlier in the year": money(one(case.year.additional_cents)),
            "of these, bore CPF": money(one(case.year.additional_subject_cents)),
            "ordinary wages expected of a full month": money(one(case.wages.expected_month_cents)),
            "last day of service": day(case.wages.leaving_dates),
        },
        rule="Additional wages bear CPF as far as the annual ceiling leaves room beside the year's ordinary wages "
        "that bear CPF; never less than nothing.",
        source=ACT,
        branch="the year's ordinary wages are known: December, or the month of leaving"
        if final
        else f"the year's ordinary wages are estimated: {estimate.value}",
        parameters=(
            parameter("annual ceiling", annual, money(annual.value)),
            parameter("additional wage estimate", estimate, estimate.value),
            ceiling(case),
        ),
        arithmetic=_lines(case, final),
    )


def _lines(case: Case, final: bool) -> tuple[str, ...]:
    bore, paid = one(case.year.additional_subject_cents), one(case.wages.additional_cents)
    before = one(case.year.ordinary_subject_cents)
    annual = case.parameters.annual_ceiling_cents.at(case.month).value
    left_out = max(one(case.year.additional_cents) - bore, 0) if final else 0
    candidates = max(paid + left_out, 0)
    estimate = additional_wages.expected_cents(case.parameters, case.month, case.wages)
    expected = case.ordinary if final else one(estimate)
    room = annual - before - expected - bore
    ordinary = () if final else (step(_expected_expression(case), expected),)
    already = one(additional_wages.already_cents(case.assessment.liability.ordinary_subject_cents, case.taken))
    kept = f"min({money(already)}, {money(candidates)}), " if already else ""
    return (
        *ordinary,
        step(f"{money(annual)} − {money(before)} − {money(expected)} − {money(bore)}", room),
        step(f"max({money(paid)} + {money(left_out)}, 0.00)", candidates),
        step(f"max({kept}min({money(candidates)}, {money(room)}), 0.00)", case.additional_subject),
    )


def _expected_expression(case: Case) -> str:
    """Months that remain, times what each brings up to its ceiling."""
    if case.parameters.additional_wage_estimate.at(case.month).value != EXPECTED_MONTHS:
        return within(one(case.wages.ordinary_cents), case.ceiling_cents)
    leaving = one_day(case.wages.leaving_dates)
    rest_of_year = [case.month + later for later in range(DECEMBER - case.month.month + 1)]
    in_service = [month for month in rest_of_year if leaving is None or month.first_day <= leaving]
    each = one(case.wages.expected_month_cents)
    alike = groupby(case.parameters.ordinary_wage_ceiling_cents.at(month).value for month in in_service)
    return " + ".join(f"{len(list(months))} × {within(each, most_cents)}" for most_cents, months in alike)
