"""The guarantees of leave balances, for random policies, services and entries."""

import random
from collections import defaultdict
from dataclasses import replace
from datetime import date, timedelta
from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from gaji.engine.leave.children import anniversary
from gaji.engine.leave.movements import LeaveService, Movement, MovementKind, Settlement, list_movements
from gaji.engine.leave.policies import AccrualMethod, LeavePolicy
from gaji.engine.leave.statutory_minimum import statutory_policies
from gaji.law.scale import Scale
from tests.engine.leave.reference_balances import DayByDay
from tests.engine.leave.test_balances import SETTLEMENTS, column_balances
from tests.support.law import LAW

SEEDS = st.integers(0, 2**32)
EARLIEST = date(2019, 1, 1)
MAX_DAYS = 2600
ANNUAL_MINIMUM = statutory_policies(LAW.leave)["annual_leave"]


def random_day(rng: random.Random, first: date = EARLIEST, max_days: int = MAX_DAYS) -> date:
    return first + timedelta(days=rng.randrange(max_days))


def random_scale(rng: random.Random, thresholds: list[int]) -> Scale:
    return Scale(tuple(thresholds), tuple(sorted(rng.randrange(0, 30) * 500 for _ in thresholds)))


def random_policy(rng: random.Random, since: date | None, *, service_years: bool = False) -> LeavePolicy:
    accrual = rng.choice(list(AccrualMethod))
    return LeavePolicy(
        accrual=accrual,
        entitlement=random_scale(rng, sorted({1, rng.randrange(1, 5), rng.randrange(1, 9)})),
        since=since,
        min_service_months=rng.choice((0, 0, 1, 3, 6, 11)),
        first_year=random_scale(rng, [3, 5, 9]) if accrual is AccrualMethod.YEARLY and rng.random() < 0.3 else None,
        carry_limit_millidays=rng.choice((None, 0, 2500, 5000)),
        expiry_months=rng.choice((None, 1, 3, 11, 12)),
        prorate=rng.random() < 0.6,
        leave_year_month=None if service_years else rng.choice((None, None, 1, 1, 4)),
        carries_negative=rng.random() < 0.7,
    )


def random_policies(rng: random.Random, *, service_years: bool = False) -> list[LeavePolicy]:
    changes = sorted({random_day(rng) for _ in range(rng.randrange(3))})
    return [random_policy(rng, since, service_years=service_years) for since in (None, *changes)]


def random_service(rng: random.Random) -> LeaveService:
    first = rng.choice((random_day(rng, max_days=1500), date(2020, 2, 29), date(2021, 1, 31), date(2019, 12, 1)))
    last = rng.choice((None, first + timedelta(days=rng.randrange(1400))))
    take_on_date = first + timedelta(days=rng.randrange(900)) if rng.random() < 0.3 else None
    if take_on_date and last and take_on_date > last:
        take_on_date = None
    return LeaveService(first, last, rng.choice(list(Settlement)), take_on_date)


def random_movements(rng: random.Random, service: LeaveService) -> list[Movement]:
    movements = []
    for _ in range(rng.randrange(25)):
        day = random_day(rng, service.first - timedelta(days=20), 1500)
        kind = rng.choice((MovementKind.TAKEN, MovementKind.TAKEN, MovementKind.ADJUSTMENT))
        amounts = (-500, -1000, -1000, -333) if kind is MovementKind.TAKEN else (-2000, 1500, 6000)
        movements.append(Movement(day, kind, rng.choice(amounts), "recorded"))
    if service.take_on_date:
        amount = rng.choice((-1000, 0, 3500, 9000))
        movements.append(Movement(service.take_on_date, MovementKind.TAKE_ON, amount, "take-on balance"))
    return movements


def balance(policies: list[LeavePolicy], service: LeaveService, recorded: list[Movement], as_of: date) -> int:
    return sum(movement.millidays for movement in list_movements(policies, service, recorded, as_of))


@given(seed=SEEDS)
@settings(max_examples=60)
def test_a_batch_agrees_with_a_calculation_day_by_day(seed: int) -> None:
    rng = random.Random(seed)
    policies = random_policies(rng, service_years=True)
    services = [random_service(rng) for _ in range(8)]
    recorded = [random_movements(rng, service) for service in services]
    as_of = [min(service.last or date.max, random_day(rng, service.first, 1600)) for service in services]
    balances = column_balances(policies, services, recorded, as_of)
    for service, movements, day, millidays in zip(services, recorded, as_of, balances, strict=True):
        by_day = defaultdict(list)
        for movement in movements:
            by_day[movement.date].append(Fraction(movement.millidays, 1000))
        reference = DayByDay(policies, service.first, service.take_on_date or service.first, by_day)
        assert Fraction(millidays, 1000) == reference.balance_on(day, leaving=day == service.last)


