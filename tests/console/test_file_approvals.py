"""Approval of payment files in the console: request, decide and download, for one company and for several."""

import re
from datetime import date, timedelta
from html import escape, unescape
from unittest.mock import Mock
from urllib.parse import urlencode

import httpx
import pytest

from gaji.approvals.models import ApprovalKind
from gaji.console import approvals
from gaji.console.file_approvals import dates_phrase
from gaji.core import clock
from gaji.documents.payment_files.value_dates import non_working_reason
from tests.approvals.second_person import TwoPeople, pending, require_approval
from tests.console.company_steps_pages import rows_of
from tests.console.console_user import ConsoleUser, page_text, signed_in_user
from tests.documents.payment_files.test_files import GIRO, UOB_PAYER
from tests.payroll.payment_runs.runs import done, hired, listed, paid
from tests.support.company import Company
from tests.support.running import Member

FILE = "uob_giro.txt"


@pytest.fixture
def people(account: Member) -> TwoPeople:
    """A company that requires approval since January was finalised. The payment date has passed."""
    company = Company.of(account, name="Tampines Bakery", bank_account=UOB_PAYER)
    employee_id = hired(company, **GIRO)
    paid(company)
    return TwoPeople(company, account, require_approval(company), employee_id)


def value_dates(number: int) -> list[date]:
    """Return the next working days."""
    days = (clock.today() + timedelta(days=distance) for distance in range(1, 60))
    return [day for day in days if not non_working_reason(day)][:number]


def day_text(day: date) -> str:
    return f"{day.day} {day:%b %Y}"


def files_path(people: TwoPeople) -> str:
    """The page of the payment files of the only run."""
    [run] = listed(people.company)
    return f"/payment_runs/{run['id']}/files"


def request_file(people: TwoPeople, day: date | None = None, name: str = FILE) -> int:
    """Request the approval of the file as the officer. Return the approval."""
    query = f"?value_date={day}" if day else ""
    answer = people.officer.post(f"{files_path(people)}/{name}/request_approval{query}")
    assert answer.status_code == 200, answer.text
    return int(answer.json()["approval"]["id"])


def approve(people: TwoPeople, approval_id: int) -> None:
    """Approve a request as the owner."""
    answer = people.owner.post(f"/approvals/{approval_id}/approve", {})
    assert answer.status_code == 200, answer.text


def test_who_approves_a_file_sees_its_date(people: TwoPeople) -> None:
    owner, page = signed_in_user(people.owner), f"/companies/{people.company.id}/approvals"
    request_file(people)
    text = page_text(owner.get(page))
    assert "Date in the file 30 Jan 2026" in text
    assert "The date in the file has passed, and banks refuse past dates" in text
    [day] = value_dates(1)
    request_file(people, day)
    text = page_text(owner.get(page))
    assert f"Date in the file {day_text(day)}" in text
    assert "has passed" not in text


def test_a_file_with_a_past_date_needs_a_value_date_before_it_is_requested(people: TwoPeople) -> None:
    officer, page = signed_in_user(people.officer), files_path(people)
    answer = officer.get(page)
    assert "Enter a value date above before you request the approval" in page_text(answer)
    assert 'name="approve"' not in answer.text
    [day] = value_dates(1)
    answer = officer.get(f"{page}?value_date={day}")
    assert "Enter a value date above" not in page_text(answer)
    assert 'name="approve"' in answer.text


def test_a_request_keeps_the_value_date_and_the_way_back(people: TwoPeople) -> None:
    officer, page = signed_in_user(people.officer), files_path(people)
    [day] = value_dates(1)
    back = f"/companies/payment_files?client_id={people.company.id}&value_date={day}"
    query = urlencode({"value_date": day, "return_to": back})
    form = officer.get(f"{page}?{query}")
    assert f'name="return_to" value="{escape(back)}"' in form.text
    answer = officer.post(page, {"approve": FILE, "value_date": str(day), "return_to": back})
    assert answer.headers["location"] == f"{page}?{query}"
    text = page_text(officer.get(answer.headers["location"]))
    assert f"Date in the file {day_text(day)}" in text
    assert "The file can be downloaded when another person approves it" in text
    assert "Back to the payment files" in text


