"""Explanations of random people and dates: each gives the result of the batch, and its arithmetic is correct."""

import random
from collections.abc import Iterable, Sequence
from datetime import date, timedelta

import pytest

from gaji.law import levy, registry, self_help_funds
from gaji.law.columns import codes, date_column, flags
from gaji.law.explanation import AnyExplanation
from gaji.law.leave import annual, childcare, parental, sick
from gaji.law.leave.explanations.annual import explain_earned
from gaji.law.leave.explanations.childcare import (
    explain_days_left_for_child,
    explain_days_per_year,
    explain_extended_days,
    explain_infant_care_days,
)
from gaji.law.leave.explanations.parental import (
    explain_adoption,
    explain_maternity,
    explain_paternity,
    explain_shared_parental,
)
from gaji.law.leave.explanations.sick import explain_outpatient_left
from gaji.law.months import Month
from gaji.law.quantities import counts
from gaji.law.residency import WorkPass
from gaji.law.self_help_funds import Fund
from tests.law import arithmetic
from tests.law.random_people import batch_columns, random_person

MONTH = Month(2026, 1)
PEOPLE = 200


def check(explanation: AnyExplanation, figure: object) -> None:
    """Check that the explanation gives the figure and that its arithmetic is correct."""
    if isinstance(figure, bool):
        figure = "yes" if figure else "no"
    assert explanation.result == str(figure), explanation
    arithmetic.check_explanation(explanation)


def random_dates(rng: random.Random, first: date, last: date) -> list[date]:
    return [first + timedelta(days=rng.randrange((last - first).days)) for _ in range(PEOPLE)]


def later_dates(rng: random.Random, dates: Iterable[date], max_days: int) -> list[date]:
    return [day + timedelta(days=rng.choice((rng.randrange(200), rng.randrange(max_days)))) for day in dates]


@pytest.mark.parametrize("month", [Month(2016, 6), Month(2023, 3), Month(2026, 5), Month(2027, 12)], ids=str)
def test_self_help_funds(month: Month, law: registry.Law) -> None:
    rng = random.Random(str(month))
    columns = batch_columns(law, month, [random_person(rng, month) for _ in range(PEOPLE)])
    wages = columns.total_wages_cents
    amounts = self_help_funds.contributions_cents(
        law.self_help_funds, month, columns.fund_members, wages, columns.elections
    )
    for index in range(PEOPLE):
        by_fund = self_help_funds.explain_all_funds(
            law.self_help_funds, month, columns.fund_members, wages, columns.elections, index, {Fund.CDAC: 50}
        )
        for fund, explanation in by_fund.items():
            earlier = 50 if fund == Fund.CDAC else 0
            assert explanation.amount_cents == int(amounts[fund][index]) - earlier
            arithmetic.check_explanation(explanation)


def test_foreign_worker_levy(law: registry.Law) -> None:
    rng = random.Random(8)
    month = Month(2026, 3)
    starts = [day if rng.random() < 0.7 else None for day in random_dates(rng, date(2026, 1, 1), date(2026, 6, 1))]
    ends = [day if rng.random() < 0.7 else None for day in random_dates(rng, date(2026, 1, 1), date(2026, 6, 1))]
    workers = levy.LevyWorkers(
        codes([rng.choice(list(WorkPass)) for _ in range(PEOPLE)]),
        codes([rng.randrange(len(levy.SECTORS)) for _ in range(PEOPLE)]),
        codes([rng.randrange(len(levy.TIERS)) for _ in range(PEOPLE)]),
        codes([rng.randrange(len(levy.SKILLS)) for _ in range(PEOPLE)]),
        date_column(starts),
        date_column(ends),
    )
    amounts = levy.levy_amounts(law.levy, month, workers)
    for index in range(PEOPLE):
        if not amounts.has_rate[index]:
            with pytest.raises(levy.UnknownLevyRate):
                levy.explain(law.levy, month, workers, index)
            continue
        explanation = levy.explain(law.levy, month, workers, index)
        assert explanation.amount_cents == int(amounts.amount_cents[index])
        arithmetic.check_explanation(explanation)


def test_leave_by_service(law: registry.Law) -> None:
    rng = random.Random(88)
    firsts = random_dates(rng, date(2018, 1, 1), date(2026, 1, 1))
    lasts = later_dates(rng, firsts, 3000)
    first, last = date_column(firsts), date_column(lasts)
    earned = annual.earned_days(law.leave, MONTH, first, last)
    for index, span in enumerate(zip(firsts, lasts, strict=True)):
        check(explain_earned(law.leave, MONTH, *span), int(earned[index]))


def test_leave_by_months(law: registry.Law) -> None:
    rng = random.Random(89)
    for _ in range(PEOPLE):
        months, taken, more = rng.randrange(-1, 20), rng.randrange(20), rng.randrange(70)
        citizen, other, older = (rng.random() < 0.5 for _ in range(3))
        parameters, column, used = law.leave, counts([months]), (counts([taken]), counts([more]))
        left = sick.outpatient_days_left(parameters, MONTH, column, *used)
        check(explain_outpatient_left(parameters, MONTH, months, taken, more), int(left[0]))
        days = childcare.days_per_year(parameters, MONTH, column, flags([citizen]), flags([other]))
        check(explain_days_per_year(parameters, MONTH, months, citizen, other), int(days[0]))
        extended = childcare.extended_days(parameters, MONTH, column, flags([older]), days)
        explanation = explain_extended_days(parameters, MONTH, months, older, int(days[0]))
        check(explanation, int(extended[0]))
        infant = childcare.infant_care_days(parameters, MONTH, column, flags([citizen]))
        check(explain_infant_care_days(parameters, MONTH, months, citizen), int(infant[0]))
        left_for_child = childcare.days_left_for_child(parameters, MONTH, used[1])
        check(explain_days_left_for_child(parameters, MONTH, more), int(left_for_child[0]))


def test_parental_leave(law: registry.Law) -> None:
    rng = random.Random(76)
    dates: Sequence[date | None] = [*random_dates(rng, date(2017, 7, 1), date(2027, 12, 31)), None]
    for born in dates:
        citizen, months = rng.random() < 0.7, rng.randrange(8)
        child = date_column([born]), flags([citizen])
        served = counts([months])
        weeks = (
            *parental.maternity_weeks(law.leave, *child, served),
            *parental.paternity_weeks(law.leave, *child, served),
            *parental.shared_parental_weeks(law.leave, *child),
        )
        shared, shared_each, from_maternity = explain_shared_parental(law.leave, born, citizen)
        explanations = (
            *explain_maternity(law.leave, born, citizen, months),
            *explain_paternity(law.leave, born, citizen, months),
            shared,
            shared_each,
        )
        for explanation, column in zip(explanations, weeks, strict=True):
            check(explanation, int(column[0]))
        check(from_maternity, bool(parental.shared_from_maternity(law.leave, child[0])[0]))
        adoption = parental.adoption_weeks(law.leave, *child, served)
        check(explain_adoption(law.leave, born, citizen, months), int(adoption[0]))
