"""The cases of statutory leave through the server: those of `law/` and those of leave for children.

All cases share one company. Each has an employee of its own.
"""

from calendar import monthrange
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest

from gaji.law.months import Month
from tests.engine.leave import case_files
from tests.law.cases import Case, cases
from tests.leave.people import FIVE_AND_A_HALF, OnLeave, leave_types
from tests.support.company import Company
from tests.support.problems import field_errors
from tests.support.running import Service, created

pytestmark = pytest.mark.slow

AS_OF = date(2026, 1, 15)
WEEK_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
WORKING_DAYS = 5
NATIONAL_DAY_OFF = date(2026, 8, 10)
UNDER_2, UNDER_7, FROM_7_TO_12 = 1, 3, 9
"""Ages in years."""
HALF_DAYS: dict[tuple[int, int], dict[str, Any]] = {
    (11, 1): FIVE_AND_A_HALF,
    (14, 1): {"schedule": "fixed", **{f"works_{day}": True for day in WEEK_DAYS}},
    (32, 3): {"cycle": "8 8 8 8 8 8 0 / 8 8 8 8 8 0 0 / 8 8 8 8 8 0 0", "cycle_start": "2020-01-06"},
}
"""Regular hours by half days and weeks of the cycle."""


@pytest.fixture(scope="module")
def employer(service: Service) -> Company:
    """The company of all cases. Part-time employees have leave for children in proportion to their hours."""
    company = Company.of(service.new_account())
    types = leave_types(company.member, company.id)
    for name in ("childcare_leave", "extended_childcare_leave", "infant_care_leave"):
        policy = {"accrual": "none", "prorate_part_time": True, "effective_date": "2010-01-01"}
        answer = company.member.call("PUT", f"/leave_types/{types[name]}/policy", json=policy)
        assert answer.status_code == 200, answer.text
    return company


def months_earlier(day: date, months: int) -> date:
    """The same day of an earlier month, or its last day."""
    month = Month.from_date(day) + -months
    return date(month.year, month.month, min(day.day, monthrange(month.year, month.month)[1]))


def hire(employer: Company, *, first: date, mother: bool = False) -> OnLeave:
    """A new employee with this first day of service."""
    return OnLeave.hired(employer, appointment_date=str(first), gender="F" if mother else "M")


def add_child(parent: OnLeave, born: date, *, citizen: bool = True, **more: Any) -> None:
    """Record a child."""
    citizenship = "CITIZEN" if citizen else "OTHER"
    body = {"name": "Wei Ming", "birthdate": str(born), "citizenship": citizenship, **more}
    created(parent.member.post(parent.path("children"), body))


def statutory_days(employee: OnLeave, day: date) -> dict[str, float]:
    """The days of each type by law."""
    return {table["type"]: table["days"] for table in employee.listed("statutory_leave", f"?date={day}")}


@cases("leave", "annual_scale")
def test_annual_leave(case: Case, employer: Company) -> None:
    employee = hire(employer, first=months_earlier(AS_OF, 12 * case["year"]))
    assert statutory_days(employee, AS_OF - timedelta(days=1))["annual_leave"] == case["days"]


@cases("leave", "sick")
def test_sick_leave(case: Case, employer: Company) -> None:
    employee = hire(employer, first=months_earlier(AS_OF, case["months"]))
    balances = employee.balances(str(AS_OF))
    assert balances.get("sick_leave", 0) == case["outpatient"]
    assert balances.get("hospitalisation_leave", 0) == case["with_hospitalisation"]


@cases("leave", "childcare")
def test_childcare_leave(case: Case, employer: Company) -> None:
    day = Month.parse(case["month"]).first_day + timedelta(days=14) if "month" in case else AS_OF
    parent = hire(employer, first=months_earlier(day, case["months"]))
    for name, age in (("citizen_under_7", UNDER_7), ("other_under_7", UNDER_7), ("citizen_7_to_12", FROM_7_TO_12)):
        if case.get(name):
            add_child(parent, months_earlier(day, 12 * age), citizen=name.startswith("citizen"))
    balances = parent.balances(str(day))
    assert balances.get("childcare_leave", 0) == case["days"]
    assert balances.get("extended_childcare_leave", 0) == case.get("extended", 0)


@cases("leave", "infant_care")
def test_infant_care_leave(case: Case, employer: Company) -> None:
    day = Month.parse(case["month"]).first_day + timedelta(days=14)
    parent = hire(employer, first=months_earlier(day, case["months"]))
    add_child(parent, months_earlier(day, 12 * UNDER_2))
    assert parent.balance(str(day), "infant_care_leave") == case["days"]


