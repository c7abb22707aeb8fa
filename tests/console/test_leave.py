"""The leave calendar, and the leave tab of an employee."""

import re

import httpx
import pytest

from gaji.core import clock
from tests.console.console_user import ConsoleUser, page_text, signed_in_user
from tests.console.sample_company import CERTIFICATE, create_sample_company
from tests.leave.people import OnLeave, leave_types
from tests.payroll.payment_runs.runs import JANUARY, hired, paid
from tests.payroll.payslips.slips import slips
from tests.payroll.retro_proposals.proposals import listed
from tests.support.company import Company
from tests.support.running import created

DAY = "2026-03-03"
AWAY = 8


@pytest.fixture
def path(company: Company) -> str:
    """The page of leave, of a company with eight people who are away on the same day."""
    for number in range(AWAY):
        OnLeave.hired(company, first_name=f"Person {number}").take(DAY, "unpaid_leave")
    return f"/companies/{company.id}/leave"


def test_leave_requests_are_approved_and_declined(owner: ConsoleUser, company: Company) -> None:
    sample = create_sample_company(company)
    employee_id, request_id = sample.ids["employee_id"], sample.ids["request_id"]
    page = f"/companies/{company.id}/leave"
    assert "1 day of annual leave" in page_text(owner.get(page))
    approve = f"/companies/{company.id}/leave_requests/{request_id}/approve"
    assert owner.post(approve, {"answer": "Enjoy it"}, page=page).status_code == 303
    days = company.member.get(f"/employees/{employee_id}/leave_days").json()
    assert [day["leave_day"]["date"] for day in days] == ["2026-02-13", "2026-02-10"]
    assert "Mei Ling Tan" in page_text(owner.get(f"{page}?month=2026-02"))
    again = owner.post(approve, page=page)
    assert again.status_code == 409
    assert "has already been approved" in page_text(again)
    requested = {"dates": [{"date": "2026-02-11", "type_id": sample.ids["type_id"]}]}
    other = company.member.post(f"/employees/{employee_id}/leave_requests", requested).json()["id"]
    assert owner.post(f"/companies/{company.id}/leave_requests/{other}/decline", page=page).status_code == 303
    assert "No pending requests" in page_text(owner.get(page))
    for month in ("2026-13", "x", "0000-01", "9999-12"):
        assert owner.get(f"{page}?month={month}").status_code == 200


def test_a_calendar_day_shows_six_employees_and_the_number_of_others(owner: ConsoleUser, path: str) -> None:
    page = owner.get(f"{path}?month=2026-03")
    assert len(re.findall(r'<li title="Person', page.text)) == 6
    assert "+ 2 more on 3 Mar 2026" in page_text(page)
    assert f"?month=2026-03&amp;day={DAY}#day" in page.text
    assert "Away on" not in page_text(page)


def test_a_day_page_lists_everyone_who_is_away(owner: ConsoleUser, path: str) -> None:
    text = page_text(owner.get(f"{path}?month=2026-03&day={DAY}"))
    assert "Away on 3 Mar 2026" in text
    assert "1–8 of 8" in text
    assert all(f"Person {number} Tan Unpaid leave Full day" in text for number in range(AWAY))
    assert "No one is away" in page_text(owner.get(f"{path}?day={DAY}&page=2"))


@pytest.mark.parametrize("day", ["soon", "2026-02-30", "", "0", "%00"])
def test_an_invalid_day_is_ignored(owner: ConsoleUser, company: Company, day: str) -> None:
    page = owner.get(f"/companies/{company.id}/leave?day={day}")
    assert page.status_code == 200
    assert "Away on" not in page_text(page)


@pytest.mark.parametrize("month", ["soon", "2026-13", "20٢٥-01", "1899-12", "%00"])
def test_an_invalid_month_means_the_current_month(owner: ConsoleUser, company: Company, month: str) -> None:
    path = f"/companies/{company.id}/leave"
    page = owner.get(f"{path}?month={month}")
    assert page.status_code == 200
    assert page_text(page) == page_text(owner.get(path))


