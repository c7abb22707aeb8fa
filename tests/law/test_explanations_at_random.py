"""Explanations of people and dates at random: each gives what the batch gave, and can be worked out again."""

import random
from collections.abc import Iterable, Sequence
from datetime import date, timedelta

import pytest

from gaji.law import cpf, holidays, length_of_service, levy, registry, self_help_funds
from gaji.law.columns import cents, codes, date_at, date_column, flags
from gaji.law.explanation import AnyExplanation
from gaji.law.leave import annual, childcare, parental, sick
from gaji.law.leave.explanations import annual as annual_explained
from gaji.law.leave.explanations import childcare as childcare_explained
from gaji.law.leave.explanations import length_of_service as service
from gaji.law.leave.explanations import parental as parental_explained
from gaji.law.leave.explanations import sick as sick_explained
from gaji.law.months import Month
from gaji.law.pay import deadlines, deductions, notice, part_four, working_days
from gaji.law.pay.deadlines import TerminationKind
from gaji.law.pay.explanations import coverage
from gaji.law.pay.explanations import deadlines as deadlines_explained
from gaji.law.pay.explanations import deductions as deductions_explained
from gaji.law.pay.explanations import notice as notice_explained
from gaji.law.pay.explanations import working_days as working_days_explained
from gaji.law.quantities import counts, format_millis
from gaji.law.residency import WorkPass
from tests.law import arithmetic
from tests.law.cases import of_file
from tests.law.people_at_random import columns, one
from tests.law.terms import WEEKS, standing_at_random

MONTH = Month(2026, 1)
PEOPLE = 200


def check(explained: AnyExplanation, figure: object) -> None:
    """The explanation is that of the figure, and holds."""
    if isinstance(figure, bool):
        figure = "yes" if figure else "no"
    assert explained.result == str(figure), explained
    arithmetic.check_explained(explained)


def dates_at_random(at: random.Random, first: date, last: date) -> list[date]:
    return [first + timedelta(days=at.randrange((last - first).days)) for _ in range(PEOPLE)]


def later(at: random.Random, dates: Iterable[date], most: int) -> list[date]:
    return [day + timedelta(days=at.choice((at.randrange(200), at.randrange(most)))) for day in dates]


@pytest.mark.parametrize("month", [Month(2016, 6), Month(2023, 3), Month(2026, 5), Month(2027, 12)], ids=str)
def test_tables_and_funds(month: Month, law: registry.Law) -> None:
    at = random.Random(str(month))
    given = columns(law, month, [one(at, month) for _ in range(PEOPLE)])
    applying = cpf.applicability(month, given.people)
    wages = given.total_wages_cents
    amounts = self_help_funds.contributions_cents(law.self_help_funds, month, given.givers, wages, given.choices)
    for place in range(PEOPLE):
        told = {each.figure: each for each in cpf.explain_tables(month, given.people, place)}
        check(told["cpf_table"], cpf.RateTable(applying.tables[place]).name)
        if "cpf_age_group" in told:
            check(told["cpf_age_group"], cpf.AgeGroup(applying.age_groups[place]).name.lower())
        counts_from = date_at(applying.counts_from, place)
        assert ("cpf_counts_from" in told) == (counts_from is not None)
        if counts_from is not None:
            check(told["cpf_counts_from"], counts_from)
        every = self_help_funds.explain_all_funds(
            law.self_help_funds, month, given.givers, wages, given.choices, place, {self_help_funds.Fund.CDAC: 50}
        )
        for fund, explained in every.items():
            taken = 50 if fund == self_help_funds.Fund.CDAC else 0
            assert explained.amount_cents == int(amounts[fund][place]) - taken
            arithmetic.check_explained(explained)


def test_the_part_of_mbmf_for_mosques(law: registry.Law) -> None:
    at = random.Random(78)
    for _ in range(PEOPLE):
        wages, given = at.randrange(1, 1_200_000), at.randrange(5000)
        explained = self_help_funds.explain_mosque_share(law.self_help_funds, MONTH, wages, given)
        found = self_help_funds.mosque_share_cents(law.self_help_funds, MONTH, cents([wages]), cents([given]))
        assert explained.amount_cents == int(found[0])
        arithmetic.check_explained(explained)