@cases("leave", "maternity")
def test_maternity_leave(case: Case, employer: Company) -> None:
    mother = hire(employer, first=months_earlier(case["born"], case["months"]), mother=True)
    add_child(mother, case["born"], citizen=case["citizen"])
    assert mother.balance(str(case["born"]), "maternity_leave") == case["weeks"] * WORKING_DAYS


@cases("leave", "paternity")
def test_paternity_leave(case: Case, employer: Company) -> None:
    father = hire(employer, first=months_earlier(case["born"], case.get("months", 12)))
    add_child(father, case["born"], citizen=case.get("citizen", True))
    assert father.balance(str(case["born"]), "paternity_leave") == case["required"] * WORKING_DAYS


@cases("leave", "shared_parental")
def test_shared_parental_leave(case: Case, employer: Company) -> None:
    day, weeks = case["born"], case["weeks"]
    father, other_father, mother = (
        hire(employer, first=months_earlier(day, 12), mother=is_mother) for is_mother in (False, False, True)
    )
    add_child(father, day)
    assert father.balance(str(day), "shared_parental_leave") == case["each"] * WORKING_DAYS
    add_child(other_father, day, shared_parental_weeks=weeks)
    assert other_father.balance(str(day), "shared_parental_leave") == weeks * WORKING_DAYS
    add_child(mother, day, shared_parental_weeks=weeks)
    own_weeks = 16 - weeks if case["from_maternity"] else 16
    assert mother.balance(str(day), "maternity_leave") == own_weeks * WORKING_DAYS
    body = {"name": "Wei Ming", "birthdate": str(day), "citizenship": "CITIZEN", "shared_parental_weeks": weeks + 1}
    errors = field_errors(father.member.post(father.path("children"), body))
    assert errors == {"shared_parental_weeks": f"must be at most {weeks}"}


@cases("leave", "adoption")
def test_adoption_leave(case: Case, employer: Company) -> None:
    day = case["intended"]
    mother = hire(employer, first=months_earlier(day, case["months"]), mother=True)
    born, citizen = months_earlier(day, 4), case.get("citizen", True)
    add_child(mother, born, citizen=citizen, relationship="adopted", adoption_date=str(day))
    assert mother.balance(str(day), "adoption_leave") == case["weeks"] * WORKING_DAYS


@case_files.cases("children")
def test_leave_for_children(case: case_files.Case, employer: Company) -> None:
    parent = hire(employer, first=case["service"], mother=case.get("mother", False))
    for week in case.get("part_time", ()):
        _set_week(parent, week)
    if "half_days" in case and "part_time" not in case:
        parent.set_hours(**HALF_DAYS[case["half_days"], case.get("cycle_weeks", 1)])
    for child in case["children"]:
        _add_case_child(parent, child)
    for name, leave_type in (("taken_childcare", "childcare_leave"), ("taken", case["type"])):
        for table in case.get(name, ()):
            _take(parent, table["date"], Decimal(table["days"]), leave_type)
    for table in case["balances"]:
        assert parent.balance(str(table["on"]), case["type"]) == float(table["days"]), table["on"]
        movements = parent.movements(str(table["on"]), case["type"])
        assert round(sum(days for _, _, days in movements), 3) == float(table["days"])


def _set_week(parent: OnLeave, week: Case) -> None:
    """Set the regular hours from a day on."""
    full_day = week.get("full_day", 8)
    hours = dict(zip(WEEK_DAYS, map(int, week["hours"].split()), strict=True))
    assert set(hours.values()) <= {0, full_day}
    since = {"effective_date": str(week["from"])} if "from" in week else {}
    works = {f"works_{day}": count > 0 for day, count in hours.items()}
    parent.set_hours(schedule="fixed", full_day_hours_input=full_day, **works, **since)


def _add_case_child(parent: OnLeave, child: Case) -> None:
    names = {
        "relationship": "relationship",
        "adopted": "adoption_date",
        "shared_weeks": "shared_parental_weeks",
        "leave_from": "leave_from",
    }
    more = {attribute: child[name] for name, attribute in names.items() if name in child}
    dated = {name: str(value) if isinstance(value, date) else value for name, value in more.items()}
    add_child(parent, child["born"], citizen=child.get("citizen", True), **dated)


def _take(parent: OnLeave, first: date, days: Decimal, leave_type: str) -> None:
    """Take days of leave from a date on. The fraction of a day is half of one."""
    type_id = parent.types[leave_type]
    entries: list[dict[str, Any]] = []
    day = first
    while days > 0:
        if day.weekday() < WORKING_DAYS and day != NATIONAL_DAY_OFF:
            entries.append({"date": str(day), "type_id": type_id, **({} if days >= 1 else {"hours": 4})})
            days -= 1
        day += timedelta(days=1)
    answer = parent.post_many(entries)
    assert answer.status_code == 200, answer.text
