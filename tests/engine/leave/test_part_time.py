"""Leave of part-time employees."""

import random
from dataclasses import replace
from datetime import date, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from gaji.engine.catalogue import WEEKDAYS, StoredValue
from gaji.engine.leave.movements import LeaveService, Movement, list_movements
from gaji.engine.leave.part_time import list_hours_changes, prorate_policies
from gaji.engine.leave.policies import AccrualMethod, LeavePolicy
from gaji.engine.regular_hours import WorkSchedule, WorkWeek, work_week
from gaji.law import registry
from gaji.law.leave.part_time import FullTimeHours
from gaji.law.scale import Scale
from tests.engine.leave.case_files import Case, case_policies, case_services, cases, to_millidays
from tests.engine.leave.test_balances import SETTLEMENTS, column_balances
from tests.engine.leave.test_guarantees import random_day, random_movements, random_policies, random_service

FULL_TIME = FullTimeHours(44_000, 8_000)
LIMIT = 35
WEEKS = (
    "8 8 8 8 8 0 0",
    "4 4 4 4 4 0 0",
    "8 8 0 0 0 0 0",
    "5 5 5 5 5 5 0",
    "8 8 8 8 8 0 0 / 8 8 0 0 0 0 0",
    "0 6 6 6 0 0 0 / 8 0 0 0 0 0 0 / 4 4 4 0 0 0 0",
)
SEEDS = st.integers(0, 2**32)


def build_week(hours: str, full_day: str = "8") -> WorkWeek:
    inputs: dict[str, StoredValue] = {"schedule": "fixed", "full_day_hours_input": full_day}
    if "/" in hours:
        return work_week(inputs | {"cycle": hours, "cycle_start": "2025-01-06"}, 5)
    for day, count in zip(WEEKDAYS, hours.split(), strict=True):
        inputs |= {f"works_{day}": count != "0", f"day_type_{day}": "partial", f"partial_hours_{day}": count}
    return work_week(inputs, 5)


def build_schedule(weeks: list[Case]) -> WorkSchedule:
    return WorkSchedule(
        tuple(
            (table.get("from", date.min), build_week(table["hours"], str(table.get("full_day", 8)))) for table in weeks
        )
    )


def prorated(policies: list[LeavePolicy], schedule: WorkSchedule) -> tuple[LeavePolicy, ...]:
    return prorate_policies(tuple(replace(policy, full_time=FULL_TIME) for policy in policies), schedule, LIMIT)


def part_time_balance(
    policies: tuple[LeavePolicy, ...], service: LeaveService, recorded: list[Movement], as_of: date
) -> int:
    entries = [*recorded, *list_hours_changes(policies, service, as_of)]
    return sum(movement.millidays for movement in list_movements(policies, service, entries, as_of))


@cases("part_time")
def test_balances_of_part_time_employees(case: Case, law: registry.Law) -> None:
    policies = prorated(list(case_policies(law, case)), build_schedule(case["schedule"]))
    [service] = case_services(case)
    for expected in case["balances"]:
        millidays = part_time_balance(policies, service, [], expected["on"])
        assert millidays == to_millidays(expected["days"]), f"{millidays} on {expected['on']}"


def random_schedule(rng: random.Random) -> WorkSchedule:
    changes = sorted({random_day(rng) for _ in range(rng.randrange(4))})
    return WorkSchedule(tuple((day, build_week(rng.choice(WEEKS))) for day in (date.min, *changes)))


@given(seed=SEEDS)
@settings(max_examples=40)
def test_columns_equal_the_movements_in_any_order_of_entry(seed: int) -> None:
    rng = random.Random(seed)
    policies, service = prorated(random_policies(rng), random_schedule(rng)), random_service(rng)
    recorded = random_movements(rng, service)
    for _ in range(3):
        as_of = min(service.last or date.max, random_day(rng, service.first, 1600))
        entries = [*recorded, *list_hours_changes(policies, service, as_of)]
        movements = list_movements(policies, service, rng.sample(entries, len(entries)), as_of)
        unsettled = [movement.millidays for movement in movements if movement.kind not in SETTLEMENTS]
        assert column_balances(policies, [service], [entries], [as_of]) == [sum(unsettled)]


@given(seed=SEEDS)
@settings(max_examples=40)
def test_later_dates_only_add_movements_of_part_time_employees(seed: int) -> None:
    rng = random.Random(seed)
    policies, service = prorated(random_policies(rng), random_schedule(rng)), random_service(rng)
    early, late = sorted(random_day(rng, service.first, 1600) for _ in range(2))
    until_late = list(list_hours_changes(policies, service, late))
    assert list(list_hours_changes(policies, service, early)) == [
        movement for movement in until_late if movement.date <= early
    ]


@given(seed=SEEDS)
@settings(max_examples=40)
def test_switching_leave_years_and_back_changes_no_balance_of_part_time_employees(seed: int) -> None:
    rng = random.Random(seed)
    service = LeaveService(date(2020, rng.randrange(1, 13), 1))
    schedule, recorded = random_schedule(rng), random_movements(rng, service)
    accrual = rng.choice((AccrualMethod.MONTHLY, AccrualMethod.YEARLY))
    policy = LeavePolicy(accrual, Scale((1, 3), (12_000, 15_000)), prorate=rng.random() < 0.5)
    switch = date(2021 + rng.randrange(3), service.first.month, 1)
    switched = [
        policy,
        replace(policy, since=switch, leave_year_month=service.first.month),
        replace(policy, since=date(switch.year + 1, switch.month, 1)),
    ]
    for _ in range(4):
        day = random_day(rng, service.first, 2000)
        balances = [
            part_time_balance(prorated(policies, schedule), service, recorded, day) for policies in ([policy], switched)
        ]
        assert balances[0] == balances[1]


@given(seed=SEEDS)
@settings(max_examples=30)
def test_hours_that_change_and_change_back_leave_the_sick_leave_of_the_year(seed: int) -> None:
    rng = random.Random(seed)
    policy = LeavePolicy(AccrualMethod.YEARLY, Scale((1,), (14_000,)), prorate=False, carry_limit_millidays=0)
    service, week = LeaveService(date(2023, rng.randrange(1, 13), 1)), build_week(rng.choice(WEEKS))
    change = random_day(rng, date(2024, 1, 1), 600)
    back = change + timedelta(days=rng.randrange(1, 200))
    steady = WorkSchedule(((date.min, week),))
    changing = WorkSchedule(((date.min, week), (change, build_week(rng.choice(WEEKS))), (back, week)))
    for day in (back, back + timedelta(days=rng.randrange(300))):
        balances = [
            part_time_balance(prorated([policy], schedule), service, [], day) for schedule in (steady, changing)
        ]
        assert balances[0] == balances[1]
