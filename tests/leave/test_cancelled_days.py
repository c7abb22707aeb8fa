"""A cancelled day leaves every balance and payslip as if it had never been, whatever the working hours."""

from dataclasses import dataclass
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.leave.people import FIVE_AND_A_HALF, OnLeave
from tests.leave.test_holidays_off import LAW
from tests.leave.test_payslips import JANUARY, SALARY, payslip
from tests.leave.test_undoing import standing
from tests.support.company import Company
from tests.support.running import created

SHOWN_ON = ("2026-01-31", "2026-02-28", "2026-12-31", "2027-12-31")
WEEKS: tuple[dict[str, Any], ...] = (
    {},
    FIVE_AND_A_HALF,
    {"full_day_hours_input": 4},
    {"cycle": "8 8 8 8 8 8 0 / 8 8 8 8 8 0 0", "cycle_start": "2026-01-03"},
    {"cycle": "6 6 0 0 6 0 0 / 0 8 8 0 0 4 0 / 5 0 5 0 5 0 0", "cycle_start": "2025-12-31"},
)
"""Office hours, half Saturdays, part-time, alternate Saturdays, and rotating part-time weeks."""
TYPES = ("annual_leave", "sick_leave", "hospitalisation_leave", "unpaid_leave", "childcare_leave")
DATES = tuple(f"2026-{month}-{day:02}" for month in ("01", "02", "04") for day in range(5, 17))
HOURS = (None, 1, 2, 2.5, 4)
"""None is the whole day."""
PRORATED = {
    **LAW,
    "prorate_part_time": True,
    "below_zero": True,
    "public_holidays_off": "day_in_lieu",
    "effective_date": "2026-01-01",
}


@dataclass(frozen=True)
class LeaveDay:
    """A day to record."""

    date: str
    type: str
    hours: float | None

    def body(self, someone: OnLeave) -> dict[str, Any]:
        hours = {} if self.hours is None else {"hours": self.hours}
        return {"date": self.date, "type_id": someone.types[self.type], **hours}


LEAVE_DAYS = st.lists(
    st.builds(LeaveDay, st.sampled_from(DATES), st.sampled_from(TYPES), st.sampled_from(HOURS)),
    min_size=3,
    max_size=6,
    unique=True,
)
server_settings = settings(max_examples=4, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def hire_parent(company: Company, hours: dict[str, Any], later_hours: dict[str, Any]) -> OnLeave:
    """A parent since 2025, paid from January 2026 on, whose hours change on 19 January."""
    someone = OnLeave.hired(company, wave_id=company.wave(**JANUARY), appointment_date="2025-02-01")
    created(someone.member.post(someone.path("calculations"), SALARY))
    child = {"name": "Tan Wei Ming", "birthdate": "2024-05-15", "citizenship": "CITIZEN"}
    created(someone.member.post(someone.path("children"), child))
    assert someone.put_policy(**PRORATED).status_code == 200
    for details in (hours, {**later_hours, "effective_date": "2026-01-19"} if later_hours else {}):
        if details:
            someone.set_hours(**{"cycle": None, **details})
    return someone


def record(someone: OnLeave, days: list[LeaveDay]) -> dict[LeaveDay, int]:
    """Record the days that can be recorded, and return their IDs."""
    answers = {day: someone.member.post(someone.path("leave_days"), day.body(someone)) for day in days}
    assert {answer.status_code for answer in answers.values()} <= {200, 422}
    return {day: answer.json()["id"] for day, answer in answers.items() if answer.status_code == 200}


def delete(someone: OnLeave, day_id: int) -> None:
    assert someone.member.delete(f"/leave_days/{day_id}").status_code == 200


def shown(someone: OnLeave) -> object:
    """The balances, movements and draft of an employee without the IDs of leave days."""
    movements = [
        {name: value for name, value in movement.items() if not name.endswith("id")}
        for movement in someone.listed("leave_movements", "?to=2027-12-31")
    ]
    return [someone.balances(day) for day in SHOWN_ON], movements, payslip(someone)


@given(
    hours=st.sampled_from(WEEKS),
    later_hours=st.sampled_from(WEEKS),
    days=LEAVE_DAYS,
    chance=st.randoms(use_true_random=False),
)
@server_settings
def test_cancelled_days_leave_no_trace_and_their_order_does_not_matter(
    company: Company, hours: dict[str, Any], later_hours: dict[str, Any], days: list[LeaveDay], chance: Any
) -> None:
    someone = hire_parent(company, hours, later_hours)
    before = standing(someone)
    *others, last = record(someone, days).items() or [(None, 0)]
    if last[0] is None:
        return
    everything = shown(someone)
    all_rows = standing(someone)
    assert all_rows != before
    path = f"/leave_days/{last[1]}"
    assert someone.member.patch(path, {"hours": 0.5}).status_code == 200
    assert someone.member.patch(path, {"hours": last[0].hours}).status_code == 200
    assert standing(someone) == all_rows
    for _, day_id in chance.sample([*others, last], len(others) + 1):
        delete(someone, day_id)
    assert standing(someone) == before
    recorded = [day for day, _ in others] + [last[0]]
    ids = record(someone, chance.sample(recorded, len(recorded)))
    assert ids.keys() == set(recorded)
    assert shown(someone) == everything


@given(hours=st.sampled_from(WEEKS), days=LEAVE_DAYS, month=st.integers(1, 12))
@server_settings
def test_switching_the_leave_year_and_back_changes_no_balance_and_no_payslip(
    company: Company, hours: dict[str, Any], days: list[LeaveDay], month: int
) -> None:
    someone = hire_parent(company, hours, {})
    record(someone, days)
    before = shown(someone)
    assert someone.put_policy(**PRORATED | {"leave_year_start": month}).status_code == 200
    assert someone.put_policy(**PRORATED).status_code == 200
    assert shown(someone) == before
