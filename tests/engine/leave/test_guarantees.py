"""What can be relied on of balances, whatever the policies, the service and what was recorded."""

import random
from collections import defaultdict
from datetime import date, timedelta
from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from gaji.engine.leave.balances import BalanceDates, LeaveEntries, ServiceColumns, compute_balances
from gaji.engine.leave.movements import LeaveService, Movement, MovementKind, Settlement, list_movements
from gaji.engine.leave.policies import AccrualMethod, LeavePolicy
from gaji.law.columns import date_column
from gaji.law.quantities import counts
from gaji.law.scale import Scale
from tests.engine.leave.reference_balances import Walk

SEEDS = st.integers(0, 2**32)
EARLIEST = date(2019, 1, 1)
MOST_DAYS = 2600


def a_day(at: random.Random, first: date = EARLIEST, most: int = MOST_DAYS) -> date:
    return first + timedelta(days=at.randrange(most))


def a_scale(at: random.Random, least: list[int]) -> Scale:
    return Scale(tuple(least), tuple(sorted(at.randrange(0, 30) * 500 for _ in least)))


def a_policy(at: random.Random, since: date | None) -> LeavePolicy:
    accrual = at.choice(list(AccrualMethod))
    return LeavePolicy(
        accrual=accrual,
        entitlement=a_scale(at, sorted({1, at.randrange(1, 5), at.randrange(1, 9)})),
        since=since,
        min_service_months=at.choice((0, 0, 1, 3, 6, 11)),
        first_year=a_scale(at, [3, 5, 9]) if accrual is AccrualMethod.YEARLY and at.random() < 0.3 else None,
        carry_limit_millidays=at.choice((None, 0, 2500, 5000)),
        expiry_months=at.choice((None, 1, 3, 11, 12)),
        prorate=at.random() < 0.6,
    )


def some_policies(at: random.Random) -> list[LeavePolicy]:
    changes = sorted({a_day(at) for _ in range(at.randrange(3))})
    return [a_policy(at, None), *(a_policy(at, since) for since in changes)]


def a_service(at: random.Random) -> LeaveService:
    first = at.choice((a_day(at, most=1500), date(2020, 2, 29), date(2021, 1, 31), date(2019, 12, 1)))
    last = at.choice((None, first + timedelta(days=at.randrange(1400))))
    since = first + timedelta(days=at.randrange(900)) if at.random() < 0.3 else None
    if since and last and since > last:
        since = None
    return LeaveService(first, last, at.choice(list(Settlement)), since)


def some_recorded(at: random.Random, service: LeaveService) -> list[Movement]:
    found = []
    for _ in range(at.randrange(25)):
        day = a_day(at, service.first - timedelta(days=20), 1500)
        kind = at.choice((MovementKind.TAKEN, MovementKind.TAKEN, MovementKind.ADJUSTMENT))
        amount = -at.choice((500, 1000, 1000, 333)) if kind is MovementKind.TAKEN else at.choice((-2000, 1500, 6000))
        found.append(Movement(day, kind, amount, "recorded"))
    if service.take_on_date:
        found.append(
            Movement(service.take_on_date, MovementKind.TAKE_ON, at.choice((-1000, 0, 3500, 9000)), "taken on")
        )
    return found


def columns(services: list[LeaveService], recorded: list[list[Movement]]) -> tuple[ServiceColumns, LeaveEntries]:
    each = [one.as_columns for one in services]
    rows = [(place, one) for place, own in enumerate(recorded) for one in own]
    return (
        ServiceColumns(*(np.concatenate([getattr(one, name) for one in each]) for name in ("first", "last", "since"))),
        LeaveEntries(
            np.array([place for place, _ in rows], dtype=np.intp),
            date_column([one.date for _, one in rows]),
            counts([one.millidays for _, one in rows]),
        ),
    )