def test_officers_record_change_and_cancel_days(owner: ConsoleUser, company: Company) -> None:
    person = OnLeave.hired(company)
    tab, path = f"/employees/{person.id}?tab=leave", f"/employees/{person.id}/leave_days"
    unpaid = str(person.types["unpaid_leave"])
    recorded = owner.post(path, {"type_id": unpaid, "from": "2026-03-02", "to": "2026-03-04", "time": "half"}, page=tab)
    assert recorded.status_code == 303, page_text(recorded)
    assert [day["hours"] for day in person.listed()] == [4, 4, 4]
    first, second, third = (day["id"] for day in person.listed())
    edit = f"{path}/{second}/edit"
    assert 'value="half" selected' in owner.get(edit).text
    assert owner.post(edit, {"type_id": unpaid, "date": "2026-03-05", "time": "hours", "hours": "2"}).status_code == 303
    assert owner.post(f"{path}/cancel", {"day_id": [str(first), str(third)]}, page=tab).status_code == 303
    assert [(day["id"], day["date"], day["hours"]) for day in person.listed()] == [(second, "2026-03-05", 2)]
    assert "5 Mar 2026 Unpaid leave 2 hours 0.25 Edit" in page_text(owner.get(tab))


def test_errors_are_shown_at_the_fields_of_the_form(owner: ConsoleUser, company: Company) -> None:
    person = OnLeave.hired(company)
    tab, path = f"/employees/{person.id}?tab=leave", f"/employees/{person.id}/leave_days"
    answer = owner.post(path, {"from": "soon", "time": "hours"}, page=tab)
    assert answer.status_code == 422
    for text in ("Leave type : is required", "First day : must be a date", "Hours : is required"):
        assert text in page_text(answer)
    weekend = {"type_id": str(person.types["unpaid_leave"]), "from": "2026-03-07"}
    assert "the employee does not work on any of these days" in page_text(owner.post(path, weekend, page=tab))
    nothing_chosen = owner.post(f"{path}/cancel", page=tab)
    assert nothing_chosen.status_code == 303
    assert "Choose the days to cancel first" in page_text(owner.get(tab))


def test_errors_of_several_dates_are_joined(owner: ConsoleUser, company: Company) -> None:
    person = OnLeave.hired(company, appointment_date="2025-01-01")
    tab, path = f"/employees/{person.id}?tab=leave", f"/employees/{person.id}/leave_days"
    unpaid = str(person.types["unpaid_leave"])
    dates = {"from": "2026-03-02", "to": "2026-03-10"}
    person.take("2026-03-03", "unpaid_leave")
    person.take("2026-03-04", "unpaid_leave", hours=4)
    text = page_text(owner.post(path, {"type_id": unpaid, **dates}, page=tab))
    assert "3 Mar 2026 already has 8 hours of leave and 8 working hours in total; 4 Mar 2026 already has 4" in text
    left = person.balance("2026-03-27")
    person.adjust("2026-03-01", 2 - left)
    annual = {"type_id": str(person.types["annual_leave"]), "from": "2026-03-16", "to": "2026-03-27", "time": "half"}
    text = page_text(owner.post(path, annual, page=tab))
    sentence = "Not enough annual leave. This is leave for 5 days, 3 days more than are left. "
    assert f"{sentence}Days left on 27 Mar 2026 before: 2" in text
    assert len(person.listed()) == 2


def test_officers_are_told_which_days_are_counted(owner: ConsoleUser, company: Company) -> None:
    person = OnLeave.hired(company)
    tab = f"/employees/{person.id}?tab=leave"
    assert "Days off and public holidays are not counted." in page_text(owner.get(tab))
    person.set_hours(schedule="casual", effective_date="2026-02-01")
    text = page_text(owner.get(tab))
    assert "Days off and public holidays are not counted" not in text
    assert "Record only the days of planned work." in text
    features = {"features": {"leave_any_day": True}}
    assert company.member.patch(f"/clients/{company.id}", features).status_code == 200
    assert "is counted, including days off and public holidays." in page_text(owner.get(tab))


