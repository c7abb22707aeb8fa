"""Leave requests in the employee portal."""

import re

import pytest

from gaji.core import clock
from tests.console.console_user import ConsoleUser, end_sessions, page_text, signed_in_user
from tests.console.portal_pair import MONDAY, SATURDAY, SUNDAY, WEDNESDAY, Pair
from tests.leave.people import FIVE_AND_A_HALF, OnLeave
from tests.support.running import created


def test_leave_is_requested_and_approved(pair: Pair) -> None:
    window = OnLeave(pair.company, pair.id, OnLeave.hired(pair.company).types)
    page = f"{pair.start}/leave"
    kind = str(window.types["annual_leave"])
    data = {"type_id": kind, "from": MONDAY, "to": WEDNESDAY, "reason": "A wedding"}
    answer = pair.own.post(page, data)
    assert (answer.status_code, answer.headers["location"]) == (303, page)
    text = page_text(pair.own.get(page))
    assert "Request for 3 days of annual leave sent" in text
    assert "3 May 2027 – 5 May 2027 3 days of annual leave: A wedding Pending" in text
    [request] = window.listed("leave_requests")
    assert [date["date"] for date in request["dates"]] == [MONDAY, "2027-05-04", WEDNESDAY]
    body = {"answer": "Enjoy it"}
    assert pair.company.member.post(f"/leave_requests/{request['id']}/approve", body).status_code == 200
    text = page_text(pair.own.get(page))
    assert "Comment: Enjoy it Approved" in text
    assert "Upcoming leave" in text


def test_days_off_are_not_part_of_a_request(pair: Pair) -> None:
    window = OnLeave(pair.company, pair.id, OnLeave.hired(pair.company).types)
    data = {"type_id": str(window.types["annual_leave"]), "from": "2027-05-07", "to": "2027-05-10"}
    assert pair.own.post(f"{pair.start}/leave", data).status_code == 303
    [request] = window.listed("leave_requests")
    assert SUNDAY not in [date["date"] for date in request["dates"]]
    assert {"2027-05-07", "2027-05-10"} <= {date["date"] for date in request["dates"]}


def test_part_of_a_day_can_be_requested(pair: Pair) -> None:
    window = OnLeave(pair.company, pair.id, OnLeave.hired(pair.company).types)
    data = {"type_id": str(window.types["annual_leave"]), "from": MONDAY, "hours": "4"}
    assert pair.own.post(f"{pair.start}/leave", data).status_code == 303
    assert "0.5 days of annual leave (4 hours)" in page_text(pair.own.get(f"{pair.start}/leave"))


def test_a_request_is_described_by_its_hours_everywhere(pair: Pair) -> None:
    window = OnLeave(pair.company, pair.id, OnLeave.hired(pair.company).types)
    page, data = f"{pair.start}/leave", {"type_id": str(window.types["annual_leave"]), "time": "half"}
    assert 'value="whole" selected' in pair.own.get(page).text
    assert "Usual: " not in pair.own.get(page).text
    pair.own.post(page, {**data, "from": MONDAY})
    assert "Request for 0.5 days of annual leave (4 hours) sent" in page_text(pair.own.get(page))
    pair.own.post(page, {**data, "from": "2027-05-04", "to": WEDNESDAY})
    text = page_text(pair.own.get(page))
    assert "Request for 1 day of annual leave (4 hours on each of 2 days) sent" in text
    assert (
        "In your pending requests, not yet deducted above: 1.5 days of annual leave (4 hours on each of 3 days)."
        in text
    )
    decided = page_text(signed_in_user(pair.company.member).get(f"/companies/{pair.company.id}/leave"))
    assert "Aisha Tan · 0.5 days of annual leave (4 hours) 3 May 2027" in decided
    assert "Aisha Tan · 1 day of annual leave (4 hours on each of 2 days) 4 May 2027 to 5 May 2027" in decided


def work_half_saturdays(pair: Pair) -> None:
    """Let the employee work five and a half days a week from 2027 on."""
    body = {"calc_type": "week_hours", "calculation_details": FIVE_AND_A_HALF, "effective_date": "2027-01-01"}
    answer = pair.company.member.post(f"/employees/{pair.id}/calculations", body)
    assert answer.status_code == 200, answer.text


