"""Leave for children: the days of each situation, and that they do not depend on how they are counted."""

from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from functools import partial

from hypothesis import given, settings
from hypothesis import strategies as st

from gaji.engine.leave.child_leave import list_child_leave
from gaji.engine.leave.child_leave_explanations import explain_child_leave
from gaji.engine.leave.child_leave_types import CHILD_LEAVE_TYPES
from gaji.engine.leave.children import Child, Parent, Relationship
from gaji.engine.leave.movements import MovementKind
from gaji.engine.leave.part_time import part_time_hours
from gaji.law import registry
from gaji.law.leave.part_time import PartTimeHours
from gaji.law.quantities import HALF_DAY
from tests.engine.leave.case_files import Case, cases, to_millidays
from tests.engine.leave.test_part_time import FULL_TIME, LIMIT, build_schedule
from tests.law.arithmetic import check_explanation

TakenDays = list[tuple[date, int]]
WEEKLY_TYPES = ("maternity_leave", "paternity_leave", "shared_parental_leave", "adoption_leave")


def case_parent(case: Case) -> Parent:
    """The parent of a case."""
    children = [
        Child(
            table["born"],
            table.get("citizen", True),
            Relationship(table.get("relationship", "birth_child")),
            table.get("adopted"),
            table.get("shared_weeks"),
            table.get("leave_from"),
        )
        for table in case["children"]
    ]
    half_days: int = case.get("half_days", 10)
    week_millidays = Fraction(half_days * HALF_DAY, case.get("cycle_weeks", 1))
    return Parent(
        case.get("mother", False),
        case["service"],
        None,
        children,
        lambda _: week_millidays,
        part_time_hours=partial(_part_time_hours, case),
    )


def _part_time_hours(case: Case, _leave_type: str, day: date) -> PartTimeHours | None:
    if "part_time" not in case:
        return None
    return part_time_hours(build_schedule(case["part_time"]).on(day), FULL_TIME, LIMIT)


def taken_days(case: Case, name: str) -> TakenDays:
    """Leave taken in a case."""
    return [(table["date"], to_millidays(table["days"])) for table in case.get(name, ())]


@cases("children")
def test_the_balance_on_each_date(law: registry.Law, case: Case) -> None:
    taken = {"childcare_leave": taken_days(case, "taken_childcare"), case["type"]: taken_days(case, "taken")}
    for table in case["balances"]:
        movements = list_child_leave(law.leave, case_parent(case), taken, table["on"]).get(case["type"], [])
        assert all(movement.date <= table["on"] for movement in movements)
        used = sum(millidays for day, millidays in taken[case["type"]] if day <= table["on"])
        assert sum(movement.millidays for movement in movements) - used == to_millidays(table["days"]), table["on"]


@cases("children")
def test_the_explanations_of_each_case_can_be_checked(law: registry.Law, case: Case) -> None:
    taken = {"childcare_leave": taken_days(case, "taken_childcare"), case["type"]: taken_days(case, "taken")}
    for table in case["balances"]:
        for entitlement in explain_child_leave(law.leave, case_parent(case), taken, table["on"]):
            for explanation in entitlement.explanations:
                check_explanation(explanation)
            if entitlement.leave_type in WEEKLY_TYPES:
                assert to_millidays(Decimal(entitlement.explanations[-1].result)) == entitlement.millidays


def test_the_weeks_that_a_couple_shares_are_explained(law: registry.Law) -> None:
    child = Child(date(2026, 5, 15), citizen=True, shared_weeks=8)
    parent = Parent(False, date(2020, 1, 1), None, [child], lambda _: Fraction(16_000, 3))
    by_type = {each.leave_type: each for each in explain_child_leave(law.leave, parent, {}, date(2026, 6, 1))}
    days = by_type["shared_parental_leave"].explanations[-1]
    assert days.inputs["weeks that the couple agreed to share"] == "8"
    assert days.arithmetic == ("floor(8 × min((16 ÷ 3), 6) × 2) ÷ 2 = 42.5",)


birth_dates = st.dates(date(2012, 1, 1), date(2026, 11, 1))
children = st.builds(Child, birth_dates, st.booleans())
services = st.dates(date(2015, 1, 1), date(2026, 6, 1))
leave_dates = st.lists(st.tuples(st.dates(date(2019, 4, 1), date(2027, 6, 1)), st.just(1000)), max_size=6)


@settings(max_examples=40, deadline=None)
@given(
    st.booleans(), services, st.lists(children, max_size=3), leave_dates, st.dates(date(2019, 4, 1), date(2027, 6, 1))
)
def test_movements_up_to_a_day_are_a_prefix_of_those_up_to_a_later_day(
    law: registry.Law, is_mother: bool, first: date, some_children: list[Child], days: TakenDays, until: date
) -> None:
    parent = Parent(is_mother, first, None, some_children, lambda _: Fraction(5000))
    taken = {leave_type: sorted(days) for leave_type in CHILD_LEAVE_TYPES}
    later = list_child_leave(law.leave, parent, taken, until + timedelta(days=400))
    for leave_type, movements in list_child_leave(law.leave, parent, taken, until).items():
        assert movements == [movement for movement in later[leave_type] if movement.date <= until]
        total = sum(movement.millidays for movement in movements)
        assert total >= 0
        assert all((movement.millidays > 0) == (movement.kind is MovementKind.GRANT) for movement in movements)