def test_officers_cannot_record_leave_after_the_known_public_holidays(owner: ConsoleUser, company: Company) -> None:
    person = OnLeave.hired(company)
    tab, path = f"/employees/{person.id}?tab=leave", f"/employees/{person.id}/leave_days"
    unpaid = {"type_id": str(person.types["unpaid_leave"])}
    answer = owner.post(path, {**unpaid, "from": "2027-12-27", "to": "2028-01-07"}, page=tab)
    assert answer.status_code == 422
    sentence = "Leave can be recorded until 31 Dec 2027. Later public holidays are not known yet"
    assert sentence in page_text(answer)
    assert person.listed() == []
    day_id = person.take("2027-12-31", "unpaid_leave")
    answer = owner.post(f"{path}/{day_id}/edit", {**unpaid, "date": "2028-01-03", "time": "whole"})
    assert sentence in page_text(answer)
    assert 'id="date-error"' in answer.text


def test_days_of_a_finalised_payslip_are_closed(owner: ConsoleUser, company: Company) -> None:
    employee_id = hired(company)
    person = OnLeave(company, employee_id, leave_types(company.member, company.id))
    day_id = person.take("2026-01-05", "unpaid_leave")
    paid(company, JANUARY)
    tab = f"/employees/{employee_id}?tab=leave"
    assert "5 Jan 2026 Unpaid leave Whole day 1 Closed Edit" in page_text(owner.get(tab))
    assert "Unpaid leave 1 day taken until today" in page_text(owner.get(tab))
    answer = owner.post(f"/employees/{employee_id}/leave_days/cancel", {"day_id": str(day_id)}, page=tab)
    assert answer.status_code == 409
    assert [day["id"] for day in person.listed()] == [day_id]
    late = {"day_id": str(day_id), "late": "true"}
    asked = owner.post(f"/employees/{employee_id}/leave_days/cancel", late, page=tab)
    assert asked.status_code == 303
    assert person.listed() == []
    proposals = company.member.get(f"/employees/{employee_id}/retro_proposals").json()
    assert len(proposals) == 1


def test_adjustments_are_added_changed_and_removed(owner: ConsoleUser, company: Company) -> None:
    person = OnLeave.hired(company)
    path = f"/employees/{person.id}/leave_adjustments"
    annual = str(person.types["annual_leave"])
    data = {"type_id": annual, "date": "2026-03-02", "days": "-1.5", "reason": "Agreed"}
    incomplete = owner.post(f"{path}/new", {**data, "reason": "", "days": "x"})
    assert incomplete.status_code == 422
    assert "Days : must be a number of days such as 4.5" in page_text(incomplete)
    assert owner.post(f"{path}/new", data).status_code == 303
    [adjustment] = person.listed("leave_adjustments")
    edit = f"{path}/{adjustment['id']}/edit"
    assert 'value="-1.5"' in owner.get(edit).text
    assert owner.post(edit, {**data, "days": "2", "reason": "Long service"}).status_code == 303
    assert "2 Mar 2026 Annual leave 2 Long service" in page_text(owner.get(f"/employees/{person.id}?tab=leave"))
    delete = f"{path}/{adjustment['id']}/delete"
    assert owner.post(delete, page=f"/employees/{person.id}?tab=leave").status_code == 303
    assert person.listed("leave_adjustments") == []


def test_leave_in_a_finalised_period_can_be_recorded_as_late(owner: ConsoleUser, company: Company) -> None:
    employee_id = hired(company)
    kind = str(leave_types(company.member, company.id)["unpaid_leave"])
    request = {"dates": [{"date": "2026-01-13", "type_id": int(kind)}]}
    request_id = created(company.member.post(f"/employees/{employee_id}/leave_requests", request))
    paid(company)
    path, tab = f"/employees/{employee_id}/leave_days", f"/employees/{employee_id}?tab=leave"
    days = {"type_id": kind, "from": "2026-01-12", "to": "2026-01-12"}
    refused = owner.post(path, days, page=tab)
    assert refused.status_code == 409
    assert "This is about a finalised payslip" in page_text(refused)
    assert "Finalised payslips stay as they are" in page_text(refused)
    assert 'value="2026-01-12"' in refused.text
    assert owner.post(path, {**days, "late": "true"}, page=tab).status_code == 303
    approve, leave = f"/companies/{company.id}/leave_requests/{request_id}/approve", f"/companies/{company.id}/leave"
    assert "Record as late" in page_text(owner.post(approve, {"answer": "Noted"}, page=leave))
    assert owner.post(approve, {"answer": "Noted", "late": "true"}, page=leave).status_code == 303
    [proposal] = listed(company, employee_id)
    assert proposal["differences"][0]["items"]["unpaid_leave"]["due"] == "381.82"


