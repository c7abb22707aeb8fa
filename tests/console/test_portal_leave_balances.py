"""Leave balances in the employee portal."""

import re
from datetime import UTC, datetime, timedelta

from gaji.core import clock
from tests.console.console_user import ConsoleUser, page_text, signed_in_user
from tests.console.portal_pair import MONDAY, WEDNESDAY, Pair
from tests.leave.people import OnLeave, leave_types
from tests.payroll.payment_runs.runs import hired
from tests.support.company import Company


def test_half_days_count_half_in_the_pending_leave(pair: Pair) -> None:
    window = OnLeave(pair.company, pair.id, OnLeave.hired(pair.company).types)
    page, data = f"{pair.start}/leave", {"type_id": str(window.types["annual_leave"])}
    pair.own.post(page, {**data, "from": MONDAY, "to": "2027-05-04", "time": "whole"})
    pair.own.post(page, {**data, "from": WEDNESDAY, "time": "half"})
    assert "In your pending requests, not yet deducted above: 2.5 days of annual leave." in page_text(
        pair.own.get(page)
    )


def test_former_employees_see_their_last_balance_and_cannot_request_leave(pair: Pair) -> None:
    body = {"employee_action": {"termination_date": "2026-03-31", "termination_code": 1, "ir21": False}}
    ended = pair.company.member.post(f"/employees/{pair.id}/service_periods/end_service", body)
    assert ended.status_code in (200, 201), ended.text
    answer = pair.own.get(f"{pair.start}/leave")
    assert "Your service ended on 31 Mar 2026, so you can no longer request leave." in page_text(answer)
    assert re.search(r"Paid out with your last payslip: \d+(\.\d+)? days? of annual leave\.", page_text(answer))
    assert "left on 31 Mar 2026" in page_text(answer)
    assert 'name="type_id"' not in answer.text


def test_leave_without_a_balance_is_shown_as_taken_and_annual_leave_always(pair: Pair) -> None:
    person = OnLeave(pair.company, pair.id, OnLeave.hired(pair.company).types)
    person.take(MONDAY, "unpaid_leave")
    left = person.balance(MONDAY)
    person.adjust(MONDAY, -left)
    text = page_text(pair.own.get(f"{pair.start}/leave?date={MONDAY}"))
    assert "Unpaid leave 1 day taken until 3 May 2027" in text
    assert "Annual leave 0 days left on 3 May 2027" in text
    assert "beyond the balance" not in text


def test_sick_leave_that_reduces_hospitalisation_leave_is_explained(pair: Pair) -> None:
    person = OnLeave(pair.company, pair.id, OnLeave.hired(pair.company).types)
    note = "Hospitalisation leave includes sick leave. A day of sick leave is deducted from both."
    page = f"{pair.start}/leave?date={MONDAY}"
    before = person.balance(MONDAY, "hospitalisation_leave")
    assert note in page_text(pair.own.get(page))
    person.take(MONDAY, "sick_leave")
    text = page_text(pair.own.get(page))
    assert f"Hospitalisation leave {before - 1:g} days left" in text
    assert note in text
    person.adjust(MONDAY, 1 - before, "hospitalisation_leave")
    text = page_text(pair.own.get(page))
    assert "Hospitalisation leave 0 days" not in text
    assert note not in text


def employed_since(company: Company, days: int) -> tuple[ConsoleUser, int]:
    """An employee who joined some days ago, signed in."""
    employee_id = hired(company, appointment_date=str(clock.today() - timedelta(days=days)))
    return signed_in_user(company.member.colleague(company.id, "employee", employee_id)), employee_id


def test_employees_see_when_carried_over_leave_expires(company: Company) -> None:
    own, employee_id = employed_since(company, 400)
    text = page_text(own.get(f"/own/{employee_id}/leave"))
    assert re.search(r"7 days of annual leave expire on \d+ \w+ \d+ if not taken before\.", text)
    assert not re.search(r"days of (sick|hospitalisation) leave expire", text)


def test_employees_see_what_expired_around_a_date(company: Company) -> None:
    own, employee_id = employed_since(company, 740)
    page = f"/own/{employee_id}/leave"
    text = page_text(own.get(page))
    [day] = re.findall(r"7 days of annual leave expired on (\d+ \w+ \d+), because they were not taken\.", text)
    expiry = datetime.strptime(day, "%d %b %Y").replace(tzinfo=UTC).date()
    before, long_after = (page_text(own.get(f"{page}?date={expiry + timedelta(days=days)}")) for days in (-1, 120))
    assert f"expired on {day}" in before
    assert f"expired on {day}" not in long_after


def test_employees_see_why_their_balances_changed(company: Company) -> None:
    own, employee_id = employed_since(company, 740)
    OnLeave(company, employee_id, leave_types(company.member, company.id)).adjust(str(clock.today()), 2)
    text = page_text(own.get(f"/own/{employee_id}/leave"))
    assert "How your balances have changed in the last 12 months" in text
    assert "Annual leave: +2 days, balance 10 Adjustment: Agreed" in text
    lost = "Carry over expiry: Carried over from year 1 of service and not taken within a year"
    assert f"Annual leave: −7 days, balance 8 {lost}" in text


def test_a_grant_of_leave_without_a_limit_is_not_a_balance(pair: Pair) -> None:
    person = OnLeave(pair.company, pair.id, OnLeave.hired(pair.company).types)
    person.adjust(MONDAY, 5, "unpaid_leave")
    page = f"{pair.start}/leave"
    balances = page_text(pair.own.get(f"{page}?date={MONDAY}")).partition("Request leave")[0]
    assert "Annual leave" in balances
    assert "Unpaid leave" not in balances
    data = {"type_id": str(person.types["unpaid_leave"]), "from": MONDAY, "check": "true"}
    checked = page_text(pair.own.post(page, data))
    assert "Unpaid leave: no limit" in checked
    assert "instead of" not in checked


def test_upcoming_leave_is_sorted_by_date(pair: Pair) -> None:
    person = OnLeave(pair.company, pair.id, OnLeave.hired(pair.company).types)
    for day in ("2027-05-05", "2027-05-03", "2027-05-04"):
        person.take(day, "unpaid_leave")
    listed = page_text(pair.own.get(f"{pair.start}/leave")).partition("Upcoming leave")[2]
    assert re.findall(r"\d+ May 2027", listed) == ["3 May 2027", "4 May 2027", "5 May 2027"]


def test_leave_says_from_when_it_is_available(pair: Pair) -> None:
    person = OnLeave.hired(pair.company, appointment_date="2027-03-01")
    own = signed_in_user(pair.company.member.colleague(pair.company.id, "employee", person.id))
    page = f"/own/{person.id}/leave"
    text = page_text(own.get(f"{page}?date={MONDAY}"))
    assert "from 31 May 2027, after 3 months of service" in text
    rejected = own.post(page, {"type_id": str(person.types["annual_leave"]), "from": MONDAY})
    assert rejected.status_code == 422
    assert "you have no annual leave before 31 May 2027. It starts after 3 months of service" in page_text(rejected)
    details = person.post(MONDAY).json()["error_details"]
    assert [(detail["code"], detail["params"]["available_from"]) for detail in details] == [
        ("not_enough_leave", "2027-05-31")
    ]
    assert "after 3 months" not in page_text(own.get(f"{page}?date=2027-12-01"))
