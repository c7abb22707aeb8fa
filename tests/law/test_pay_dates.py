"""By when pay is due, and how long notice is."""

import random
from datetime import date, timedelta

import pytest

from gaji.law import registry
from gaji.law.columns import codes, date_at, date_column
from gaji.law.months import Month
from gaji.law.parameters import MonthNotCovered
from gaji.law.pay import deadlines, notice, working_days
from gaji.law.pay.deadlines import TerminationKind
from tests.law import plain_pay
from tests.law.cases import Case, cases
from tests.law.terms import WEEKS

LAW = registry.load()
MONTH = Month(2026, 1)


@cases("pay_dates", "period_due")
def test_salary_and_overtime(case: Case, law: registry.Law) -> None:
    ends = date_column([case["period_end"]])
    assert date_at(deadlines.salary_due(law.pay, MONTH, ends)) == case["salary"]
    assert date_at(deadlines.overtime_due(law.pay, MONTH, ends)) == case["overtime"]


@cases("pay_dates", "last_salary")
def test_last_salary(case: Case, law: registry.Law) -> None:
    weeks = working_days.weeks([case.get("week", WEEKS[0])])
    endings = codes([TerminationKind[case["ending"]]])
    due = deadlines.final_salary_due(law.pay, MONTH, law.holidays, endings, date_column([case["last_day"]]), weeks)
    assert (date_at(due.due_on), date_at(due.latest_on)) == (case["on"], case["at_latest"])


@cases("pay_dates", "notice")
def test_notice(case: Case, law: registry.Law) -> None:
    given_on = date_column([case["given"]])
    length = notice.notice_days(law.pay, MONTH, date_column([case["joined"]]), given_on)
    assert length.tolist() == [case["days"]]
    assert date_at(notice.last_days(given_on, length)) == case["last_day"]


def test_a_batch_of_endings_is_its_members(law: registry.Law) -> None:
    at, people = random.Random(22), 300
    endings = codes([at.choice(list(TerminationKind)) for _ in range(people)])
    lasts = date_column([date(2026, 1, 1) + timedelta(days=at.randrange(365)) for _ in range(people)])
    weeks = working_days.weeks([at.choice(WEEKS) for _ in range(people)])
    together = deadlines.final_salary_due(law.pay, MONTH, law.holidays, endings, lasts, weeks)
    for place in range(people):
        own = slice(place, place + 1)
        alone = deadlines.final_salary_due(law.pay, MONTH, law.holidays, endings[own], lasts[own], weeks[own])
        assert date_at(alone.due_on) == date_at(together.due_on, place)
        assert date_at(alone.latest_on) == date_at(together.latest_on, place)


def test_a_deadline_beyond_the_known_holidays_is_refused(law: registry.Law) -> None:
    weeks = working_days.weeks([WEEKS[0]])
    with pytest.raises(MonthNotCovered):
        deadlines.final_salary_due(
            law.pay, MONTH, law.holidays, codes([TerminationKind.DISMISSED]), date_column([date(2027, 12, 31)]), weeks
        )


def test_random_services_agree_with_the_plain_telling() -> None:
    at, people = random.Random(10), 10_000
    joined = [date(2018, 1, 1) + timedelta(days=at.randrange(2000)) for _ in range(people)]
    given = [day + timedelta(days=at.choice((at.randrange(400), at.randrange(2200)))) for day in joined]
    found = notice.notice_days(LAW.pay, MONTH, date_column(joined), date_column(given)).tolist()
    assert found == [plain_pay.notice_days(*pair) for pair in zip(joined, given, strict=True)]