def test_requests_show_the_balance_and_why_they_cannot_be_approved(owner: ConsoleUser, company: Company) -> None:
    person = OnLeave.hired(company, appointment_date="2026-01-02")
    kind = person.types["annual_leave"]
    dates = [{"date": day, "type_id": kind} for day in ("2026-04-06", "2026-04-07")]
    request_id = created(company.member.post(person.path("leave_requests"), {"dates": dates}))
    other = {"dates": [{"date": "2026-04-08", "type_id": person.types["unpaid_leave"]}]}
    created(company.member.post(person.path("leave_requests"), other))
    leave, approve = f"/companies/{company.id}/leave", f"/companies/{company.id}/leave_requests/{request_id}/approve"
    text = page_text(owner.get(leave))
    assert "Annual leave on 7 Apr 2026: 2 days now, 0 days after approval" in text
    assert "Unpaid leave on" not in text
    person.take("2026-04-02")
    refused = owner.post(approve, {"answer": "Enjoy it"}, page=leave)
    assert refused.status_code == 422
    text = page_text(refused)
    assert "Annual leave on 7 Apr 2026: 1 day now, 1 day too few for this request" in text
    assert "This leave cannot be approved: not enough annual leave on 7 Apr 2026. Days left: 1." in text
    assert "Please correct" not in text
    assert 'value="Enjoy it"' in refused.text


def test_hours_and_last_days_are_recorded_as_late(owner: ConsoleUser, company: Company) -> None:
    employee_id = hired(company)
    paid(company)
    payslip_id = next(slip["id"] for slip in slips(company, employee_id) if slip["finalised"])
    page = owner.get(f"/payslips/{payslip_id}?enter=bonus")
    assert "Bonus for 1–31 January 2026" in page_text(page)
    assert '<input type="hidden" name="late" value="true">' in page.text
    item = {"calc_type": "bonus", "calculation_details.amount": "500.00", "late": "true"}
    path = f"/payslips/{payslip_id}"
    assert owner.post(f"{path}/calculations", item, page=path).status_code == 303
    assert "This payslip stays as it is" in page_text(owner.get(path))
    assert [proposal["total"] for proposal in listed(company, employee_id)] == ["500.00"]
    [bonus] = [row for row in company.member.get(f"{path}/calculations?late=true").json() if row["id"]]
    assert owner.post(f"{path}/calculations/{bonus['id']}/delete", {"late": "true"}, page=path).status_code == 303
    assert listed(company, employee_id) == []
    profile = f"/employees/{employee_id}"
    end = {"termination_date": "2026-01-20", "termination_code": "1"}
    refused = owner.post(f"{profile}/end_service", end, page=profile)
    assert refused.status_code == 409
    assert "Record as late" in page_text(refused)
    assert owner.post(f"{profile}/end_service", {**end, "late": "true"}, page=profile).status_code == 303


def _uploaded(user: ConsoleUser, base: str, page: str, leave: str, content: bytes) -> httpx.Response:
    """Submit the form for a medical certificate."""
    data = {"form_token": user.token(page), "leave": leave}
    return user.browser.post(f"{base}/medical_certificates", data=data, files={"file": ("scan.pdf", content)})