def test_a_request_for_a_half_working_day_says_what_is_charged_and_why(pair: Pair) -> None:
    work_half_saturdays(pair)
    person = OnLeave(pair.company, pair.id, OnLeave.hired(pair.company).types)
    days = person.balance(SATURDAY)
    page, data = f"{pair.start}/leave", {"type_id": str(person.types["annual_leave"]), "from": SATURDAY}
    text = page_text(pair.own.post(page, {**data, "check": "true"}))
    assert "This request is for 0.5 days of leave. 8 May 2027 is a half working day and counts as half a day." in text
    assert f"{days - 0.5:g} days instead of {days:g}" in text
    assert pair.own.post(page, data).status_code == 303
    text = page_text(pair.own.get(page))
    assert "Request for 0.5 days of annual leave sent" in text
    assert "8 May 2027 0.5 days of annual leave. 8 May 2027 is a half working day and counts as half a day." in text
    assert "In your pending requests, not yet deducted above: 0.5 days of annual leave." in text
    officer = signed_in_user(pair.company.member)
    decided = page_text(officer.get(f"/companies/{pair.company.id}/leave"))
    assert "Aisha Tan · 0.5 days of annual leave 8 May 2027" in decided
    [request] = person.listed("leave_requests")
    assert pair.company.member.post(f"/leave_requests/{request['id']}/approve", {}).status_code == 200
    text = page_text(pair.own.get(page))
    assert "8 May 2027 Annual leave, 0.5 days" in text
    assert "Approved for later, not deducted yet: 0.5 days of annual leave." in text


def test_several_half_working_days_of_a_request_are_counted_together(pair: Pair) -> None:
    work_half_saturdays(pair)
    person = OnLeave(pair.company, pair.id, OnLeave.hired(pair.company).types)
    person.adjust("2027-01-01", 30)
    page = f"{pair.start}/leave"
    data = {"type_id": str(person.types["annual_leave"]), "from": MONDAY, "to": "2027-05-15", "check": "true"}
    text = page_text(pair.own.post(page, data))
    assert "This request is for 11 days of leave. 2 half working days count as half a day each." in text
    half = data | {"from": "2027-05-08", "to": "", "time": "morning"}
    text = page_text(pair.own.post(page, half))
    whole = "8 May 2027 is a half working day: the whole date counts as half a day."
    assert f"This request is for 0.25 days of leave (2 hours). {whole}" in text


def test_hours_of_a_whole_day_are_rejected(pair: Pair) -> None:
    window = OnLeave(pair.company, pair.id, OnLeave.hired(pair.company).types)
    data = {"type_id": str(window.types["annual_leave"]), "from": MONDAY, "time": "whole", "hours": "3"}
    answer = pair.own.post(f"{pair.start}/leave", data)
    assert answer.status_code == 422
    assert "Hours : must be blank unless the time is “Hours”" in page_text(answer)
    assert window.listed("leave_requests") == []


def test_days_of_a_pending_request_cannot_be_requested_again(pair: Pair) -> None:
    window = OnLeave(pair.company, pair.id, OnLeave.hired(pair.company).types)
    page, data = f"{pair.start}/leave", {"type_id": str(window.types["annual_leave"]), "from": MONDAY}
    assert pair.own.post(page, {**data, "to": WEDNESDAY}).status_code == 303
    for again in ({"from": WEDNESDAY}, {"from": WEDNESDAY, "time": "morning"}):
        answer = pair.own.post(page, {**data, **again})
        assert answer.status_code == 422
        assert "you have already requested leave on 5 May 2027. Cancel that request first" in page_text(answer)
    text = page_text(pair.own.post(page, {**data, "to": WEDNESDAY}))
    assert "First day : you have already requested leave on 3 May 2027. Cancel that request first" in text
    assert "4 May 2027" not in text
    checked = page_text(pair.own.post(page, {**data, "check": "true"}))
    assert "First day : you have already requested leave on 3 May 2027. Cancel that request first" in checked
    assert "This request is for" not in checked
    [request] = window.listed("leave_requests")
    pair.own.post(f"/own/{pair.id}/leave_requests/{request['id']}/cancel", page=page)
    for half in ("morning", "afternoon"):
        assert pair.own.post(page, {**data, "time": half}).status_code == 303, half


def test_a_request_on_a_public_holiday_names_the_holiday(pair: Pair) -> None:
    window = OnLeave(pair.company, pair.id, OnLeave.hired(pair.company).types)
    answer = pair.own.post(f"{pair.start}/leave", {"type_id": str(window.types["annual_leave"]), "from": "2026-12-25"})
    assert answer.status_code == 422
    assert "25 Dec 2026 is a public holiday: Christmas Day" in page_text(answer)


