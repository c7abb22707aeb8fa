"""Errors about leave say why there is none: it starts later, or it is for a child that is not recorded."""

from datetime import date
from typing import Any

import pytest

from gaji.engine.leave.movements import Movement, MovementKind
from gaji.engine.leave.policies import AccrualMethod, LeavePolicy
from gaji.law.scale import Scale
from gaji.leave.balances.availability import shortage_params
from gaji.leave.balances.ledger import LeaveLedger
from gaji.leave.types.queries import LeaveType, with_default
from gaji.people.service_periods.queries import ServiceTerm

START = date(2026, 10, 1)
YEARLY = LeavePolicy(AccrualMethod.YEARLY, Scale((1,), (10_000,)), since=date(2026, 1, 1))


def reason(system_type: str, day: date, *policies: LeavePolicy, **changes: Any) -> dict[str, Any]:
    """Return the parameters for an employee who joined on 1 October 2026."""
    leave_type = LeaveType(1, system_type, system_type, with_default(system_type, policies))
    ledger = LeaveLedger([leave_type], [ServiceTerm(1, START, None, None)], None, changes.get("recorded", {}))
    return shortage_params(ledger, leave_type, day)


@pytest.mark.parametrize(
    ("system_type", "day", "expected"),
    [
        ("annual_leave", date(2026, 11, 17), {"available_from": date(2026, 12, 31), "service_months": 3}),
        ("sick_leave", date(2026, 11, 17), {"available_from": date(2026, 12, 31), "service_months": 3}),
        ("annual_leave", date(2026, 12, 31), {}),
        ("annual_leave", date(2026, 9, 30), {}),
        ("annual_leave", date(9999, 12, 31), {}),
        ("maternity_leave", date(2026, 11, 17), {"requires": "child"}),
        ("childcare_leave", date(1, 1, 2), {"requires": "child"}),
        ("unpaid_leave", date(2026, 11, 17), {}),
    ],
)
def test_the_reason_by_type_and_day(system_type: str, day: date, expected: dict[str, Any]) -> None:
    assert reason(system_type, day) == expected


def test_leave_that_a_company_grants_from_the_first_day_has_no_reason() -> None:
    assert reason("annual_leave", date(2026, 11, 17), YEARLY) == {}


def test_leave_for_children_that_the_employer_granted_needs_no_child() -> None:
    granted = [Movement(date(2026, 10, 5), MovementKind.ADJUSTMENT, 20_000, "Agreed")]
    assert reason("paternity_leave", date(2026, 11, 17), recorded={1: granted}) == {}


def test_leave_for_children_of_a_later_day_says_when_it_starts() -> None:
    granted = [Movement(date(2027, 2, 1), MovementKind.ADJUSTMENT, 20_000, "Agreed")]
    assert reason("paternity_leave", date(2026, 11, 17), recorded={1: granted}) == {"available_from": date(2027, 2, 1)}