def test_certificates_are_added_shown_downloaded_and_removed(owner: ConsoleUser, company: Company) -> None:
    person = OnLeave.hired(company)
    day_id = person.take("2026-11-24", "sick_leave")
    base, tab = f"/employees/{person.id}", f"/employees/{person.id}?tab=leave"
    assert "24 Nov 2026, sick leave" in page_text(owner.get(tab))
    assert _uploaded(owner, base, tab, f"day:{day_id}", CERTIFICATE).status_code == 303
    assert "Medical certificate added" in page_text(owner.get(tab))
    [certificate] = person.listed("medical_certificates")
    day = clock.today()
    assert f" document, added {day.day} {day:%b %Y} for 24 Nov 2026" in page_text(owner.get(tab))
    path = f"{base}/medical_certificates/{certificate['id']}"
    file = owner.get(path)
    assert file.content == CERTIFICATE
    assert file.headers["x-content-type-options"] == "nosniff"
    assert file.headers["content-disposition"].startswith("attachment")
    other = OnLeave.hired(company)
    assert owner.get(f"/employees/{other.id}/medical_certificates/{certificate['id']}").status_code == 404
    assert owner.post(f"{path}/delete", page=tab).status_code == 303
    assert person.listed("medical_certificates") == []


@pytest.mark.parametrize(
    ("leave", "content", "status", "text"),
    [
        ("", CERTIFICATE, 422, "Choose the leave that it is for"),
        ("day:{day_id}", b"", 422, "Choose a file"),
        ("day:{day_id}", b"<html>", 422, "is not a complete PDF, PNG or JPEG file"),
        ("day:123456", CERTIFICATE, 404, ""),
        ("request:x", CERTIFICATE, 404, ""),
    ],
)
def test_a_certificate_that_cannot_be_added(
    owner: ConsoleUser, company: Company, leave: str, content: bytes, status: int, text: str
) -> None:
    person = OnLeave.hired(company)
    day_id = person.take("2026-11-24", "sick_leave")
    tab = f"/employees/{person.id}?tab=leave"
    answer = _uploaded(owner, f"/employees/{person.id}", tab, leave.format(day_id=day_id), content)
    assert answer.status_code == status
    assert text.lower() in page_text(answer).lower()
    assert person.listed("medical_certificates") == []


def test_employees_add_certificates_to_their_requests(owner: ConsoleUser, company: Company) -> None:
    person = OnLeave.hired(company, first_name="Mei")
    employee = signed_in_user(company.member.colleague(company.id, "employee", person.id))
    page, base = f"/own/{person.id}/leave", f"/own/{person.id}"
    assert "Medical certificates" not in page_text(employee.get(page))
    assert employee.post(page, {"type_id": str(person.types["sick_leave"]), "from": "2026-11-24"}).status_code == 303
    notice = "Request for 1 day of sick leave sent. Add the medical certificate below, under Medical certificates"
    assert notice in page_text(employee.get(page))
    [leave_request] = person.listed("leave_requests")
    request_id = leave_request["id"]
    assert f'value="request:{request_id}" selected>24 Nov 2026, sick leave (request)' in employee.get(page).text
    rejected = _uploaded(employee, base, page, f"request:{request_id}", b"GIF89a")
    assert rejected.status_code == 422
    certificates = rejected.text[rejected.text.index('id="certificates"') :]
    assert 'role="alert"' in certificates
    assert f'value="request:{request_id}" selected' in certificates
    assert _uploaded(employee, base, page, f"request:{request_id}", CERTIFICATE).status_code == 303
    [certificate] = person.listed("medical_certificates")
    assert employee.get(f"{base}/medical_certificates/{certificate['id']}").content == CERTIFICATE
    assert employee.get(f"{base}/medical_certificates/123456").status_code == 404
    pending = owner.get(f"/companies/{company.id}/leave")
    assert f"/employees/{person.id}/medical_certificates/{certificate['id']}" in pending.text
    own_path = f"{base}/medical_certificates/{certificate['id']}"
    assert "Remove…" in page_text(employee.get(page))
    subject = {"subject": "24 Nov 2026, sick leave (request)", "confirmed": ""}
    asked = employee.post(f"{own_path}/delete", subject, page=page)
    assert "Remove this medical certificate?" in page_text(asked)
    assert len(person.listed("medical_certificates")) == 1
    assert employee.post(f"{own_path}/delete", page=page).status_code == 303
    assert "Medical certificate removed" in page_text(employee.get(page))
    assert person.listed("medical_certificates") == []