def test_levies(law: registry.Law) -> None:
    at = random.Random(8)
    month = Month(2026, 3)
    passes = [day if at.random() < 0.7 else None for day in dates_at_random(at, date(2026, 1, 1), date(2026, 6, 1))]
    ends = [day if at.random() < 0.7 else None for day in dates_at_random(at, date(2026, 1, 1), date(2026, 6, 1))]
    workers = levy.LevyWorkers(
        codes([at.choice(list(WorkPass)) for _ in range(PEOPLE)]),
        codes([at.randrange(len(levy.SECTORS)) for _ in range(PEOPLE)]),
        codes([at.randrange(len(levy.TIERS)) for _ in range(PEOPLE)]),
        codes([at.randrange(len(levy.SKILLS)) for _ in range(PEOPLE)]),
        date_column(passes),
        date_column(ends),
    )
    found = levy.levy_amounts(law.levy, month, workers)
    for place in range(PEOPLE):
        if not found.has_rate[place]:
            with pytest.raises(levy.UnknownLevyRate):
                levy.explain(law.levy, month, workers, place)
            continue
        explained = levy.explain(law.levy, month, workers, place)
        assert explained.amount_cents == int(found.amount_cents[place])
        arithmetic.check_explained(explained)


def known_holidays() -> list[date]:
    """As the cases have them."""
    return [holiday["date"] for year in of_file("holidays")["year"] for holiday in year["days"]]


def test_working_days_and_the_holidays_among_them(law: registry.Law) -> None:
    at = random.Random(20)
    rows = [at.choice((at.choice(WEEKS), tuple(at.randrange(3) for _ in range(7)))) for _ in range(PEOPLE)]
    weeks = working_days.weeks(rows)
    periods = dates_at_random(at, date(2022, 1, 1), date(2027, 10, 1))
    for place, first in enumerate(periods):
        last = first + timedelta(days=at.randrange(40))
        begin, end = (at.choice((None, first + timedelta(days=at.randrange(-20, 60)))) for _ in range(2))
        inside = working_days.clip_to_period(date_column([begin]), date_column([end]), first, last)
        found = working_days.count_between(law.holidays, weeks[place : place + 1], *inside)
        explained = working_days_explained.explain(law.holidays, first, last, weeks, begin, end, place)
        check(explained, format_millis(int(found[0])))
        span = max(first, begin or first), min(last, end or last)
        listed = [date.fromisoformat(shown.value) for shown in explained.parameters]
        assert listed == [day for day in known_holidays() if span[0] <= day <= span[1]]
        average = int(working_days.average_week_millidays(weeks)[place])
        check(working_days_explained.explain_average_week(weeks, place), format_millis(average))


def test_deadlines(law: registry.Law) -> None:
    at = random.Random(22)
    endings = [at.choice(list(TerminationKind)) for _ in range(PEOPLE)]
    lasts = dates_at_random(at, date(2022, 1, 1), date(2027, 11, 1))
    weeks = working_days.weeks([at.choice(WEEKS) for _ in range(PEOPLE)])
    due = deadlines.final_salary_due(law.pay, MONTH, law.holidays, codes(endings), date_column(lasts), weeks)
    for place, (ending, last) in enumerate(zip(endings, lasts, strict=True)):
        on, at_latest = deadlines_explained.explain_final_salary_due(
            law.pay, MONTH, law.holidays, ending, last, weeks, place
        )
        check(on, date_at(due.due_on, place))
        check(at_latest, date_at(due.latest_on, place))
        if ending in (TerminationKind.DISMISSED, TerminationKind.TERMINATED):
            listed = [date.fromisoformat(shown.value) for shown in at_latest.parameters[1:]]
            assert listed == [day for day in known_holidays() if last < day <= due.latest_on[place].item()]


def test_notice_and_leave_by_service(law: registry.Law) -> None:
    at = random.Random(88)
    firsts = dates_at_random(at, date(2018, 1, 1), date(2026, 1, 1))
    lasts = later(at, firsts, 3000)
    first, last = date_column(firsts), date_column(lasts)
    columns = (
        (service.explain_completed_months, length_of_service.completed_months(first, last)),
        (service.explain_year_of_service, length_of_service.year_of_service(first, last)),
    )
    length = notice.notice_days(law.pay, MONTH, first, last)
    ends = notice.last_days(last, length)
    earned = annual.earned_days(law.leave, MONTH, first, last)
    for place, span in enumerate(zip(firsts, lasts, strict=True)):
        for explain, column in columns:
            check(explain(*span), int(column[place]))
        check(notice_explained.explain_notice_days(law.pay, MONTH, *span), int(length[place]))
        check(notice_explained.explain_last_day(law.pay, MONTH, *span), date_at(ends, place))
        check(annual_explained.explain_earned(law.leave, MONTH, *span), int(earned[place]))


