"""Compares the law with the reference, for random people."""

from random import Random

from gaji.law import cpf, registry, sdl, self_help_funds
from gaji.law.months import Month
from tests.law import reference_contributions
from tests.law.random_people import FIRST_MONTH_WITH_FUNDS, BatchColumns, batch_columns, dollars, random_person
from tests.law.reference_contributions import ReferencePerson, ReferenceWages

FIRST, LAST = Month(2016, 1), Month(2027, 12)
MONTHS = [FIRST + later for later in range(LAST - FIRST + 1)]


def assess(law: registry.Law, month: Month, batch: BatchColumns) -> cpf.CpfAssessment:
    """Return the contributions of a batch."""
    return cpf.assess(law.cpf, month, batch.cpf_members, batch.wages, batch.prior, batch.earlier)


def compare_with_reference(law: registry.Law, month: Month, rng: Random, people: int) -> None:
    """Raise AssertionError unless the law and the reference agree for random people in a month."""
    batch = [random_person(rng, month) for _ in range(people)]
    columns = batch_columns(law, month, batch)
    _compare_contributions(law, month, batch, columns)
    if month >= FIRST_MONTH_WITH_FUNDS:
        _compare_funds(law, month, batch, columns)


def _compare_contributions(
    law: registry.Law, month: Month, batch: list[tuple[ReferencePerson, ReferenceWages]], columns: BatchColumns
) -> None:
    assessment = assess(law, month, columns)
    rows = zip(
        assessment.liability.ordinary_subject_cents.tolist(),
        assessment.liability.additional_subject_cents.tolist(),
        assessment.due.employee_cents.tolist(),
        assessment.due.employer_cents.tolist(),
        assessment.excess_cents.tolist(),
        sdl.levy_cents(law.sdl, month, columns.total_wages_cents, columns.sdl_exempt).tolist(),
        strict=True,
    )
    for (person, pay), (*shares, excess, levy) in zip(batch, rows, strict=True):
        expected = reference_contributions.cpf(month.year, month.month, person, pay)
        assert reference_contributions.ReferenceCpf(*map(dollars, shares)) == expected, (month, person, pay)
        over = reference_contributions.excess(month.year, month.month, pay, expected.ordinary, expected.additional)
        assert dollars(excess) == over, (month, person, pay)
        expected_levy = reference_contributions.sdl(person, pay.ordinary + pay.additional)
        assert dollars(levy) == expected_levy, (month, person, pay)


def _compare_funds(
    law: registry.Law, month: Month, batch: list[tuple[ReferencePerson, ReferenceWages]], columns: BatchColumns
) -> None:
    contributions = self_help_funds.contributions_cents(
        law.self_help_funds, month, columns.fund_members, columns.total_wages_cents, columns.elections
    )
    by_fund = {fund.name: amounts.tolist() for fund, amounts in contributions.items()}
    for index, (person, pay) in enumerate(batch):
        expected = reference_contributions.funds(month.year, month.month, person, pay.ordinary + pay.additional)
        amounts = {fund: dollars(amounts[index]) for fund, amounts in by_fund.items() if amounts[index]}
        assert amounts == expected, (month, person, pay)
