"""Pay periods: end dates and offsets."""

from calendar import monthrange
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaji.engine.periods import Frequency, NotAPeriodEnd, PaySchedule, schedule_from_first_end

DAYS = st.dates(date(1900, 1, 1), date(2199, 12, 31))
OFFSETS = st.integers(-1200, 4500)


@st.composite
def schedules(draw: st.DrawFn) -> PaySchedule:
    frequency: Frequency = draw(st.sampled_from(["weekly", "fortnightly", "twice_a_month", "monthly"]))
    if frequency == "weekly":
        return PaySchedule(frequency, anchor_day=draw(st.integers(1, 7)))
    if frequency == "fortnightly":
        return PaySchedule(frequency, anchor_day=draw(st.integers(1, 14)))
    last_day = draw(st.integers(1, 31))
    if frequency == "monthly":
        return PaySchedule(frequency, last_day)
    interim = draw(st.integers(1, 31).filter(lambda day: day != last_day and min(day, last_day) < 28))
    return PaySchedule(frequency, last_day, interim)


@given(schedules(), OFFSETS)
def test_an_offset_converts_to_an_end_date_and_back(schedule: PaySchedule, offset: int) -> None:
    assert schedule.offset(schedule.end(offset)) == offset


@given(schedules(), DAYS)
def test_every_day_is_in_its_period(schedule: PaySchedule, day: date) -> None:
    offset = schedule.offset_containing(day)
    assert schedule.start(offset) <= day <= schedule.end(offset)


@given(schedules(), OFFSETS)
def test_periods_follow_each_other_without_gap_or_overlap(schedule: PaySchedule, offset: int) -> None:
    assert schedule.start(offset) <= schedule.end(offset)
    assert schedule.start(offset + 1) == schedule.end(offset) + timedelta(days=1)


@given(schedules(), OFFSETS)
def test_a_schedule_is_recovered_from_any_of_its_end_dates(schedule: PaySchedule, offset: int) -> None:
    last_day = None if schedule.frequency in ("weekly", "fortnightly") else schedule.last_day
    assert schedule_from_first_end(schedule.frequency, schedule.end(offset), last_day, schedule.interim_day) == schedule


@pytest.mark.parametrize("day", range(1, 32))
def test_a_monthly_period_ends_on_its_day_or_on_the_last_of_a_shorter_month(day: int) -> None:
    schedule = PaySchedule("monthly", day)
    for offset in range(-1300, 2400):
        end = schedule.end(offset)
        assert end.day == min(day, monthrange(end.year, end.month)[1])
        assert schedule.offset(end) == offset


def test_weekly_anchors_are_in_the_first_week_of_2008() -> None:
    schedule = schedule_from_first_end("weekly", date(2026, 1, 2))
    assert schedule.anchor == date(2008, 1, 4)
    assert schedule.offset(date(2026, 1, 2)) == 939


def test_fortnightly_anchors_are_in_the_first_two_weeks_of_2008() -> None:
    assert schedule_from_first_end("fortnightly", date(2026, 1, 9)).anchor == date(2008, 1, 4)
    assert schedule_from_first_end("fortnightly", date(2026, 1, 2)).anchor == date(2008, 1, 11)


def test_dates_before_2008_have_negative_offsets() -> None:
    assert PaySchedule("monthly", 31).offset(date(2007, 12, 31)) == -1
    assert schedule_from_first_end("weekly", date(2007, 12, 31)).offset(date(2007, 12, 31)) == -1


def test_each_half_month_has_its_own_offset() -> None:
    schedule = PaySchedule("twice_a_month", last_day=31, interim_day=15)
    assert [schedule.end(offset) for offset in (-1, 0, 1, 2)] == [
        date(2008, 1, 15),
        date(2008, 1, 31),
        date(2008, 2, 15),
        date(2008, 2, 29),
    ]


def test_the_interim_day_may_be_after_the_last_day() -> None:
    schedule = PaySchedule("twice_a_month", last_day=5, interim_day=20)
    assert [schedule.end(offset) for offset in (-1, 0, 1, 2)] == [
        date(2007, 12, 20),
        date(2008, 1, 5),
        date(2008, 1, 20),
        date(2008, 2, 5),
    ]


def test_a_date_that_is_not_the_end_of_a_period_is_rejected_with_the_nearest_ends() -> None:
    with pytest.raises(NotAPeriodEnd, match=r"2026-03-31 and 2026-04-30"):
        PaySchedule("monthly", 31).offset(date(2026, 4, 15))


@pytest.mark.parametrize(
    ("schedule", "label"),
    [
        (PaySchedule("weekly", anchor_day=4), "Weekly, ending on Friday"),
        (PaySchedule("fortnightly", anchor_day=4), "Fortnightly, ending on Friday"),
        (PaySchedule("monthly", 31), "Monthly, ending on the last day"),
        (PaySchedule("twice_a_month", 31, 15), "Twice a month, ending on day 15 and the last day"),
    ],
)
def test_the_label_describes_the_end_of_periods(schedule: PaySchedule, label: str) -> None:
    assert schedule.label == label
