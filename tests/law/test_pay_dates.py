"""Payment deadlines and notice."""

import random
from datetime import date, timedelta

from gaji.law import registry
from gaji.law.pay import deadlines, notice
from tests.law import reference_pay
from tests.law.cases import Case, cases


@cases("pay_dates", "period_due")
def test_salary_and_overtime(case: Case, law: registry.Law) -> None:
    assert deadlines.salary_due(law.pay, case["period_end"]) == case["salary"]
    assert deadlines.overtime_due(law.pay, case["period_end"]) == case["overtime"]


@cases("pay_dates", "notice")
def test_notice(case: Case, law: registry.Law) -> None:
    dates = case["joined"], case["notice_date"]
    assert notice.notice_days(law.pay, *dates) == case["days"]
    assert notice.last_day_after_notice(law.pay, *dates) == case["last_day"]


def test_random_notices_agree_with_the_reference(law: registry.Law) -> None:
    rng = random.Random(10)
    for _ in range(1000):
        joined = date(2018, 1, 1) + timedelta(days=rng.randrange(2000))
        notice_date = joined + timedelta(days=rng.choice((rng.randrange(400), rng.randrange(2200))))
        assert notice.notice_days(law.pay, joined, notice_date) == reference_pay.notice_days(joined, notice_date)
