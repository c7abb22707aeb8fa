"""Working days of a month and of the part in service."""

import random
from collections.abc import Sequence
from datetime import date, timedelta
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaji.law import registry
from gaji.law.columns import date_column
from gaji.law.months import Month
from gaji.law.parameters import MonthNotCovered
from gaji.law.pay import work_cycles, working_days
from tests.law import reference_pay
from tests.law.cases import Case, cases
from tests.law.pay_terms import WEEKS, from_millis, milli_column
from tests.support.law import LAW

HOLIDAYS = {holiday.day for holiday in LAW.holidays.days}
DATES = st.dates(date(2022, 1, 1), date(2027, 12, 31))
A_WEEK = st.lists(st.integers(0, 2), min_size=7, max_size=7)


@cases("pay_working_days", "working_days")
def test_case(case: Case, law: registry.Law) -> None:
    month, weeks = Month.parse(case["month"]), working_days.weeks([case["week"]])
    first, last = max(case.get("from", date.min), month.first_day), min(case.get("to", date.max), month.last_day)
    counted = working_days.count_between(law.holidays, weeks, date_column([first]), date_column([last]))
    assert counted.tolist() == milli_column(case["days"]).tolist()
    if "from" not in case:
        assert (
            working_days.count_in_period(law.holidays, month.first_day, month.last_day, weeks).tolist()
            == milli_column(case["days"]).tolist()
        )


@cases("pay_working_days", "week_of_hours")
def test_week_of_hours(case: Case, law: registry.Law) -> None:
    limit = law.pay.half_day_hours.at(Month(2026, 1)).value
    assert list(working_days.half_days_from_hours(case["hours"], limit)) == case["week"]


def test_the_average_week_is_the_sum_of_its_days() -> None:
    average = working_days.cycle_millidays(working_days.weeks(WEEKS))
    assert average.tolist() == [5000, 5500, 6000, 3000, 2500, 5500, 2500, 7000]


@pytest.mark.parametrize("row", [(3, 2, 2, 2, 2, 0, 0), (-1, 2, 2, 2, 2, 0, 0)])
def test_an_invalid_week_is_rejected(row: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="0, 1 or 2 half days"):
        working_days.weeks([row])


def test_days_outside_the_covered_years_are_rejected(law: registry.Law) -> None:
    with pytest.raises(MonthNotCovered, match="holidays covers 2016-01 to 2027-12, not 2028-01"):
        working_days.count_in_period(law.holidays, date(2027, 12, 1), date(2028, 1, 1), working_days.weeks([WEEKS[0]]))


def test_an_empty_batch_has_no_days(law: registry.Law) -> None:
    weeks = working_days.weeks([])
    assert working_days.count_between(law.holidays, weeks, date_column([]), date_column([])).tolist() == []


def test_random_date_ranges_agree_with_the_reference() -> None:
    rng = random.Random(4)
    rows = [rng.choice((rng.choice(WEEKS), tuple(rng.randrange(3) for _ in range(7)))) for _ in range(20_000)]
    firsts = [date(2022, 1, 1) + timedelta(days=rng.randrange(2150)) for _ in rows]
    lasts = [first + timedelta(days=rng.randrange(-3, 40)) for first in firsts]
    counted = working_days.count_between(
        LAW.holidays, working_days.weeks(rows), date_column(firsts), date_column(lasts)
    )
    for row, first, last, days in zip(rows, firsts, lasts, counted.tolist(), strict=True):
        assert weekly_working_days(row, first, last) == from_millis(days), (row, first, last)


def weekly_working_days(row: Sequence[int], first: date, last: date) -> Fraction:
    return reference_pay.working_days(lambda day: row[day.weekday()], first, last, HOLIDAYS)


def test_random_cycles_agree_with_the_reference() -> None:
    rng = random.Random(6)
    cycles = [[[rng.randrange(3) for _ in range(7)] for _ in range(rng.randint(1, 6))] for _ in range(300)]
    starts = [date(2022, 1, 1) + timedelta(days=rng.randrange(2150)) for _ in cycles]
    firsts = [date(2022, 1, 1) + timedelta(days=rng.randrange(2050)) for _ in cycles]
    lasts = [first + timedelta(days=rng.randrange(-3, 100)) for first in firsts]
    weeks = working_days.weeks([work_cycles.align_cycle(*cycle) for cycle in zip(cycles, starts, strict=True)])
    counted = working_days.count_between(LAW.holidays, weeks, date_column(firsts), date_column(lasts))
    for cycle, start, first, last, days in zip(cycles, starts, firsts, lasts, counted.tolist(), strict=True):

        def half_days_on(day: date, cycle: list[list[int]] = cycle, start: date = start) -> int:
            monday = start - timedelta(days=start.weekday())
            return cycle[(day - monday).days // 7 % len(cycle)][day.weekday()]

        expected = reference_pay.working_days(half_days_on, first, last, HOLIDAYS)
        assert expected == from_millis(days), (cycle, start, first, last)


@pytest.mark.parametrize(("month", "days"), [(Month(2026, 1), 25), (Month(2026, 2), 22), (Month(2026, 3), 24)])
def test_every_second_saturday_is_a_working_day_of_its_month(law: registry.Law, month: Month, days: int) -> None:
    cycle = [(2, 2, 2, 2, 2, 2, 0), (2, 2, 2, 2, 2, 0, 0)]
    # The Saturdays of work are 3, 17 and 31 January, 14 and 28 February, 14 and 28 March.
    weeks = working_days.weeks([work_cycles.align_cycle(cycle, date(2026, 1, 3))])
    counted = working_days.count_in_period(law.holidays, month.first_day, month.last_day, weeks)
    assert counted.tolist() == [days * 1000]


@given(week=A_WEEK, first=DATES, cut=st.integers(0, 60), more=st.integers(0, 60))
def test_the_parts_of_a_period_add_up_to_the_whole(week: list[int], first: date, cut: int, more: int) -> None:
    middle = min(first + timedelta(days=cut), date(2027, 12, 30))
    last = min(middle + timedelta(days=1 + more), date(2027, 12, 31))
    weeks = working_days.weeks([week, week, week])
    total, left, right = working_days.count_between(
        LAW.holidays, weeks, date_column([first, first, middle + timedelta(days=1)]), date_column([last, middle, last])
    ).tolist()
    assert total == left + right


def test_a_batch_equals_its_members() -> None:
    rng = random.Random(11)
    rows = [tuple(rng.randrange(3) for _ in range(7)) for _ in range(500)]
    firsts = [date(2026, 1, 1) + timedelta(days=rng.randrange(31)) for _ in rows]
    lasts = [date(2026, 1, 1) + timedelta(days=rng.randrange(31)) for _ in rows]
    batch = working_days.count_between(LAW.holidays, working_days.weeks(rows), date_column(firsts), date_column(lasts))
    singles = [
        int(
            working_days.count_between(
                LAW.holidays, working_days.weeks([row]), date_column([first]), date_column([last])
            )[0]
        )
        for row, first, last in zip(rows, firsts, lasts, strict=True)
    ]
    assert batch.tolist() == singles
    assert batch.dtype == np.int64
