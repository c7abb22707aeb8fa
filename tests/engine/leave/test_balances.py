"""Leave balances, as columns and as movements."""

from datetime import date

import numpy as np

from gaji.engine.leave.balances import BalanceDates, LeaveEntries, ServiceColumns, compute_balances
from gaji.engine.leave.movements import LeaveService, Movement, MovementKind, encashed_millidays, list_movements
from gaji.engine.leave.policies import Policies
from gaji.law import registry
from gaji.law.columns import date_column
from gaji.law.quantities import counts
from tests.engine.leave.case_files import (
    Case,
    case_minimum,
    case_movements,
    case_policies,
    case_services,
    cases,
    to_millidays,
)

SETTLEMENTS = (MovementKind.ENCASHMENT, MovementKind.FORFEITURE)


def balance(
    policies: Policies,
    services: list[LeaveService],
    recorded: list[Movement],
    as_of: date,
    minimum: Policies | None = None,
) -> int:
    """The sum of the movements of all services."""
    return sum(
        movement.millidays
        for service in services
        for movement in list_movements(policies, service, recorded, as_of, minimum)
    )


def concatenate_services(services: list[LeaveService]) -> ServiceColumns:
    columns = [service.as_columns for service in services]
    return ServiceColumns(
        np.concatenate([column.first for column in columns]),
        np.concatenate([column.last for column in columns]),
        np.concatenate([column.counted_from for column in columns]),
    )


def concatenate_entries(recorded: list[list[Movement]]) -> LeaveEntries:
    """The entries of the movements of each service."""
    rows = [(i, movement) for i, movements in enumerate(recorded) for movement in movements]
    return LeaveEntries(
        np.array([i for i, _ in rows], dtype=np.intp),
        date_column([movement.date for _, movement in rows]),
        counts([movement.millidays for _, movement in rows]),
    )


def column_balances(
    policies: Policies,
    services: list[LeaveService],
    recorded: list[list[Movement]],
    as_of: list[date],
    minimum: Policies | None = None,
) -> list[int]:
    """The balance of each service before its settlement, computed as one batch."""
    dates = BalanceDates(concatenate_services(services), date_column(as_of))
    result = compute_balances(policies, dates, concatenate_entries(recorded), minimum)
    balances: list[int] = result.millidays.tolist()
    return balances


@cases("balances")
def test_balances(case: Case, law: registry.Law) -> None:
    policies, services, recorded = case_policies(law, case), case_services(case), case_movements(case)
    for expected in case["balances"]:
        millidays = balance(policies, services, recorded, expected["on"], case_minimum(law, case))
        assert millidays == to_millidays(expected["days"]), f"{millidays / 1000} on {expected['on']}"


@cases("balances")
def test_columns_equal_the_movements_before_settlement(case: Case, law: registry.Law) -> None:
    policies, services, recorded = case_policies(law, case), case_services(case), case_movements(case)
    for as_of in [expected["on"] for expected in case["balances"]]:
        minimum = case_minimum(law, case)
        balances = column_balances(policies, services, [recorded] * len(services), [as_of] * len(services), minimum)
        for service, millidays in zip(services, balances, strict=True):
            movements = list_movements(policies, service, recorded, as_of, minimum)
            unsettled = [movement.millidays for movement in movements if movement.kind not in SETTLEMENTS]
            has_ended = service.last is not None and as_of > service.last
            assert millidays == (0 if has_ended else sum(unsettled))


@cases("balances")
def test_encashment(case: Case, law: registry.Law) -> None:
    if "encashed" not in case:
        return
    policies, [service], recorded = case_policies(law, case), case_services(case), case_movements(case)
    assert service.last
    minimum = case_minimum(law, case)
    [millidays] = column_balances(policies, [service], [recorded], [service.last], minimum)
    assert encashed_millidays(service.settlement, millidays) == to_millidays(case["encashed"])
    movements = list_movements(policies, service, recorded, service.last, minimum)
    encashed = [movement.millidays for movement in movements if movement.kind is MovementKind.ENCASHMENT]
    assert -sum(encashed) == to_millidays(case["encashed"])


@cases("balances")
def test_every_movement_has_a_reason_and_they_are_in_chronological_order(case: Case, law: registry.Law) -> None:
    policies, services, recorded = case_policies(law, case), case_services(case), case_movements(case)
    last = max(expected["on"] for expected in case["balances"])
    for service in services:
        movements = list_movements(policies, service, recorded, last, case_minimum(law, case))
        assert all(movement.reason and movement.millidays for movement in movements)
        assert [movement.date for movement in movements] == sorted(movement.date for movement in movements)