def test_the_certificate_of_a_cancelled_request_stays_with_it(company: Company) -> None:
    person = OnLeave.hired(company)
    employee = signed_in_user(company.member.colleague(company.id, "employee", person.id))
    page, base = f"/own/{person.id}/leave", f"/own/{person.id}"
    dates = [{"date": "2026-11-24", "type_id": person.types["sick_leave"]}]
    request_id = created(company.member.post(person.path("leave_requests"), {"dates": dates}))
    cancel, unconfirmed = f"{base}/leave_requests/{request_id}/cancel", {"confirmed": ""}
    hint = "Its medical certificate stays with this request. Add the certificate again to a new request."
    assert hint not in page_text(employee.post(cancel, unconfirmed, page=page))
    assert _uploaded(employee, base, page, f"request:{request_id}", CERTIFICATE).status_code == 303
    assert hint in page_text(employee.post(cancel, unconfirmed, page=page))
    assert employee.post(cancel, page=page).status_code == 303
    created(company.member.post(person.path("leave_requests"), {"dates": dates}))
    text = page_text(employee.get(page))
    assert "24 Nov 2026, sick leave (cancelled request) · " in text
    assert "24 Nov 2026, sick leave (request) · " not in text


def test_employees_cannot_remove_certificates_after_the_decision(company: Company) -> None:
    person = OnLeave.hired(company)
    employee = signed_in_user(company.member.colleague(company.id, "employee", person.id))
    page, base = f"/own/{person.id}/leave", f"/own/{person.id}"
    dates = [{"date": "2026-11-24", "type_id": person.types["hospitalisation_leave"]}]
    request_id = created(company.member.post(person.path("leave_requests"), {"dates": dates}))
    assert _uploaded(employee, base, page, f"request:{request_id}", CERTIFICATE).status_code == 303
    [certificate] = person.listed("medical_certificates")
    assert company.member.post(f"/leave_requests/{request_id}/approve", {}).status_code == 200
    assert "Remove…" not in page_text(employee.get(page))
    removal = f"{base}/medical_certificates/{certificate['id']}/delete"
    assert employee.post(removal, {"back": page}, page=page).status_code == 303
    assert "Your employer has decided about this leave or paid it." in page_text(employee.get(page))
    assert len(person.listed("medical_certificates")) == 1
    other = OnLeave.hired(company)
    other_user = signed_in_user(company.member.colleague(company.id, "employee", other.id))
    theirs = f"/own/{other.id}"
    missing = f"{theirs}/medical_certificates/{certificate['id']}/delete"
    assert other_user.post(missing, page=f"{theirs}/leave").status_code == 404


def test_employees_add_certificates_to_sick_and_hospitalisation_leave_only(company: Company) -> None:
    person = OnLeave.hired(company)
    employee = signed_in_user(company.member.colleague(company.id, "employee", person.id))
    page = f"/own/{person.id}/leave"
    dates = [{"date": "2026-11-23", "type_id": person.types["unpaid_leave"]}]
    request_id = created(company.member.post(person.path("leave_requests"), {"dates": dates}))
    assert "Medical certificates" not in page_text(employee.get(page))
    day_id = person.take("2026-11-24", "sick_leave")
    options = re.findall(r'<option value="((?:request|day):\d+)"', employee.get(page).text)
    assert options == [f"day:{day_id}"]
    wrong = _uploaded(employee, f"/own/{person.id}", page, f"request:{request_id}", CERTIFICATE)
    assert wrong.status_code == 404


