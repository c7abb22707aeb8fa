"""Balances of leave, as columns and as movements, by the cases."""

from datetime import date

import numpy as np

from gaji.engine.leave.balances import BalanceDates, LeaveEntries, ServiceColumns, compute_balances
from gaji.engine.leave.movements import LeaveService, Movement, MovementKind, encashed_millidays, list_movements
from gaji.engine.leave.policies import Policies
from gaji.law import registry
from gaji.law.columns import date_column
from gaji.law.quantities import counts
from tests.engine.leave.case_files import Case, cases, in_millis, policies_of, recorded_of, services_of


def balance(policies: Policies, services: list[LeaveService], recorded: list[Movement], on: date) -> int:
    """The sum of the movements of all services."""
    return sum(one.millidays for service in services for one in list_movements(policies, service, recorded, on))


def before_settlement(
    policies: Policies, services: list[LeaveService], recorded: list[Movement], on: date
) -> list[int]:
    """The balance of each service as columns, all of them in one batch."""
    columns = [service.as_columns for service in services]
    many = ServiceColumns(
        *(np.concatenate([getattr(one, name) for one in columns]) for name in ("first", "last", "since"))
    )
    people = [place for place, _ in enumerate(services) for _ in recorded]
    rows = [one for _ in services for one in recorded]
    entries = LeaveEntries(
        np.array(people, dtype=np.intp),
        date_column([one.date for one in rows]),
        counts([one.millidays for one in rows]),
    )
    found: list[int] = compute_balances(
        policies, BalanceDates(many, date_column([on] * len(services))), entries
    ).millidays.tolist()
    return found


@cases("balances")
def test_balances(case: Case, law: registry.Law) -> None:
    policies, services, recorded = policies_of(law, case), services_of(case), recorded_of(case)
    for one in case["balances"]:
        found = balance(policies, services, recorded, one["on"])
        assert found == in_millis(one["days"]), f"{found / 1000} on {one['on']}, not {one['days']}"


@cases("balances")
def test_columns_come_to_the_movements_before_the_service_is_settled(case: Case, law: registry.Law) -> None:
    policies, services, recorded = policies_of(law, case), services_of(case), recorded_of(case)
    settling = (MovementKind.ENCASHMENT, MovementKind.FORFEITURE)
    for one in case["balances"]:
        found = before_settlement(policies, services, recorded, one["on"])
        for service, millidays in zip(services, found, strict=True):
            held = [
                move for move in list_movements(policies, service, recorded, one["on"]) if move.kind not in settling
            ]
            over = service.last is not None and one["on"] > service.last
            assert millidays == (0 if over else sum(move.millidays for move in held))


@cases("balances")
def test_what_is_paid_out(case: Case, law: registry.Law) -> None:
    if "encashed" not in case:
        return
    policies, [service], recorded = policies_of(law, case), services_of(case), recorded_of(case)
    assert service.last
    [left] = before_settlement(policies, [service], recorded, service.last)
    assert encashed_millidays(service.settlement, left) == in_millis(case["encashed"])
    paid = [
        one for one in list_movements(policies, service, recorded, service.last) if one.kind is MovementKind.ENCASHMENT
    ]
    assert -sum(one.millidays for one in paid) == in_millis(case["encashed"])


@cases("balances")
def test_every_movement_has_a_reason_and_they_come_in_the_order_of_time(case: Case, law: registry.Law) -> None:
    policies, services, recorded = policies_of(law, case), services_of(case), recorded_of(case)
    last = max(one["on"] for one in case["balances"])
    for service in services:
        found = list_movements(policies, service, recorded, last)
        assert all(one.reason and one.millidays for one in found)
        assert [one.date for one in found] == sorted(one.date for one in found)
