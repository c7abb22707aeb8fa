"""Public holidays on days off."""

from datetime import date

from gaji.engine.catalogue import WEEKDAYS, StoredValue
from gaji.engine.leave.holidays_off import list_days_in_lieu, list_holidays_off
from gaji.engine.leave.policies import AccrualMethod, HolidayOffChoice, LeavePolicy
from gaji.engine.regular_hours import WorkSchedule, WorkWeek, work_week
from gaji.law import registry
from tests.engine.leave.case_files import Case, cases

FIVE_DAYS = "8 8 8 8 8 0 0"
BEGINNING = date(2016, 1, 1)


def build_week(hours: str, cycle_start: date) -> WorkWeek:
    if "/" in hours:
        return work_week({"schedule": "fixed", "cycle": hours, "cycle_start": str(cycle_start)}, 5)
    inputs: dict[str, StoredValue] = {"schedule": "fixed"}
    for day, count in zip(WEEKDAYS, hours.split(), strict=True):
        inputs |= {f"works_{day}": count != "0", f"day_type_{day}": "partial", f"partial_hours_{day}": count}
    return work_week(inputs, 5)


def case_schedule(case: Case) -> WorkSchedule:
    if case.get("casual"):
        return WorkSchedule(((date.min, work_week({"schedule": "casual"}, 5)),))
    tables = case.get("schedule", [{"hours": FIVE_DAYS}])
    start = case.get("cycle_start", date(2026, 1, 5))
    return WorkSchedule(tuple((table.get("from", date.min), build_week(table["hours"], start)) for table in tables))


@cases("holidays_off")
def test_days_in_lieu(case: Case, law: registry.Law) -> None:
    policies = [
        LeavePolicy(AccrualMethod.NONE),
        LeavePolicy(
            AccrualMethod.NONE, since=case.get("policy_from", BEGINNING), holidays_off=HolidayOffChoice.DAY_IN_LIEU
        ),
    ]
    schedule, last = case_schedule(case), date(case["year"], 12, 31)
    movements = list(list_days_in_lieu(law.holidays, schedule, policies, last))
    assert [movement.date for movement in movements if movement.date.year == case["year"]] == case["days"]
    assert {movement.millidays for movement in movements} <= {1000}
    paid = list_holidays_off(law.holidays, schedule, policies, HolidayOffChoice.PAY, last)
    assert list(paid) == []