@given(seed=SEEDS)
@settings(max_examples=60)
def test_a_balance_is_the_sum_of_its_movements(seed: int) -> None:
    rng = random.Random(seed)
    policies, service = random_policies(rng), random_service(rng)
    recorded = random_movements(rng, service)
    for _ in range(5):
        as_of = random_day(rng, service.first, 1600)
        movements = list_movements(policies, service, recorded, as_of)
        settled = sum(movement.millidays for movement in movements if movement.kind in SETTLEMENTS)
        [unsettled] = column_balances(policies, [service], [recorded], [as_of])
        if service.last and as_of > service.last:
            assert sum(movement.millidays for movement in movements) == 0
        else:
            assert sum(movement.millidays for movement in movements) == unsettled + settled


@given(seed=SEEDS)
@settings(max_examples=40)
def test_a_change_of_policy_changes_no_balance_before_its_date(seed: int) -> None:
    rng = random.Random(seed)
    policies, service = random_policies(rng), random_service(rng)
    recorded = random_movements(rng, service)
    latest = max([policy.since for policy in policies if policy.since] or [service.first])
    since = latest + timedelta(days=1 + rng.randrange(400))
    changed = [*policies, random_policy(rng, since)]
    for days_before in (1, 2, 40):
        day = since - timedelta(days=days_before)
        assert balance(changed, service, recorded, day) == balance(policies, service, recorded, day)


@given(seed=SEEDS)
@settings(max_examples=40)
def test_later_dates_only_add_movements(seed: int) -> None:
    rng = random.Random(seed)
    policies, service = random_policies(rng), random_service(rng)
    recorded = random_movements(rng, service)
    early, late = sorted((random_day(rng, service.first, 1600), random_day(rng, service.first, 1600)))
    until_late = list_movements(policies, service, recorded, late)
    up_to_early = [movement for movement in until_late if movement.date <= early]
    assert list_movements(policies, service, recorded, early) == up_to_early


@given(seed=SEEDS)
@settings(max_examples=40)
def test_a_service_that_ends_leaves_no_balance_and_changes_nothing_before(seed: int) -> None:
    rng = random.Random(seed)
    policies, service = random_policies(rng), random_service(rng)
    recorded = random_movements(rng, service)
    last = max(service.take_on_date or service.first, random_day(rng, service.first, 1400))
    ended = LeaveService(service.first, last, service.settlement, service.take_on_date)
    ongoing = LeaveService(service.first, None, service.settlement, service.take_on_date)
    assert balance(policies, ended, recorded, last + timedelta(days=1)) == 0
    before = last - timedelta(days=1)
    assert balance(policies, ended, recorded, before) == balance(policies, ongoing, recorded, before)


@given(seed=SEEDS)
@settings(max_examples=40)
def test_a_batch_with_any_leave_years_equals_its_members(seed: int) -> None:
    rng = random.Random(seed)
    policies = random_policies(rng)
    services = [random_service(rng) for _ in range(5)]
    recorded = [random_movements(rng, service) for service in services]
    as_of = [min(service.last or date.max, random_day(rng, service.first, 1600)) for service in services]
    balances = column_balances(policies, services, recorded, as_of, ANNUAL_MINIMUM)
    for index, service in enumerate(services):
        [alone] = column_balances(policies, [service], [recorded[index]], [as_of[index]], ANNUAL_MINIMUM)
        shuffled = rng.sample(recorded[index], len(recorded[index]))
        movements = list_movements(policies, service, shuffled, as_of[index], ANNUAL_MINIMUM)
        unsettled = [movement.millidays for movement in movements if movement.kind not in SETTLEMENTS]
        assert balances[index] == alone == sum(unsettled)


@given(seed=SEEDS)
@settings(max_examples=40)
def test_switching_to_leave_years_that_begin_on_the_same_day_and_back_changes_no_balance(seed: int) -> None:
    rng = random.Random(seed)
    service = LeaveService(date(2020, rng.randrange(1, 13), 1))
    recorded = random_movements(rng, service)
    accrual = rng.choice((AccrualMethod.MONTHLY, AccrualMethod.YEARLY))
    policy = LeavePolicy(accrual, Scale((1, 3), (12_000, 15_000)), prorate=rng.random() < 0.5)
    switch = date(2021 + rng.randrange(3), service.first.month, 1)
    policies = [
        policy,
        replace(policy, since=switch, leave_year_month=service.first.month),
        replace(policy, since=date(switch.year + 1, switch.month, 1)),
    ]
    for _ in range(5):
        day = random_day(rng, service.first, 2000)
        assert balance(policies, service, recorded, day) == balance([policy], service, recorded, day)


@given(seed=SEEDS)
@settings(max_examples=30)
def test_calendar_years_give_at_least_the_legal_minimum_of_each_year_of_service(seed: int) -> None:
    rng = random.Random(seed)
    service = LeaveService(random_day(rng, max_days=1500))
    accrual = rng.choice((AccrualMethod.MONTHLY, AccrualMethod.YEARLY))
    policy = LeavePolicy(accrual, ANNUAL_MINIMUM[0].entitlement, leave_year_month=rng.randrange(1, 13))
    unlimited = [replace(statutory, expiry_months=None) for statutory in ANNUAL_MINIMUM]
    for years in range(1, 5):
        last_day = anniversary(service.first, years) - timedelta(days=1)
        movements = list_movements([policy], service, [], last_day, ANNUAL_MINIMUM)
        assert sum(movement.millidays for movement in movements) >= balance(unlimited, service, [], last_day)
