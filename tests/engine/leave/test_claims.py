"""The days of leave that the government pays."""

from collections import defaultdict
from datetime import date, timedelta

from gaji.engine.leave.claims import CLAIMABLE_TYPES, LeaveClaim, list_claims, list_claims_without_children
from gaji.law import registry
from tests.engine.leave.case_files import Case, cases, to_millidays
from tests.engine.leave.test_children import case_parent


def working_days(first: date, count: int) -> list[tuple[date, int]]:
    """Days from Monday to Friday, from a date on."""
    days = (first + timedelta(days=number) for number in range(2 * count + 7))
    return [(day, 1000) for day in days if day.weekday() < 5][:count]


def case_taken(case: Case) -> dict[str, list[tuple[date, int]]]:
    """The leave taken in a case, by type."""
    taken: dict[str, list[tuple[date, int]]] = defaultdict(list)
    for table in case["taken"]:
        taken[table["type"]] += working_days(table["from"], table["days"])
    return taken


def figures(claim: LeaveClaim) -> Case:
    """The figures of a claim as a case states them."""
    return {
        "type": claim.leave_type,
        "days": sum(millidays for _, millidays in claim.days),
        "first": claim.days[0][0],
        "last": claim.days[-1][0],
        "claim_by": claim.claim_by,
        "event": claim.event_date,
        "unknown": not claim.has_child,
    }


def expected(table: Case) -> Case:
    return {"event": None, "unknown": False} | table | {"days": to_millidays(table["days"])}


@cases("claims")
def test_the_days_that_the_government_pays(law: registry.Law, case: Case) -> None:
    claims = list_claims(law.leave, law.government_paid_leave, case_parent(case), case_taken(case))
    assert [figures(claim) for claim in claims] == [expected(table) for table in case["claims"]]
    assert all(claim.reason for claim in claims)


def test_without_children_nothing_can_be_calculated(law: registry.Law) -> None:
    taken = {leave_type: working_days(date(2026, 1, 5), 2) for leave_type in CLAIMABLE_TYPES}
    claims = list_claims_without_children(law.government_paid_leave, taken)
    assert [claim.leave_type for claim in claims] == list(CLAIMABLE_TYPES)
    assert not any(claim.has_child for claim in claims)