def test_taking_back_leave_asks_first_and_names_the_request(pair: Pair) -> None:
    window = OnLeave(pair.company, pair.id, OnLeave.hired(pair.company).types)
    page = f"{pair.start}/leave"
    pair.own.post(page, {"type_id": str(window.types["annual_leave"]), "from": MONDAY})
    [request] = window.listed("leave_requests")
    path = f"/own/{pair.id}/leave_requests/{request['id']}"
    subject = {"subject": "3 May 2027: 1 day of annual leave", "confirmed": ""}
    assert f'value="{subject["subject"]}"' in pair.own.get(page).text
    asked = page_text(pair.own.post(f"{path}/cancel", subject, page=page))
    assert "Cancel this leave request? 3 May 2027: 1 day of annual leave" in asked
    assert "Cancel request Keep request" in asked
    assert pair.company.member.post(f"/leave_requests/{request['id']}/approve", {}).status_code == 200
    assert "Approved for later, not deducted yet: 1 day of annual leave." in page_text(pair.own.get(page))
    assert "Withdraw leave Keep leave" in page_text(pair.own.post(f"{path}/withdraw", subject, page=page))
    assert [entry["status"] for entry in window.listed("leave_requests")] == ["approved"]


def test_all_errors_of_a_request_are_listed_and_input_is_kept(pair: Pair) -> None:
    page = f"{pair.start}/leave"
    data = {"from": "2027-02-30", "to": "soon", "hours": "4", "reason": "x" * 501}
    answer = pair.own.post(page, data)
    assert answer.status_code == 422
    page_text_ = page_text(answer)
    for text in (
        "Leave type : is required",
        "First day : is not a valid date",
        "Last day : must be a date",
        "Reason : must be at most 500 characters",
    ):
        assert text in page_text_
    assert 'value="2027-02-30"' in answer.text
    assert "x" * 501 in answer.text
    assert pair.company.member.get(f"/employees/{pair.id}/leave_requests").json() == []


def test_a_request_beyond_the_balance_is_rejected_in_plain_words(pair: Pair) -> None:
    kind = str(OnLeave.hired(pair.company).types["annual_leave"])
    answer = pair.own.post(f"{pair.start}/leave", {"type_id": kind, "from": "2026-06-01", "to": "2026-09-30"})
    assert answer.status_code == 422
    assert re.search(
        r"You don't have enough annual leave\. This request is for 86 days, \d+ days more than you have\. "
        r"Days left on 30 Sep 2026 before this request: \d",
        page_text(answer),
    )
    # The error of each day is listed once.
    assert "Please correct 1 error." in page_text(answer)
    assert 'id="from-error"' in answer.text


def test_a_request_beyond_the_balance_says_how_many_days_are_missing_on_which_day(pair: Pair) -> None:
    person = OnLeave(pair.company, pair.id, OnLeave.hired(pair.company).types)
    person.adjust("2026-11-01", 24 - person.balance("2026-11-30"))
    gain = person.balance("2027-01-29") - person.balance("2026-11-30")
    assert gain > 0
    data = {"type_id": str(person.types["annual_leave"]), "from": "2026-11-24", "to": "2027-01-29", "check": "true"}
    answer = pair.own.post(f"{pair.start}/leave", data)
    assert answer.status_code == 422
    text = page_text(answer)
    sentence = (
        f"This request is for 47 days, {23 - gain:g} days more than you have. "
        f"Days left on 29 Jan 2027 before this request: {24 + gain:g}"
    )
    assert text.count(sentence) == 2  # the summary, and the field
    assert "enough annual leave for these dates" not in text
    person.adjust("2027-01-01", 10)
    text = page_text(pair.own.post(f"{pair.start}/leave", {**data, "to": "2027-01-04"}))
    assert "This request is for 26 days until 30 Dec 2026, 2 days more than you have." in text
    assert "Days left on 30 Dec 2026 before this request: 24" in text


def test_days_that_are_already_taken_are_listed_as_spans(pair: Pair) -> None:
    person = OnLeave(pair.company, pair.id, OnLeave.hired(pair.company).types)
    for day in ("2026-11-26", "2026-11-27", "2026-11-30", "2026-12-02"):
        person.take(day, "unpaid_leave")
    data = {"type_id": str(person.types["unpaid_leave"]), "from": "2026-11-23", "to": "2026-12-04"}
    answer = pair.own.post(f"{pair.start}/leave", data)
    assert answer.status_code == 422
    assert "You already have leave on 26 Nov 2026 – 30 Nov 2026 and 2 Dec 2026" in page_text(answer)
    assert page_text(answer).count("ou already have leave on") == 2
    body = {"dates": [{"date": day, "type_id": person.types["unpaid_leave"]} for day in ("2026-11-26", "2026-11-27")]}
    errors = person.member.post(person.path("leave_requests"), body).json()["errors"]
    assert list(errors) == ["dates.0.date", "dates.1.date"]


