"""The additional wages of one person that bear CPF, explained."""

from collections.abc import Iterator

from gaji.law.columns import date_at
from gaji.law.cpf import additional_wages
from gaji.law.cpf.explanations.person_month import ACT, PersonMonth, ceiling, day, inputs, one, within
from gaji.law.cpf.parameters import EXPECTED_MONTHS
from gaji.law.explanation import Explanation, UsedParameter, money, step, used_parameter
from gaji.law.months import DECEMBER, Month
from gaji.law.notation import line
from gaji.law.parameters import DatedValue


def additional(case: PersonMonth) -> Explanation:
    """The additional wages of the month that bear CPF."""
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
            "ordinary wages that bore CPF on earlier payslips": money(one(case.taken.ordinary_subject_cents)),
            "additional wages that bore CPF on earlier payslips": money(one(case.taken.additional_subject_cents)),
        },
        rule="Additional wages bear CPF as far as the annual ceiling leaves room beside the year's ordinary wages "
        "that bear CPF; never less than nothing.",
        source=ACT,
        branch="the year's ordinary wages are known: December, or the month of leaving"
        if final
        else f"the year's ordinary wages are estimated: {estimate.value}",
        parameters=tuple(_parameters(case, final)),
        arithmetic=(*_ordinary_lines(case, final), *_lines(case, final)),
    )


def _parameters(case: PersonMonth, final: bool) -> Iterator[UsedParameter]:
    annual = case.parameters.annual_ceiling_cents.at(case.month)
    estimate = case.parameters.additional_wage_estimate.at(case.month)
    yield used_parameter("annual ceiling", annual, money(annual.value))
    yield used_parameter("additional wage estimate", estimate, estimate.value)
    yield ceiling(case)
    if not final and estimate.value == EXPECTED_MONTHS:
        for _, later in _ceilings(case)[1:]:
            yield used_parameter("ordinary wage ceiling of later months", later, money(later.value))


def _ordinary_lines(case: PersonMonth, final: bool) -> Iterator[str]:
    """The ordinary wages of this month, or of it and the rest of the year."""
    if final or case.parameters.additional_wage_estimate.at(case.month).value != EXPECTED_MONTHS:
        wages = one(case.wages.ordinary_cents)
        yield step(within(wages, case.ceiling_cents), min(max(wages, 0), case.ceiling_cents))
        return
    ceilings, each = _ceilings(case), one(case.wages.expected_month_cents)
    terms = []
    for (first, in_force), after in zip(ceilings, [*ceilings[1:], None], strict=True):
        last = _last_month(case)
        count = last - first + 1 if after is None else after[0] - first
        yield line(f"{last} − {first} + 1" if after is None else f"{after[0]} − {first}", count)
        terms.append(f"{count} × {within(each, in_force.value)}")
    yield step(" + ".join(terms), _expected(case))


def _lines(case: PersonMonth, final: bool) -> Iterator[str]:
    bore, paid = one(case.year.additional_subject_cents), one(case.wages.additional_cents)
    before, earlier = one(case.year.ordinary_subject_cents), one(case.year.additional_cents)
    annual = case.parameters.annual_ceiling_cents.at(case.month).value
    expected = case.ordinary if final else _expected(case)
    room = annual - before - expected - bore
    yield step(f"{money(annual)} − {money(before)} − {money(expected)} − {money(bore)}", room)
    left_out = max(earlier - bore, 0) if final else 0
    if left_out:
        yield step(f"max({money(earlier)} − {money(bore)}, {money(0)})", left_out)
    candidates = max(paid + left_out, 0)
    yield step(f"max({money(paid)} + {money(left_out)}, {money(0)})", candidates)
    already = one(additional_wages.committed_cents(case.assessment.liability.ordinary_subject_cents, case.taken))
    if already:
        yield step(_already_expression(case), already)
    kept = f"min({money(already)}, {money(candidates)}), " if already else ""
    yield step(f"max({kept}min({money(candidates)}, {money(room)}), {money(0)})", case.additional_subject)


def _already_expression(case: PersonMonth) -> str:
    """What earlier payslips of the month took and the ordinary wages have not meanwhile grown to cover."""
    ordinary, subject = one(case.taken.ordinary_subject_cents), one(case.taken.additional_subject_cents)
    covered = f"{money(ordinary)} + {money(subject)} − {within(one(case.wages.ordinary_cents), case.ceiling_cents)}"
    return f"max(min({covered}, {money(subject)}), {money(0)})"


def _expected(case: PersonMonth) -> int:
    return one(additional_wages.expected_cents(case.parameters, case.month, case.wages))


def _last_month(case: PersonMonth) -> Month:
    """The last month of the year in which someone is in service."""
    leaving, december = date_at(case.wages.leaving_dates), Month(case.month.year, DECEMBER)
    return december if leaving is None else min(december, Month.from_date(leaving))


def _ceilings(case: PersonMonth) -> list[tuple[Month, DatedValue[int]]]:
    """The ceilings of the rest of the year, each with the first month that it holds for."""
    found: list[tuple[Month, DatedValue[int]]] = []
    for later in range(_last_month(case) - case.month + 1):
        in_force = case.parameters.ordinary_wage_ceiling_cents.at(case.month + later)
        if not found or found[-1][1] != in_force:
            found.append((case.month + later, in_force))
    return found
