"""Explanation of one person's additional wages subject to CPF."""

from collections.abc import Iterator

from gaji.law.columns import date_at
from gaji.law.cpf import additional_wages
from gaji.law.cpf.explanations.person_month import (
    ACT,
    PersonMonth,
    capped,
    ceiling_parameter,
    common_inputs,
    date_text,
    entry,
)
from gaji.law.cpf.parameters import EXPECTED_MONTHS
from gaji.law.explanation import Explanation, UsedParameter, money, step, used_parameter
from gaji.law.months import DECEMBER, Month
from gaji.law.notation import line
from gaji.law.parameters import DatedValue


def explain_additional_wages(person: PersonMonth) -> Explanation:
    """Explain the additional wages of the month that are subject to CPF."""
    final = bool(additional_wages.is_final(person.month, person.wages.leaving_dates)[0])
    return Explanation(
        figure="cpf_additional_wages",
        amount_cents=person.additional_cents,
        inputs=common_inputs(person) | _year_inputs(person),
        rule="Additional wages are subject to CPF up to the annual ceiling less the year's ordinary wages that are "
        "subject to CPF, and never below zero.",
        source=ACT,
        branch=_branch(person, final),
        parameters=tuple(_parameters(person, final)),
        arithmetic=(*_ordinary_lines(person, final), *_additional_lines(person, final)),
    )


def _year_inputs(person: PersonMonth) -> dict[str, str]:
    prior, earlier = person.prior, person.earlier
    return {
        "ordinary wages subject to CPF in earlier months of the year": money(entry(prior.ordinary_subject_cents)),
        "additional wages in earlier months of the year": money(entry(prior.additional_cents)),
        "of these, subject to CPF": money(entry(prior.additional_subject_cents)),
        "expected ordinary wages of a full month": money(entry(person.wages.expected_month_cents)),
        "last day of service": date_text(person.wages.leaving_dates),
        "ordinary wages subject to CPF on earlier payslips": money(entry(earlier.ordinary_subject_cents)),
        "additional wages subject to CPF on earlier payslips": money(entry(earlier.additional_subject_cents)),
    }


def _branch(person: PersonMonth, final: bool) -> str:
    if final:
        return "the year's ordinary wages are known, in December or the month of leaving"
    if person.parameters.additional_wage_estimate.at(person.month).value == EXPECTED_MONTHS:
        return "the year's ordinary wages are estimated from the expected wages of the remaining months"
    return "the year's ordinary wages are estimated from the wages paid to date"


def _parameters(person: PersonMonth, final: bool) -> Iterator[UsedParameter]:
    annual = person.parameters.annual_ceiling_cents.at(person.month)
    estimate = person.parameters.additional_wage_estimate.at(person.month)
    yield used_parameter("annual ceiling", annual, money(annual.value))
    yield used_parameter("additional wage estimate", estimate, estimate.value)
    yield ceiling_parameter(person)
    if not final and estimate.value == EXPECTED_MONTHS:
        for _, later in _ceilings(person)[1:]:
            yield used_parameter("ordinary wage ceiling of later months", later, money(later.value))


def _ordinary_lines(person: PersonMonth, final: bool) -> Iterator[str]:
    """The ordinary wages of this month, or of this month and the rest of the year."""
    if final or person.parameters.additional_wage_estimate.at(person.month).value != EXPECTED_MONTHS:
        wages = entry(person.wages.ordinary_cents)
        yield step(capped(wages, person.ceiling_cents), min(max(wages, 0), person.ceiling_cents))
        return
    ceilings, expected_month = _ceilings(person), entry(person.wages.expected_month_cents)
    terms = []
    for (first, in_force), following in zip(ceilings, [*ceilings[1:], None], strict=True):
        last = _last_month(person)
        count = last - first + 1 if following is None else following[0] - first
        yield line(f"{last} − {first} + 1" if following is None else f"{following[0]} − {first}", count)
        terms.append(f"{count} × {capped(expected_month, in_force.value)}")
    yield step(" + ".join(terms), _expected_cents(person))


def _additional_lines(person: PersonMonth, final: bool) -> Iterator[str]:
    prior_subject, wages = entry(person.prior.additional_subject_cents), entry(person.wages.additional_cents)
    prior_ordinary, prior_additional = entry(person.prior.ordinary_subject_cents), entry(person.prior.additional_cents)
    annual = person.parameters.annual_ceiling_cents.at(person.month).value
    ordinary = person.ordinary_cents if final else _expected_cents(person)
    room = annual - prior_ordinary - ordinary - prior_subject
    yield step(f"{money(annual)} − {money(prior_ordinary)} − {money(ordinary)} − {money(prior_subject)}", room)
    left_out = max(prior_additional - prior_subject, 0) if final else 0
    if left_out:
        yield step(f"max({money(prior_additional)} − {money(prior_subject)}, {money(0)})", left_out)
    candidates = max(wages + left_out, 0)
    yield step(f"max({money(wages)} + {money(left_out)}, {money(0)})", candidates)
    liability = person.assessment.liability
    committed = entry(additional_wages.committed_cents(liability.ordinary_subject_cents, person.earlier))
    if committed:
        yield step(_committed_expression(person), committed)
    floor = f"min({money(committed)}, {money(candidates)}), " if committed else ""
    yield step(f"max({floor}min({money(candidates)}, {money(room)}), {money(0)})", person.additional_cents)


def _committed_expression(person: PersonMonth) -> str:
    """The wages charged on earlier payslips of the month, less what the grown ordinary wages now cover."""
    ordinary = entry(person.earlier.ordinary_subject_cents)
    additional = entry(person.earlier.additional_subject_cents)
    current = capped(entry(person.wages.ordinary_cents), person.ceiling_cents)
    return f"max(min({money(ordinary)} + {money(additional)} − {current}, {money(additional)}), {money(0)})"


def _expected_cents(person: PersonMonth) -> int:
    return entry(additional_wages.expected_cents(person.parameters, person.month, person.wages))


def _last_month(person: PersonMonth) -> Month:
    """The last month of service in the year."""
    leaving, december = date_at(person.wages.leaving_dates), Month(person.month.year, DECEMBER)
    return december if leaving is None else min(december, Month.from_date(leaving))


def _ceilings(person: PersonMonth) -> list[tuple[Month, DatedValue[int]]]:
    """The ordinary wage ceilings of the rest of the year, each with the first month to which it applies."""
    ceilings: list[tuple[Month, DatedValue[int]]] = []
    for later in range(_last_month(person) - person.month + 1):
        in_force = person.parameters.ordinary_wage_ceiling_cents.at(person.month + later)
        if not ceilings or ceilings[-1][1] != in_force:
            ceilings.append((person.month + later, in_force))
    return ceilings