def test_leave_is_refused_after_the_last_day_whose_public_holidays_are_known(pair: Pair) -> None:
    person = OnLeave(pair.company, pair.id, OnLeave.hired(pair.company).types)
    page, data = f"{pair.start}/leave", {"type_id": str(person.types["unpaid_leave"])}
    sentence = "Leave can be requested until 31 Dec 2027. Later public holidays are not known yet"
    for dates, field in (
        ({"from": "2027-12-27", "to": "2028-01-07"}, "to"),
        ({"from": "2028-01-03", "to": "2028-01-07"}, "from"),
        ({"from": "2028-01-03"}, "from"),
    ):
        for check in ({}, {"check": "true"}):
            answer = pair.own.post(page, {**data, **dates, **check})
            assert answer.status_code == 422, dates
            assert sentence in page_text(answer), dates
            assert f'id="{field}-error"' in answer.text, dates
    assert person.listed("leave_requests") == []
    assert pair.own.post(page, {**data, "from": "2027-12-27", "to": "2027-12-31"}).status_code == 303


@pytest.mark.parametrize("kind", ["x", "-1", "1; DROP TABLE"])
def test_an_invalid_leave_type_is_shown_at_its_field(pair: Pair, kind: str) -> None:
    answer = pair.own.post(f"{pair.start}/leave", {"type_id": kind, "from": MONDAY})
    assert answer.status_code == 422
    assert 'id="type_id-error"' in answer.text


def test_leave_cannot_be_requested_for_a_colleague(pair: Pair) -> None:
    path = f"/own/{pair.other_id}/leave"
    answer = pair.own.post(path, {"from": MONDAY}, page=f"{pair.start}/leave")
    assert answer.status_code == 404
    assert pair.company.member.get(f"/employees/{pair.other_id}/leave_requests").json() == []


def test_the_question_before_a_request_is_cancelled_keeps_the_menu(pair: Pair) -> None:
    kind = str(OnLeave.hired(pair.company).types["unpaid_leave"])
    assert pair.own.post(f"{pair.start}/leave", {"type_id": kind, "from": MONDAY}).status_code == 303
    [request] = pair.company.member.get(f"/employees/{pair.id}/leave_requests").json()
    path = f"{pair.start}/leave_requests/{request['leave_request']['id']}/cancel"
    asked = pair.own.post(path, {"confirmed": ""}, page=f"{pair.start}/leave")
    assert "Cancel this leave request?" in page_text(asked)
    assert f'href="{pair.start}/details"' in asked.text
    assert "API reference" not in asked.text


def test_a_check_of_unpaid_leave_names_the_public_holiday_that_is_not_paid(pair: Pair) -> None:
    person = OnLeave(pair.company, pair.id, OnLeave.hired(pair.company).types)
    page, dates = f"{pair.start}/leave", {"from": "2026-12-24", "to": "2026-12-28", "check": "true"}
    sentence = "Not paid, because it is a public holiday within unpaid leave: 25 Dec 2026 (Christmas Day)."
    text = page_text(pair.own.post(page, {"type_id": str(person.types["unpaid_leave"]), **dates}))
    assert f"Not counted: 25 Dec 2026 (Christmas Day) and 2 days off. {sentence}" in text
    assert sentence not in page_text(pair.own.post(page, {"type_id": str(person.types["annual_leave"]), **dates}))


def test_a_leave_request_without_a_date_is_rejected(pair: Pair) -> None:
    kind = str(OnLeave.hired(pair.company).types["unpaid_leave"])
    answer = pair.own.post(f"{pair.start}/leave", {"type_id": kind, "from": ""})
    assert answer.status_code == 422
    assert "First day : is required" in page_text(answer)


def test_leave_in_a_finalised_period_is_rejected(pair: Pair) -> None:
    kind = str(OnLeave.hired(pair.company).types["unpaid_leave"])
    answer = pair.own.post(f"{pair.start}/leave", {"type_id": kind, "from": "2026-01-05"})
    assert answer.status_code == 409
    assert "These days are in a month that has already been paid" in page_text(answer)
    assert "Record as late" not in page_text(answer)
    assert pair.company.member.get(f"/employees/{pair.id}/leave_requests").json() == []