def test_leave_by_months(law: registry.Law) -> None:
    at = random.Random(89)
    for _ in range(PEOPLE):
        months, taken, more = at.randrange(-1, 20), at.randrange(20), at.randrange(70)
        citizen, other, older = (at.random() < 0.5 for _ in range(3))
        parameters, column, used = law.leave, counts([months]), (counts([taken]), counts([more]))
        left = sick.outpatient_days_left(parameters, MONTH, column, *used)
        check(sick_explained.explain_outpatient_left(parameters, MONTH, months, taken, more), int(left[0]))
        found = childcare.days_per_year(parameters, MONTH, column, flags([citizen]), flags([other]))
        check(childcare_explained.explain_days_per_year(parameters, MONTH, months, citizen, other), int(found[0]))
        extended = childcare.extended_days(parameters, MONTH, column, flags([older]), found)
        told = childcare_explained.explain_extended_days(parameters, MONTH, months, older, int(found[0]))
        check(told, int(extended[0]))
        infant = childcare.infant_care_days(parameters, MONTH, column, flags([citizen]))
        check(childcare_explained.explain_infant_care_days(parameters, MONTH, months, citizen), int(infant[0]))
        of_child = childcare.days_left_for_child(parameters, MONTH, used[1])
        check(childcare_explained.explain_days_left_for_child(parameters, MONTH, more), int(of_child[0]))
        paid = childcare.days_paid_by_government(parameters, MONTH, used[0])
        check(childcare_explained.explain_days_paid_by_government(parameters, MONTH, taken), int(paid[0]))
        entitlement = at.randrange(60) * 500
        prorated = annual.prorated_days(counts([entitlement]), column)
        check(annual_explained.explain_prorated(entitlement, months), int(prorated[0]))


def test_parental_leave(law: registry.Law) -> None:
    at = random.Random(76)
    dates: Sequence[date | None] = [*dates_at_random(at, date(2017, 7, 1), date(2027, 12, 31)), None]
    for born in dates:
        citizen, months = at.random() < 0.7, at.randrange(8)
        given = date_column([born]), flags([citizen])
        served = counts([months])
        weeks = (
            *parental.maternity_weeks(law.leave, *given, served),
            *parental.paternity_weeks(law.leave, *given, served),
            *parental.shared_parental_weeks(law.leave, *given),
        )
        shared, each, from_maternity = parental_explained.explain_shared_parental(law.leave, born, citizen)
        told = (
            *parental_explained.explain_maternity(law.leave, born, citizen, months),
            *parental_explained.explain_paternity(law.leave, born, citizen, months),
            shared,
            each,
        )
        for explained, column in zip(told, weeks, strict=True):
            check(explained, int(column[0]))
        check(from_maternity, bool(parental.shared_from_maternity(law.leave, given[0])[0]))
        adoption = parental.adoption_weeks(law.leave, *given, served)
        check(parental_explained.explain_adoption(law.leave, born, citizen, months), int(adoption[0]))


def test_coverage_and_advances(law: registry.Law) -> None:
    at = random.Random(31)
    standing = standing_at_random(at, PEOPLE)
    covered = part_four.is_covered(law.pay, MONTH, standing)
    for place in range(PEOPLE):
        check(coverage.explain_coverage(law.pay, MONTH, standing, place), bool(covered[place]))
        owed, salary = at.randrange(1, 10**6), at.choice((0, at.randrange(10**6)))
        columns = cents([owed]), cents([salary])
        late = deductions.exceeds_recovery_period(law.pay, MONTH, *columns)
        check(deductions_explained.explain_recovery_period(law.pay, MONTH, owed, salary), bool(late[0]))
        least = deductions.min_instalments(law.pay, MONTH, *columns)
        check(deductions_explained.explain_min_instalments(law.pay, MONTH, owed, salary), int(least[0]))


def test_every_day_of_the_covered_years_and_every_year(law: registry.Law) -> None:
    for later in range((date(2028, 1, 1) - date(2022, 1, 1)).days):
        day = date(2022, 1, 1) + timedelta(days=later)
        explained = holidays.explain(law.holidays, day)
        assert explained.result == ("yes" if day in law.holidays.names else "no")
        if explained.result == "yes" or day.day == 1:
            arithmetic.check_explained(explained)
    for year in range(2022, 2028):
        check(holidays.explain_year(law.holidays, year), len(law.holidays.of_year(year)))