def test_a_file_that_was_approved_with_another_date_is_named(people: TwoPeople) -> None:
    officer, page = signed_in_user(people.officer), files_path(people)
    day, later = value_dates(2)
    approval_id = request_file(people, day)
    shown = f'<a href="{page}?value_date={day}">Show that file</a>'
    for query in ("", f"?value_date={later}"):
        answer = officer.get(f"{page}{query}")
        assert f"The approval of the file was requested with the date {day_text(day)}." in page_text(answer)
        assert shown in answer.text
    approve(people, approval_id)
    for query in ("", f"?value_date={later}"):
        answer = officer.get(f"{page}{query}")
        assert f"The file was approved with the date {day_text(day)}." in page_text(answer)
        assert "The content of the file" not in page_text(answer)
        assert shown in answer.text
    assert "Show that file" not in officer.get(f"{page}?value_date={day}").text
    assert officer.get(f"{page}?value_date={day}&download={FILE}").status_code == 200


def test_a_file_of_a_pay_run_that_was_finalised_again_needs_another_approval(people: TwoPeople) -> None:
    officer, page = signed_in_user(people.officer), files_path(people)
    [day] = value_dates(1)
    approval_id = request_file(people, day)
    approve(people, approval_id)
    text = "The content of the file has changed since it was approved"
    assert text not in page_text(officer.get(f"{page}?value_date={day}"))
    run = page.removesuffix("/files")
    assert people.owner.post(f"{run}/unfinalise").status_code == 200
    hired(people.company, "3000.00", **GIRO)
    done(people.company, int(run.rpartition("/")[2]), "calculate")
    approve(people, pending(people.officer.post(f"{run}/finalise")))
    answer = officer.get(f"{page}?value_date={day}")
    assert text in page_text(answer)
    assert "Show that file" not in answer.text
    row = rows_of(review(officer, people))["Tampines Bakery"]
    assert "Choose a value date" in row
    assert "approved" not in row


def test_a_file_with_several_dates_names_them_all() -> None:
    days = [date(2026, 11, 20), date(2026, 11, 23), date(2026, 11, 24)]
    assert dates_phrase(days) == "the dates 20 Nov 2026, 23 Nov 2026 and 24 Nov 2026"
    assert dates_phrase(days[:1]) == "the date 20 Nov 2026"


@pytest.mark.parametrize("name", ["payment_list.csv", "payment_list_released.csv", "payment_list_reissue_2.csv"])
def test_a_list_of_cash_payments_has_no_warning_about_banks(name: str) -> None:
    details = {"name": FILE, "value_date": None, "pay_dates": ["2026-01-30"]}
    approval = Mock(kind=ApprovalKind.PAYMENT_FILE, details=details)
    assert approvals._note_texts(approval) == [approvals.DATE_HAS_PASSED]
    approval.details = {**details, "name": name}
    assert approvals._note_texts(approval) == []


def review(user: ConsoleUser, people: TwoPeople, day: date | None = None) -> httpx.Response:
    """Return the payment files of several companies, which here are one."""
    return user.get(list_path(people, day))


def list_path(people: TwoPeople, day: date | None = None) -> str:
    date_query = f"&value_date={day}" if day else ""
    return f"/companies/payment_files?client_id={people.company.id}{date_query}"


def problem_link(answer: httpx.Response) -> str:
    """Return the address of the only link of a problem in the list."""
    [path] = re.findall(r'<a class="badge [a-z]+" href="([^"]+)"', answer.text)
    return unescape(path)