def test_sick_leave_beyond_the_limit_is_recorded_with_a_notice(owner: ConsoleUser, company: Company) -> None:
    person = OnLeave.hired(company)
    person.adjust("2026-11-23", -14, "sick_leave")
    tab, path = f"/employees/{person.id}?tab=leave", f"/employees/{person.id}/leave_days"
    employee = signed_in_user(company.member.colleague(company.id, "employee", person.id))
    asked = {"type_id": str(person.types["sick_leave"]), "from": "2026-11-23", "time": "whole"}
    checked = employee.post(f"/own/{person.id}/leave", asked | {"check": "true"})
    text = page_text(checked)
    assert "This is more than you have left. Your employer decides about the request." in text
    assert "Sick leave on 23 Nov 2026: 1 day more than you have" in text
    assert "After this request" not in text
    assert 'class="alert good"' not in checked.text
    assert owner.post(path, asked, page=tab).status_code == 303
    notice = "The limit of this leave is passed. The days stay paid unless you change them to unpaid leave"
    assert f"1 day of leave recorded. {notice}" in page_text(owner.get(tab))
    [day] = person.listed()
    unpaid = {"type_id": str(person.types["unpaid_leave"]), "date": "2026-11-23", "time": "whole"}
    assert owner.post(f"{path}/{day['id']}/edit", unpaid).status_code == 303
    assert notice not in page_text(owner.get(tab))
    assert person.balance("2026-11-23", "sick_leave") == 0


def test_the_leave_tab_says_that_earlier_leave_is_not_deducted(owner: ConsoleUser, company: Company) -> None:
    note = "Balances count from the first day of service."
    early, new = (hired(company, appointment_date=day) for day in ("2023-05-02", "2026-01-05"))
    assert note in page_text(owner.get(f"/employees/{early}?tab=leave"))
    assert note not in page_text(owner.get(f"/employees/{new}?tab=leave"))
    taken = {"type_id": leave_types(company.member, company.id)["unpaid_leave"], "date": "2026-01-05"}
    assert company.member.post(f"/employees/{early}/leave_days", taken).status_code == 200
    assert note in page_text(owner.get(f"/employees/{early}?tab=leave"))
    form = {
        "type_id": str(leave_types(company.member, company.id)["annual_leave"]),
        "date": "2026-01-01",
        "days": "-3",
        "reason": "Taken",
    }
    path = f"/employees/{early}/leave_adjustments/new"
    assert owner.post(path, form).status_code == 303
    assert note not in page_text(owner.get(f"/employees/{early}?tab=leave"))


UNPAID_CHRISTMAS = "Not paid, because it is a public holiday within unpaid leave: 25 Dec 2026 (Christmas Day)"


def test_a_pending_request_names_the_public_holiday_that_it_leaves_unpaid(owner: ConsoleUser, company: Company) -> None:
    person = OnLeave.hired(company)
    unpaid, annual = person.types["unpaid_leave"], person.types["annual_leave"]
    person.take("2026-12-24", "unpaid_leave")
    page = f"/companies/{company.id}/leave"
    for dates in (
        [{"date": "2026-12-29", "type_id": unpaid}],
        [{"date": "2026-12-28", "type_id": unpaid, "hours": 4}],
        [{"date": "2026-12-28", "type_id": annual}],
    ):
        request_id = created(company.member.post(person.path("leave_requests"), {"dates": dates}))
        assert "public holiday within unpaid leave" not in page_text(owner.get(page)), dates
        assert company.member.post(f"/leave_requests/{request_id}/cancel", {}).status_code == 200
    created(company.member.post(person.path("leave_requests"), {"dates": [{"date": "2026-12-28", "type_id": unpaid}]}))
    assert UNPAID_CHRISTMAS in page_text(owner.get(page))


def test_the_leave_tab_names_public_holidays_that_are_not_paid(owner: ConsoleUser, company: Company) -> None:
    person = OnLeave.hired(company)
    tab = f"/employees/{person.id}?tab=leave"
    assert "A public holiday within unpaid leave is not paid." in page_text(owner.get(tab))
    data = {"type_id": str(person.types["unpaid_leave"]), "from": "2026-12-24", "to": "2026-12-24"}
    assert owner.post(f"/employees/{person.id}/leave_days", data, page=tab).status_code == 303
    assert UNPAID_CHRISTMAS not in page_text(owner.get(tab))
    data |= {"from": "2026-12-28", "to": "2026-12-28"}
    assert owner.post(f"/employees/{person.id}/leave_days", data, page=tab).status_code == 303
    assert UNPAID_CHRISTMAS in page_text(owner.get(tab))