def held(
    policies: list[LeavePolicy], services: list[LeaveService], recorded: list[list[Movement]], on: list[date]
) -> list[int]:
    """The balances as columns."""
    served, entries = columns(services, recorded)
    found: list[int] = compute_balances(policies, BalanceDates(served, date_column(on)), entries).millidays.tolist()
    return found


def balance(policies: list[LeavePolicy], service: LeaveService, recorded: list[Movement], on: date) -> int:
    return sum(one.millidays for one in list_movements(policies, service, recorded, on))


@given(seed=SEEDS)
@settings(max_examples=60)
def test_a_batch_gives_each_what_a_walk_day_by_day_gives(seed: int) -> None:
    at = random.Random(seed)
    policies = some_policies(at)
    services = [a_service(at) for _ in range(8)]
    recorded = [some_recorded(at, one) for one in services]
    on = [min(one.last or date.max, a_day(at, one.first, 1600)) for one in services]
    found = held(policies, services, recorded, on)
    for service, own, day, millidays in zip(services, recorded, on, found, strict=True):
        by_day = defaultdict(list)
        for one in own:
            by_day[one.date].append(Fraction(one.millidays, 1000))
        walk = Walk(policies, service.first, service.take_on_date or service.first, by_day)
        assert Fraction(millidays, 1000) == walk.to(day, leaving=day == service.last)


@given(seed=SEEDS)
@settings(max_examples=60)
def test_a_balance_is_the_sum_of_its_movements(seed: int) -> None:
    at = random.Random(seed)
    policies, service = some_policies(at), a_service(at)
    recorded = some_recorded(at, service)
    for _ in range(5):
        on = a_day(at, service.first, 1600)
        moved = list_movements(policies, service, recorded, on)
        settled = sum(one.millidays for one in moved if one.kind in (MovementKind.ENCASHMENT, MovementKind.FORFEITURE))
        [left] = held(policies, [service], [recorded], [on])
        if service.last and on > service.last:
            assert sum(one.millidays for one in moved) == 0
        else:
            assert sum(one.millidays for one in moved) == left + settled


@given(seed=SEEDS)
@settings(max_examples=40)
def test_a_change_of_policy_changes_no_balance_before_its_date(seed: int) -> None:
    at = random.Random(seed)
    policies, service = some_policies(at), a_service(at)
    recorded = some_recorded(at, service)
    latest = max([one.since for one in policies if one.since] or [service.first])
    since = latest + timedelta(days=1 + at.randrange(400))
    changed = [*policies, a_policy(at, since)]
    for back in (1, 2, 40):
        day = since - timedelta(days=back)
        assert balance(changed, service, recorded, day) == balance(policies, service, recorded, day)


@given(seed=SEEDS)
@settings(max_examples=40)
def test_movements_up_to_a_day_are_the_first_of_those_up_to_a_later_day(seed: int) -> None:
    at = random.Random(seed)
    policies, service = some_policies(at), a_service(at)
    recorded = some_recorded(at, service)
    early, late = sorted((a_day(at, service.first, 1600), a_day(at, service.first, 1600)))
    until_late = [one for one in list_movements(policies, service, recorded, late) if one.date <= early]
    assert list_movements(policies, service, recorded, early) == until_late


@given(seed=SEEDS)
@settings(max_examples=40)
def test_a_service_that_ends_leaves_nothing_and_changes_nothing_before(seed: int) -> None:
    at = random.Random(seed)
    policies, service = some_policies(at), a_service(at)
    recorded = some_recorded(at, service)
    last = max(service.take_on_date or service.first, a_day(at, service.first, 1400))
    ended = LeaveService(service.first, last, service.settlement, service.take_on_date)
    going_on = LeaveService(service.first, None, service.settlement, service.take_on_date)
    assert balance(policies, ended, recorded, last + timedelta(days=1)) == 0
    before = last - timedelta(days=1)
    assert balance(policies, ended, recorded, before) == balance(policies, going_on, recorded, before)
