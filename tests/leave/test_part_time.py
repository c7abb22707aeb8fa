"""Leave of part-time employees, through the server."""

from typing import Any

from tests.leave.people import OnLeave
from tests.leave.test_holidays_off import LAW
from tests.support.company import Company
from tests.support.problems import field_errors

FOUR_HOURS: dict[str, Any] = {"full_day_hours_input": 4}
PRORATED: dict[str, Any] = {**LAW, "effective_date": "2026-01-01", "prorate_part_time": True}


def statutory(person: OnLeave, leave_type: str, day: str) -> dict[str, Any]:
    elements = person.listed("statutory_leave", f"?date={day}")
    [element] = [element for element in elements if element["type"] == leave_type]
    return element


def test_annual_leave_is_in_proportion_to_the_hours_if_the_policy_says_so(company: Company) -> None:
    person = OnLeave.hired(company, appointment_date="2026-01-01")
    person.set_hours(**FOUR_HOURS)
    assert person.balance("2026-12-31") == 7
    assert person.put_policy(**PRORATED).status_code == 200
    assert person.balance("2026-12-31") == 6.364
    last = person.listed("leave_movements", f"?to=2026-12-31&type_id={person.types['annual_leave']}")[-1]
    assert last["reason"] == "12 completed months of year 1 of service at 7 days a year × 20 ÷ 44 × 8 ÷ 4 hours"
    day_id = person.take("2026-09-01")
    assert person.balance("2026-12-31") == 5.364
    person.member.delete(f"/leave_days/{day_id}")
    assert person.balance("2026-12-31") == 6.364


def test_the_law_is_explained_in_proportion_to_the_hours(company: Company) -> None:
    person = OnLeave.hired(company, appointment_date="2025-01-01")
    person.set_hours(**FOUR_HOURS)
    annual, sick = (statutory(person, name, "2026-12-31") for name in ("annual_leave", "sick_leave"))
    # Eight days in the second year of service, and fourteen days of sick leave.
    assert (annual["days"], sick["days"]) == (7.273, 12.727)
    assert annual["explanations"][-1]["arithmetic"] == [
        "round(1000 × 8 × 20 ÷ 44 × 8 ÷ 4) ÷ 1000 = 7.273",
    ]


def test_a_change_of_hours_counts_from_its_day(company: Company) -> None:
    person = OnLeave.hired(company, appointment_date="2026-01-01")
    assert person.put_policy(**PRORATED).status_code == 200
    person.set_hours(**FOUR_HOURS, effective_date="2026-07-01")
    assert [person.balance(day) for day in ("2026-06-30", "2026-12-31")] == [4, 6.728]
    columns = {movement["date"]: movement["balance"] for movement in person.listed("leave_movements", "?to=2026-12-31")}
    assert columns["2026-12-31"] == 6.728


def test_hours_of_full_time_employees_are_checked(company: Company) -> None:
    person = OnLeave.hired(company)
    assert field_errors(person.put_policy(**PRORATED, full_time_week_hours=30, full_time_day_hours=0)) == {
        "full_time_week_hours": "must be from 35 to 60",
        "full_time_day_hours": "must be from 1 to 24",
    }