def test_a_leave_request_of_an_ended_session_comes_back_in_words(pair: Pair) -> None:
    kind = str(OnLeave.hired(pair.company).types["unpaid_leave"])
    page = f"{pair.start}/leave"
    data = {"form_token": pair.own.token(page), "type_id": kind, "from": MONDAY, "time": "half", "reason": "Dentist"}
    end_sessions(pair.company.member.service)
    answer = pair.own.browser.post(page, data=data)
    assert answer.headers["location"] == "/sign-in?next=/unsent-form"
    assert "You were signed out. Sign in to get your entries back" in page_text(pair.own.get("/sign-in"))
    assert pair.own.sign_in(next="/unsent-form").status_code == 303
    text = page_text(pair.own.get("/unsent-form"))
    assert "Leave type Unpaid leave From 3 May 2027 Time Half day Reason Dentist" in text


def test_a_request_is_checked_cancelled_and_withdrawn(pair: Pair) -> None:
    person = OnLeave(pair.company, pair.id, OnLeave.hired(pair.company).types)
    page = f"{pair.start}/leave"
    data = {"type_id": str(person.types["annual_leave"]), "from": MONDAY, "time": "half"}
    checked = pair.own.post(page, {**data, "check": "true"})
    assert "After this request" in page_text(checked)
    assert person.listed("leave_requests") == []
    assert pair.own.post(page, data).status_code == 303
    [request] = person.listed("leave_requests")
    assert request["dates"][0]["hours"] == 4
    path = f"/own/{pair.id}/leave_requests/{request['id']}"
    assert pair.own.post(f"{path}/cancel", page=page).status_code == 303
    assert "Cancelled" in page_text(pair.own.get(page))
    assert pair.own.post(f"{path}/withdraw", page=page).status_code == 409
    assert pair.own.post(f"{path}/delete", page=page).status_code == 404
    assert pair.own.post(f"/own/{pair.id}/leave_requests/999999999/cancel", page=page).status_code == 404
    assert "left on 31 Dec 2027" in page_text(pair.own.get(f"{page}?date=2027-12-31"))


@pytest.mark.parametrize("comment", ["We need you then", None])
def test_a_declined_withdrawal_is_shown_as_declined(pair: Pair, comment: str | None) -> None:
    person = OnLeave(pair.company, pair.id, OnLeave.hired(pair.company).types)
    page = f"{pair.start}/leave"
    pair.own.post(page, {"type_id": str(person.types["annual_leave"]), "from": MONDAY})
    [request] = person.listed("leave_requests")
    decide = f"/leave_requests/{request['id']}"
    assert pair.company.member.post(f"{decide}/approve", {"answer": "Enjoy it"}).status_code == 200
    assert "Withdrawal" not in page_text(pair.own.get(page))
    assert pair.own.post(f"/own/{pair.id}{decide}/withdraw", page=page).status_code == 303
    assert "Withdrawal pending" in page_text(pair.own.get(page))
    assert pair.company.member.post(f"{decide}/decline", {"answer": comment}).status_code == 200
    day = clock.today()
    shown = f"Withdrawal declined on {day.day} {day:%b %Y}; the leave stays."
    expected = f"{shown} Comment: {comment} Approved" if comment else f"{shown} Approved"
    assert expected in page_text(pair.own.get(page))
    assert "Enjoy it" not in page_text(pair.own.get(page))
    decided = f"Leave 3 May 2027 : withdrawal declined, the leave stays {day.day} {day:%b %Y}"
    assert f"Decided lately {decided}" in page_text(pair.own.get(pair.start))


def test_the_check_says_which_days_a_request_uses_and_which_pending_days_it_counts(pair: Pair) -> None:
    person = OnLeave(pair.company, pair.id, OnLeave.hired(pair.company).types)
    person.adjust("2026-12-01", 10 - person.balance("2026-12-28"))
    page = f"{pair.start}/leave"
    annual = {"type_id": str(person.types["annual_leave"])}
    christmas = {**annual, "from": "2026-12-24", "to": "2026-12-28"}
    checked = pair.own.post(page, {**christmas, "check": "true"})
    text = page_text(checked)
    assert "This request is for 2 days of leave. Not counted: 25 Dec 2026 (Christmas Day) and 2 days off." in text
    assert "8 days instead of 10" in text
    assert "pending requests" not in text
    assert f'formaction="{page}#balance"' in checked.text
    assert 'id="balance"' in checked.text
    assert pair.own.post(page, christmas).status_code == 303
    earlier = {**annual, "from": "2026-12-14", "to": "2026-12-15", "check": "true"}
    text = page_text(pair.own.post(page, earlier))
    assert "Not deducted here: 2 days in your pending requests for later dates." in text
    assert "counted as taken" not in text
    text = page_text(pair.own.post(page, {**annual, "from": "2026-12-29", "check": "true"}))
    assert "Days in your pending requests up to that date are counted as taken." in text
    assert "Not deducted here" not in text