def test_the_list_leads_to_the_request_with_the_value_date_and_back(people: TwoPeople) -> None:
    officer, owner = signed_in_user(people.officer), signed_in_user(people.owner)
    [day] = value_dates(1)
    answer = review(officer, people)
    assert "Choose a value date" in rows_of(answer)["Tampines Bakery"]
    answer = review(officer, people, day)
    assert "Fix Tampines Bakery A second person has to approve the file" in rows_of(answer)["Tampines Bakery"]
    page = officer.get(problem_link(answer))
    [form] = re.findall(r'<form class="actions" method="post".*?</form>', page.text, re.DOTALL)
    fields = dict(re.findall(r'name="([a-z_]+)" value="([^"]*)"', form))
    assert (fields["value_date"], fields["approve"]) == (str(day), FILE)
    answer = officer.post(files_path(people), {name: unescape(value) for name, value in fields.items()})
    assert f'href="{escape(list_path(people, day))}"' in officer.get(answer.headers["location"]).text
    for user, text in ((officer, "Waits for the approval of a second person"), (owner, "Waits for your approval")):
        assert f"Review Tampines Bakery {text}" in rows_of(review(user, people, day))["Tampines Bakery"]
        answer = review(user, people)
        sentence = f"The file with the date {day_text(day)} w{text[1:]}"
        assert f"Review Tampines Bakery {sentence}" in rows_of(answer)["Tampines Bakery"]
        assert f"value_date={day}" in problem_link(answer).partition("return_to=")[0]
    page = owner.get(problem_link(review(owner, people, day)))
    [decide] = re.findall(r'<form class="form" method="post" action="([^"]+)"', page.text)
    [back] = set(re.findall(r'name="return_to" value="([^"]+)"', page.text))
    answer = owner.post(decide, {"return_to": unescape(back)}, page=list_path(people, day))
    assert answer.headers["location"] == list_path(people, day)
    answer = review(owner, people, day)
    assert "Request approved" in page_text(answer)
    assert " checked" in answer.text


def test_the_list_names_a_file_that_was_approved_with_another_date(people: TwoPeople) -> None:
    officer = signed_in_user(people.officer)
    day, later = value_dates(2)
    approval_id = request_file(people, day)
    row = rows_of(review(officer, people, later))["Tampines Bakery"]
    assert f"The approval of the file was requested with the date {day_text(day)}." in row
    approve(people, approval_id)
    row = rows_of(review(officer, people, later))["Tampines Bakery"]
    assert f"The file was approved with the date {day_text(day)}. Another date needs another approval" in row
    row = rows_of(review(officer, people))["Tampines Bakery"]
    assert f"The file was approved with the date {day_text(day)}: choose this value date" in row
    assert "approv" not in rows_of(review(officer, people, day))["Tampines Bakery"]


def test_a_decision_leads_to_no_other_site(people: TwoPeople) -> None:
    [day] = value_dates(1)
    approval_id = request_file(people, day)
    page = f"/companies/{people.company.id}/approvals"
    owner = signed_in_user(people.owner)
    answer = owner.post(f"{page}/{approval_id}/approve", {"return_to": "//elsewhere.example"}, page=page)
    assert answer.headers["location"] == page


def test_the_list_has_the_format_that_was_requested(account: Member) -> None:
    company = Company.of(account, name="Tampines Bakery", bank_account={**UOB_PAYER, "bank_id": 7339})
    employee_id = hired(company, **GIRO)
    paid(company)
    people = TwoPeople(company, account, require_approval(company), employee_id)
    officer, [day] = signed_in_user(people.officer), value_dates(1)
    assert "GIRO file for OCBC" in rows_of(review(officer, people, day))["Tampines Bakery"]
    request_file(people, day, "ocbc_fast.txt")
    row = rows_of(review(officer, people, day))["Tampines Bakery"]
    assert "FAST file for OCBC" in row
    assert "Waits for the approval of a second person" in row
