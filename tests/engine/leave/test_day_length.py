"""What a date counts as a day of leave, and what unpaid leave takes from a payslip, by the cases."""

from decimal import Decimal

import numpy as np
import pytest

from gaji.engine.catalogue import WEEKDAYS, StoredValue
from gaji.engine.leave.day_length import LeaveDayError, leave_day_length, require_hours_within
from gaji.engine.leave.unpaid_days import UnpaidDates, unpaid_millidays
from gaji.engine.regular_hours import WorkWeek, work_week
from gaji.law import registry
from gaji.law.columns import date_column, flags
from gaji.law.pay.working_days import weeks
from gaji.law.quantities import MILLI, counts
from tests.engine.leave.case_files import Case, cases, in_millis

HALF_DAY_HOURS = 5
FIVE_DAYS = [2, 2, 2, 2, 2, 0, 0]


def week_of(case: Case) -> WorkWeek:
    entered: dict[str, StoredValue] = {"full_day_hours_input": str(case.get("full_day_hours", 8))}
    if "schedule" in case:
        entered["schedule"] = case["schedule"]
    for day, hours in zip(WEEKDAYS, case.get("works", ()), strict=False):
        entered |= {"schedule": "fixed", f"works_{day}": hours != ""}
        if isinstance(hours, int | Decimal):
            entered |= {f"day_type_{day}": "partial", f"partial_hours_{day}": str(hours)}
    return work_week(entered, HALF_DAY_HOURS)


def measured(case: Case, law: registry.Law) -> tuple[int, int]:
    found = leave_day_length(law.holidays, week_of(case), case["date"], any_day=case.get("any_day", False))
    if "hours" not in case:
        return found.portion_millidays(None)
    require_hours_within(found, in_millis(case["hours"]))
    return found.portion_millidays(in_millis(case["hours"]))


@cases("days")
def test_days(case: Case, law: registry.Law) -> None:
    if "refused" in case:
        with pytest.raises(LeaveDayError) as refused:
            measured(case, law)
        assert str(refused.value) == case["refused"]
    else:
        expected = in_millis(case["days"])
        assert measured(case, law) == (expected, in_millis(case["working"] if "working" in case else case["days"]))


@cases("unpaid")
def test_unpaid(case: Case, law: registry.Law) -> None:
    table = case.get("week", FIVE_DAYS)
    parts = case.get("parts", [])
    dates = [*case["unpaid"], *(part["date"] for part in parts)]
    working = [table[day.weekday()] * MILLI // 2 for day in case["unpaid"]]
    unpaid = UnpaidDates(
        people=np.ones(len(dates), dtype=np.intp),
        dates=date_column(dates),
        working_millidays=counts([*working, *(in_millis(part["days"]) for part in parts)]),
        is_whole_day=flags([True] * len(case["unpaid"]) + [False] * len(parts)),
    )
    first, last = (date_column([case["period"][end]] * 3) for end in ("start", "end"))
    found = unpaid_millidays(law.holidays, weeks([FIVE_DAYS, table, FIVE_DAYS]), unpaid, first, last)
    assert found.tolist() == [0, in_millis(case["days"]), 0]