def test_leave_without_a_balance_is_checked_without_negative_days(pair: Pair) -> None:
    person = OnLeave(pair.company, pair.id, OnLeave.hired(pair.company).types)
    data = {"type_id": str(person.types["unpaid_leave"]), "from": MONDAY, "check": "true"}
    checked = page_text(pair.own.post(f"{pair.start}/leave", data))
    assert re.search(r"Unpaid leave until \d+ \w+ \d+: 1 day taken", checked)
    assert "instead of" not in checked
    assert "more than you have" not in checked


def test_the_request_form_says_which_days_are_counted(pair: Pair) -> None:
    person = OnLeave(pair.company, pair.id, OnLeave.hired(pair.company).types)
    page = f"{pair.start}/leave"
    assert "Days off and public holidays are not counted." in page_text(pair.own.get(page))
    person.set_hours(schedule="casual", effective_date="2026-02-01")
    text = page_text(pair.own.get(page))
    assert "Days off and public holidays are not counted" not in text
    assert "Request only days on which you would have worked." in text
    features = {"features": {"leave_any_day": True}}
    assert pair.company.member.patch(f"/clients/{pair.company.id}", features).status_code == 200
    assert "is counted, including days off and public holidays." in page_text(pair.own.get(page))


def test_half_a_day_is_a_morning_or_an_afternoon(pair: Pair) -> None:
    person = OnLeave(pair.company, pair.id, OnLeave.hired(pair.company).types)
    page, data = f"{pair.start}/leave", {"type_id": str(person.types["unpaid_leave"]), "from": MONDAY}
    text = page_text(pair.own.get(page))
    assert "Whole day Half day, morning Half day, afternoon Hours" in text
    assert "Optional. For hours, say which part of the day, such as from 9:00 to 11:00." in text
    assert pair.own.post(page, {**data, "time": "morning"}).status_code == 303
    text = page_text(pair.own.get(page))
    assert "Request for 0.5 days of unpaid leave (4 hours), morning sent" in text
    assert "3 May 2027, morning 0.5 days of unpaid leave (4 hours)" in text
    again = pair.own.post(page, {**data, "time": "morning"})
    assert "you have already requested leave on 3 May 2027" in page_text(again)
    assert pair.own.post(page, {**data, "time": "afternoon"}).status_code == 303
    officer = signed_in_user(pair.company.member)
    text = page_text(officer.get(f"/companies/{pair.company.id}/leave"))
    assert "3 May 2027, morning" in text
    assert "3 May 2027, afternoon" in text


def offered_types(own: ConsoleUser, person: OnLeave) -> set[str]:
    """The leave types that can be chosen in the portal."""
    text = own.get(f"/own/{person.id}/leave").text
    return {name for name, type_id in person.types.items() if f'<option value="{type_id}"' in text}


def test_leave_for_children_is_offered_when_it_applies(pair: Pair) -> None:
    person = OnLeave.hired(pair.company, gender="F")
    own = signed_in_user(pair.company.member.colleague(pair.company.id, "employee", person.id))
    page = f"/own/{person.id}/leave"
    for_children = {"childcare_leave", "extended_childcare_leave", "infant_care_leave", "maternity_leave"}
    for_children |= {"paternity_leave", "shared_parental_leave", "adoption_leave"}
    assert set(person.types) - offered_types(own, person) == for_children
    assert "once your employer has recorded a child" in page_text(own.get(page))
    rejected = own.post(page, {"type_id": str(person.types["childcare_leave"]), "from": MONDAY})
    assert rejected.status_code == 422
    assert "you have no childcare leave, because no child is recorded" in page_text(rejected)
    child = {"name": "Mei", "birthdate": "2026-05-15", "citizenship": "CITIZEN"}
    created(pair.company.member.post(person.path("children"), child))
    missing = set(person.types) - offered_types(own, person)
    assert missing == {"extended_childcare_leave", "paternity_leave", "adoption_leave"}
    assert "no recorded child gives you such leave: " in page_text(own.get(page))
