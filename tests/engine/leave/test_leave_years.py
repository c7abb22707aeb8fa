"""Months of service of many dates."""

import numpy as np

from gaji.engine.leave.leave_years import MANY_DATES, ServiceStarts


def test_many_dates_are_numbered_like_few() -> None:
    dates = np.datetime64("2016-01-31", "D") + np.arange(MANY_DATES) * 7 % 4000
    starts = ServiceStarts.from_dates(np.full(len(dates), np.datetime64("2015-12-31", "D")))
    first, second = (starts.select(part) for part in np.split(np.arange(len(dates)), 2))
    parts = [first.month_numbers(dates[: len(dates) // 2]), second.month_numbers(dates[len(dates) // 2 :])]
    assert np.array_equal(starts.month_numbers(dates), np.concatenate(parts))
