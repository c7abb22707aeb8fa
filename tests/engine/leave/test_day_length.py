"""The length of a leave day, and the unpaid days of a payslip."""

from datetime import date
from decimal import Decimal

import numpy as np
import pytest

from gaji.engine.catalogue import WEEKDAYS, StoredValue
from gaji.engine.leave.day_length import LeaveDayError, leave_day_length, require_hours_within
from gaji.engine.leave.unpaid_days import UnpaidDates, unpaid_days
from gaji.engine.regular_hours import WorkWeek, work_week
from gaji.law import registry
from gaji.law.columns import date_column, flags
from gaji.law.pay.work_cycles import align_cycle, cycle_day
from gaji.law.pay.working_days import weeks
from gaji.law.quantities import MILLI, counts
from tests.engine.leave.case_files import Case, cases, to_millidays

HALF_DAY_HOURS = 5
FIVE_DAYS = [2, 2, 2, 2, 2, 0, 0]


def case_week(case: Case) -> WorkWeek:
    inputs: dict[str, StoredValue] = {"full_day_hours_input": str(case.get("full_day_hours", 8))}
    if "schedule" in case:
        inputs["schedule"] = case["schedule"]
    if "cycle" in case:
        inputs |= {"schedule": "fixed", "cycle": case["cycle"], "cycle_start": str(case["cycle_start"])}
    for day, hours in zip(WEEKDAYS, case.get("works", ()), strict=False):
        inputs |= {"schedule": "fixed", f"works_{day}": hours != ""}
        if isinstance(hours, int | Decimal):
            inputs |= {f"day_type_{day}": "partial", f"partial_hours_{day}": str(hours)}
    return work_week(inputs, HALF_DAY_HOURS)


def case_portion(case: Case, law: registry.Law) -> tuple[int, int]:
    day_length = leave_day_length(law.holidays, case_week(case), case["date"], any_day=case.get("any_day", False))
    if "hours" not in case:
        return day_length.portion_millidays(None)
    require_hours_within(day_length, to_millidays(case["hours"]))
    return day_length.portion_millidays(to_millidays(case["hours"]))


@cases("days")
def test_days(case: Case, law: registry.Law) -> None:
    if "error" in case:
        with pytest.raises(LeaveDayError) as raised:
            case_portion(case, law)
        assert str(raised.value) == case["error"]
    else:
        working_days = case["working"] if "working" in case else case["days"]
        assert case_portion(case, law) == (to_millidays(case["days"]), to_millidays(working_days))


@cases("unpaid")
def test_unpaid(case: Case, law: registry.Law) -> None:
    cycle = case.get("cycle", [case.get("week", FIVE_DAYS)])
    week = align_cycle(cycle, case.get("cycle_start", date(2026, 1, 5)))
    parts = case.get("parts", [])
    dates = [*case["unpaid"], *(part["date"] for part in parts)]
    whole_days = [week[cycle_day(day, len(week))] * MILLI // 2 for day in case["unpaid"]]
    unpaid = UnpaidDates(
        people=np.ones(len(dates), dtype=np.intp),
        dates=date_column(dates),
        working_millidays=counts([*whole_days, *(to_millidays(part["days"]) for part in parts)]),
        is_whole_day=flags([True] * len(case["unpaid"]) + [False] * len(parts)),
    )
    first, last = (date_column([case["period"][end]] * 3) for end in ("start", "end"))
    days = unpaid_days(law.holidays, weeks([FIVE_DAYS, week, FIVE_DAYS]), unpaid, first, last)
    millidays = days.total(3, last)
    assert millidays.tolist() == [0, to_millidays(case["days"]), 0]
