"""Payment deadlines and notice."""

import random
from datetime import date, timedelta

import pytest

from gaji.law import registry
from gaji.law.columns import codes, date_at, date_column
from gaji.law.months import Month
from gaji.law.parameters import MonthNotCovered
from gaji.law.pay import deadlines, notice, working_days
from gaji.law.pay.deadlines import TerminationKind
from tests.law import reference_pay
from tests.law.cases import Case, cases
from tests.law.pay_terms import WEEKS

LAW = registry.load()
MONTH = Month(2026, 1)


@cases("pay_dates", "period_due")
def test_salary_and_overtime(case: Case, law: registry.Law) -> None:
    ends = date_column([case["period_end"]])
    assert date_at(deadlines.salary_due(law.pay, MONTH, ends)) == case["salary"]
    assert date_at(deadlines.overtime_due(law.pay, MONTH, ends)) == case["overtime"]


@cases("pay_dates", "last_salary")
def test_final_salary(case: Case, law: registry.Law) -> None:
    weeks = working_days.weeks([case.get("week", WEEKS[0])])
    terminations, last_days = codes([TerminationKind[case["termination"]]]), date_column([case["last_day"]])
    due = deadlines.final_salary_due(law.pay, MONTH, law.holidays, terminations, last_days, weeks)
    assert (date_at(due.due_on), date_at(due.latest_on)) == (case["due_on"], case["latest_on"])


@cases("pay_dates", "notice")
def test_notice(case: Case, law: registry.Law) -> None:
    notice_dates = date_column([case["notice_date"]])
    days = notice.notice_days(law.pay, MONTH, date_column([case["joined"]]), notice_dates)
    assert days.tolist() == [case["days"]]
    assert date_at(notice.last_days(notice_dates, days)) == case["last_day"]


def test_a_batch_of_terminations_equals_its_members(law: registry.Law) -> None:
    rng, people = random.Random(22), 300
    terminations = codes([rng.choice(list(TerminationKind)) for _ in range(people)])
    last_days = date_column([date(2026, 1, 1) + timedelta(days=rng.randrange(365)) for _ in range(people)])
    weeks = working_days.weeks([rng.choice(WEEKS) for _ in range(people)])
    batch = deadlines.final_salary_due(law.pay, MONTH, law.holidays, terminations, last_days, weeks)
    for index in range(people):
        person = slice(index, index + 1)
        single = deadlines.final_salary_due(
            law.pay, MONTH, law.holidays, terminations[person], last_days[person], weeks[person]
        )
        assert date_at(single.due_on) == date_at(batch.due_on, index)
        assert date_at(single.latest_on) == date_at(batch.latest_on, index)


def test_a_deadline_beyond_the_covered_holidays_is_rejected(law: registry.Law) -> None:
    terminations, last_days = codes([TerminationKind.DISMISSED]), date_column([date(2027, 12, 31)])
    with pytest.raises(MonthNotCovered):
        deadlines.final_salary_due(
            law.pay, MONTH, law.holidays, terminations, last_days, working_days.weeks([WEEKS[0]])
        )


def test_random_notices_agree_with_the_reference() -> None:
    rng, people = random.Random(10), 10_000
    joined = [date(2018, 1, 1) + timedelta(days=rng.randrange(2000)) for _ in range(people)]
    notice_dates = [day + timedelta(days=rng.choice((rng.randrange(400), rng.randrange(2200)))) for day in joined]
    days = notice.notice_days(LAW.pay, MONTH, date_column(joined), date_column(notice_dates)).tolist()
    assert days == [reference_pay.notice_days(*dates) for dates in zip(joined, notice_dates, strict=True)]
